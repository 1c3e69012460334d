"""The `mcp` package, which nobody here wrote, over both transports and in both protocol eras."""

import asyncio
import json

import pytest
from mcp_types import ResourceUpdatedNotification

import agent
from agent import ERAS, WAYS, connected, contents
from socket_client import opened

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.parametrize("way", WAYS),
    pytest.mark.parametrize("era", ERAS),
]

STORY = [
    {"id": "a", "content": "Read the format page", "status": "completed", "activeForm": "Reading the format page"},
    {"id": "b", "content": "Fix the parser", "status": "in_progress", "activeForm": "Fixing the parser"},
    {"id": "c", "content": "Add the tests", "status": "pending"},
]


# G1
async def test_writes_the_list_and_reads_it_back(gateway, way, era):
    async with connected(gateway, way, era) as client:
        written = await agent.write(client, STORY)
        assert written["text"].splitlines()[0] == "Updated todos: 1/3 complete"
        for item in STORY:
            assert item["content"] in written["text"], "the model reads the merged list"
        assert contents(written["todos"]) == contents(STORY)
        assert [item["status"] for item in written["todos"]] == ["completed", "in_progress", "pending"]
        assert [item["id"] for item in written["todos"]] == ["a", "b", "c"], "an agent's own ids stay"
        assert written["revision"] == 1
        assert written["userChanges"] == []

        again = await agent.read(client)
        assert again["todos"] == written["todos"]
        assert again["sessionId"] == written["sessionId"], "the same client has the same session"
        assert again["revision"] == 1, "reading changes nothing"


# G1, G2
async def test_a_list_that_is_written_once_more_makes_no_revision_and_is_told(gateway, way, era):
    async with opened(gateway) as socket, connected(gateway, way, era) as client:
        await socket.ask("events.subscribe")
        written = await agent.write(client, STORY)
        session = written["sessionId"]
        first = await socket.event("todo.update", sessionId=session)
        since = len(socket.seen)
        again = await agent.write(client, STORY)
        assert (again["sessionId"], again["revision"], again["todos"]) == (session, 1, written["todos"])
        assert again["text"].splitlines()[0] == "Updated todos: 1/3 complete"
        told = await socket.event("todo.update", since, sessionId=session)
        assert (told["revision"], told["todos"]) == (1, first["todos"])
        revisions = (await socket.ask("session.revisions", sessionId=session))["revisions"]
        assert [revision["revision"] for revision in revisions] == [1]
        assert (await agent.write(client, STORY[:2]))["revision"] == 2, "the next change is the next revision"


# G1
async def test_richer_items_are_kept(gateway, way, era):
    item = {
        "content": "Ship it",
        "status": "blocked",
        "priority": "high",
        "category": "release",
        "dependsOn": ["a"],
        "notes": "after lunch",
        "subtasks": [{"content": "Tag", "status": "pending"}, {"content": "Push", "status": "completed"}],
        "ticket": {"system": "elsewhere", "number": 7},
    }
    async with connected(gateway, way, era) as client:
        (kept,) = (await agent.write(client, [item]))["todos"]
    for field in ("content", "status", "priority", "category", "dependsOn", "notes"):
        assert kept[field] == item[field]
    assert contents(kept["subtasks"]) == ["Tag", "Push"]
    assert kept["extra"]["ticket"] == item["ticket"], "a key that we do not know is kept as it was sent"


# G1, D2
async def test_each_call_names_its_session(gateway, way, era):
    async with connected(gateway, way, era) as client:
        one = await agent.write(client, STORY, session="one")
        two = await agent.write(client, STORY[:1], session="two")
        assert one["session"] == "one" and two["session"] == "two"
        assert one["sessionId"] != two["sessionId"]
        assert contents((await agent.read(client, session="one"))["todos"]) == contents(STORY)
        assert len((await agent.read(client, session="two"))["todos"]) == 1


# G1
async def test_the_address_can_name_the_session(gateway, way, era):
    async with connected(gateway, way, era, label="billing") as client:
        written = await agent.write(client, STORY)
    assert written["session"] == "billing"
    async with connected(gateway, way, era, label="billing", name="another-agent") as client:
        assert (await agent.read(client))["sessionId"] == written["sessionId"]


# D6
async def test_the_session_shows_who_runs_it(gateway, way, era):
    async with connected(gateway, way, era) as client, opened(gateway) as socket:
        written = await agent.write(client, STORY)
        session = (await socket.ask("session.get", sessionId=written["sessionId"]))["session"]
        assert session["agent"] == {"name": "pytest-agent", "version": "1.2.3"}
        assert session["current"] is True
        assert session["state"] == "running"
        assert session["listState"] == "active"
        if way == "stdio":
            assert session["folder"] == str(gateway.home), "the shim stands in the agent's folder"


# G5
async def test_agents_are_told_when_to_use_it(gateway, way, era):
    async with connected(gateway, way, era) as client:
        head = client.instructions[:512]
        whole_sentences = head[: max(head.rfind("."), head.rfind(":")) + 1]
        assert "todo_write" in whole_sentences
        assert "three" in whole_sentences or "3" in whole_sentences
        assert "in_progress" in whole_sentences or "in progress" in whole_sentences
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}

    assert {"todo_write", "todo_read"} <= tools.keys()
    write = tools["todo_write"]
    assert "three" in write.description or "3" in write.description
    assert write.input_schema["required"] == ["todos"]
    schema = json.dumps(write.input_schema)
    for field in ("content", "status", "activeForm", "in_progress", "session"):
        assert f'"{field}"' in schema, f"the schema tells of {field}"


# D4, G1
async def test_the_list_is_a_resource_that_tells_of_changes(gateway, way, era):
    told = asyncio.Queue()

    async def on_message(message) -> None:
        if isinstance(message, ResourceUpdatedNotification):
            told.put_nowait(str(message.params.uri))

    async with connected(gateway, way, era, on_message=on_message) as client, opened(gateway) as socket:
        written = await agent.write(client, STORY)
        address = f"todo://list/{written['sessionId']}"
        listed = [str(resource.uri) for resource in (await client.list_resources()).resources]
        assert address in listed
        (part,) = (await client.read_resource(address)).contents
        for item in STORY:
            assert item["content"] in part.text

        async def edit() -> None:
            await socket.ask("todo.add", sessionId=written["sessionId"], content="Ring the customer")

        if era == "initialize":
            await client.subscribe_resource(address)
            await edit()
            async with asyncio.timeout(agent.CALL_SECONDS):
                while await told.get() != address:
                    pass
        else:
            async with client.listen(resource_subscriptions=[address]) as changes:
                await edit()
                async with asyncio.timeout(agent.CALL_SECONDS):
                    assert (await anext(aiter(changes))).uri == address

        (part,) = (await client.read_resource(address, cache_mode="bypass")).contents
        assert "Ring the customer" in part.text


# G1
async def test_a_mistake_is_a_result_that_says_what_to_do(gateway, way, era):
    async with connected(gateway, way, era) as client:
        before = await agent.write(client, STORY)
        result = await client.call_tool("todo_write", {"todos": [{"status": "pending"}]})
        assert result.is_error
        assert "content" in agent.text_of(result)
        assert (await agent.read(client))["todos"] == before["todos"]
