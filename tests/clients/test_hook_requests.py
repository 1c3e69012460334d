"""Hooks that are wrong, or find nobody: clear errors over HTTP, and a command that is never in an agent's way."""

import asyncio
import json
import os
from uuid import uuid4

import pytest

from hooked_run import NOTE, running
from hooks import AGENTS, CLAUDE, CODEX, GEMINI, QWEN, WAYS, Agent, by_http, ended, heard, post, spawn
from terminal import run as ran

pytestmark = pytest.mark.anyio

NAMES = "claude, copilot, codex, opencode, cline, kilo, kimi, vibe, pi, gemini, qwen"
each_agent = pytest.mark.parametrize("agent", AGENTS.values(), ids=AGENTS)


def nested(depth: int) -> bytes:
    return b'{"a":' * depth + b"1" + b"}" * depth


def without(name: str) -> bytes:
    payload = CODEX.tool("own")
    del payload[name]
    return json.dumps(payload).encode()


BODIES = {
    "nothing": (b"", "is JSON"),
    "text": (b"PostToolUse", "is JSON"),
    "half of it": (json.dumps(CODEX.tool("own")).encode()[:-3], "is JSON"),
    "no UTF-8": (b'{"hook_event_name": "\xff\xfe"}', "is JSON"),
    "deep": (nested(100_000), '"hook_event_name"'),
    "an array": (b"[]", '"hook_event_name"'),
    "null": (b"null", '"hook_event_name"'),
    "an empty object": (b"{}", '"hook_event_name"'),
    "no event": (without("hook_event_name"), '"hook_event_name"'),
    "no session": (without("session_id"), '"session_id"'),
    "a session that is a number": (json.dumps(CODEX.tool("own") | {"session_id": 7}).encode(), '"session_id"'),
    "a session of lines": (json.dumps(CODEX.tool("a\nb")).encode(), '"session_id"'),
    "a session of 10,000 letters": (json.dumps(CODEX.tool("x" * 10_000)).encode(), '"session_id"'),
}


# G1
@pytest.mark.parametrize("body", BODIES)
async def test_what_is_no_payload_is_said_over_http(lasting, body):
    sent, word = BODIES[body]
    response = await post(lasting, "codex", sent)
    assert response.status_code == 400
    error = response.json()
    assert set(error) == {"code", "message"} and error["code"] == "INVALID_MESSAGE"
    assert word in error["message"] and len(error["message"]) < 300


# An agent would show it, or stop at it.
@pytest.mark.parametrize("body", BODIES)
async def test_what_is_no_payload_is_kept_from_the_agent_by_the_command(lasting, body):
    sent, _ = BODIES[body]
    assert await ended(await spawn(lasting, "codex"), sent) == (0, "", "")


@pytest.mark.parametrize("name", ["cursor", "Claude", "claude%20", "%1b%5b31m"])
async def test_an_agent_without_hooks_is_named_beside_those_that_have_them(lasting, name):
    response = await post(lasting, name, CLAUDE.tool(str(uuid4())))
    assert response.status_code == 400
    assert NAMES in response.json()["message"] and "\x1b" not in response.json()["message"]


def test_the_command_names_the_agents_that_have_hooks(lasting):
    for name in ("cursor", "", "\x1b[31mclaude"):
        done = ran(lasting, "hook", name, given=json.dumps(CLAUDE.tool("own")))
        assert done.code != 0 and done.out == ""
        assert NAMES in done.err and "\x1b" not in done.err


async def test_only_a_post_is_a_hook(lasting):
    nowhere = await post(lasting, "", CLAUDE.tool("own"))
    assert nowhere.status_code in (404, 405)
    deeper = await post(lasting, "claude/more", CLAUDE.tool("own"))
    assert deeper.status_code in (404, 405)


# G1: a whole file may be in a tool's answer.
@pytest.mark.parametrize("way", WAYS)
async def test_a_long_answer_of_a_tool_is_taken(lasting, way):
    async with running(lasting, CLAUDE, way=way) as run:
        await run.edits("note.send", text=NOTE)
        assert NOTE in await run.works(tool_input={"content": "x" * (12 * 1024 * 1024)})


