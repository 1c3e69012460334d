"""A day of agents and users: who does what at which minute, by the gateway's clock."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass

from gateway import eventually
from socket_client import opened
from torture.clock import Fast
from torture.day_agent import Agent
from torture.day_kinds import HookAgent, HttpAgent, SocketAgent, StdioAgent
from torture.day_users import Editor, Watcher
from torture.flood import BUSY_SECONDS
from torture.measure import Measure, is_alone, measure
from torture.record import Record

Deeds = Iterator[tuple[float, Callable[[], Awaitable[None]]]]
KINDS = (HttpAgent, StdioAgent, SocketAgent, HookAgent)
WATCHERS = 2

# Longer than a silent agent counts as there (15 minutes), and an MCP session is kept in memory (30).
REST_MINUTES = 40
LUNCH_MINUTES = 60
# Longer than what is deleted can be brought back, and one that waits for the user is current (a day).
NIGHT_MINUTES = 25 * 60


@dataclass(frozen=True)
class Pace:
    agents: int
    hours: int
    # How much faster than the real one the gateway's clock is.
    rate: float
    # Of each hour; the rest of it everybody is gone, and it is skipped.
    minutes: float


class Day:
    def __init__(self, gateway: Fast, chance: random.Random, pace: Pace):
        self.gateway, self.pace = gateway, pace
        self.record = Record()
        self.agents: list[Agent] = []
        self.editor = Editor(gateway, self.record, self.agents, chance.getrandbits(32))
        self.watchers = [Watcher(gateway, chance.getrandbits(32)) for _ in range(WATCHERS)]
        for number in range(pace.agents):
            kind = KINDS[number % len(KINDS)]
            more = {"user": self.editor} if kind is HookAgent else {}
            given = (f"agent {number}", gateway, self.record, chance.getrandbits(32))
            self.agents.append(kind(*given, **more))
        self.done = 0

    async def hour(self, lunch: bool) -> None:
        """All work side by side; then all leave."""
        await self.editor.come()
        began = asyncio.get_running_loop().time()
        async with asyncio.TaskGroup() as working:
            for agent in self.agents:
                working.create_task(self.through(began, self.work(agent)))
            for user in (self.editor, *self.watchers):
                working.create_task(self.through(began, self.looks(user)))
        if lunch:
            await self.gateway.skip(LUNCH_MINUTES)
            for agent in self.agents:
                await agent.turn()
        newest = {session: max(known) for session, known in self.record.revisions.items()}
        current = {agent.session for agent in self.agents if agent.there}
        for watcher in self.watchers:
            await watcher.sees({session: newest[session] for session in current})
            await watcher.leave()
        for agent in self.agents:
            await agent.leave()
        await self.editor.leave()

    async def through(self, began: float, deeds: Deeds) -> None:
        """Does each when its minute has come."""
        loop = asyncio.get_running_loop()
        for minute, deed in deeds:
            await asyncio.sleep(max(0, began + minute * 60 / self.pace.rate - loop.time()))
            self.late = max(getattr(self,'late',0), loop.time() - began - minute * 60 / self.pace.rate)
            await deed()
            self.done += 1

    def work(self, agent: Agent) -> Deeds:
        """Bursts, and pauses of minutes between them."""
        chance = agent.chance
        minute = chance.uniform(0, min(5, self.pace.minutes / 2))
        while minute < self.pace.minutes:
            for _ in range(chance.randint(2, 8)):
                yield minute, agent.turn
                minute += chance.uniform(3, 40) / 60
            yield minute, chance.choices((agent.rest, agent.leave, agent.crash), (6, 2, 2))[0]
            minute += chance.uniform(1, 7)

    def looks(self, user: Editor | Watcher) -> Deeds:
        minute = user.chance.uniform(0, 2)
        while minute < self.pace.minutes:
            yield minute, user.chance.choice(user.deeds)
            minute += user.chance.uniform(0.2, 3)

    async def measured(self) -> Measure:
        """What the gateway has when nobody is there, and what it kept for a while is over."""
        await self.gateway.skip(REST_MINUTES)
        # A minute for what is due.
        await asyncio.sleep(60 / self.pace.rate)

        async def alone() -> bool:
            return is_alone(self.gateway)

        await eventually(alone, BUSY_SECONDS, "every connection is let go of")
        return measure(self.gateway)

    async def night(self) -> dict:
        """Nobody comes for a day; what the gateway says of itself then, and of its sessions."""
        await self.gateway.skip(NIGHT_MINUTES)
        async with opened(self.gateway) as socket:
            await socket.ask("gateway.status")
            return {}
