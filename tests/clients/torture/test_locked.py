"""The database locked by another program: waited for while that is short, said when it is not, and gone on with."""

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from agent import connected, text_of, write
from gateway import Gateway
from socket_client import Socket, opened
from terminal import run
from torture.record import Record, check_file

pytestmark = pytest.mark.anyio

LABELS = ("one", "two", "three", "four", "five")
# Longer than a gateway waits for another program.
LONG_SECONDS = 40


@contextmanager
def locked(gateway: Gateway, how: str) -> Iterator[sqlite3.Connection]:
    """Another program writes, or is about to."""
    database = sqlite3.connect(gateway.data_dir / "sightline.db", isolation_level=None)
    try:
        database.execute(f"BEGIN {how}")
        yield database
        database.execute("ROLLBACK")
    finally:
        database.close()


def writing(socket: Socket, record: Record, turn: str) -> list[asyncio.Task]:
    """Everybody writes at once."""
    asked = (socket.ask("todo.write", session=label, todos=[{"content": f"{label} {turn}"}]) for label in LABELS)
    return [asyncio.create_task(record.of(one)) for one in asked]


async def told_alone(gateway: Gateway, kind: str, **fields) -> dict:
    """The answer on a connection of its own: one connection's requests are answered one after another."""
    async with opened(gateway) as socket:
        return await socket.answer(kind, **fields)


async def reading(socket: Socket, record: Record) -> None:
    await record.check(socket, again=True)
    assert (await socket.ask("session.search", query="one"))["results"]
    assert len((await socket.ask("session.list"))["sessions"]) == len(record.revisions)


# D3
@pytest.mark.parametrize("how", ["IMMEDIATE", "EXCLUSIVE"])
async def test_who_locks_it_for_a_moment_is_waited_for(gateway, how, rounds, chance):
    record = Record()
    async with opened(gateway) as socket, opened(gateway) as reader, connected(gateway) as client:
        await asyncio.gather(*writing(socket, record, "first"))
        for turn in rounds(3):
            with locked(gateway, how):
                asked = [
                    *writing(socket, record, f"{turn}"),
                    asyncio.create_task(write(client, [{"content": f"{turn}"}])),
                ]
                await reading(reader, record)
                # The moment of the fault, not a condition.
                await asyncio.sleep(chance.random())
                assert not any(task.done() for task in asked), "nothing is acknowledged while another writes"
            *_, answer = await asyncio.gather(*asked)
            record.acknowledge(answer)
        await record.check(socket, again=True)
    gateway.stop()
    check_file(gateway)


# D3
async def test_who_keeps_it_locked_is_said_and_forgotten_when_it_ends(gateway):
    record = Record()
    async with opened(gateway) as socket, opened(gateway) as reader, connected(gateway) as client:
        await asyncio.gather(*writing(socket, record, "first"))
        with locked(gateway, "IMMEDIATE"):
            asked = [
                *(
                    told_alone(gateway, "todo.write", session=label, todos=[{"content": "Lost?"}])
                    for label in (*LABELS, "new", "another")
                ),
                told_alone(gateway, "settings.update", keepDays=7),
            ]
            called = client.call_tool("todo_write", {"todos": [{"content": "Lost?"}]})
            typing = asyncio.to_thread(run, gateway, "todo", "add", "--session", "one", "last", "Lost?")
            # Each is told by itself, and none waits for all the others.
            async with asyncio.timeout(LONG_SECONDS):
                *answers, result, typed = await asyncio.gather(*asked, called, typing)
            for answer in answers:
                assert answer.get("code") == "STORAGE", answer
                is_told(answer["message"])
            assert result.is_error
            is_told(text_of(result))
            assert typed.code == 1
            is_told(typed.err)
            await reading(reader, record)
        await asyncio.gather(*writing(socket, record, "afterwards"))
        record.acknowledge(await write(client, [{"content": "Afterwards"}]))
        assert "Lost?" not in str(await socket.ask("session.get", sessionId="one"))
        assert (await socket.ask("settings.get"))["keepDays"] == 0
        await record.check(socket, again=True)
    gateway.stop()
    check_file(gateway)


# G1. A call that cannot be answered any more says so: an empty answer would look like a fault of the transport.
async def test_a_gateway_that_ends_answers_the_call_under_way(gateway):
    async with connected(gateway) as client, opened(gateway) as user:
        await write(client, [{"content": "Before"}])
        with locked(gateway, "IMMEDIATE"):
            called = asyncio.create_task(client.call_tool("todo_write", {"todos": [{"content": "Lost?"}]}))
            # It arrives meanwhile, and nobody sees it wait.
            for _ in range(20):
                await user.ask("session.list")
            ends = asyncio.create_task(asyncio.to_thread(gateway.stop))
            async with asyncio.timeout(LONG_SECONDS):
                result = await called
        assert result.is_error
        said = text_of(result)
        assert "the gateway ends" in said and "read the list before you send it again" in said, said
        await ends
    check_file(gateway)


# D3
async def test_a_start_while_it_is_locked_waits_or_says_so(data_folder):
    data_folder.start()
    record = Record()
    async with opened(data_folder) as socket:
        await asyncio.gather(*writing(socket, record, "first"))
    data_folder.stop()
    with locked(data_folder, "EXCLUSIVE"):
        process, log = data_folder.spawn("--port", "0")
        # It cannot even be asked what is in it.
        code = await asyncio.to_thread(process.wait, LONG_SECONDS)
        said = log.read_text()
        assert code == 1, said
        assert str(data_folder.data_dir) in said, said
        assert "locked" in said and "another program" in said.lower(), said
    data_folder.start()
    async with opened(data_folder) as socket:
        await record.check(socket, again=True)


def is_told(message: str) -> None:
    """Checks that a message names the fault and its effect."""
    assert "locked" in message, message
    assert "another program" in message.lower(), message
    assert "nothing was changed" in message, message
