"""A day: agents come, work, rest, crash and come back, users look and edit, and nothing is left of it but what was
written."""

from dataclasses import replace

import pytest

from gateway import eventually
from socket_client import Socket, opened
from torture.clock import Fast
from torture.day import NIGHT_MINUTES, Day, Pace
from torture.flood import BUSY_SECONDS
from torture.heap import WALKABLE
from torture.measure import Measure, measure, slope
from torture.record import asked, check_file

pytestmark = pytest.mark.anyio

SHORT = Pace(agents=8, hours=3, rate=20, work=2, lunch=1)
# Each round that is asked for is an hour.
LONG = Pace(agents=30, hours=8, rate=30, work=24, lunch=35)

# Of what is in use: a connection takes 147 KiB, a list with all that is known of it some 10.
NIGHT_KILOBYTES = 1024
# Tokio's threads for what blocks are named as its workers are, and go when they had nothing to do for ten seconds.
POOL = "tokio-rt-worker"
POOL_MORE = 2
HOUR_KILOBYTES = 64


@pytest.fixture
def pace(rounds) -> Pace:
    hours = len(rounds(0))
    return replace(LONG, hours=max(2, hours)) if hours else SHORT


@pytest.fixture
def fast(tmp_path, pace):
    gateway = Fast(tmp_path, pace.rate)
    gateway.variables = WALKABLE
    yield gateway.start()
    gateway.leave_nothing()


# D2, D3
async def test_of_a_day_nothing_is_left_but_what_was_written(fast, pace, chance):
    day = Day(fast, chance, pace)
    hours = []
    for number in range(pace.hours):
        hours.append(await day.hour(number))
        print(f"hour {number + 1}, so far {day.deeds} deeds, {day.cuts} cut off: {hours[-1]}", flush=True)
    await fast.skip(NIGHT_MINUTES)
    night = measure(fast)
    print(f"after a night: {night}")
    nothing_is_left(hours, night)
    async with opened(fast) as socket:
        await all_is_quiet(socket)
        await day.record.check(socket, again=True)
    fast.stop()
    check_file(fast)


def held(then: Measure) -> tuple:
    return then.descriptors, {name: count for name, count in then.threads.items() if name != POOL}, then.children


def nothing_is_left(hours: list[Measure], night: Measure) -> None:
    first, second = hours[:2]
    for number, then in enumerate((*hours, night), 1):
        assert held(then) == held(first), f"after hour {number}"
        assert then.threads[POOL] <= first.threads[POOL] + POOL_MORE, f"after hour {number}: {then}"
    used = [hour.in_use for hour in hours]
    assert night.in_use - second.in_use < NIGHT_KILOBYTES, used
    if len(later := used[2:]) > 3:
        assert slope(later) < HOUR_KILOBYTES, used


async def all_is_quiet(socket: Socket) -> None:
    # The first question is not the older protocol's: who speaks that is a subscriber.
    await socket.ask("archive.status")
    status = await socket.ask("gateway.status")
    assert (status["connections"], status["sessions"]) == (0, 0)
    listed, cursor = [], {}
    while cursor is not None:
        page = await asked(socket, "session.list", limit=200, **cursor)
        listed += page["sessions"]
        cursor = {"cursor": page["nextCursor"]} if "nextCursor" in page else None
    assert {one["state"] for one in listed} <= {"finished", "stale", "waiting"}, "nobody works any more"

    async def is_gone() -> bool:
        return not (await asked(socket, "session.list", filter={"deleted": True}))["sessions"]

    await eventually(is_gone, BUSY_SECONDS, "what was deleted a day ago is gone")
