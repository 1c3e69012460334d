"""A day of agents and users: who does what at which minute, by the gateway's clock."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass

from torture.clock import Fast
from torture.day_agent import Agent
from torture.day_kinds import HookAgent, HttpAgent, SocketAgent, StdioAgent
from torture.day_line import Cut, Line
from torture.day_users import Editor, Watcher
from torture.flood import BUSY_SECONDS
from torture.measure import Measure, is_alone, measure
from torture.record import Record

Deed = Callable[[], Awaitable[None]]
# Each with its minute.
Deeds = Iterator[tuple[float, Deed]]
KINDS = (HttpAgent, StdioAgent, SocketAgent, HookAgent)
WATCHERS = 2

# Longer than a silent agent counts as there (15 minutes), and an MCP session is kept in memory (30).
REST_MINUTES = 36
# Longer than what is deleted can be brought back, and one that waits for the user is current (a day).
NIGHT_MINUTES = 25 * 60


@dataclass(frozen=True)
class Pace:
    agents: int
    hours: int
    # Factor by which the gateway's clock is fast. A client has 20 seconds of that clock to introduce itself.
    rate: float
    # Minutes of each hour; after them everybody goes, and the rest is skipped.
    work: float
    # Minutes in which everybody stays and nobody says a word, in the middle of the day.
    lunch: float


class Day:
    def __init__(self, gateway: Fast, chance: random.Random, pace: Pace):
        self.gateway, self.pace = gateway, pace
        self.record = Record()
        self.agents: list[Agent] = []
        self.page = Line(gateway)
        self.editor = Editor(self.page, self.record, self.agents, chance.getrandbits(32))
        self.watchers = [Watcher(gateway, chance.getrandbits(32)) for _ in range(WATCHERS)]
        for number in range(pace.agents):
            kind = KINDS[number % len(KINDS)]
            more = {"user": self.page} if kind is HookAgent else {}
            given = (f"agent {number}", gateway, self.record, chance.getrandbits(32))
            self.agents.append(kind(*given, **more))
        self.deeds = self.cuts = 0

    async def hour(self, number: int) -> Measure:
        """All work side by side, then all leave; what the gateway has when what it kept for a while is over."""
        began = asyncio.get_running_loop().time()
        async with asyncio.TaskGroup() as working:
            for agent in self.agents:
                working.create_task(self.through(began, self.works(agent)))
            for user in (self.editor, *self.watchers):
                working.create_task(self.through(began, self.looks(user)))
        if number == self.pace.hours // 2:
            await self.lunch()
        for watcher in self.watchers:
            await watcher.sees({agent.session: self.newest(agent) for agent in self.agents if agent.there})
            await watcher.leave()
        for agent in self.agents:
            await self.tried(agent.leave)
        await self.page.close()
        return await self.rest()

    async def lunch(self) -> None:
        await asyncio.sleep(self.pace.lunch * 60 / self.pace.rate)
        for agent in self.agents:
            await self.tried(agent.turn)

    async def tried(self, deed: Deed) -> None:
        try:
            await deed()
            self.deeds += 1
        except Cut:
            self.cuts += 1

    def newest(self, agent: Agent) -> int:
        return max(self.record.revisions[agent.session])

    async def rest(self) -> Measure:
        await self.gateway.skip(REST_MINUTES)
        end = asyncio.get_running_loop().time() + BUSY_SECONDS
        while not is_alone(self.gateway) and asyncio.get_running_loop().time() < end:
            await asyncio.sleep(0.05)
        return measure(self.gateway)

    async def through(self, began: float, deeds: Deeds) -> None:
        """Does each when its minute has come."""
        loop = asyncio.get_running_loop()
        for minute, deed in deeds:
            await asyncio.sleep(max(0, began + minute * 60 / self.pace.rate - loop.time()))
            await self.tried(deed)

    def works(self, agent: Agent) -> Deeds:
        """Bursts, and pauses of minutes between them."""
        chance = agent.chance
        minute = chance.uniform(0, self.pace.work / 4)
        while minute < self.pace.work:
            for _ in range(chance.randint(2, 8)):
                yield minute, agent.turn
                minute += chance.uniform(3, 40) / 60
            yield minute, chance.choices((agent.rest, agent.leave, agent.crash), (6, 2, 2))[0]
            minute += chance.uniform(1, 7)

    def looks(self, user: Editor | Watcher) -> Deeds:
        minute = user.chance.uniform(0, 1)
        while minute < self.pace.work:
            yield minute, user.chance.choice(user.deeds)
            minute += user.chance.uniform(0.2, 2)
