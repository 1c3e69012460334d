"""A bad line between the gateway and everybody else: all end with the same lists, and nothing was done twice."""

import asyncio
from contextlib import AsyncExitStack, suppress
from itertools import groupby, pairwise

import httpx2
import pytest
from mcp.shared.exceptions import MCPError

from agent import connected, contents
from gateway import Gateway, eventually
from socket_client import Socket, opened
from torture.flood import Process
from torture.network_parties import (
    OPENING_SECONDS,
    Clicker,
    Connected,
    Follower,
    Shimmed,
    Steps,
    Typist,
    View,
    Watcher,
    Worker,
    at_work,
)
from torture.proxy import Behind, behind_proxy

pytestmark = pytest.mark.anyio

# Reconnecting takes pauses, and starting takes a while in a debug build.
MENDED_SECONDS = 60


class Scene:
    """The gateway, the line, and everybody at its other end."""

    def __init__(self, gateway: Gateway, behind: Behind, followers: list, workers: list[Worker], tasks: list):
        self.gateway, self.behind, self.proxy = gateway, behind, behind.proxy
        self.followers, self.workers, self.tasks = followers, workers, tasks
        self.patience = MENDED_SECONDS

    def check(self) -> None:
        """Nobody has given up."""
        for task in self.tasks:
            assert not task.done(), task.exception()

    async def wait(self, met, what: str) -> None:
        async def is_met() -> bool:
            self.check()
            return met()

        await eventually(is_met, self.patience, what)

    async def progress(self, of_all: int) -> None:
        """Waits until so many more changes were acknowledged."""
        goal = sum(worker.done for worker in self.workers) + of_all
        await self.wait(lambda: sum(worker.done for worker in self.workers) >= goal, f"{of_all} more changes")

    async def restart(self) -> None:
        """Starts the gateway again on its port."""
        await asyncio.to_thread(self.gateway.start, self.proxy.target)
        self.behind.tell()

    async def cut(self) -> None:
        for _ in range(4):
            await self.progress(self.proxy.chance.randint(1, 4))
            self.proxy.cut_all()

    async def cut_at_any_byte(self) -> None:
        goal = self.proxy.cuts + 40
        self.proxy.carries = (1, 12_000)
        self.proxy.cut_all()
        await self.wait(lambda: self.proxy.cuts >= goal, "40 cuts")

    async def slow(self) -> None:
        self.proxy.delay = 0.05
        await self.progress(8)

    async def noticed(self) -> None:
        """Waits until each of those who look after their connection has lost it."""
        among = [follower for follower in self.followers if isinstance(follower, Follower)]
        before = [follower.lost for follower in among]
        await self.wait(
            lambda: all(now.lost > then for now, then in zip(among, before, strict=True)), "the followers notice"
        )

    async def dead(self, *sides: str) -> None:
        """Nothing is carried and nobody is told, until at last it breaks."""
        self.proxy.go_deaf(*sides)
        await self.noticed()
        self.proxy.mend()
        self.proxy.cut_all()

    async def dead_to_the_gateway(self) -> None:
        await self.dead("up")

    async def dead_from_the_gateway(self) -> None:
        await self.dead("down")

    async def dead_both_ways(self) -> None:
        await self.dead("up", "down")

    async def another_order(self) -> None:
        """All come back at once and are let in in an order of chance."""
        self.proxy.close_gate()
        self.proxy.cut_all()
        await self.wait(lambda: len(self.proxy.waiting) >= len(self.followers), "they stand before the gate")
        await self.proxy.open_gate()

    async def killed(self) -> None:
        await self.progress(2)
        await asyncio.to_thread(self.gateway.kill)
        await self.noticed()
        await self.restart()

    async def stopped(self) -> None:
        await asyncio.to_thread(self.gateway.stop)
        await self.restart()

    async def all_the_same(self) -> None:
        """Everybody works again, then rests, and sees what the gateway has."""
        goals = [worker.done + 1 for worker in self.workers]
        await self.wait(
            lambda: all(worker.done >= goal for worker, goal in zip(self.workers, goals, strict=True)),
            "everybody works again",
        )
        async with asyncio.timeout(MENDED_SECONDS):
            await asyncio.gather(*(worker.rest() for worker in self.workers))
        await self.all_see()
        for worker in self.workers:
            worker.go_on()

    async def all_see(self) -> None:
        """Checks that each screen shows the lists of the gateway."""
        truth = View()
        async with opened(self.gateway) as socket:
            truth.take(await socket.ask("events.subscribe"))
        for follower in self.followers:
            name = type(follower).__name__
            await self.wait(lambda view=follower.view: view.lists == truth.lists, f"{name} has what the gateway has")
            assert follower.view.wrong == [], name


FAULTS = (
    Scene.cut,
    Scene.cut_at_any_byte,
    Scene.slow,
    Scene.dead_to_the_gateway,
    Scene.dead_from_the_gateway,
    Scene.dead_both_ways,
    Scene.another_order,
    Scene.killed,
    Scene.stopped,
)


