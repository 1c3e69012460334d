"""The scripted model, and a client whose built-in agent has it."""

from pathlib import Path

import pytest

from chat.client import Chat
from chat.model import Model, provider
from socket_client import opened


@pytest.fixture
def model(tmp_path):
    model = Model(tmp_path)
    yield model
    model.stop()


@pytest.fixture
def folder(tmp_path) -> Path:
    """The folder that the agent's tools may read."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "in.txt").write_text("three words here")
    return folder


@pytest.fixture
async def chat(gateway, model):
    async with opened(gateway) as socket:
        await socket.ask("events.subscribe")
        await socket.ask("settings.update", **provider(model))
        yield Chat(socket)
