"""The clock of the machine jumping back by hours and forth by days while agents write: the order stays, and nothing is
an error."""

from contextlib import AsyncExitStack
from datetime import datetime
from itertools import pairwise

import pytest

from agent import connected, write
from socket_client import Socket, opened
from torture.clock import Jumping
from torture.record import Record, check_file, history

pytestmark = pytest.mark.anyio

JUMPS = ("-3h", "-5h", "+0", "+4d", "-30d", "+400d", "+0")
PER_JUMP = 3
DAY_SECONDS = 24 * 60 * 60


@pytest.fixture
def jumping(tmp_path):
    gateway = Jumping(tmp_path)
    yield gateway
    gateway.leave_nothing()


def when(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


async def in_order(socket: Socket, session: str) -> None:
    times = [when(revision["at"]) for revision in await history(socket, session)]
    earlier = [f"{at} after {before}" for before, at in pairwise(times) if at < before]
    assert not earlier, f"a later revision is before an earlier one: {earlier}"


# D3
async def test_a_clock_that_jumps_changes_no_order(jumping, rounds, chance):
    jumping.start()
    record = Record()
    uptime = 0
    async with AsyncExitStack() as stack:
        agents = [await stack.enter_async_context(connected(jumping, way, label=way)) for way in ("http", "stdio")]
        socket, watcher = [await stack.enter_async_context(opened(jumping)) for _ in range(2)]
        await watcher.ask("events.subscribe")
        for _ in rounds(1):
            for jump in chance.sample(JUMPS, len(JUMPS)):
                jumping.jump(jump)
                for turn in range(PER_JUMP):
                    words = {"content": f"{jump} {turn} {chance.getrandbits(64):x}", "status": "in_progress"}
                    for agent in agents:
                        record.acknowledge(await write(agent, [words, {"content": "Ship"}]))
                    written = await record.of(socket.ask("todo.write", session="window", todos=[words]))
                    session = written["sessionId"]
                    await record.of(socket.ask("todo.add", sessionId=session, content=f"By hand {turn}"))
                for known in record.revisions:
                    await in_order(socket, known)
                    now = (await socket.ask("session.get", sessionId=known))["session"]
                    assert now["current"] and now["state"] != "stale", f"it was heard just now: {now}"
                uptime = max(uptime, (await socket.ask("gateway.status"))["uptime"])
                listed = (await socket.ask("session.list"))["sessions"]
                assert sorted(one["sessionId"] for one in listed) == sorted(record.revisions)
                found = (await socket.ask("session.search", query=f'"{words["content"]}"'))["results"]
                assert sorted(hit["sessionId"] for hit in found) == sorted(record.revisions)
        assert uptime > DAY_SECONDS, "the clock of the gateway has jumped"
        await record.check(socket, again=True)
        for known, revisions in record.revisions.items():
            await watcher.event("todo.update", sessionId=known, revision=max(revisions))
    jumping.kill()
    check_file(jumping)
    # Another time than that of the last change.
    jumping.jump("-90d")
    jumping.start()
    async with opened(jumping) as socket:
        await record.check(socket, again=True)
        await record.of(socket.ask("todo.write", session="window", todos=[{"content": "Go on"}]))
        for known in record.revisions:
            await in_order(socket, known)
