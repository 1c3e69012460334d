"""Many machines at once, and machines with other versions."""

import asyncio
import sys
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from gateway import Gateway, until
from hosts import SECONDS, dial, here, mirrored, same, silent, steps, write
from socket_client import opened

pytestmark = pytest.mark.anyio

HOSTS = 10
SESSIONS = 30
VERSIONS = str(Path(__file__).with_name("versions.py"))


async def filled(box: Gateway, number: int) -> None:
    """A machine with its sessions."""
    async with opened(box) as there:
        for run in range(SESSIONS):
            await write(there, f"run {run}", f"Read {number}.{run}", "Fix", "Ship")


# H1, H12
async def test_ten_machines_with_thirty_sessions_each(gateway, hosts):
    boxes = {f"box-{number}": hosts(f"box-{number}") for number in range(HOSTS)}
    async with AsyncExitStack() as stack:
        user = await stack.enter_async_context(opened(gateway))
        # All at once, as when a machine wakes up.
        for name, box in boxes.items():
            await user.ask("hosts.add", name=name, command=dial(box))
        for name, box in boxes.items():
            await asyncio.to_thread(until, box.runtime_file.exists, SECONDS, f"a gateway on {name}")
        await asyncio.gather(*(filled(box, number) for number, box in enumerate(boxes.values())))
        for name, box in boxes.items():
            await same(gateway, name, box)
        told = (await user.ask("hosts.list"))["hosts"]
        assert [(one["state"], one["sessions"]) for one in told] == [("up", SESSIONS)] * HOSTS, told
        listed, page = [], await user.ask("session.list", limit=200)
        while True:
            listed += page["sessions"]
            if (cursor := page.get("nextCursor")) is None:
                break
            page = await user.ask("session.list", limit=200, cursor=cursor)
        assert len(listed) == HOSTS * SESSIONS and {one["host"] for one in listed} == set(boxes)
        found = (await user.ask("session.search", query='"Read 7.21"'))["results"]
        assert [one["session"]["host"] for one in found] == ["box-7"]
        # One that goes harms no other.
        await asyncio.to_thread(boxes["box-3"].leave_nothing)
        async with opened(boxes["box-4"]) as there:
            session = await write(there, "run 0", "Go on")
        await here(user, session, "Go on")


# H11
async def test_a_machine_with_an_older_gateway_says_so(gateway, hosts):
    box = hosts("box").start()
    async with opened(gateway) as user:
        await user.ask("hosts.add", name="box", command=[sys.executable, VERSIONS, "older", *dial(box)])
        down = await silent(user, "box")
        assert "0.0.1" in down["problem"] and "update it there" in down["problem"], down


# H1, H7
async def test_a_machine_with_a_newer_gateway_is_followed(gateway, hosts):
    box = hosts("box").start()
    async with opened(gateway) as user, opened(box) as there:
        session = await write(there, "api", "Read", "Fix")
        up = await mirrored(user, "box", [sys.executable, VERSIONS, "newer", *dial(box)])
        assert up["version"] == "99.0.0"
        await here(user, session, "Read", "Fix")
        await user.ask("todo.add", sessionId=session, content="Mine")
        await here(user, session, "Read", "Fix", "Mine")
        assert await steps(there, session) == ["Read", "Fix", "Mine"]
        await there.ask("session.delete", sessionId=await write(there, "gone", "Old"))
        await write(there, "api", "Read", "Fix", "Mine", "Ship")
        await here(user, session, "Read", "Fix", "Mine", "Ship")
    await same(gateway, "box", box)
