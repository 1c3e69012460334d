"""An agent with its key, or over stdio, tries to reach lists and messages of agents that it has nothing to do with."""

import asyncio
import json
import sqlite3
from collections.abc import Iterator
from contextlib import asynccontextmanager
from uuid import uuid4

import pytest
from mcp import MCPError

import agent as tool
from agent import WAYS, call, connected, post, rpc_answer, text_of
from gateway import Gateway
from hooked_run import NOTE, OWN, running
from hooks import AGENTS, CLAUDE, CODEX, GEMINI, heard
from hooks import post as hooked
from socket_client import opened

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def lasting(tmp_path_factory) -> Iterator[Gateway]:
    """A gateway of these tests alone: others look at which agents have lists."""
    gateway = Gateway(tmp_path_factory.mktemp("strangers"))
    yield gateway.start()
    gateway.leave_nothing()


SECRET = [{"content": "Rotate the production key"}]
FORGED = [{"content": "Forged"}]
each_agent = pytest.mark.parametrize("agent", AGENTS.values(), ids=AGENTS)


async def refusal(client, address: str) -> tuple:
    """The answer to reading that address, without the address."""
    with pytest.raises(MCPError) as refused:
        await client.read_resource(address, cache_mode="bypass")
    error = refused.value.error
    assert error.data in (None, {"uri": address})
    return error.code, error.message


@asynccontextmanager
async def two(gateway, way: str):
    """A victim with two lists, one of them by a label, and a stranger that has the same key, or the same user."""
    async with connected(gateway, way) as victim, connected(gateway, way) as stranger, opened(gateway) as user:
        own = (await tool.write(victim, SECRET))["sessionId"]
        label = f"plan-{uuid4()}"
        other = (await tool.write(victim, SECRET, session=label))["sessionId"]
        yield victim, stranger, user, own, other, label


@pytest.mark.parametrize("way", WAYS)
async def test_no_address_tells_what_there_is(lasting, way):
    async with two(lasting, way) as (victim, stranger, user, own, other, label):
        gone = (await tool.write(stranger, FORGED, session=str(uuid4())))["sessionId"]
        await user.ask("session.delete", sessionId=gone)
        mine = (await tool.write(stranger, FORGED))["sessionId"]
        names = [own, own[:-1], own[:8], own[:1], other, other[:12], label, gone, str(uuid4()), "x", "", "%", "*"]
        addresses = [f"todo://list/{name}" for name in names] + ["todo://", "x", f"file:///{own}", own]
        answers = {await refusal(stranger, address) for address in addresses}
        assert len(answers) == 1, answers
        for address in addresses:
            with pytest.raises(MCPError) as refused:
                await stranger.subscribe_resource(address)
            assert (refused.value.error.code, refused.value.error.message) in answers
        # Each reads its own, whole ids only; the victim also what it has opened by its label.
        for client, session in ((stranger, mine), (victim, own), (victim, other)):
            await client.read_resource(f"todo://list/{session}")
            assert await refusal(client, f"todo://list/{session[:-1]}") in answers
        listed = (await stranger.list_resources()).resources
        assert [str(resource.uri) for resource in listed] == [f"todo://list/{mine}"]


async def test_listening_to_a_strangers_list_is_silent(lasting):
    async with (
        connected(lasting, era="stateless", name=f"victim-{uuid4()}") as victim,
        connected(lasting, era="stateless", name=f"stranger-{uuid4()}") as stranger,
    ):
        own = (await tool.write(victim, SECRET))["sessionId"]
        mine = (await tool.write(stranger, FORGED))["sessionId"]
        addresses = [f"todo://list/{name}" for name in (own, own[:8], str(uuid4()), mine)]
        async with stranger.listen(resource_subscriptions=addresses) as changes:
            told = aiter(changes)
            async with asyncio.timeout(tool.CALL_SECONDS):
                assert (await anext(told)).uri == addresses[-1], "what there is of its own at the beginning"
                await tool.write(victim, [*SECRET, {"content": "More"}])
                await tool.write(stranger, [*FORGED, {"content": "More"}])
                assert (await anext(told)).uri == addresses[-1]


async def test_a_client_watches_a_few_lists_and_not_any_number(lasting):
    async with connected(lasting) as client:
        lists = [(await tool.write(client, OWN, session=f"{n} {uuid4()}"))["sessionId"] for n in range(17)]
        for session in [*lists[:16], *lists[:16]]:
            await client.subscribe_resource(f"todo://list/{session}")
        with pytest.raises(MCPError, match="at most 16"):
            await client.subscribe_resource(f"todo://list/{lists[16]}")
        await client.unsubscribe_resource(f"todo://list/{lists[0]}")
        await client.subscribe_resource(f"todo://list/{lists[16]}")


