"""`kill -9` under a stream of writes loses nothing that was acknowledged."""

import asyncio
import shutil
import sqlite3

import pytest

from agent import call, contents, post, rpc_answer
from gateway import Gateway
from socket_client import Socket, opened

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300)]

ROUNDS = 5
ACKNOWLEDGED_PER_ROUND = 60


class Record:
    """What was acknowledged: the contents of each revision of each session."""

    def __init__(self):
        self.revisions: dict[str, dict[int, list[str]]] = {}
        self.count = 0
        self.changed = asyncio.Event()

    def acknowledge(self, answer: dict) -> None:
        self.revisions.setdefault(answer["sessionId"], {})[answer["revision"]] = contents(answer["todos"])
        self.count += 1
        self.changed.set()


async def write_over_websocket(gateway: Gateway, label: str, record: Record) -> None:
    """An agent and its user: full lists, and additions and deletions between them."""
    turn = 0
    async with opened(gateway) as socket:
        session = None
        while True:
            turn += 1
            todos = [{"id": str(i), "content": f"{label} {turn} step {i}"} for i in range(turn % 7 + 1)]
            written = await socket.ask("todo.write", session=label, todos=todos)
            record.acknowledge(written)
            session = written["sessionId"]
            if turn % 3 == 0:
                record.acknowledge(await socket.ask("todo.add", sessionId=session, content=f"{label} extra {turn}"))
            if turn % 5 == 0:
                record.acknowledge(await socket.ask("todo.delete", sessionId=session, position="1"))


async def write_over_mcp(gateway: Gateway, label: str, record: Record) -> None:
    turn = 0
    while True:
        turn += 1
        todos = [{"id": "1", "content": f"{label} {turn}", "status": "in_progress"}]
        response = await post(gateway, call("todo_write", {"todos": todos, "session": label}, turn))
        record.acknowledge(rpc_answer(response)["result"]["structuredContent"])


async def until_killed(gateway: Gateway, record: Record) -> None:
    """Writes from four sides and pulls the plug in the middle of it."""
    writers = [
        asyncio.create_task(write_over_websocket(gateway, "one", record)),
        asyncio.create_task(write_over_websocket(gateway, "two", record)),
        asyncio.create_task(write_over_websocket(gateway, "three", record)),
        asyncio.create_task(write_over_mcp(gateway, "four", record)),
    ]
    goal = record.count + ACKNOWLEDGED_PER_ROUND
    async with asyncio.timeout(60):
        while record.count < goal:
            record.changed.clear()
            await record.changed.wait()
    ended = [task.exception() for task in writers if task.done()]
    assert not ended, f"a writer ended before its gateway: {ended}"
    gateway.kill()
    # Each ends at the first write that is not answered.
    await asyncio.gather(*writers, return_exceptions=True)


async def all_revisions(socket: Socket, session: str) -> list[int]:
    found, cursor = [], {}
    while True:
        page = await socket.ask("session.revisions", sessionId=session, limit=500, **cursor)
        found += [revision["revision"] for revision in page["revisions"]]
        if "nextCursor" not in page:
            return found[::-1]
        cursor = {"cursor": page["nextCursor"]}


def check_file(gateway: Gateway) -> None:
    """Looks at a copy of what lies on the disk, as the next program to open it will."""
    copy = gateway.folder / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir()
    for part in gateway.data_dir.glob("sightline.db*"):
        shutil.copy(part, copy)
    database = sqlite3.connect(copy / "sightline.db")
    try:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
    finally:
        database.close()


# D3
async def test_nothing_acknowledged_is_lost(gateway):
    record = Record()
    for _ in range(ROUNDS):
        await until_killed(gateway, record)
        check_file(gateway)
        gateway.start()
        async with opened(gateway) as socket:
            assert len(record.revisions) == 4
            for session, acknowledged in record.revisions.items():
                there = await all_revisions(socket, session)
                assert there == list(range(1, len(there) + 1)), "gap-free from 1"
                assert len(there) >= max(acknowledged), "nothing acknowledged is lost"
                for revision, words in acknowledged.items():
                    then = await socket.ask("session.get", sessionId=session, revision=revision)
                    assert contents(then["todos"]) == words, f"revision {revision} of {session}"
                now = await socket.ask("session.get", sessionId=session)
                assert now["revision"] == len(there)
    assert record.count >= ROUNDS * ACKNOWLEDGED_PER_ROUND
    gateway.stop()
    check_file(gateway)
    assert (
        not list(gateway.data_dir.glob("sightline.db-wal")) or not (gateway.data_dir / "sightline.db-wal").read_bytes()
    ), "a clean end leaves the database checkpointed"
