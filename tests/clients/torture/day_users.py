"""The users of a day: two watch, and one edits, writes notes, looks at the history and searches."""

import asyncio
import random
from collections.abc import Callable
from contextlib import AsyncExitStack
from itertools import count

from gateway import Gateway, eventually
from socket_client import Refused, Socket, opened
from torture.day_agent import Agent
from torture.flood import BUSY_SECONDS, rude
from torture.mixed import MISSED, STATUSES
from torture.network_parties import View
from torture.record import Record, asked, history


class Watcher:
    """A window that is open for a while, is loaded anew, and sleeps: it has to show what there is."""

    def __init__(self, gateway: Gateway, seed: int):
        self.gateway, self.chance = gateway, random.Random(seed)
        self.view, self.socket = View(), None

    @property
    def deeds(self) -> list[Callable]:
        return [self.come, self.come, self.reload, self.reload, self.lag, self.leave]

    async def come(self) -> None:
        if self.socket is not None:
            return
        self.stack, self.read = AsyncExitStack(), 0
        self.socket = await self.stack.enter_async_context(opened(self.gateway, ping_interval=None))
        since = {"since": self.view.cursor} if self.view.cursor and self.chance.random() < 0.5 else {}
        await self.socket.ask("events.subscribe", **since)

    def look(self) -> View:
        """What it has on its screen by now."""
        while self.read < len(self.socket.seen):
            self.view.take(self.socket.seen[self.read])
            self.read += 1
        assert not self.view.wrong, self.view.wrong
        return self.view

    async def reload(self) -> None:
        await self.leave()
        await self.come()

    async def lag(self) -> None:
        """One that takes nothing any more, and goes without a word."""
        async with rude(self.gateway) as deaf:
            await deaf.send({"type": "events.subscribe", "id": "1"})
            await asyncio.sleep(self.chance.random())

    async def leave(self) -> None:
        if self.socket is None:
            return
        assert not self.socket.closed, "a watcher was cut off"
        self.look()
        self.socket = None
        await self.stack.aclose()

    async def sees(self, newest: dict[str, int]) -> None:
        """Waits until it shows these revisions."""
        await self.come()

        async def shows() -> bool:
            lists = self.look().lists
            return all(lists.get(session, (0, []))[0] >= revision for session, revision in newest.items())

        await eventually(shows, BUSY_SECONDS, "a watcher shows what there is")


class Editor:
    """A user with a page, who edits the agents' lists and looks around."""

    def __init__(self, gateway: Gateway, record: Record, agents: list[Agent], seed: int):
        self.gateway, self.record, self.agents = gateway, record, agents
        self.chance, self.numbers = random.Random(seed), count(1)
        self.socket: Socket | None = None

    @property
    def deeds(self) -> list[Callable]:
        return [self.edit, self.edit, self.edit, self.note, self.look_back, self.search, self.throw_away]

    async def change(self, kind: str, agent: Agent, **fields) -> None:
        async with agent.alone:
            try:
                await self.record.of(self.socket.ask(kind, sessionId=agent.session, **fields))
            except Refused as refused:
                assert refused.code in MISSED, refused

    def some_agent(self) -> Agent | None:
        agent = self.chance.choice(self.agents)
        return agent if agent.session else None

    async def edit(self) -> None:
        if (agent := self.some_agent()) is None:
            return
        uid = self.chance.choice(agent.todos)["uid"] if agent.todos else None
        words = f"by hand {next(self.numbers)}"
        kind, fields = self.chance.choice(
            (
                ("todo.add", {"content": words, "position": self.chance.choice(("1", "last"))}),
                ("todo.edit", {"uid": uid, "content": words}),
                ("todo.move", {"uid": uid, "to": self.chance.choice(("1", "last"))}),
                ("todo.setStatus", {"uid": uid, "status": self.chance.choice(STATUSES)}),
                ("todo.delete", {"uid": uid}),
                ("todo.undo", {}),
            )
        )
        if uid is not None or "uid" not in fields:
            await self.change(kind, agent, **fields)

    async def note(self) -> None:
        if (agent := self.some_agent()) is not None:
            await self.change("note.send", agent, text=f"Mind this, {next(self.numbers)}")

    async def look_back(self) -> None:
        if (agent := self.some_agent()) is None:
            return
        revision = self.chance.choice(await history(self.socket, agent.session))["revision"]
        await asked(self.socket, "session.get", sessionId=agent.session, revision=revision)

    async def search(self) -> None:
        words = self.chance.choice(("list", "step", "hand", "nothing of this"))
        await asked(self.socket, "session.search", query=words)
        await asked(self.socket, "session.list", limit=50)
        await asked(self.socket, "archive.insight")

    async def throw_away(self) -> None:
        """A list of its own, deleted for a day."""
        todos = [{"content": f"Thrown away {next(self.numbers)}"}]
        written = await self.socket.ask("todo.write", session=f"own {next(self.numbers)}", todos=todos)
        await self.socket.ask("session.delete", sessionId=written["sessionId"])

    async def come(self) -> None:
        self.stack = AsyncExitStack()
        self.socket = await self.stack.enter_async_context(opened(self.gateway, ping_interval=None))

    async def leave(self) -> None:
        assert not self.socket.closed, "the page was cut off"
        await self.stack.aclose()

