"""Everybody who can act on one list at the same time: what each does in a round, and what was acknowledged to it."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from uuid import uuid4

import agent
from gateway import Gateway, environment
from hooks import CODEX, heard
from socket_client import Refused, Socket, opened
from terminal import COMMAND_SECONDS, Ran


class Party:
    """The changes that were acknowledged, by the texts of the items."""

    edits = False
    tells = False

    def __init__(self):
        self.added: set[str] = set()
        self.deleted: set[str] = set()
        self.notes: list[str] = []
        # The edits that it received as an agent's hook.
        self.told: list[str] = []
        # Refused, because another was quicker.
        self.missed: set[str] = set()

    def words(self) -> str:
        """A text like no other: similar ones could be taken for a new wording of one item."""
        return f"{uuid4().hex} {type(self).__name__.lower()}"

    async def act(self, turn: int) -> None:
        raise NotImplementedError


class Requests(Party):
    """A window, or another client of the WebSocket, that names items by their uids."""

    edits = True

    def __init__(self, socket: Socket, session: str):
        super().__init__()
        self.socket, self.session = socket, session
        self.own: dict[str, str] = {}

    async def ask(self, kind: str, **fields) -> dict:
        return await self.socket.ask(kind, sessionId=self.session, **fields)

    async def act(self, turn: int) -> None:
        step = turn % 6
        if step in (0, 1):
            words = self.words()
            done = await self.ask("todo.add", position=("last", "1")[step], content=words)
            self.added.add(words)
            self.own[words] = next(item["uid"] for item in done["todos"] if item["content"] == words)
        elif step == 4:
            self.notes.append(self.words())
            await self.ask("note.send", text=self.notes[-1])
        else:
            words, uid = next(iter(self.own.items()))
            kind, fields = (
                ("todo.setStatus", {"status": "blocked"}),
                ("todo.move", {"to": "1"}),
                None,
                ("todo.delete", {}),
            )[step - 2]
            try:
                await self.ask(kind, uid=uid, **fields)
                if kind == "todo.delete":
                    self.deleted.add(words)
                    del self.own[words]
            except Refused as refused:
                assert refused.code == "ITEM_REMOVED", refused
                self.missed.add(words)
                del self.own[words]

    async def undo(self) -> str | None:
        """Takes its newest edit back; nothing when there is none."""
        try:
            return (await self.ask("todo.undo"))["message"]
        except Refused as refused:
            assert refused.code == "CANNOT_UNDO", refused
            return None


class Typed(Party):
    """Somebody who types commands, and so names items by their places."""

    edits = True

    async def say(self, *words: str) -> str:
        raise NotImplementedError

    async def act(self, turn: int) -> None:
        step = turn % 6
        if step in (0, 1):
            words = self.words()
            await self.say("add", ("last", "1")[step], words)
            self.added.add(words)
        elif step == 2:
            await self.say("set", "1", "blocked")
        elif step == 3:
            await self.say("move", "1", "last")
        elif step == 4:
            self.notes.append(self.words())
            await self.say("note", self.notes[-1])
        else:
            said = await self.say("delete", "last")
            self.deleted.add(re.fullmatch(r'Deleted TODO at \d+: "(.*)"', said)[1])


class CommandBar(Typed):
    """The command bar, over the WebSocket."""

    def __init__(self, socket: Socket, session: str):
        super().__init__()
        self.socket, self.session = socket, session

    async def say(self, *words: str) -> str:
        line = "/todo " + " ".join(words)
        return (await self.socket.ask("todo.command", sessionId=self.session, line=line))["output"]

    async def undo(self) -> str | None:
        try:
            return await self.say("undo")
        except Refused as refused:
            assert refused.code == "CANNOT_UNDO", refused
            return None


class Terminal(Typed):
    """`sightline todo`, a process for each command."""

    def __init__(self, gateway: Gateway, session: str):
        super().__init__()
        self.gateway, self.session = gateway, session

    async def run(self, *words: str) -> Ran:
        process = await asyncio.create_subprocess_exec(
            *self.gateway.command(*words, "--session", self.session),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=environment(self.gateway.home),
        )
        async with asyncio.timeout(COMMAND_SECONDS):
            out, err = await process.communicate()
        return Ran(process.returncode, out.decode(), err.decode())

    async def say(self, *words: str) -> str:
        done = await self.run(*(words if words[0] == "note" else ("todo", *words)))
        assert done.code == 0, done.said
        return done.out.removesuffix("\n")

    async def undo(self) -> str | None:
        done = await self.run("todo", "undo")
        if done.code != 0:
            assert "There is no edit to undo here" in done.err, done.err
            return None
        return done.out


class Writer(Party):
    """An agent that sends its whole list, made from the last that it was told, with one more item and now and then
    one of its own less."""

    tells = True

    def __init__(self, client, session: str, todos: list[dict]):
        super().__init__()
        self.client, self.session, self.todos = client, session, todos

    async def act(self, turn: int) -> None:
        words = self.words()
        mine = [item["content"] for item in self.todos if item["content"] in self.added]
        dropped = set(mine[:1]) if turn % 3 == 2 else set()
        kept = [item for item in self.todos if item["content"] not in dropped]
        sent = [{key: item[key] for key in ("id", "content", "status") if key in item} for item in kept]
        arguments = {"todos": [*sent, {"content": words}], "session": self.session}
        result = await self.client.call_tool("todo_write", arguments)
        self.todos = result.structured_content["todos"]
        there = agent.contents(self.todos)
        assert words in there
        self.added.add(words)
        self.deleted |= dropped - set(there)
        self.told.append(agent.text_of(result))


class Steps(Party):
    """An agent that works in steps, by `todo_manager`."""

    tells = True

    def __init__(self, client, session: str):
        super().__init__()
        self.client, self.session = client, session

    async def act(self, turn: int) -> None:
        words = self.words()
        item = {"content": words, "status": "todo"}
        done = await agent.step(self.client, "add_multiple", todos=[item], session=self.session)
        assert done.ok, done.answer
        self.added.add(words)
        self.told.append(done.reminder or "")


class Hooks(Party):
    """The hooks of the agent: after each call of a tool it hears what is new."""

    tells = True

    def __init__(self, gateway: Gateway, own: str):
        super().__init__()
        self.gateway, self.own = gateway, own

    async def act(self, turn: int) -> None:
        self.told.append(await heard(self.gateway, CODEX, CODEX.tool(self.own)) or "")


class Meeting:
    """A list of a real agent's, those who act on it, and two who only watch."""

    def __init__(self, gateway: Gateway, session: str, watchers: list[Socket], client):
        self.gateway, self.session, self.watchers, self.client = gateway, session, watchers, client
        self.parties: list[Party] = []
        # Revisions whose list was found to be that of the history.
        self.compared: set[int] = set()

    async def round(self, turn: int) -> None:
        """All act in the same moment."""
        await asyncio.gather(*(party.act(turn) for party in self.parties))


