"""Each change through each transport: one implementation, so the same list, message, edit and history each time."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from uuid import uuid4

import anyio.to_thread
import pytest

import agent
from agent import connected
from every_change import LIST, MISTAKES, NOTE, OLD, ROWS, Row
from gateway import Gateway
from socket_client import Refused, Socket, opened
from terminal import run

pytestmark = pytest.mark.anyio

Act = Callable[[Row], Awaitable[str]]


def filled(fields: dict, places: dict[str, str]) -> dict:
    return {name: value.format(**places) if isinstance(value, str) else value for name, value in fields.items()}


@asynccontextmanager
async def requests(gateway: Gateway, session: str, places: dict) -> AsyncIterator[Act]:
    """A client of the WebSocket, with a request for each change."""
    async with opened(gateway) as socket:

        async def act(row: Row) -> str:
            kind, fields = row.request
            return (await socket.ask(kind, sessionId=session, **filled(fields, places)))["message"]

        yield act


@asynccontextmanager
async def command_bar(gateway: Gateway, session: str, places: dict) -> AsyncIterator[Act]:
    """The page's command bar."""
    async with opened(gateway) as socket:
        await socket.ask("hello", client={"name": "page", "id": str(uuid4()), "transport": "page"})

        async def act(row: Row) -> str:
            done = await socket.ask("todo.command", sessionId=session, line=row.line.format(**places))
            assert done["output"] == done["edited"]["message"]
            return done["output"]

        yield act


@asynccontextmanager
async def terminal(gateway: Gateway, session: str, places: dict) -> AsyncIterator[Act]:
    async def act(row: Row) -> str:
        words = [word.format(**places) for word in row.words]
        done = await anyio.to_thread.run_sync(lambda: run(gateway, words[0], "--session", session, *words[1:]))
        if done.code != 0:
            assert (done.code, done.out) == (1, "")
            return done.err.removeprefix("Error: ").removesuffix("\n")
        assert done.err == ""
        return done.out.removesuffix("\n")

    yield act


# The name of each transport in the history.
TRANSPORTS = {"websocket": requests, "page": command_bar, "cli": terminal}


def outline(todos: list[dict]) -> list[str]:
    """Each item with its place and status."""
    lines = []
    for at, item in enumerate(todos, 1):
        lines.append(f"{at} {item['status']} {item['content']}")
        lines += [
            f"{at}.{sub} {part['status']} {part['content']}" for sub, part in enumerate(item.get("subtasks", []), 1)
        ]
    return lines


def alike(todos: list[dict]) -> list[dict]:
    """A list without what is its own in each session: uids and times."""
    own = ("uid", "statusAt", "createdAt", "updatedAt", "workedMs")
    return [
        {
            **{name: value for name, value in item.items() if name not in own},
            "subtasks": alike(item.get("subtasks", [])),
        }
        for item in todos
    ]


async def number_of(socket: Socket, session: str) -> int:
    """The number that `/todo list` gives a session."""
    sessions = (await socket.ask("session.list", limit=50))["sessions"]
    return [one["sessionId"] for one in sessions].index(session) + 1


async def made(gateway: Gateway, row: Row, transport: str) -> dict:
    """Makes a change on a list of a real agent's; everything that came of it."""
    async with connected(gateway) as client, opened(gateway) as socket:
        old = (await socket.ask("todo.write", session=str(uuid4()), todos=OLD))["sessionId"]
        session = (await agent.write(client, LIST))["sessionId"]
        places = {"old": old, "number": str(await number_of(socket, old))}
        async with TRANSPORTS[transport](gateway, session, places) as act:
            if row.after:
                assert await act(row.after) == row.after.message
            if row.answered:
                # It is told, and decides.
                await agent.write(client, LIST)
                await agent.write(client, row.answered)
            message = await act(row)
        now = await socket.ask("session.get", sessionId=session)
        newest = (await socket.ask("session.revisions", sessionId=session, limit=1))["revisions"][0]
        assert newest["revision"] == now["revision"]
        told = await agent.read(client)
        return {
            "message": message,
            "todos": alike(now["todos"]),
            "outline": outline(now["todos"]),
            "actor": newest["actor"],
            "told": [(change["kind"], change["text"], change["detail"]) for change in told["userChanges"]],
            "text": told["text"].replace(session, "SESSION"),
        }


# D5, P3 to P6, P8, P9, P11
@pytest.mark.parametrize("change", ROWS)
async def test_each_change_is_the_same_through_each_transport(lasting, change):
    row = ROWS[change]
    came = {transport: await made(lasting, row, transport) for transport in TRANSPORTS}
    for transport, what in came.items():
        assert what["actor"] == {"kind": "user", "name": "you", "transport": transport}
        assert what["message"] == row.message
        assert what["outline"] == row.outline
        assert what["told"] == row.told
        for at, fields in row.fields.items():
            item = what["todos"][int(at) - 1]
            assert {name: item.get(name) for name in fields} == fields
    first, *others = [{**what, "actor": None} for what in came.values()]
    for other in others:
        assert other == first, "to the letter"


