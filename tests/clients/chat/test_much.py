"""Tools that give more than anybody reads."""

import json

import pytest

from chat.line import line_to
from chat.model import SIMPLE, calls, provider, says
from chat.own import MUCH, far, greets, notes, own, own_far

pytestmark = pytest.mark.anyio

KEPT, ALL = 100 * 1024, 10_000_000
MEGABYTE = 1024 * 1024


@pytest.fixture(params=["a process", "over HTTP"])
async def server(request, chat, folder):
    """Settings that have a server whose tool gives as much as it is asked for; gives what they are called."""
    if request.param == "a process":
        await chat.socket.ask("settings.update", **own(folder))
        yield request.param
        return
    running = own_far(folder, "mine").start()
    await chat.socket.ask("settings.update", **far(running.port, **{"X-Key": "mine"}))
    yield request.param
    running.stop()


async def test_of_ten_megabytes_a_beginning_is_kept_and_read(chat, model, server):
    model.start(SIMPLE, calls((MUCH, {"count": ALL})), says("That was much."))
    async with line_to(model) as line:
        await chat.socket.ask("settings.update", **provider(line))
        await chat.send("Give me ten megabytes")
        assert (await chat.end())["outcome"] == "completed"
    [call] = await chat.said("tool")
    assert not call.get("isError")
    assert call["result"] == "x" * KEPT + f"\n[cut: {ALL - KEPT} of {ALL} bytes were left out]"
    read = [turn["content"] for turn in line.questions[2].body["messages"] if turn["role"] == "tool"]
    assert read == [call["result"]]
    assert (await chat.event("tool.result"))["result"] == call["result"]
    # Nobody is sent more than that.
    assert max(len(json.dumps(message)) for message in chat.socket.seen) < 4 * KEPT


async def test_who_says_too_much_at_once_is_not_heard_and_is_called_again(chat, model, folder, server):
    model.start(SIMPLE, calls((MUCH, {"count": 17 * MEGABYTE})), greets("Ada"), says("That was too much."))
    await chat.send("Give me seventeen megabytes")
    assert (await chat.end())["outcome"] == "completed"
    [much, greeting] = await chat.said("tool")
    assert greeting["result"] == "Hello, Ada!"
    assert much["isError"] and "whether the call did anything is not known" in much["result"].lower()
    if server == "a process":
        assert "has sent a message of more than 16 MiB, and was ended" in much["result"]
        assert notes(folder) == ["started", "started", "greeted Ada"]
    else:
        # It goes on, and is not said to have ended.
        assert notes(folder) == ["started", "greeted Ada"]
        assert "has ended" not in much["result"] and "16 MiB" in much["result"]
