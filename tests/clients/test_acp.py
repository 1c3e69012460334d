"""`sightline acp` between a scripted editor and a scripted agent: what it adds, and that nobody waits for it."""

import signal
import time
from contextlib import asynccontextmanager

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types import Implementation

from acp_conversation import ANSWER_SECONDS, Conversation
from gateway import END_SECONDS, environment, eventually, until
from socket_client import opened
from terminal import run

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(180)]

STEPS = [{"content": "Read"}, {"content": "Fix", "status": "in_progress"}]

# A line that goes on at once comes within this, also on a busy machine; a gateway that is waited for takes seconds.
AT_ONCE = 1.5


@asynccontextmanager
async def tools(gateway, server: dict):
    """A client of our tool server, as the agent has it of its session."""
    options = {"mode": "legacy", "client_info": Implementation(name="opencode", version="1.18.33")}
    if "command" in server:
        start = StdioServerParameters(command=server["command"], args=server["args"], env=environment(gateway.home))
        async with Client(start, **options) as client:
            yield client
        return
    headers = {header["name"]: header["value"] for header in server["headers"]}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30, trust_env=False, verify=False) as http,
        Client(streamable_http_client(server["url"], http_client=http), **options) as client,
    ):
        yield client


async def sessions(gateway) -> list[dict]:
    async with opened(gateway) as user:
        return (await user.ask("events.subscribe"))["sessions"]


@pytest.mark.parametrize("way", ["http", "stdio"])
async def test_calls_of_our_tools_are_of_the_conversations_session(gateway, way):
    with Conversation(gateway) as talk:
        server = talk.open("ses_1", gateway.home, http=way == "http")
        talk.prompt("ses_1", "Prepare the release")
        async with tools(gateway, server) as client:
            result = await client.call_tool("todo_write", {"todos": STEPS})
            assert not result.is_error, result
            plan = talk.editor_hears()["params"]
            assert plan["sessionId"] == "ses_1"
            entries = [(entry["content"], entry["status"]) for entry in plan["update"]["entries"]]
            assert entries == [("Read", "pending"), ("Fix", "in_progress")]
            [session] = await sessions(gateway)
            assert (session["title"], session["agent"]["name"]) == ("Prepare the release", "opencode")
            assert (session["folder"], session["connected"]) == (str(gateway.home), True)
            assert session.get("agents", []) == [], "nobody else has the list"
            own = {"sessionUpdate": "plan", "entries": [{"content": "Own", "priority": "high", "status": "pending"}]}
            params = {"sessionId": "ses_1", "update": own}
            talk.to_editor({"jsonrpc": "2.0", "method": "session/update", "params": params})
            talk.turn_ends()
            # The user's edit is in the next result, and in no plan of this turn.
            async with opened(gateway) as user:
                await user.ask("todo.add", sessionId=session["sessionId"], position="last", content="Mine")
            result = await client.call_tool("todo_read", {})
            assert "Mine" in str(result.content)
        assert talk.ends() == 0
    found = {session.get("ownTool"): session for session in await sessions(gateway)}
    assert [step["content"] for step in found["todowrite"]["todos"]] == ["Own"]
    assert found[None]["state"] == "finished"


@pytest.mark.parametrize("way", ["http", "stdio"])
async def test_a_session_that_is_loaded_goes_on_with_its_list(gateway, way):
    for turn, method in enumerate(["session/new", "session/load"]):
        with Conversation(gateway) as talk:
            server = talk.open("ses_1", gateway.home, http=way == "http", method=method)
            talk.prompt("ses_1", f"Prompt {turn}")
            async with tools(gateway, server) as client:
                steps = [*STEPS, {"content": f"Turn {turn}"}]
                assert not (await client.call_tool("todo_write", {"todos": steps})).is_error
            talk.agent.close()
            talk.process.wait(END_SECONDS)
    [session] = await sessions(gateway)
    assert (session["title"], session["revision"]) == ("Prompt 0", 2)
    assert session["todos"][-1]["content"] == "Turn 1"


async def test_a_permission_is_a_need_until_it_is_answered(gateway):
    with Conversation(gateway) as talk:
        talk.open("ses_1", gateway.home)
        talk.prompt("ses_1", "Prepare the release")
        call = {"toolCallId": "c", "title": "Says hi", "rawInput": {"command": "echo hi"}}
        params = {"sessionId": "ses_1", "toolCall": call, "options": []}
        async with opened(gateway) as user:
            await user.ask("events.subscribe")
            talk.to_editor({"jsonrpc": "2.0", "id": 7, "method": "session/request_permission", "params": params})
            waiting = await user.first(lambda message: message.get("needs"))
            [need] = waiting["needs"]
            assert (need["kind"], need["text"]) == ("waiting", "Says hi: echo hi")
            talk.to_agent({"jsonrpc": "2.0", "id": 7, "result": {"outcome": {"outcome": "cancelled"}}})
            await user.first(lambda message: message.get("state") == "running", since=user.seen.index(waiting))


def asks(command: str, ask: int) -> dict:
    kinds = {"yes": "allow_once", "always": "allow_always", "no": "reject_once"}
    options = [{"optionId": name, "name": name, "kind": kind} for name, kind in kinds.items()]
    call = {"toolCallId": "c", "title": "bash", "rawInput": {"command": command}}
    params = {"sessionId": "ses_1", "toolCall": call, "options": options}
    return {"jsonrpc": "2.0", "id": ask, "method": "session/request_permission", "params": params}


def selected(option: str, ask: int) -> dict:
    return {"jsonrpc": "2.0", "id": ask, "result": {"outcome": {"outcome": "selected", "optionId": option}}}


