"""Processes that are stopped and continued, as by a laptop's lid: everybody goes on, and ends with the same state."""

import asyncio
import json
from contextlib import AsyncExitStack

import pytest

from agent import connected, write
from gateway import END_SECONDS, Gateway, environment, eventually
from socket_client import Socket, opened
from torture.processes import of_folder, stopped
from torture.record import Record, assert_same, check_file, said

pytestmark = pytest.mark.anyio

WAIT_SECONDS = 60
ROUNDS = 3
# Changes of each list while one is stopped.
MISSED = 80


def shim_of(gateway: Gateway) -> int:
    """The one shim there is."""
    [shim] = [process for process in of_folder(gateway) if process != gateway.process.pid]
    return shim


async def now_of(socket: Socket, label: str) -> tuple[int, list[dict]]:
    answer = await socket.ask("session.get", sessionId=label)
    return answer["revision"], said(answer["todos"])


# D3
async def test_a_gateway_that_is_stopped_for_a_while_answers_everybody_afterwards(gateway, rounds, chance):
    record = Record()
    async with AsyncExitStack() as stack:
        sockets = [await stack.enter_async_context(opened(gateway)) for _ in range(4)]
        shim = await stack.enter_async_context(connected(gateway, "stdio", label="shim"))
        agent = await stack.enter_async_context(connected(gateway, label="http"))
        watcher = await stack.enter_async_context(opened(gateway))
        await watcher.ask("events.subscribe")
        record.acknowledge(await write(shim, [{"content": "Read"}]))
        for turn in rounds(ROUNDS):
            with stopped(gateway.process.pid):
                todos = [{"content": f"{turn}"}]
                waiting = [
                    *(
                        asyncio.create_task(record.of(socket.ask("todo.write", session=f"{at}", todos=todos)))
                        for at, socket in enumerate(sockets)
                    ),
                    asyncio.create_task(record.of(write(shim, todos))),
                    asyncio.create_task(record.of(write(agent, todos))),
                ]
                # Not a condition but the time for which the lid is closed.
                await asyncio.sleep(0.5 + chance.random())
                assert not any(task.done() for task in waiting)
            async with asyncio.timeout(WAIT_SECONDS):
                answers = await asyncio.gather(*waiting)
            for answer in answers:
                told = await watcher.event("todo.update", sessionId=answer["sessionId"], revision=answer["revision"])
                assert_same(told["todos"], said(answer["todos"]), "the event is what was answered")
        await record.check(sockets[0], again=True)
        assert record.in_doubt == 0
    gateway.stop()
    check_file(gateway)


# D3
async def test_a_shim_that_is_stopped_disturbs_nobody_and_goes_on(gateway):
    record = Record()
    async with connected(gateway, "stdio", label="shim") as client, opened(gateway) as socket:
        record.acknowledge(await write(client, [{"content": "Read"}]))
        session = next(iter(record.revisions))
        with stopped(shim_of(gateway)):
            waiting = asyncio.create_task(record.of(write(client, [{"content": "Read"}, {"content": "Fix"}])))
            for turn in range(MISSED):
                await record.of(socket.ask("todo.write", session="other", todos=[{"content": f"{turn}"}]))
            await record.of(socket.ask("todo.add", sessionId=session, content="By hand"))
            assert not waiting.done()
        async with asyncio.timeout(WAIT_SECONDS):
            written = await waiting
        assert "By hand" in written["text"], "it is told what it missed"
        await record.check(socket, again=True)
    gateway.stop()
    check_file(gateway)


# D3, D4
async def test_a_command_that_watches_and_is_stopped_ends_with_the_same_state(gateway):
    record = Record()
    async with opened(gateway) as socket:
        await record.of(socket.ask("todo.write", session="one", todos=[{"content": "Read"}]))
        log = gateway.folder / "watch.jsonl"
        with log.open("wb") as output:
            watching = await asyncio.create_subprocess_exec(
                *gateway.command("watch", "--json"),
                stdout=output,
                stdin=asyncio.subprocess.DEVNULL,
                env=environment(gateway.home),
            )
        try:
            await eventually(has(log, "Read"), WAIT_SECONDS, "it begins with what there is")
            with stopped(watching.pid):
                for turn in range(MISSED):
                    for label in ("one", "two", "three"):
                        todos = [{"content": f"{label} {turn} {'x' * 1_000}"}]
                        await record.of(socket.ask("todo.write", session=label, todos=todos))
            known = {label: await now_of(socket, label) for label in ("one", "two", "three")}

            async def is_the_same() -> bool:
                return shown(log) == known

            await eventually(is_the_same, WAIT_SECONDS, "it shows what there is")
        finally:
            watching.terminate()
            await asyncio.wait_for(watching.wait(), END_SECONDS)
        await record.check(socket)


def has(log, word: str):
    async def there() -> bool:
        return word in log.read_text()

    return there


def shown(log) -> dict[str, tuple[int, list[dict]]]:
    """The last state of each list in the command's output."""
    lists, labels = {}, {}
    for line in log.read_text().splitlines():
        try:
            message = json.loads(line)
        except ValueError:
            continue  # Half a line, so far.
        sessions = message.get("sessions") or ([message] if "todos" in message else [])
        for session in sessions:
            labels[session["sessionId"]] = session.get("label") or labels.get(session["sessionId"])
            lists[session["sessionId"]] = (session["revision"], said(session["todos"]))
    return {labels[session]: known for session, known in lists.items()}