async def test_a_longer_one_is_refused(lasting):
    async with running(lasting, CLAUDE) as run:
        await run.edits("note.send", text=NOTE)
        too_long = CLAUDE.tool(run.own, tool_input={"content": "x" * (17 * 1024 * 1024)})
        assert (await post(lasting, "claude", too_long)).status_code == 413
        assert await run.states() == ["queued"]
        assert NOTE in await run.works(), "the gateway goes on"


# G1
async def test_who_may_report(lasting):
    async with running(lasting, CLAUDE) as run:
        await run.edits("note.send", text=NOTE)
        payload = CLAUDE.tool(run.own)
        refused = {
            "no token": (await post(lasting, "claude", payload, token=""), 401),
            "a wrong token": (await post(lasting, "claude", payload, token="x" * 40), 401),
            "another site's page": (await post(lasting, "claude", payload, Origin="https://example.com"), 403),
            "a page of another port": (await post(lasting, "claude", payload, Origin="http://127.0.0.1:1"), 403),
            "no origin": (await post(lasting, "claude", payload, Origin="null"), 403),
            "a name that leads here": (await post(lasting, "claude", payload, Host=f"evil.test:{lasting.port}"), 403),
        }
        assert {name: response.status_code for name, (response, _) in refused.items()} == {
            name: status for name, (_, status) in refused.items()
        }
        for name, (response, _) in refused.items():
            assert NOTE not in response.text and response.json()["message"], name
        assert await run.states() == ["queued"]
        other = await post(lasting, "claude", payload, token=lasting.token)
        assert (other.status_code, other.text) == (200, ""), "the user's key opens everything, and is another key"
        told = await post(lasting, "claude", payload)
        assert NOTE in told.json()["hookSpecificOutput"]["additionalContext"]


async def test_nothing_to_say_is_an_empty_answer(lasting):
    response = await post(lasting, "qwen", QWEN.tool(str(uuid4())))
    assert (response.status_code, response.content) == (200, b"")
    assert await by_http(lasting, QWEN, QWEN.prompt(str(uuid4()), "")) == ""


@each_agent
async def test_without_a_gateway_nothing_is_said_and_none_is_started(data_folder, agent: Agent):
    data_folder.home.mkdir(parents=True)
    for payload in (agent.tool("own"), agent.prompt("own"), agent.payload("own", "SessionStart", source="startup")):
        assert await heard(data_folder, agent, payload, "command") is None
    assert not data_folder.runtime_file.exists()


async def test_a_data_folder_that_is_none_is_no_trouble(data_folder):
    data_folder.home.mkdir(parents=True)
    data_folder.data_dir.write_text("a file")
    assert await heard(data_folder, CLAUDE, CLAUDE.tool("own"), "command") is None
    assert data_folder.data_dir.read_text() == "a file"


async def test_a_gateway_that_died_is_no_trouble(gateway):
    gateway.kill()
    assert gateway.runtime_file.exists(), "it had no time to take it away"
    assert await heard(gateway, GEMINI, GEMINI.tool("own"), "command") is None
    gateway.runtime_file.write_text('{"pid": 1')
    assert await heard(gateway, GEMINI, GEMINI.tool("own"), "command") is None
    gateway.runtime_file.unlink()


# It ends within its own patience, well before the agent's.
async def test_an_input_that_never_ends_is_not_waited_for(lasting):
    async def waited(begun: bytes) -> tuple[int, bytes, bytes]:
        process = await spawn(lasting, "claude")
        process.stdin.write(begun)
        await process.stdin.drain()
        out, err = await process.stdout.read(), await process.stderr.read()
        return await process.wait(), out, err

    whole = json.dumps(CLAUDE.tool("own")).encode()
    for done in await asyncio.gather(waited(b""), waited(whole[:30]), waited(whole)):
        assert done == (0, b"", b"")


async def test_an_agent_that_has_gone_is_no_trouble(lasting):
    async with running(lasting, CLAUDE, way="command") as run:
        await run.edits("note.send", text=NOTE)
        reader, writer = os.pipe()
        os.close(reader)
        process = await spawn(lasting, "claude", stdout=writer)
        os.close(writer)
        code, _, err = await ended(process, json.dumps(CLAUDE.tool(run.own)).encode())
        assert (code, err) == (0, "")
        assert await run.states() == ["queued"], "what nobody could read was not told"
