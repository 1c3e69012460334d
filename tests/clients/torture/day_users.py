"""The users of a day: two watch, and one edits, writes notes, looks at the history and searches."""

import asyncio
import random
from collections.abc import Callable
from itertools import count

from gateway import Gateway, eventually
from socket_client import Refused
from torture.day_agent import Agent
from torture.day_line import Line
from torture.flood import BUSY_SECONDS, rude
from torture.mixed import MISSED, STATUSES
from torture.network_parties import View
from torture.record import Record, asked, history


class Watcher:
    """A window that is open for a while, is loaded anew, and sleeps: it has to show what there is."""

    def __init__(self, gateway: Gateway, seed: int):
        self.gateway, self.chance = gateway, random.Random(seed)
        self.view, self.line = View(), Line(gateway)

    @property
    def deeds(self) -> list[Callable]:
        return [self.come, self.come, self.reload, self.reload, self.lag, self.leave]

    async def come(self) -> None:
        if self.line.is_open:
            return
        await self.leave()
        await self.line.open()
        since = {"since": self.view.cursor} if self.view.cursor and self.chance.random() < 0.5 else {}
        await self.line.socket.ask("events.subscribe", **since)

    def look(self) -> View:
        """The lists on its screen."""
        for message in self.line.socket.seen:
            self.view.take(message)
        self.line.socket.seen.clear()
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
        if self.line.socket is not None:
            self.look()
        await self.line.close()

    async def sees(self, newest: dict[str, int]) -> None:
        """Waits until it shows these revisions."""

        async def shows() -> bool:
            await self.come()
            lists = self.look().lists
            return all(lists.get(session, (0, []))[0] >= revision for session, revision in newest.items())

        await eventually(shows, BUSY_SECONDS, "a watcher shows what there is")


class Editor:
    """A user with a page, who edits the agents' lists and looks around."""

    def __init__(self, page: Line, record: Record, agents: list[Agent], seed: int):
        self.page, self.record, self.agents = page, record, agents
        self.chance, self.numbers = random.Random(seed), count(1)

    @property
    def deeds(self) -> list[Callable]:
        return [self.edit, self.edit, self.edit, self.note, self.look_back, self.search, self.throw_away]

    async def change(self, kind: str, agent: Agent, **fields) -> None:
        async with agent.alone:
            try:
                await self.record.of(self.page.ask(kind, sessionId=agent.session, **fields))
            except Refused as refused:
                assert refused.code in MISSED, refused

    def some_agent(self) -> Agent | None:
        agent = self.chance.choice(self.agents)
        return agent if agent.session else None

    async def edit(self) -> None:
        if (agent := self.some_agent()) is None:
            return
        todos = (await asked(self.page, "session.get", sessionId=agent.session))["todos"]
        uid = self.chance.choice(todos)["uid"] if todos else None
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
        revision = self.chance.choice(await history(self.page, agent.session))["revision"]
        await asked(self.page, "session.get", sessionId=agent.session, revision=revision)

    async def search(self) -> None:
        words = self.chance.choice(("list", "step", "hand", "nothing of this"))
        await asked(self.page, "session.search", query=words)
        await asked(self.page, "session.list", limit=50)
        await asked(self.page, "archive.insight")

    async def throw_away(self) -> None:
        """A list of its own, deleted for a day."""
        todos = [{"content": f"Thrown away {next(self.numbers)}"}]
        written = await self.page.ask("todo.write", session=f"own {next(self.numbers)}", todos=todos)
        await self.page.ask("session.delete", sessionId=written["sessionId"])
