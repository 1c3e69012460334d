"""The scripted model, and a client whose built-in agent has it."""

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
async def chat(gateway, model):
    async with opened(gateway) as socket:
        await socket.ask("events.subscribe")
        await socket.ask("settings.update", **provider(model))
        yield Chat(socket)