@pytest.mark.parametrize("way", WAYS)
async def test_arguments_of_a_tool_name_no_other_session(lasting, way):
    async with two(lasting, way) as (victim, stranger, user, own, other, label):
        for name in (own, own[:8], other, label):
            for field in ("sessionId", "session_id", "parentSessionId"):
                for action, fields in (("list", {}), ("replace_all", {"todos": FORGED})):
                    result = await stranger.call_tool("todo_manager", {"action": action, field: name, **fields})
                    assert "production" not in text_of(result) and own not in text_of(result)
                await stranger.call_tool("todo_write", {"todos": FORGED, field: name})
        for session in (own, other):
            seen = await user.ask("session.get", sessionId=session)
            assert (tool.contents(seen["todos"]), seen["revision"]) == ([SECRET[0]["content"]], 1)


# The victim's hooks are our own command, as `connect` writes it; the forger has a key and knows all the victim's ids.
@each_agent
@pytest.mark.parametrize("mcp", WAYS)
async def test_a_forged_hook_gets_nothing_of_anothers_run(lasting, agent, mcp):
    async with (
        running(lasting, agent, mcp=mcp, way="command") as run,
        connected(lasting, name=agent.client) as forger,
    ):
        await run.edits("note.send", text=NOTE)
        written = await forger.call_tool("todo_write", {"todos": FORGED})
        mine = written.structured_content["sessionId"]
        line = f"This list is session {run.session}."
        forged = [
            agent.prompt(run.own),
            agent.tool(run.own),
            agent.wrote(run.own, FORGED, written),
            *(
                agent.payload(own, agent.tool_event, tool_name=agent.ours, tool_response=line, **agent.beside_ours)
                for own in (run.own, str(uuid4()))
            ),
            agent.tool(run.own),
            agent.prompt(run.own),
        ]
        for payload in forged:
            told = await heard(lasting, agent, payload)
            assert told is None or NOTE not in told
        assert await run.states() == ["queued"], "it waits for the one that it is for"
        seen = await run.user.ask("session.get", sessionId=run.session)
        assert tool.contents(seen["todos"]) == [item["content"] for item in OWN]
        # A message to the forger's session is not told to the victim either.
        await run.user.ask("note.send", sessionId=mine, text="for the forger")
        context = await run.works()
        assert NOTE in context and "forger" not in context


@each_agent
async def test_a_secret_is_good_once_and_only_in_our_own_result(lasting, agent):
    async with connected(lasting, name=agent.client) as client, opened(lasting) as user:
        result = await client.call_tool("todo_write", {"todos": OWN})
        session = result.structured_content["sessionId"]
        own, forged = str(uuid4()), str(uuid4())
        other = agent.wrote(forged, OWN, result)
        other.pop("mcp_context", None)
        assert await heard(lasting, agent, {**other, "tool_name": "Bash"}) is None, "a result of another tool"
        assert await heard(lasting, agent, agent.wrote(own, OWN, result)) is None
        # A copy of the very same hook, of another run.
        assert await heard(lasting, agent, agent.wrote(forged, OWN, result)) is None
        await user.ask("note.send", sessionId=session, text=NOTE)
        assert await heard(lasting, agent, agent.tool(forged)) is None
        assert NOTE in await heard(lasting, agent, agent.tool(own))


# A hook with a key joins nothing where another run's hooks are: not even by a secret that was never used.
async def test_a_run_with_hooks_takes_no_other_hooks_with_a_key(lasting):
    async with running(lasting, CLAUDE) as run:
        # Claude Code gets one with each result, since it may be cleared.
        result = await run.client.call_tool("todo_read", {})
        assert ", proof " in text_of(result)
        forged = str(uuid4())
        assert await heard(lasting, CLAUDE, CLAUDE.wrote(forged, OWN, result)) is None
        await run.edits("note.send", text=NOTE)
        assert await heard(lasting, CLAUDE, CLAUDE.tool(forged)) is None
        assert NOTE in await run.works()


async def test_a_cleared_run_goes_on_with_its_session_by_our_own_command(lasting):
    async with running(lasting, CLAUDE, mcp="stdio", way="command") as run:
        result = await run.client.call_tool("todo_read", {})
        run.own = str(uuid4())
        assert await run.hears(CLAUDE.wrote(run.own, OWN, result)) is None
        await run.edits("note.send", text=NOTE)
        assert NOTE in await run.works()


async def test_ids_that_an_agent_makes_up_lead_to_no_run_of_our_own_command(lasting):
    own = str(uuid4())
    async with opened(lasting) as user, connected(lasting, "stdio", name=CODEX.client) as victim:
        result = await victim.call_tool("todo_write", {"todos": SECRET}, meta={"sessionId": own})
        session = result.structured_content["sessionId"]
        assert await heard(lasting, CODEX, CODEX.prompt(own), "command") is None
        await user.ask("note.send", sessionId=session, text=NOTE)
        async with connected(lasting, name=CODEX.client) as forger:
            for meta in ({"sessionId": own}, {"sessionId": own, "threadId": "sub-1"}, {"threadId": own}):
                read = await forger.call_tool("todo_read", {}, meta=meta)
                assert read.structured_content["sessionId"] != session and NOTE not in text_of(read)
                wrote = await forger.call_tool("todo_write", {"todos": FORGED}, meta=meta)
                assert wrote.structured_content["sessionId"] != session and NOTE not in text_of(wrote)
        assert NOTE in await heard(lasting, CODEX, CODEX.tool(own), "command")
        assert tool.contents((await user.ask("session.get", sessionId=session))["todos"]) == [SECRET[0]["content"]]