@asynccontextmanager
async def meeting(gateway: Gateway, base: list[dict], names: tuple[str, ...]) -> AsyncIterator[Meeting]:
    """The list, and the parties of these names."""
    label, own = str(uuid4()), str(uuid4())
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(agent.connected(gateway, name=CODEX.client, label=label))
        result = await client.call_tool("todo_write", {"todos": base})
        written = await agent.whole(client, result)
        session, todos = written["sessionId"], written["todos"]
        assert await heard(gateway, CODEX, CODEX.wrote(own, base, result)) is None
        watchers = [await stack.enter_async_context(opened(gateway)) for _ in range(2)]
        for watcher in watchers:
            await watcher.ask("events.subscribe")

        async def socket(transport: str) -> Socket:
            opening = await stack.enter_async_context(opened(gateway))
            await opening.ask("hello", client={"name": transport, "id": str(uuid4()), "transport": transport})
            return opening

        async def party(name: str) -> Party:
            match name:
                case "window" | "websocket":
                    return Requests(await socket(name), session)
                case "command bar":
                    return CommandBar(await socket("page"), session)
                case "terminal":
                    return Terminal(gateway, session)
                case "todo_write":
                    return Writer(client, label, todos)
                case "todo_manager":
                    other = await stack.enter_async_context(agent.connected(gateway, name="another", label=label))
                    return Steps(other, label)
                case "hook":
                    return Hooks(gateway, own)

        met = Meeting(gateway, session, watchers, client)
        met.parties = [await party(name) for name in names]
        yield met