async def every_list(socket: Socket, session: str) -> list[list[str]]:
    """The list of each revision."""
    newest = (await socket.ask("session.get", sessionId=session))["revision"]
    gets = [await socket.ask("session.get", sessionId=session, revision=at) for at in range(1, newest + 1)]
    return [contents(got["todos"]) for got in gets]


# D2, D3
async def test_whatever_the_line_does_all_end_the_same(gateway, chance, rounds):
    async with AsyncExitStack() as stack:
        direct = await stack.enter_async_context(opened(gateway))
        session = (await direct.ask("todo.write", session="edited", todos=[]))["sessionId"]
        behind = await stack.enter_async_context(behind_proxy(gateway, chance))
        shim = await stack.enter_async_context(connected(behind, "stdio", label="shim"))
        steps = await stack.enter_async_context(connected(behind, "stdio", label="step"))
        http = httpx2.AsyncClient(timeout=OPENING_SECONDS, trust_env=False, verify=False)
        await stack.enter_async_context(http)
        watcher = Watcher(behind)
        stack.callback(watcher.end)
        followers = [Follower(behind), Follower(behind), Follower(behind), watcher]
        workers = [
            Shimmed(shim),
            Connected(behind, http),
            Steps(steps),
            Typist(behind, session),
            Clicker(behind, session),
        ]
        endless = [follower.follow() for follower in followers] + [worker.work() for worker in workers]
        tasks = await stack.enter_async_context(at_work(*endless))
        scene = Scene(gateway, behind, followers, workers, tasks)
        await scene.all_the_same()
        for _ in rounds(1):
            for fault in chance.sample(FAULTS, len(FAULTS)):
                await fault(scene)
                behind.proxy.mend()
                await scene.all_the_same()
        await asyncio.gather(*(worker.rest() for worker in workers))

    async with opened(gateway) as socket:
        for worker in workers[:2]:
            lists = await every_list(socket, worker.name)
            # A list that is sent again because its answer was lost is said again, and changes nothing.
            made = [words for (words,), _ in groupby(lists)]
            assert made == worker.acknowledged, "each list in its order, none a second time later, and no other"
        stepped, edited = await every_list(socket, "step"), await every_list(socket, "edited")
        for worker in workers[2:]:
            lists = stepped if isinstance(worker, Steps) else edited
            check_added(worker, [[words for words in one if words.startswith(worker.name)] for one in lists])


def check_added(worker: Worker, lists: list[list[str]]) -> None:
    """By the list of each revision: what was acknowledged came once, and what was not at most once."""
    came = []
    for before, after in pairwise([[], *lists]):
        assert len(set(after)) == len(after), "nothing is in a list twice"
        came += [words for words in after if words not in before]
    assert len(set(came)) == len(came), "nothing came a second time"
    assert set(worker.acknowledged) <= set(came), "nothing that was acknowledged is missing"
    assert set(came) <= {*worker.acknowledged, *worker.doubtful}, "nothing was added that nobody asked for"


async def insists(worker: Worker, words: str) -> None:
    """An agent has less patience than heartbeats take; it tries again."""
    while True:
        with suppress(MCPError):
            await worker.change(words)
            return


# A line that goes dead for good, and whose connections nobody ever cuts: heartbeats show it, after a minute at most.
DEAD_SECONDS = 150

# Two connections that take nothing, and what is written meanwhile, twice over.
DEAD_KILOBYTES = 8 * 1024


# D2: this waits for heartbeats, so it is only made where more rounds than usual are asked for.
async def test_who_stays_on_a_dead_line_comes_back_by_itself(gateway, chance, rounds):
    if len(rounds(1)) < 2:
        pytest.skip("takes a minute and a half: with --torture-rounds 2 or more")
    process = Process(gateway)
    async with AsyncExitStack() as stack:
        direct = await stack.enter_async_context(opened(gateway))
        behind = await stack.enter_async_context(behind_proxy(gateway, chance))
        before = process.descriptors()
        shim = await stack.enter_async_context(connected(behind, "stdio", label="shim"))
        watcher = Watcher(behind)
        stack.callback(watcher.end)
        worker = Shimmed(shim)
        tasks = await stack.enter_async_context(at_work(watcher.follow()))
        await worker.change("before")
        scene = Scene(gateway, behind, [watcher], [worker], tasks)
        scene.patience = DEAD_SECONDS
        await scene.all_see()
        used = process.kilobytes()

        behind.proxy.go_deaf("up", "down")
        behind.proxy.mend()
        for turn in range(300):
            await direct.ask("todo.write", session="others", todos=[{"content": f"turn {turn} ".ljust(2000, "x")}])
        assert process.kilobytes() - used < DEAD_KILOBYTES
        async with asyncio.timeout(DEAD_SECONDS):
            await insists(worker, "after")
            assert behind.proxy.cuts == 0, "they found out by themselves"
            await scene.all_see()
        # The dead ones are let go of; those that took their places are as many.
        await process.has_let_go(before + 3)