async def permission(user, session: str | None = None, state: str = "open") -> dict:
    """The newest permission, once it is in this state."""

    async def there() -> dict | None:
        named = {} if session is None else {"sessionId": session}
        found = (await user.ask("permission.list", **named))["permissions"]
        return found[0] if found and found[0]["state"] == state else None

    return await eventually(there, ANSWER_SECONDS, f"a permission is {state}")


async def test_a_permission_is_answered_by_whoever_is_first(gateway):
    with Conversation(gateway) as talk:
        talk.open("ses_1", gateway.home)
        talk.prompt("ses_1", "Prepare the release")
        async with opened(gateway) as user:
            for ask, allow, option in [(7, True, "yes"), (8, False, "no")]:
                talk.to_editor(asks(f"step {ask}", ask))
                waits = await permission(user)
                assert (waits["tool"], waits["command"]) == ("bash", f"step {ask}")
                named = {"sessionId": waits["sessionId"], "permissionId": waits["permissionId"]}
                await user.ask("permission.answer", allow=allow, **named)
                assert talk.agent_hears() == selected(option, ask)
                assert talk.editor_hears()["params"] == {"requestId": ask}
                talk.editor_says(selected("always", ask))
            # The agent does not hear an answer of the editor that comes too late.
            talk.to_editor(asks("step 9", 9))
            waits = await permission(user)
            talk.to_agent(selected("yes", 9))
            await permission(user, waits["sessionId"], "elsewhere")
            # The gateway ends while somebody waits: the editor answers.
            talk.to_editor(asks("step 10", 10))
            await permission(user)
        gateway.kill()
        talk.to_agent(selected("yes", 10), seconds=AT_ONCE)
        talk.turn_ends(seconds=AT_ONCE)


async def test_nobody_waits_for_a_gateway_that_is_stopped(gateway):
    with Conversation(gateway) as talk:
        gateway.process.send_signal(signal.SIGSTOP)
        try:
            talk.open("ses_1", gateway.home)
            for ask in range(10, 400):
                talk.prompt("ses_1", f"Prompt {ask}", ask, seconds=AT_ONCE)
                talk.turn_ends(ask, seconds=AT_ONCE)
        finally:
            gateway.process.send_signal(signal.SIGCONT)
        async with opened(gateway) as user:
            await user.ask("events.subscribe")
            await user.first(lambda message: "Prompt 10" in str(message))
    assert [session["title"] for session in await sessions(gateway)] == ["Prompt 10"]


async def test_a_gateway_that_dies_is_not_noticed(gateway):
    with Conversation(gateway) as talk:
        server = talk.open("ses_1", gateway.home)
        talk.prompt("ses_1", "Prepare the release")
        async with tools(gateway, server) as client:
            assert not (await client.call_tool("todo_write", {"todos": STEPS})).is_error
            talk.editor_hears()
            gateway.kill()
            talk.turn_ends(seconds=AT_ONCE)
            talk.prompt("ses_1", "Go on", 3, seconds=AT_ONCE)
        # The address of our tools leads to the gateway that was started in its place.
        async with tools(gateway, server) as client:
            result = await client.call_tool("todo_write", {"todos": [{"content": "Another"}]})
            assert not result.is_error, result
            assert [entry["content"] for entry in talk.editor_hears()["params"]["update"]["entries"]] == ["Another"]
    [session] = await sessions(gateway)
    assert session["title"] == "Prepare the release"


async def test_without_a_gateway_one_is_started(data_folder):
    with Conversation(data_folder) as talk:
        talk.open("ses_1", data_folder.home)
        talk.prompt("ses_1", "Prepare the release", seconds=AT_ONCE)
        until(data_folder.runtime_file.exists, END_SECONDS, "a gateway is started")
        async with opened(data_folder) as user:
            await user.ask("events.subscribe")
            await user.first(lambda message: "Prepare the release" in str(message))


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_the_address_of_our_tools_is_for_this_agent(gateway, method):
    with Conversation(gateway) as talk:
        server = talk.open("ses_1", gateway.home)
        async with httpx2.AsyncClient(trust_env=False, verify=False) as http:
            for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": f"Bearer {gateway.agent_token}"}):
                answer = await http.request(method, server["url"], headers=headers)
                assert answer.status_code == 401, answer.text


@pytest.mark.parametrize("code", [0, 3])
def test_it_ends_as_the_agent_ends(gateway, code):
    with Conversation(gateway, code=code) as talk:
        talk.open("ses_1", gateway.home)
        talk.process.stdin.close()
        assert talk.agent.recv(1) == b"", "the agent hears that the editor has hung up"
        assert talk.ends() == code
        assert talk.process.stderr.read() == b"the agent has started\n", "it says nothing of its own"


def test_whoever_ends_it_ends_the_agent(gateway):
    with Conversation(gateway) as talk:
        talk.open("ses_1", gateway.home)
        begun = time.monotonic()
        talk.process.send_signal(signal.SIGTERM)
        assert talk.process.wait(END_SECONDS) == 128 + signal.SIGTERM
        assert time.monotonic() - begun < END_SECONDS
        assert talk.agent.recv(1) == b""


def test_an_agent_hears_that_it_was_killed(gateway):
    with Conversation(gateway) as talk:
        talk.process.kill()
        assert talk.agent.recv(1) == b""


def test_a_command_that_is_not_there(gateway):
    ran = run(gateway, "acp", "--", "/nowhere/agent", "--acp")
    assert ran.code == 1
    assert "/nowhere/agent cannot be started" in ran.err and ran.out == ""
