"""A stop reaches those that the built-in agent waits for: its model, and the servers of its tools."""

import pytest

from chat.line import line_to
from chat.model import COMPLEX, DONE, SIMPLE, calls, completes, plan, provider, says
from chat.own import WAIT, far, greets, noted, notes, own, own_far
from socket_client import opened

pytestmark = pytest.mark.anyio

LONG = "A long answer, with many words in it. " * 5


@pytest.fixture
async def line(chat, model):
    async with line_to(model) as line:
        await chat.socket.ask("settings.update", **provider(line))
        yield line


async def under_way(chat, line, pieces: int | None) -> None:
    """A prompt whose answer does not come any further than this."""
    line.held[1] = pieces
    await chat.send("Tell me all")
    if pieces is None:
        await line.has_asked(2)
    else:
        await chat.event("chat.stream.delta")


# T12
@pytest.mark.parametrize("pieces", [None, 2], ids=["before it answers", "in the middle of its answer"])
async def test_a_stop_hangs_up_on_the_model(chat, model, line, pieces):
    model.start(SIMPLE, says(LONG), SIMPLE, says("Short."))
    await under_way(chat, line, pieces)
    await chat.abort()
    assert await line.questions[1].is_dropped()
    assert (await chat.end())["outcome"] == "aborted"
    line.let_go.set()
    await chat.send("Then tell me less", sessionId=chat.session)
    assert (await chat.end())["outcome"] == "completed"
    assert chat.streamed() == "Short." and len(line.questions) == 4


async def test_a_session_that_is_deleted_hangs_up_on_the_model(chat, model, line):
    model.start(SIMPLE, says(LONG))
    await under_way(chat, line, 2)
    await chat.socket.ask("session.delete", sessionId=chat.session)
    assert await line.questions[1].is_dropped()


# P11
async def test_an_edit_that_stops_the_work_on_an_item_hangs_up_on_the_model(chat, model, line):
    model.start(COMPLEX, plan("One", "Two"), says(LONG), completes(2), DONE)
    line.held[2] = 2
    await chat.send("Do one and two")
    await chat.event("chat.stream.delta")
    await chat.socket.ask("todo.delete", sessionId=chat.session, position="1")
    assert await line.questions[2].is_dropped()
    await chat.abort()


async def test_a_client_that_goes_does_not_hang_up_on_the_model(gateway, chat, model, line):
    model.start(SIMPLE, says(LONG))
    await under_way(chat, line, 2)
    await chat.socket.connection.close()
    async with opened(gateway) as other:
        await other.ask("events.subscribe")
        line.let_go.set()
        await other.event("chat.stream.end", requestId=chat.started["requestId"], outcome="completed")
    assert line.questions[1].answered and not line.questions[1].hung_up.is_set()


@pytest.fixture(params=["a process", "over HTTP"])
async def server(request, chat, folder):
    """Settings that have a server whose tool waits without end."""
    if request.param == "a process":
        await chat.socket.ask("settings.update", **own(folder))
        yield
        return
    running = own_far(folder, "mine").start()
    await chat.socket.ask("settings.update", **far(running.port, **{"X-Key": "mine"}))
    yield
    running.stop()


# T12
async def test_a_stop_cancels_the_call_of_a_tool_and_its_server_goes_on(chat, model, folder, server):
    model.start(SIMPLE, calls((WAIT, {})), SIMPLE, greets("Ada"), says("Greeted."))
    await chat.send("Wait for it")
    await noted(folder, "waiting")
    await chat.abort()
    await noted(folder, "cancelled")
    assert (await chat.end())["outcome"] == "aborted"
    [call] = await chat.said("tool")
    assert call["isError"] and "is not known" in call["result"]
    # The same server, which was not begun anew.
    assert notes(folder) == ["started", "waiting", "cancelled"]
    await chat.send("Greet Ada", sessionId=chat.session)
    assert (await chat.end())["outcome"] == "completed"
    assert (await chat.said("tool"))[-1]["result"] == "Hello, Ada!"
    assert notes(folder) == ["started", "waiting", "cancelled", "greeted Ada"]


# P11
async def test_an_edit_that_stops_the_work_on_an_item_cancels_its_call(chat, model, folder, server):
    model.start(COMPLEX, plan("Wait", "Greet"), calls((WAIT, {})), greets("Ada"), completes(1), DONE)
    await chat.send("Wait for it, and greet Ada, and again")
    await noted(folder, "waiting")
    await chat.socket.ask("todo.delete", sessionId=chat.session, position="1")
    await noted(folder, "cancelled")
    assert (await chat.end())["outcome"] == "completed"
    assert notes(folder) == ["started", "waiting", "cancelled", "greeted Ada"]
    assert await chat.statuses() == [("Greet", "completed")]
