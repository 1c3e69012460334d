"""`kill -9` at any moment, under mixed load: nothing that was acknowledged is lost, and nothing is half-applied."""

import asyncio

import pytest

from socket_client import opened
from torture.mixed import Mixed, is_cut
from torture.processes import kill_all
from torture.record import check_file

pytestmark = pytest.mark.anyio

ROUNDS = 6
# The longest load before the kill; the first second of a gateway is the one in which most begins.
LOAD_SECONDS = 1.0
BEGIN_SECONDS = 60
SESSIONS = ("one", "two")


async def first_lists(mixed: Mixed) -> list[str]:
    async with opened(mixed.gateway) as socket:
        written = [
            await mixed.record.of(socket.ask("todo.write", session=label, todos=mixed.todos(label, 0)))
            for label in SESSIONS
        ]
        return [answer["sessionId"] for answer in written]


async def until_killed(mixed: Mixed, sessions: list[str]) -> None:
    """Works from every side, and pulls the plug somewhere in it."""
    mixed.over.clear()
    before = mixed.record.count
    loads = [
        *(mixed.agent_over_http(label) for label in SESSIONS),
        mixed.agent_over_stdio("three"),
        mixed.window(),
        mixed.window(),
        mixed.archivist(),
        mixed.command_line(sessions[0]),
    ]
    work = [asyncio.create_task(load) for load in loads]
    async with asyncio.timeout(BEGIN_SECONDS):
        while mixed.record.count == before and not any(task.done() for task in work):
            await asyncio.sleep(0)
    # The moment of the fault, not a condition.
    await asyncio.sleep(mixed.chance.random() * LOAD_SECONDS)
    ended = [task.exception() for task in work if task.done()]
    assert not ended, f"it ended before its gateway: {ended}"
    mixed.gateway.kill()
    mixed.over.set()
    async with asyncio.timeout(BEGIN_SECONDS):
        results = await asyncio.gather(*work, return_exceptions=True)
    wrong = [result for result in results if isinstance(result, BaseException) and not is_cut(result)]
    assert not wrong, wrong
    # The gateway that the shim has started goes as well.
    kill_all(mixed.gateway)


# D3
async def test_nothing_acknowledged_is_lost(data_folder, rounds, chance):
    data_folder.start()
    mixed = Mixed(data_folder, chance)
    sessions = await first_lists(mixed)
    for _ in rounds(ROUNDS):
        await until_killed(mixed, sessions)
        check_file(data_folder)
        data_folder.start()
        async with opened(data_folder) as socket:
            await mixed.record.check(socket)
            await mixed.archive.check(socket)
    assert set(mixed.by) == {"http", "stdio", "window", "archive", "command line"}, mixed.by
    async with opened(data_folder) as socket:
        await mixed.record.check(socket, again=True)
    data_folder.stop()
    check_file(data_folder)
    log = data_folder.data_dir / "sightline.db-wal"
    assert not log.exists() or not log.read_bytes(), "a clean end leaves the database checkpointed"