# P5, P6, P9
async def test_each_mistake_is_the_same_through_each_transport(lasting):
    async with connected(lasting) as client, opened(lasting) as socket:
        session = (await agent.write(client, LIST))["sessionId"]
        wrong = []
        for row in MISTAKES:
            for transport, way in TRANSPORTS.items():
                if transport == "websocket" and row.request is None:
                    continue
                async with way(lasting, session, {}) as act:
                    try:
                        said = await act(row)
                    except Refused as refused:
                        said = refused.message
                        assert refused.code == row.code, (row.line, transport)
                    if said != row.message:
                        wrong.append((transport, row.line, said))
        assert wrong == []
        now = await socket.ask("session.get", sessionId=session)
        assert now["revision"] == 1 and now["edits"] == []


# D5: there is no command for it yet; the window offers it where an item has just vanished.
async def test_an_item_that_the_agent_removed_is_brought_back(lasting):
    async with connected(lasting) as client, opened(lasting) as socket:
        written = await agent.write(client, LIST)
        session, ship = written["sessionId"], written["todos"][3]
        await agent.write(client, LIST[:3])
        gone = await socket.answer("todo.setStatus", sessionId=session, uid=ship["uid"], status="blocked")
        assert gone["code"] == "ITEM_REMOVED"
        assert gone["message"] == 'pytest-agent over MCP removed "Ship" just now; bring it back to change it'
        back = await socket.ask("todo.restore", sessionId=session, uid=ship["uid"])
        assert back["message"] == 'Restored TODO at position 4: "Ship"'
        assert outline(back["todos"]) == outline(written["todos"]) and back["todos"][3]["uid"] == ship["uid"]
        again = await socket.ask("todo.restore", sessionId=session, uid=ship["uid"])
        assert again["revision"] == back["revision"] and again["message"] == 'It is in the list: "Ship"'
        told = await agent.write(client, LIST[:3])
        assert [(change["kind"], change["text"]) for change in told["userChanges"]] == [("add", "Ship")]
        assert outline(told["todos"]) == outline(written["todos"])
        for uid in (str(uuid4()), "nonsense", ""):
            unknown = await socket.answer("todo.restore", sessionId=session, uid=uid)
            assert unknown["code"] == "ITEM_NOT_FOUND", uid
        undone = await socket.ask("todo.undo", sessionId=session)
        assert agent.contents(undone["todos"]) == ["Read", "Fix", "Test"]


# D3, D5: who made an item what it is, and through which transport.
async def test_each_item_says_who_changed_it(lasting):
    async with connected(lasting) as client, opened(lasting) as socket:
        written = await agent.write(client, LIST)
        session, read, ship = written["sessionId"], written["todos"][0]["uid"], written["todos"][3]["uid"]
        for transport, status in (("websocket", "blocked"), ("page", "skipped"), ("cli", "blocked")):
            row = Row(
                ("todo.setStatus", {"position": "4", "status": status}),
                ("todo", "set", "4", status),
                f"/todo set 4 {status}",
                f'Set TODO at 4 to {status}: "Ship"',
                [],
                [],
            )
            async with TRANSPORTS[transport](lasting, session, {}) as act:
                assert await act(row) == row.message
                await act(NOTE)
        todos = (await agent.read(client))["todos"]
        await agent.write(client, [{"id": item["id"], "content": item["content"]} for item in todos[:3]])

        async def history(**fields) -> list[tuple]:
            found, cursor = [], {}
            while True:
                page = await socket.ask("session.revisions", sessionId=session, limit=2, **fields, **cursor)
                found += page["revisions"]
                if "nextCursor" not in page:
                    break
                cursor = {"cursor": page["nextCursor"]}
            return [
                (one["revision"], one["actor"]["kind"], one["actor"]["transport"], doing)
                for one in found
                for doing in ("added", "changed", "removed")
                if fields["uid"] in one[doing]
            ]

        changes = await history(uid=ship)
        assert [change[1:] for change in changes] == [
            ("agent", "mcp", "removed"),
            ("user", "cli", "changed"),
            ("user", "page", "changed"),
            ("user", "websocket", "changed"),
            ("agent", "mcp", "added"),
        ]
        assert [change[0] for change in changes] == sorted((change[0] for change in changes), reverse=True)
        assert [change[1:] for change in await history(uid=read)] == [
            ("agent", "mcp", "changed"),
            ("agent", "mcp", "added"),
        ]
        assert await history(uid=str(uuid4())) == []
        wrong = await socket.answer("session.revisions", sessionId=session, uid="nonsense")
        assert wrong["code"] == "ITEM_NOT_FOUND"
