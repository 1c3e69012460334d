"""The shim under a gateway that is killed, stopped and moved: nothing is noticed, lost or done twice."""

import asyncio
import os
import signal
from contextlib import suppress

import pytest

import agent
from agent import connected, contents
from gateway import END_SECONDS
from socket_client import opened

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(280)]

ROUNDS = 100


def running(gateway) -> int | None:
    with suppress(FileNotFoundError):
        return gateway.runtime["pid"]
    return None


# Each round the gateway goes in the middle of calls, every third time in good order; the shim starts another.
async def test_a_gateway_that_comes_and_goes_a_hundred_times_is_not_noticed(gateway):
    acknowledged: dict[int, str] = {}
    over = asyncio.Event()

    async def work(client) -> None:
        turn = 0
        while not over.is_set():
            turn += 1
            content = f"turn {turn}"
            written = await agent.write(client, [{"id": "1", "content": content, "status": "in_progress"}])
            assert contents(written["todos"]) == [content]
            acknowledged[written["revision"]] = content

    async with connected(gateway, "stdio", label="lasting") as client:
        working = asyncio.create_task(work(client))
        others, killed, turn = [gateway.process], [], 0
        gateway.process = None
        while len(killed) < ROUNDS:
            turn += 1
            goal = len(acknowledged) + 2
            async with asyncio.timeout(60):
                while len(acknowledged) < goal and not working.done():
                    await asyncio.sleep(0)
            assert not working.done(), working.exception()
            # Between two gateways there is no such file, or one of a process that has ended.
            with suppress(FileNotFoundError, ProcessLookupError):
                pid = gateway.runtime["pid"]
                os.kill(pid, signal.SIGTERM if turn % 3 == 0 else signal.SIGKILL)
                killed.append(pid)
            if turn % 4 == 0:
                # On a port of its own, beside the one that the shim starts: whoever is first has the folder.
                others.append(gateway.spawn("--port", "0")[0])
        # One that ends in good order still answers: the work goes on until another has come.
        async with asyncio.timeout(60):
            while running(gateway) in (None, killed[-1]):
                assert not working.done(), working.exception()
                await asyncio.sleep(0.01)
        over.set()
        await working
        async with opened(gateway) as socket:
            session = (await socket.ask("session.get", sessionId="lasting"))["session"]["sessionId"]
            newest = (await socket.ask("session.get", sessionId=session))["revision"]
            history = {}
            for revision in range(1, newest + 1):
                history[revision] = contents(
                    (await socket.ask("session.get", sessionId=session, revision=revision))["todos"]
                )
    gateway.leave_nothing()
    for other in others:
        other.wait(END_SECONDS)
    assert {revision: [content] for revision, content in acknowledged.items()}.items() <= history.items()
    made = [content for (content,) in history.values()]
    assert made == list(dict.fromkeys(made)), "no list makes two revisions"
    assert set(made) == set(acknowledged.values()), "each that was answered is there, and no other"
