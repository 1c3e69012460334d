"""The built-in agent from a prompt to the end of its run, with a scripted model."""

import pytest

from chat.model import COMPLEX, DONE, SIMPLE, Model, calls, plan, provider, says
from socket_client import opened

pytestmark = pytest.mark.anyio


@pytest.fixture
def model(tmp_path):
    model = Model(tmp_path)
    yield model
    model.stop()


class Chat:
    """A client that holds one chat."""

    def __init__(self, socket):
        self.socket = socket

    async def send(self, content: str, **fields) -> dict:
        self.started = await self.socket.ask("chat.send", content=content, **fields)
        return self.started

    async def end(self, since: int = 0) -> dict:
        """The one message that ends the run."""
        run = self.started["requestId"]
        return await self.socket.first(
            lambda m: m["type"] in ("chat.stream.end", "error") and m.get("requestId") == run, since
        )

    async def get(self) -> dict:
        return await self.socket.ask("chat.get", sessionId=self.started["sessionId"])

    async def statuses(self) -> list[tuple[str, str]]:
        at = await self.socket.ask("session.get", sessionId=self.started["sessionId"])
        return [(todo["content"], todo["status"]) for todo in at["todos"]]


@pytest.fixture
async def chat(gateway, model):
    async with opened(gateway) as socket:
        await socket.ask("events.subscribe")
        await socket.ask("settings.update", **provider(model))
        yield Chat(socket)


# T8, G6
async def test_a_simple_task_is_answered_in_one_turn_without_a_list(chat, model):
    model.start(SIMPLE, says("Paris is the capital of France."))
    await chat.send("What is the capital of France?")
    end = await chat.end()
    assert (end["type"], end["outcome"]) == ("chat.stream.end", "completed")
    deltas = "".join(m["delta"] for m in chat.socket.seen if m["type"] == "chat.stream.delta")
    assert deltas == "Paris is the capital of France."
    assert await chat.statuses() == []
    kept = await chat.get()
    kinds = [message["kind"] for message in kept["messages"]]
    assert kinds == ["user", "assistant", "end"] and "run" not in kept
    assert end["usage"]["totalTokens"] > 0


# T9, T10, T11
async def test_a_complex_task_is_planned_worked_on_and_validated(chat, model):
    model.start(
        COMPLEX,
        plan("Read the file", "Write the summary"),
        calls(("todo_manager", {"action": "complete_multiple", "ids": [1]}), text="Read it."),
        calls(("todo_manager", {"action": "complete_multiple", "ids": [2]}), text="Wrote it."),
        DONE,
    )
    await chat.send("Read the file, write a summary, and check it twice")
    end = await chat.end()
    assert (end["type"], end.get("outcome")) == ("chat.stream.end", "completed"), end
    assert await chat.statuses() == [("Read the file", "completed"), ("Write the summary", "completed")]
