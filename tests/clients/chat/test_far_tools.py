"""Tool servers that are reached over HTTP, as the user configures them."""

import json

import pytest

from chat.line import line_to
from chat.model import COMPLEX, DONE, SIMPLE, calls, completes, plan, provider, says
from chat.own import GREET, everything_far, far, greets, noted, notes, own_far

pytestmark = pytest.mark.anyio


@pytest.fixture
def server(folder):
    running = own_far(folder, "my C.UTF-8 key").start()
    yield running
    running.stop()


def tools_of(question: dict) -> list[str]:
    return [tool["function"]["name"] for tool in question.get("tools", [])]


@pytest.mark.parametrize("value", ["my C.UTF-8 key", "my ${LANG} key"], ids=["as it is", "with a variable"])
async def test_a_tool_of_a_server_that_wants_a_header_is_called(chat, model, folder, server, value):
    await chat.socket.ask("settings.update", **far(server.port, **{"X-Key": value}))
    model.start(COMPLEX, plan("Greet Ada"), greets("Ada"), completes(1), DONE)
    await chat.send("Greet Ada, and look at it, and again")
    assert (await chat.end())["outcome"] == "completed"
    assert await chat.notices() == []
    [call, _] = await chat.said("tool")
    assert (call["toolName"], call["result"], call.get("isError", False)) == (GREET, "Hello, Ada!", False)
    assert notes(folder) == ["started", "greeted Ada"]
    assert [turn["content"] for turn in model.asked()[3]["messages"] if turn["role"] == "tool"] == ["Hello, Ada!"]


@pytest.mark.parametrize(
    ("headers", "status", "why"),
    [
        ({"X-Key": "wr0ng"}, 401, "It does not answer as an MCP server: it answers with 401."),
        ({"X-Key": "wr0ng"}, 403, "It does not answer as an MCP server: it answers with 403."),
        ({}, 401, "It does not answer as an MCP server: it answers with 401."),
        ({"X-Key": "${NOT_SET_ANYWHERE}"}, 401, "The variable NOT_SET_ANYWHERE is not set in the environment."),
        ({"X Key": "wr0ng"}, 401, 'The header "X Key" is none, or its value cannot be sent.'),
    ],
    ids=["a wrong one", "a forbidden one", "none", "a variable that is not set", "one that is none"],
)
async def test_a_server_that_refuses_is_said_to_and_the_run_goes_on(chat, model, folder, server, headers, status, why):
    (folder / "status").write_text(str(status))
    await chat.socket.ask("settings.update", **far(server.port, **headers))
    model.start(SIMPLE, greets("Ada"), says("Then without it."))
    await chat.send("Greet Ada")
    assert (await chat.end())["outcome"] == "completed"
    assert chat.streamed() == "Then without it."
    assert await chat.notices() == [f"The tools of own are not there: {why}"]
    assert GREET not in tools_of(model.asked()[1]) and "todo_write" in tools_of(model.asked()[1])
    [call] = await chat.said("tool")
    assert call["isError"] and "no tool" in call["result"]
    assert notes(folder) == ["started"]
    # Settings are told with what stands in them.
    told = [message for message in chat.socket.seen[chat.since :] if message["type"] != "settings.updated"]
    assert "wr0ng" not in json.dumps(told) + json.dumps(model.asked())


async def test_a_header_that_is_corrected_is_used_in_the_next_run(chat, model, server):
    await chat.socket.ask("settings.update", **far(server.port, **{"X-Key": "wrong"}))
    model.start(SIMPLE, says("Without it."), SIMPLE, greets("Ada"), says("With it."))
    await chat.send("Greet Ada")
    await chat.end()
    await chat.socket.ask("settings.update", **far(server.port, **{"X-Key": "my C.UTF-8 key"}))
    await chat.send("Greet Ada now", sessionId=chat.session)
    assert (await chat.end())["outcome"] == "completed"
    assert [call["result"] for call in await chat.said("tool")] == ["Hello, Ada!"]


async def test_a_key_that_is_not_taken_any_more_fails_the_call_and_not_the_run(chat, model, folder, server):
    await chat.socket.ask("settings.update", **far(server.port, **{"X-Key": "my C.UTF-8 key"}))
    model.start(SIMPLE, greets("Ada"), greets("Bob"), says("Only Ada."))
    async with line_to(model) as line:
        await chat.socket.ask("settings.update", **provider(line))
        line.held[2] = None
        await chat.send("Greet Ada and Bob")
        await noted(folder, "greeted Ada")
        (folder / "key").write_text("another one")
        line.let_go.set()
        assert (await chat.end())["outcome"] == "completed"
    [ada, bob] = await chat.said("tool")
    assert ada["result"] == "Hello, Ada!" and bob["isError"]
    assert bob["result"].startswith("The call failed: it answers with 401.")
    assert notes(folder) == ["started", "greeted Ada"]


async def test_a_server_that_was_begun_anew_is_spoken_to_anew(chat, model, folder, server):
    await chat.socket.ask("settings.update", **far(server.port, **{"X-Key": "my C.UTF-8 key"}))
    model.start(SIMPLE, greets("Ada"), says("Greeted."), SIMPLE, greets("Bob"), says("Greeted."))
    await chat.send("Greet Ada")
    assert (await chat.end())["outcome"] == "completed"
    server.stop()
    server.start()
    await chat.send("Greet Bob", sessionId=chat.session)
    assert (await chat.end())["outcome"] == "completed"
    assert [call["result"] for call in await chat.said("tool")] == ["Hello, Ada!", "Hello, Bob!"]
    assert notes(folder) == ["started", "greeted Ada", "started", "greeted Bob"]


async def test_a_server_of_somebody_else_over_http(chat, model):
    server = everything_far().start()
    try:
        there = far(server.port, name="all")
        await chat.socket.ask("settings.update", **{**there, "chatTools": {"all__get-sum": "auto"}})
        model.start(SIMPLE, calls(("all__get-sum", {"a": 17, "b": 25})), says("It is 42."))
        await chat.send("What is 17 and 25?")
        assert (await chat.end())["outcome"] == "completed"
        [call] = await chat.said("tool")
        assert not call.get("isError") and "42" in call["result"]
        assert await chat.notices() == []
    finally:
        server.stop()
