"""A full disk: what cannot be kept is refused in clear words, the rest goes on, and room is all that it needs."""

import asyncio
import json
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing, suppress

import pytest

from agent import connected, contents, text_of, write
from chat.client import Chat
from chat.line import held_up
from chat.model import SIMPLE, Model, says
from gateway import START_SECONDS, eventually
from socket_client import Refused, Socket, opened
from terminal import run
from torture.mount import Filler, Mounted, mounted
from torture.record import Record, check_file, copied

pytestmark = pytest.mark.anyio

SMALL = 'mount -t tmpfs -o size=8m,mode=700 sightline-test "$DIR"'
# More changes than what is set aside for the log can hold.
CHANGES = 1_000
# The same of commands, each a process of its own.
COMMANDS = 50
LONG = "x" * 1_500


@pytest.fixture
def small(tmp_path):
    with mounted(tmp_path, SMALL) as gateway:
        yield gateway


def is_told(message: str) -> None:
    """Checks that a message names the fault, its effect, and the remedy."""
    assert "full" in message, message
    assert "nothing was changed" in message, message
    assert "disk" in message, message


async def until_refused(change: Callable[[int], Awaitable[str | None]], changes: int = CHANGES) -> None:
    """Changes something until the disk is full. What fits is done; `change` gives what it is refused with."""
    for turn in range(changes):
        if (message := await change(turn)) is not None:
            is_told(message)
            return
    raise AssertionError(f"{changes} changes on a full disk, and none refused")


def asking(socket: Socket, record: Record, kind: str, fields: Callable[[int], dict]):
    """A change by a request, kept when it is acknowledged."""

    async def change(turn: int) -> str | None:
        try:
            await record.of(socket.ask(kind, **fields(turn)))
        except Refused as refused:
            assert refused.code == "STORAGE", refused
            return refused.message
        return None

    return change


def lists(label: str) -> Callable[[int], dict]:
    return lambda turn: {"session": label, "todos": [{"content": f"{turn} {LONG}"}]}


async def filled(gateway: Mounted, socket: Socket, record: Record) -> Filler:
    """A gateway with some lists, whose disk is full."""
    for label in ("one", "two"):
        await record.of(socket.ask("todo.write", session=label, todos=[{"content": f"Read {label}"}]))
    filler = Filler(gateway.data_dir)
    filler.fill()
    await until_refused(asking(socket, record, "todo.write", lists("one")))
    return filler


# D3
async def test_what_cannot_be_kept_is_refused_and_goes_on_when_there_is_room(small):
    small.start()
    record = Record()
    async with opened(small) as socket, opened(small) as window, connected(small) as client:
        await window.ask("events.subscribe")
        filler = await filled(small, socket, record)
        session = (await socket.ask("session.get", sessionId="one"))["session"]["sessionId"]

        async def called(turn: int) -> str | None:
            result = await client.call_tool("todo_write", {"todos": [{"content": f"{turn} {LONG}"}]})
            if not result.is_error:
                record.acknowledge(result.structured_content)
            return text_of(result) if result.is_error else None

        async def typed(turn: int) -> str | None:
            done = await asyncio.to_thread(
                run, small, "todo", "edit", "--json", "--session", "one", "1", f"{turn} {LONG}"
            )
            if done.code == 0:
                record.acknowledge(done.json)
                return None
            error = json.loads(done.err)
            assert error["code"] == "STORAGE", error
            return error["message"]

        # Each way in says so.
        edit = {"sessionId": session, "position": "1"}
        for kind in ("todo.add", "todo.edit"):
            await until_refused(asking(window, record, kind, lambda turn: {**edit, "content": f"{LONG} {turn}"}))
        await until_refused(called)
        await until_refused(typed, COMMANDS)
        # Many at once, too: nobody's change is lost in another's refusal.
        many = (asking(window, record, "todo.write", lists(f"many {number}")) for number in range(8))
        await asyncio.gather(*(until_refused(one) for one in many))
        # Readable data is read, and is as it was acknowledged last.
        await record.check(socket, again=True)
        [hit] = (await socket.ask("session.search", query='"Read two"'))["results"]
        assert run(small, "todo", "show", "--session", hit["sessionId"]).code == 0
        before = await socket.ask("session.get", sessionId=session)
        filler.free()
        for label in ("one", "two", "three"):
            await record.of(socket.ask("todo.write", session=label, todos=[{"content": f"Go on with {label}"}]))
        record.acknowledge(await write(client, [{"content": "Go on"}]))
        record.acknowledge(run(small, "todo", "add", "--json", "--session", "two", "last", "Ship").json)
        told = await window.event("todo.update", sessionId=session, revision=before["revision"] + 1)
        assert "Go on with one" in contents(told["todos"])
        await record.check(socket, again=True)
    small.kill()
    check_file(small)
    small.start()
    async with opened(small) as socket:
        await record.check(socket, again=True)


