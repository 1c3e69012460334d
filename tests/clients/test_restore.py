"""Items that are gone, whoever took them out: brought back as they were, at their place, under their uid."""

from uuid import uuid4

import pytest

import agent
from agent import connected, contents
from socket_client import opened

pytestmark = pytest.mark.anyio

LIST = [
    {"id": "a", "content": "Read"},
    {"id": "b", "content": "Fix", "status": "in_progress", "priority": "high", "notes": "half way"},
    {"id": "c", "content": "Test", "subtasks": [{"id": "c1", "content": "Unit"}, {"id": "c2", "content": "Window"}]},
    {"id": "d", "content": "Ship"},
]
TEST_WITH_ONE = {**LIST[2], "subtasks": LIST[2]["subtasks"][:1]}


class Session:
    """A list of an agent's, and the user at a socket."""

    def __init__(self, client, socket):
        self.client, self.socket = client, socket

    async def begin(self) -> "Session":
        written = await agent.write(self.client, LIST)
        self.id = written["sessionId"]
        self.first = written["todos"]
        self.uids = {item["content"]: item["uid"] for item in self.first}
        self.uids |= {part["content"]: part["uid"] for part in self.first[2]["subtasks"]}
        return self

    async def ask(self, kind: str, **fields) -> dict:
        return await self.socket.ask(kind, sessionId=self.id, **fields)

    async def restored(self, words: str) -> dict:
        return await self.ask("todo.restore", uid=self.uids[words])


@pytest.fixture
async def session(lasting):
    async with connected(lasting, label=str(uuid4())) as client, opened(lasting) as socket:
        yield await Session(client, socket).begin()


def same(items: list[dict]) -> list[dict]:
    """Items without the time since which they have their status, and that of which they were in progress."""
    times = {"statusAt": None, "workedMs": None}
    return [{**item, **times, "subtasks": same(item.get("subtasks", []))} for item in items]


# D5
async def test_it_is_the_item_as_it_was(session):
    await agent.write(session.client, [LIST[0], *LIST[2:]])
    back = await session.restored("Fix")
    assert back["message"] == 'Restored TODO at position 2: "Fix"'
    assert same(back["todos"]) == same(session.first)
    told = await agent.write(session.client, [LIST[0], *LIST[2:]])
    assert [(change["kind"], change["text"]) for change in told["userChanges"]] == [("add", "Fix")]
    assert contents(told["todos"]) == contents(LIST), "its silence does not take it away again"


async def test_a_part_comes_back_to_what_it_is_a_part_of(session):
    await agent.write(session.client, [*LIST[:2], TEST_WITH_ONE, LIST[3]])
    await agent.write(session.client, [*LIST[:2], LIST[3]])
    refused = await session.socket.answer("todo.restore", sessionId=session.id, uid=session.uids["Window"])
    assert refused["code"] == "CANNOT_UNDO"
    assert refused["message"] == 'The item that "Window" belonged to is gone; bring that back first'
    whole = await session.restored("Test")
    assert contents(whole["todos"][2]["subtasks"]) == ["Unit"], "as it was last"
    back = await session.restored("Window")
    assert back["message"] == 'Restored TODO at position 3.2: "Window"'
    assert same(back["todos"]) == same(session.first)


async def test_what_the_user_removed_himself_is_kept_away_no_more(session):
    await session.ask("todo.delete", position="2-4")
    back = await session.restored("Ship")
    assert contents(back["todos"]) == ["Read", "Ship"]
    told = await agent.write(session.client, LIST)
    assert contents(told["todos"]) == ["Read", "Ship"]
    assert [(change["kind"], change["text"]) for change in told["userChanges"]] == [("delete", "2 items: Fix, Test")]


# The agent goes on to call its own by that id.
async def test_an_id_that_is_another_items_by_now_stays_that_items(session):
    other = {"id": "d", "content": "Something quite different"}
    await agent.write(session.client, LIST[:3])
    now = await agent.write(session.client, [*LIST[:3], other])
    assert (now["todos"][3]["id"], now["todos"][3]["uid"] != session.uids["Ship"]) == ("d", True)
    back = await session.restored("Ship")
    ids = {item["content"]: item["id"] for item in back["todos"]}
    assert len(set(ids.values())) == 5
    assert ids["Something quite different"] == "d"


@pytest.mark.parametrize("kind", ["todo.clear", "todo.archive", "todo.delete"])
async def test_restoring_one_of_many_and_taking_everything_back(session, kind):
    await session.ask(kind, **({"position": "all"} if kind == "todo.delete" else {}))
    assert contents((await session.restored("Fix"))["todos"]) == ["Fix"]
    assert (await session.ask("todo.undo"))["todos"] == []
    everything = await session.ask("todo.undo")
    assert contents(everything["todos"]) == contents(LIST), "as before the first of them"
    assert same(everything["todos"]) == same(session.first)