# Two keys say the same of themselves: the same client, MCP session, session of the agent's and label.
async def test_two_keys_never_meet(lasting):
    keys = [lasting.new_key("--agent") for _ in range(2)]
    connection, own, label = f"mcp {uuid4()}", str(uuid4()), f"plan-{uuid4()}"

    async def says(key: str, todos: list[dict], **arguments) -> dict:
        message = call("todo_write", {"todos": todos, **arguments})
        message["params"]["_meta"] = {"sessionId": own}
        bearer = {"Authorization": f"Bearer {key}", "Mcp-Session-Id": connection}
        return rpc_answer(await post(lasting, message, **bearer))["result"]["structuredContent"]

    async def hears(key: str) -> str:
        response = await hooked(lasting, "codex", CODEX.tool(own), token=key)
        assert response.status_code == 200
        return response.text

    async with opened(lasting) as user:
        for arguments in ({}, {"session": label}):
            first = await says(keys[0], SECRET, **arguments)
            second = await says(keys[1], FORGED, **arguments)
            assert first["sessionId"] != second["sessionId"]
            assert tool.contents(second["todos"]) == ["Forged"]
            await user.ask("note.send", sessionId=first["sessionId"], text=NOTE)
            assert NOTE not in json.dumps(await says(keys[1], FORGED, **arguments))
            assert NOTE not in await hears(keys[1])
            assert NOTE in json.dumps(await says(keys[0], SECRET, **arguments))


async def test_a_label_opens_the_lists_of_other_keys_by_the_users_word(lasting):
    label = f"release-{uuid4()}"
    async with opened(lasting) as user, connected(lasting) as one, connected(lasting, "stdio") as other:
        first = await tool.write(one, SECRET, session=label)
        second = await tool.write(other, FORGED, session=label)
        assert second["sessionId"] != first["sessionId"] and tool.contents(second["todos"]) == ["Forged"]
        await user.ask("session.mark", sessionId=first["sessionId"], shared=True)
        seen = await user.ask("session.get", sessionId=first["sessionId"])
        assert seen["session"]["shared"]
        read = await tool.read(other, session=label)
        assert read["sessionId"] == first["sessionId"]
        await user.ask("session.mark", sessionId=first["sessionId"], shared=False)
        assert (await tool.read(other, session=label))["sessionId"] == second["sessionId"]


def introduction(**client) -> dict:
    """An `initialize` of a client with these fields more."""
    about = {"name": "long", "version": "1", **client}
    parameters = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": about}
    return {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": parameters}


async def test_how_a_client_introduces_itself_is_bounded(data_folder):
    gateway = data_folder.start()
    for field in ("name", "version", "title"):
        response = await post(gateway, introduction(**{field: "x" * 900_000}), **{"Mcp-Session-Id": ""})
        assert "16384 bytes" in rpc_answer(response)["error"]["message"]
        response = await post(gateway, introduction(**{field: "x" * 15_000}), **{"Mcp-Session-Id": ""})
        assert rpc_answer(response)["result"]["serverInfo"]["name"] == "sightline"
        session = response.headers["mcp-session-id"]
        answer = rpc_answer(await post(gateway, call("todo_write", {"todos": OWN}), **{"Mcp-Session-Id": session}))
        async with opened(gateway) as user:
            seen = await user.ask("session.get", sessionId=answer["result"]["structuredContent"]["sessionId"])
        assert all(len(text) <= 200 for text in seen["session"]["agent"].values())
    long = call("todo_read", {})
    long["params"]["_meta"] = {"sessionId": "x" * 600_000}
    assert "1 to 500" in json.dumps(rpc_answer(await post(gateway, long)))
    gateway.stop()
    with sqlite3.connect(gateway.data_dir / "sightline.db") as database:
        longest = database.execute("SELECT max(length(initialize)) FROM mcp_sessions").fetchone()
        assert longest[0] < 1_000
        keys = database.execute("SELECT max(length(key)) FROM bindings").fetchone()
        assert keys[0] < 1_000


# Its hooks are over HTTP, and it never calls our tools: another key, or the same, gets nothing of it by a prefix.
async def test_a_run_of_hooks_alone_is_nobody_elses(lasting):
    own = str(uuid4())
    async with opened(lasting) as user:
        await user.ask("events.subscribe")
        since = len(user.seen)
        assert await heard(lasting, GEMINI, GEMINI.prompt(own), "command") is None
        begun = await user.event("session.created", since, agent={"name": "gemini"})
        await user.ask("note.send", sessionId=begun["sessionId"], text=NOTE)
        for forged in (own, own[:8], own.upper()):
            assert await heard(lasting, GEMINI, GEMINI.tool(forged)) is None
        assert NOTE in await heard(lasting, GEMINI, GEMINI.tool(own), "command")
