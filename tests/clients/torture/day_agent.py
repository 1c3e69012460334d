"""An agent of a day: it works through lists, ends, crashes, and comes back under its own id."""

import asyncio
import random
from itertools import count
from uuid import UUID

from gateway import Gateway
from torture.day_line import Cut
from torture.mixed import is_cut
from torture.record import Record

NEXT = {"pending": "in_progress", "in_progress": "completed", "blocked": "in_progress"}


class Agent:
    """One agent; what is left to its kind is how it says its list, and how it comes and goes."""

    def __init__(self, name: str, gateway: Gateway, record: Record, seed: int):
        self.name, self.gateway, self.record = name, gateway, record
        self.chance = random.Random(seed)
        self.own = str(UUID(int=self.chance.getrandbits(128), version=4))
        self.session: str | None = None
        self.todos: list[dict] = []
        self.there = False
        self.lists, self.numbers = count(1), count(1)
        # An edit of the user's between a hook's list and the look at it would hide the list.
        self.alone = asyncio.Lock()

    async def come(self) -> None:
        raise NotImplementedError

    async def say(self, todos: list[dict]) -> dict:
        """Says its whole list; the answer."""
        raise NotImplementedError

    async def end(self) -> None:
        """Goes as it should."""
        raise NotImplementedError

    async def vanish(self) -> None:
        """Goes without a word."""
        raise NotImplementedError

    async def turn(self) -> None:
        if not self.there:
            await self.come()
            self.there = True
        async with self.alone:
            answer = await self.record.of(self.say(self.next_list()))
        assert self.session in (None, answer["sessionId"]), "it is still the same run"
        self.session, self.todos = answer["sessionId"], answer["todos"]

    async def rest(self) -> None:
        """It thinks, or waits for a tool."""

    async def leave(self) -> None:
        if self.there:
            self.there = False
            await self.end()

    async def crash(self) -> None:
        """Half of them in the middle of a call, which may have been done or not."""
        if not self.there:
            return
        self.there = False
        asked = None
        if self.chance.random() < 0.5:
            asked = asyncio.create_task(self.record.of(self.say(self.next_list())))
            await asyncio.sleep(self.chance.random() * 0.01)
        await self.vanish()
        if asked is not None:
            asked.cancel()
            [error] = await asyncio.gather(asked, return_exceptions=True)
            if isinstance(error, Exception):
                assert isinstance(error, Cut) or is_cut(error), error

    def next_list(self) -> list[dict]:
        """One step on from what it was told last; when all is done, a new list."""
        if all(item["status"] not in NEXT for item in self.todos):
            number = next(self.lists)
            steps = range(self.chance.randint(3, 8))
            return [{"id": str(at), "content": f"{self.name}: list {number}, step {at}"} for at in steps]
        kept = [{key: item[key] for key in ("id", "content", "status") if key in item} for item in self.todos]
        going = [item for item in kept if item["status"] == "in_progress"] or [i for i in kept if i["status"] in NEXT]
        for item in going:
            item["status"] = NEXT[item["status"]]
        return kept
