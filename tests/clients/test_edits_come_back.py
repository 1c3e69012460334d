"""The user's edits: delivered to the agent with its next call, once, and kept when the agent sends its own list."""

import json

import pytest

import agent
from agent import WAYS, connected, contents
from socket_client import opened

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("way", WAYS)]

OWN = [
    {"id": "1", "content": "Read the format page", "status": "completed"},
    {"id": "2", "content": "Fix the parser", "status": "in_progress", "activeForm": "Fixing the parser"},
    {"id": "3", "content": "Add the tests", "status": "pending"},
]


def as_sent(todos: list[dict]) -> list[dict]:
    """A list as an agent that took notice sends it again."""
    return [{key: item[key] for key in ("id", "content", "status", "activeForm") if key in item} for item in todos]


# D5, P11, G1
async def test_an_added_item_comes_back_and_stays(gateway, way):
    async with connected(gateway, way) as client, opened(gateway) as socket:
        session = (await agent.write(client, OWN))["sessionId"]
        added = await socket.ask("todo.add", sessionId=session, position="2", content="Ask the customer")
        assert contents(added["todos"])[1] == "Ask the customer"

        told = await agent.write(client, OWN)
        assert contents(told["todos"]) == [
            "Read the format page",
            "Ask the customer",
            "Fix the parser",
            "Add the tests",
        ], "the agent's own full list does not remove what the user added"
        assert len(told["userChanges"]) == 1
        assert "Ask the customer" in json.dumps(told["userChanges"])
        assert told["text"].count("Ask the customer") >= 2, "the text has it in the list and among the changes"
        assert "user" in told["text"].lower()
        assert told["text"].splitlines()[0] == "Updated todos: 1/4 complete"

        taken = await agent.write(client, as_sent(told["todos"]))
        assert taken["userChanges"] == [], "told once"
        assert contents(taken["todos"]) == contents(told["todos"])


# D5, P11
async def test_an_added_item_stays_although_the_agent_never_mentions_it(gateway, way):
    async with connected(gateway, way) as client, opened(gateway) as socket:
        session = (await agent.write(client, OWN))["sessionId"]
        await socket.ask("todo.add", sessionId=session, position="last", content="Ask the customer")
        for _ in range(4):
            told = await agent.write(client, OWN)
            assert contents(told["todos"])[-1] == "Ask the customer"


# D5, P11
async def test_a_deleted_item_stays_deleted(gateway, way):
    async with connected(gateway, way) as client, opened(gateway) as socket:
        session = (await agent.write(client, OWN))["sessionId"]
        deleted = await socket.ask("todo.delete", sessionId=session, position="3")
        assert contents(deleted["todos"]) == contents(OWN[:2])

        told = await agent.write(client, OWN)
        assert contents(told["todos"]) == contents(OWN[:2]), "sending it again does not bring it back"
        assert len(told["userChanges"]) == 1
        assert "Add the tests" in json.dumps(told["userChanges"])
        assert "Add the tests" in told["text"]

        taken = await agent.write(client, as_sent(told["todos"]))
        assert taken["userChanges"] == [], "told once"
        assert contents(taken["todos"]) == contents(OWN[:2])


# D5, P3, P11
async def test_a_cleared_list_stays_clear_but_for_what_is_new(gateway, way):
    async with connected(gateway, way) as client, opened(gateway) as socket:
        session = (await agent.write(client, OWN))["sessionId"]
        cleared = await socket.ask("todo.clear", sessionId=session)
        assert cleared["todos"] == []

        told = await agent.write(client, [*OWN, {"content": "Write the summary", "status": "pending"}])
        assert contents(told["todos"]) == ["Write the summary"]
        assert told["userChanges"], "the agent is told that the list was cleared"
        assert told["text"].splitlines()[0] == "Updated todos: 0/1 complete"

        taken = await agent.write(client, as_sent(told["todos"]))
        assert taken["userChanges"] == []


# D5
async def test_reading_tells_it_too(gateway, way):
    async with connected(gateway, way) as client, opened(gateway) as socket:
        session = (await agent.write(client, OWN))["sessionId"]
        await socket.ask("todo.add", sessionId=session, content="Ask the customer")
        told = await agent.read(client)
        assert "Ask the customer" in json.dumps(told["userChanges"])
        assert (await agent.read(client))["userChanges"] == []


# D5
async def test_what_was_undone_before_it_was_told_is_not_told(gateway, way):
    async with connected(gateway, way) as client, opened(gateway) as socket:
        session = (await agent.write(client, OWN))["sessionId"]
        added = await socket.ask("todo.add", sessionId=session, content="Ask the customer")
        await socket.ask("todo.undo", sessionId=session, editId=added["editId"])
        told = await agent.write(client, OWN)
        assert told["userChanges"] == []
        assert contents(told["todos"]) == contents(OWN)


# P11
async def test_each_edit_shows_how_far_it_has_come(gateway, way):
    async with connected(gateway, way) as client, opened(gateway) as socket:
        session = (await agent.write(client, OWN))["sessionId"]
        await socket.ask("events.subscribe")
        edit = (await socket.ask("todo.add", sessionId=session, content="Ask the customer"))["editId"]

        async def state() -> str:
            edits = (await socket.ask("session.get", sessionId=session))["edits"]
            return next(e["state"] for e in edits if e["editId"] == edit)

        assert await state() == "queued"
        told = await agent.write(client, OWN)
        await socket.event("edit.state", editId=edit, state="delivered")
        await agent.write(client, as_sent(told["todos"]))
        await socket.event("edit.state", editId=edit, state="reflected")
        assert await state() == "reflected"


# D5, P11
async def test_one_agent_is_not_told_what_belongs_to_another(gateway, way):
    async with (
        connected(gateway, way, name="first", label="first") as first,
        connected(gateway, way, name="second", label="second") as second,
        opened(gateway) as socket,
    ):
        session = (await agent.write(first, OWN))["sessionId"]
        assert (await agent.write(second, OWN))["sessionId"] != session
        await socket.ask("todo.delete", sessionId=session, position="1")
        assert (await agent.write(second, OWN))["userChanges"] == []
        assert (await agent.write(first, OWN))["userChanges"] != []
