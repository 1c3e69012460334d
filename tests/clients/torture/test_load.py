"""Many at once, and some without manners: nobody else notices, and nothing of it stays."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from agent import contents
from gateway import START_SECONDS, Gateway, until
from socket_client import Socket, opened
from torture.flood import (
    BUSY_SECONDS,
    OWN_DESCRIPTORS,
    USUAL_DESCRIPTORS,
    Process,
    Rude,
    come_and_go,
    descriptors,
    rude,
    subscribers,
)
from torture.measure import names
from torture.steady import SocketAgent, a_list, agents, is_there

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300)]


@pytest.fixture
def busy(data_folder: Gateway):
    """A gateway that was started with the usual limits, and a test that has more room."""
    with descriptors(USUAL_DESCRIPTORS):
        data_folder.start()
    # By then it has opened its own descriptors.
    files = Path(f"/proc/{data_folder.process.pid}/fd")
    until(lambda: "anon_inode:inotify" in names(files), START_SECONDS, "it follows the files of agents")
    with descriptors(OWN_DESCRIPTORS):
        yield data_folder


# Memory of the gateway for one subscriber: two buffers of the WebSocket, 128 KiB each at most, and its task;
# and what the gateway takes when it does something for the first time.
SUBSCRIBER_KILOBYTES = 256
FIRST_KILOBYTES = 8 * 1024


# D2, D4: 1,200 are more than the usual limit has room for; the gateway raises its own.
@pytest.mark.parametrize(("number", "turns"), [(50, 40), (1000, 12), (1200, 4)])
async def test_every_subscriber_ends_with_the_newest_lists(busy, number, turns):
    process = Process(busy)
    empty, before = process.kilobytes(), process.descriptors()
    async with opened(busy) as writer:
        async with subscribers(busy, number) as all_of_them:
            assert process.descriptors() >= before + number
            newest, lists = {}, {}
            for turn in range(turns):
                written = await writer.ask("todo.write", session=f"s{turn % 3}", todos=a_list(f"turn {turn}"))
                newest[written["sessionId"]] = written["revision"]
                lists[written["sessionId"]] = contents(written["todos"])
            async with asyncio.timeout(BUSY_SECONDS):
                await asyncio.gather(*(subscriber.reaches(newest) for subscriber in all_of_them))
            assert [subscriber.wrong for subscriber in all_of_them if subscriber.wrong] == []
            assert all(subscriber.contents == lists for subscriber in all_of_them)
            grown = process.kilobytes() - empty
        await process.has_let_go(before + 1)
        await writer.ask("todo.write", session="s0", todos=a_list("nobody hears this"))
        assert (await writer.ask("gateway.status"))["connections"] == 0
    print(f"{number} subscribers: {grown / number:.0f} KiB each")
    assert grown < FIRST_KILOBYTES + number * SUBSCRIBER_KILOBYTES


# D2, D3
async def test_two_hundred_agents_write_and_all_of_it_is_there(busy):
    process = Process(busy)
    before = process.descriptors()
    async with agents(busy, 200) as them:
        await asyncio.gather(*(agent.work(3) for agent in them))
    assert len({agent.session for agent in them}) == 200
    async with opened(busy) as socket:
        for agent in them:
            assert len(agent.acknowledged) == 3
            await is_there(socket, agent.session, agent.acknowledged)
    await process.has_let_go(before)


# A second and a third round of one load may differ by what the allocator keeps; what leaks adds up.
ROUND_SHARE = 0.20


async def some_of_everything(gateway: Gateway) -> None:
    async with subscribers(gateway, 40), agents(gateway, 40) as them, rude(gateway) as deaf:
        await deaf.send({"type": "events.subscribe", "id": "1"})
        await asyncio.gather(*(agent.work(4) for agent in them), *(come_and_go(gateway, 60) for _ in range(4)))


async def test_the_same_load_again_takes_no_more(busy, rounds):
    process = Process(busy)
    before, used = process.descriptors(), []
    for _ in rounds(3):
        await some_of_everything(busy)
        await process.has_let_go(before)
        used.append(process.kilobytes())
    print(f"after each round, in KiB: {used}")
    # The first one fills what is kept for the next.
    second, *later = used[1:] or used
    assert all(now <= second * (1 + ROUND_SHARE) for now in later)


# D2
async def test_who_opens_and_closes_as_fast_as_possible_harms_nobody(busy):
    process = Process(busy)
    before = process.descriptors()
    async with opened(busy) as socket:
        storm = [asyncio.create_task(come_and_go(busy, 250)) for _ in range(8)]
        writer = SocketAgent("steady", socket)
        await writer.work(1)
        while not all(task.done() for task in storm):
            await writer.work(1)
        await asyncio.gather(*storm)
        await is_there(socket, writer.session, writer.acknowledged)
    await process.has_let_go(before)


LARGE = 16
SESSIONS = 8

# Memory for one peer that reads nothing: the newest list of each session, 40 KB as JSON and twice that as items,
# what a WebSocket buffers, and as many events as its queue holds; doubled for what the allocator keeps. All that is
# written while it takes nothing is more than twice that.
DEAF_KILOBYTES = 8 * 1024


async def write_large(socket: Socket, turns: int, after: int, sessions: int = SESSIONS) -> dict[str, int]:
    """Large lists, of which each differs from the one before in one step; the newest revision of each session."""
    newest = {}
    for turn in range(after, after + turns):
        todos = a_list("large", LARGE, 2000)
        todos[turn % LARGE]["status"] = ("completed", "in_progress", "blocked")[turn // LARGE % 3]
        written = await socket.ask("todo.write", session=f"large {turn % sessions}", todos=todos)
        newest[written["sessionId"]] = written["revision"]
        # They are large, and nobody looks at them any more.
        socket.seen.clear()
    return newest


async def until_it_lagged(client: Rude) -> bool:
    """Reads what has waited; whether it was told that it lagged, and not cut off."""
    try:
        while (await client.receive()).get("state") != "lagged":
            pass
    except OSError:
        return False
    return True


# D2: the queue of a subscriber keeps the newest list of each session, and gives up past its bound.
async def test_a_subscriber_that_never_reads_costs_little_and_catches_up(busy):
    process = Process(busy)
    async with AsyncExitStack() as stack:
        writer = await stack.enter_async_context(opened(busy))
        others = [await stack.enter_async_context(opened(busy)) for _ in range(8)]
        await write_large(writer, 100, 0)
        before = process.kilobytes()
        deaf = await stack.enter_async_context(rude(busy))
        await deaf.send({"type": "events.subscribe", "id": "1"})
        newest = await write_large(writer, 450, 100)
        grown = process.kilobytes() - before
        print(f"a subscriber that never reads: {grown} KiB")
        assert grown < DEAF_KILOBYTES

        async def annotate(number: int, socket: Socket) -> None:
            session = (await socket.ask("todo.write", session=f"small {number}", todos=[]))["sessionId"]
            for at in range(140):
                await socket.ask("note.send", sessionId=session, text=f"note {at}")
            newest[session] = 141

        await asyncio.gather(*(annotate(number, other) for number, other in enumerate(others)))
        assert process.kilobytes() - before < DEAF_KILOBYTES

        async with asyncio.timeout(BUSY_SECONDS):
            if not await until_it_lagged(deaf):
                deaf = await stack.enter_async_context(rude(busy))
            await deaf.send({"type": "events.subscribe", "id": "2"})
            while (snapshot := await deaf.receive()).get("id") != "2":
                pass
        assert snapshot["whole"] is True
        there = {session["sessionId"]: session["revision"] for session in snapshot["sessions"]}
        assert there == newest
        for session in snapshot["sessions"]:
            now = await writer.ask("session.get", sessionId=session["sessionId"])
            assert contents(session["todos"]) == contents(now["todos"])


# G2: it does not know that it could subscribe again.
async def test_a_client_of_the_older_protocol_that_lagged_is_told_its_list_again(busy):
    async with AsyncExitStack() as stack:
        writer = await stack.enter_async_context(opened(busy))
        others = [await stack.enter_async_context(opened(busy)) for _ in range(8)]
        await write_large(writer, 1, 0, sessions=1)
        deaf = await stack.enter_async_context(rude(busy))
        await deaf.send({"type": "thread.list", "id": "1"})
        assert contents((await deaf.receive())["todos"])
        await write_large(writer, 300, 1, sessions=1)

        async def annotate(number: int, socket: Socket) -> None:
            session = (await socket.ask("todo.write", session=f"small {number}", todos=[]))["sessionId"]
            for at in range(140):
                await socket.ask("note.send", sessionId=session, text=f"note {at}")

        await asyncio.gather(*(annotate(number, other) for number, other in enumerate(others)))
        await writer.ask("todo.write", session="large 0", todos=[{"content": "The last one"}])
        async with asyncio.timeout(BUSY_SECONDS):
            while contents((await deaf.receive()).get("todos", [])) != ["The last one"]:
                pass


# D2, fair shares
async def test_who_sends_without_reading_harms_nobody_and_costs_little(busy):
    process = Process(busy)
    # Long, so that the answers are more than the system keeps for a peer.
    names = [f"{number:0200}" for number in range(6_000)]
    async with opened(busy) as socket, rude(busy) as flood:
        writer = SocketAgent("steady", socket)
        await writer.work(20)
        before = process.kilobytes()

        async def send() -> None:
            # A client that begins with a message of the older protocol gets events without a subscription.
            await flood.send({"type": "hello", "id": "hello"})
            assert (await flood.receive())["id"] == "hello"
            for name in names:
                await flood.send({"type": "gateway.status", "id": name})

        sending = asyncio.create_task(send())
        await writer.work(100)
        grown = process.kilobytes() - before
        print(f"a client that sends without reading: {grown} KiB")
        assert grown < DEAF_KILOBYTES
        async with asyncio.timeout(BUSY_SECONDS):
            for name in names:
                answer = await flood.receive()
                assert answer.get("id", answer.get("requestId")) == name, "each is answered once, in order"
                assert answer["type"] == "gateway.status.result" or answer["code"] == "RATE_LIMITED"
            await sending
        await writer.work(5)
        await is_there(socket, writer.session, writer.acknowledged)
