"""Mixed load: agents, windows, the command line and the archive, each until its gateway is gone."""

import asyncio
import random
from contextlib import suppress
from uuid import uuid4

import httpx2
from websockets.exceptions import ConnectionClosed

from agent import call, connected, post, rpc_answer, write
from gateway import Gateway
from parties import Terminal
from socket_client import Refused, Socket, opened
from torture.record import Record, assert_same, said

# Another was quicker.
MISSED = {"ITEM_REMOVED", "ITEM_NOT_FOUND", "CANNOT_UNDO", "INVALID_POSITION"}

# Three items in progress would be told of; the words of a window's are like no agent's.
STATUSES = ("pending", "in_progress", "completed", "blocked", "skipped")


class Archive:
    """Sessions that are deleted and brought back, and settings: what each was last known to be, or may be as well."""

    def __init__(self):
        self.fates: dict[str, set[str]] = {}
        self.lists: dict[str, list[dict]] = {}
        self.settings: list[dict] = [{"keepRevisions": 0, "keepDays": 0, "staleMinutes": 15}]

    async def to(self, socket: Socket, session: str, fate: str, kind: str, **fields) -> None:
        self.fates[session].add(fate)
        await socket.ask(kind, sessionId=session, **fields)
        self.fates[session] = {fate}

    async def set(self, socket: Socket, **settings) -> None:
        self.settings.append(settings)
        answer = await socket.ask("settings.update", **settings)
        assert settings.items() <= answer.items()
        del self.settings[:-1]

    async def check(self, socket: Socket) -> None:
        for session, fates in self.fates.items():
            answer = await socket.answer("session.get", sessionId=session)
            if answer["type"] == "error":
                assert answer["code"] == "SESSION_NOT_FOUND", answer
                listed, cursor = [], {}
                while cursor is not None:
                    page = await socket.ask("session.list", filter={"deleted": True}, limit=200, **cursor)
                    listed += [one["sessionId"] for one in page["sessions"]]
                    cursor = {"cursor": page["nextCursor"]} if "nextCursor" in page else None
                fate = "deleted" if session in listed else "gone"
            else:
                fate = "here"
                assert_same(answer["todos"], self.lists[session], f"{session}, brought back")
            assert fate in fates, f"{session} is {fate} and not {fates}"
            self.fates[session] = {fate}
        settings = await socket.ask("settings.get")
        possible = [known for known in self.settings if known.items() <= settings.items()]
        assert possible, f"{settings} is not one of {self.settings}"
        self.settings = possible[:1]


class Mixed:
    """Everybody who works on one gateway for a while, and what was acknowledged to them."""

    def __init__(self, gateway: Gateway, chance: random.Random):
        self.gateway, self.chance = gateway, chance
        self.record, self.archive = Record(), Archive()
        self.over = asyncio.Event()
        self.commands: set[asyncio.subprocess.Process] = set()
        self.by: dict[str, int] = {}

    async def of(self, who: str, asked) -> dict:
        answer = await self.record.of(asked)
        self.by[who] = self.by.get(who, 0) + 1
        return answer

    async def agent_over_http(self, label: str) -> None:
        turn = 0
        while not self.over.is_set():
            turn += 1
            arguments = {"todos": self.todos(label, turn), "session": label}

            async def called(arguments=arguments, turn=turn) -> dict:
                named = {"Mcp-Session-Id": f"raw-{label}"}
                response = await post(self.gateway, call("todo_write", arguments, turn), **named)
                return rpc_answer(response)["result"]["structuredContent"]

            await self.of("http", called())

    async def agent_over_stdio(self, label: str) -> None:
        """The shim starts another gateway where there is none, so this one does not end with its gateway."""
        async with connected(self.gateway, "stdio", label=label) as client:
            turn = 0
            while not self.over.is_set():
                turn += 1
                await self.of("stdio", write(client, self.todos(label, turn)))

    async def window(self) -> None:
        """Edits whatever list there is, in every way."""
        async with opened(self.gateway) as socket:
            await socket.ask("events.subscribe")
            own: dict[str, list[dict]] = {}
            while not self.over.is_set():
                if not self.record.revisions:
                    await asyncio.sleep(0)
                    continue
                session = self.chance.choice(sorted(self.record.revisions))
                kind, fields = self.edit(own.get(session, []))
                try:
                    answer = await self.of("window", socket.ask(kind, sessionId=session, **fields))
                    own[session] = answer["todos"]
                except Refused as refused:
                    assert refused.code in MISSED, refused
                    own.pop(session)

    def edit(self, todos: list[dict]) -> tuple[str, dict]:
        """One of a user's edits, of the list as it was last seen."""
        words = f"{uuid4().hex} by hand"
        if not todos or self.chance.random() < 0.4 and len(todos) < 20:
            return "todo.add", {"content": words, "position": self.chance.choice(("1", "last"))}
        uid = self.chance.choice(todos)["uid"]
        return self.chance.choice(
            (
                ("todo.edit", {"uid": uid, "content": words}),
                ("todo.move", {"uid": uid, "to": self.chance.choice(("1", "last"))}),
                ("todo.setStatus", {"uid": uid, "status": self.chance.choice(STATUSES)}),
                ("todo.delete", {"uid": uid}),
                ("todo.undo", {}),
            )
        )

    async def archivist(self) -> None:
        """Deletes sessions, for a day and for good, brings some back, and changes what is kept how long."""
        async with opened(self.gateway) as socket:
            while not self.over.is_set():
                label = f"archived {uuid4().hex}"
                answer = await socket.ask("todo.write", session=label, todos=self.todos(label, 1))
                session = answer["sessionId"]
                self.archive.fates[session], self.archive.lists[session] = {"here"}, said(answer["todos"])
                await self.archive.to(socket, session, "deleted", "session.delete")
                if self.chance.random() < 0.5:
                    await self.archive.to(socket, session, "here", "session.undelete")
                if self.chance.random() < 0.5:
                    await self.archive.to(socket, session, "gone", "session.delete", forGood=True)
                kept = {"keepRevisions": self.chance.randint(1, 9), "keepDays": self.chance.randint(1, 9)}
                await self.archive.set(socket, **kept, staleMinutes=self.chance.randint(10, 20))
                self.by["archive"] = self.by.get("archive", 0) + 1

    async def command_line(self, session: str) -> None:
        """`sightline todo`, a process for each change. Without a gateway it does its work all the same."""
        terminal = Terminal(self.gateway, session)
        while not self.over.is_set():

            async def added() -> dict:
                done = await terminal.run("todo", "add", "last", f"{uuid4().hex} typed", "--json")
                if done.code != 0:
                    assert self.gateway.process is None, done.said
                    raise ConnectionError(done.said)
                return done.json

            with suppress(ConnectionError):
                await self.of("command line", added())

    def todos(self, label: str, turn: int) -> list[dict]:
        steps = self.chance.randint(1, 7)
        return [{"id": str(i), "content": f"{label} {turn} step {i}", "activeForm": f"At {i}"} for i in range(steps)]


def is_cut(error: BaseException) -> bool:
    """True if this error can come of a gateway that ends in the middle of a request."""
    if isinstance(error, BaseExceptionGroup):
        return all(is_cut(one) for one in error.exceptions)
    if isinstance(error, AssertionError):
        return "before it came" in str(error)
    return isinstance(error, ConnectionError | ConnectionClosed | httpx2.TransportError)