def stored(gateway: Mounted) -> list[str]:
    """The kinds of the messages of conversations in the database."""
    with closing(sqlite3.connect(copied(gateway))) as database:
        return [kind for (kind,) in database.execute("SELECT said ->> '$.kind' FROM chat_messages ORDER BY seq")]


# D3
async def test_what_is_said_on_a_full_disk_is_kept_when_there_is_room(small, tmp_path):
    small.start()
    model = Model(tmp_path)
    try:
        answer = "It is four, as everybody knows who has ever counted. " * 6
        model.start(SIMPLE, says(answer), SIMPLE, says("Five."))
        async with opened(small) as socket, held_up(chat := Chat(socket), model, 1) as line:
            await socket.ask("events.subscribe")
            await chat.send("What is two and two?")
            await chat.event("chat.stream.delta")
            filler = await filled(small, socket, Record())
            await until_refused(asking(socket, Record(), "todo.write", lists("one")))
            line.let_go.set()
            assert (await chat.end())["outcome"] == "completed"
            # It is there for those who look, and they are told.
            assert [message["content"] for message in await chat.said("assistant")] == [answer.strip()]
            [notice] = await chat.notices()
            assert "not saved yet" in notice and "full" in notice
            assert stored(small) == ["user"]
            before = (await chat.get())["messages"]
            with pytest.raises(Refused):
                await chat.send("And two and three?", sessionId=chat.session)
            assert (await chat.get())["messages"] == before
            filler.free()

            async def is_stored() -> bool:
                # A copy that is made while it is written to may be half of it.
                with suppress(sqlite3.DatabaseError):
                    return "end" in stored(small)

            await eventually(is_stored, START_SECONDS, "it is kept without anybody's doing")
    finally:
        model.stop()
    small.kill()
    check_file(small)
    small.start()
    async with opened(small) as socket:
        chat.socket = socket
        again = await chat.get()
        assert (again["messages"], again["canResume"]) == (before, False)


# D3
@pytest.mark.parametrize("ended", ["killed", "stopped while it was full"])
async def test_a_start_on_a_full_disk_says_so_and_changes_nothing(small, ended):
    small.start()
    record = Record()
    async with opened(small) as socket:
        filler = await filled(small, socket, record)
    if ended == "killed":
        small.kill()
        # The next one removes it first, and its room would be enough for a start.
        small.runtime_file.unlink()
    else:
        small.stop()
    filler.fill()
    process, log = small.spawn("--port", "0")
    code = await asyncio.to_thread(process.wait, START_SECONDS)
    said = log.read_text()
    assert code == 1, said
    assert str(small.inner) in said, said
    assert "full" in said or "No space left" in said, said
    assert "panicked" not in said, said
    filler.free()
    check_file(small)
    small.start()
    async with opened(small) as socket:
        await record.check(socket, again=True)
        await record.of(socket.ask("todo.write", session="one", todos=[{"content": "Go on"}]))


# D3
async def test_a_first_start_on_a_full_disk_says_so(small):
    filler = Filler(small.data_dir)
    filler.fill()
    process, log = small.spawn("--port", "0")
    assert await asyncio.to_thread(process.wait, START_SECONDS) == 1
    said = log.read_text()
    assert str(small.inner) in said, said
    assert "full" in said or "No space left" in said, said
    assert "panicked" not in said, said
    filler.free()
    small.start()
    async with opened(small) as socket:
        await socket.ask("todo.write", session="one", todos=[{"content": "Go on"}])
