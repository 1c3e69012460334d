"""Edits and notes for an agent that has gone: kept, over a restart too, and in its first result when it comes back."""

import asyncio
import json
from contextlib import asynccontextmanager
from dataclasses import dataclass
from uuid import uuid4

import anyio.to_thread
import pytest

from agent import call as tool_call
from agent import changes_in, connected, contents, text_of
from gateway import environment, eventually
from hooks import GEMINI, heard
from socket_client import opened
from terminal import COMMAND_SECONDS, succeed

pytestmark = pytest.mark.anyio

OWN = [{"content": "Read", "status": "completed"}, {"content": "Fix"}, {"content": "Ship"}]
NOTE = "Use the staging database"
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "codex-mcp-client", "version": "1.2.3"},
}


@dataclass(frozen=True)
class Identity:
    """The identity by which a run of an agent is recognized, whatever process serves its tools."""

    client: str
    variable: str | None = None
    label: str | None = None
    says_it_in_calls: bool = False

    @asynccontextmanager
    async def comes(self, gateway, own: str):
        """The run with that id, served by a process of its own; gives the way to call a tool."""
        variables = {self.variable: own} if self.variable else None
        label = own if self.label else None
        meta = {"sessionId": own, "threadId": own} if self.says_it_in_calls else None
        async with connected(gateway, "stdio", name=self.client, label=label, variables=variables) as client:

            async def call(tool: str, **arguments):
                result = await client.call_tool(tool, arguments, meta=meta)
                assert not result.is_error, text_of(result)
                return result

            yield call


IDENTITIES = {
    "codex says it in each call": Identity("codex-mcp-client", says_it_in_calls=True),
    "qwen in the environment": Identity("qwen-cli-mcp-client-sightline", variable="QWEN_CODE_SESSION_ID"),
    "claude in the environment": Identity("claude-code", variable="CLAUDE_CODE_SESSION_ID"),
    "a label on the command line": Identity("pytest-agent", label="the label"),
}
# The calls that may come first from an agent that comes back.
FIRST = {
    "todo_read": {},
    "todo_write": {"todos": OWN},
    "todo_manager": {"action": "list"},
}


async def left(gateway, session: str) -> list[str]:
    """The user's edits while nobody is there; their ids."""
    async with opened(gateway) as user:

        async def gone() -> bool:
            now = (await user.ask("session.get", sessionId=session))["session"]
            assert now["state"] == "finished"
            return not now["connected"]

        await eventually(gone, COMMAND_SECONDS, "it is known that the agent has gone")
        return [
            (await user.ask(kind, sessionId=session, **fields))["editId"]
            for kind, fields in (
                ("todo.add", {"content": f"Ask {uuid4().hex}"}),
                ("todo.setStatus", {"position": "2", "status": "blocked"}),
                ("todo.setStatus", {"position": "2", "status": "skipped"}),
                ("note.send", {"text": NOTE}),
            )
        ]


async def states(gateway, session: str, edits: list[str]) -> list[str]:
    async with opened(gateway) as user:
        known = (await user.ask("session.get", sessionId=session))["edits"]
        return [edit["state"] for edit in known if edit["editId"] in edits]


# D5, P11
@pytest.mark.parametrize("identity", IDENTITIES.values(), ids=IDENTITIES)
async def test_what_was_left_is_told_first_when_the_run_comes_back(gateway, identity):
    own = str(uuid4())
    async with identity.comes(gateway, own) as call:
        session = (await call("todo_write", todos=OWN)).structured_content["sessionId"]
    for tool, arguments in FIRST.items():
        edits = await left(gateway, session)
        assert await states(gateway, session, edits) == ["queued", "superseded", "queued", "queued"]
        # The gateway is another one by then, except the first time.
        if tool != "todo_read":
            gateway.stop()
            gateway.start()
            assert await states(gateway, session, edits) == ["queued", "superseded", "queued", "queued"]
        async with identity.comes(gateway, own) as call:
            told = await call(tool, **arguments)
            assert told.structured_content["sessionId"] == session
            changes = changes_in(told.structured_content["news"])
            assert [change["kind"] for change in changes] == ["add", "set", "note"]
            assert f"The user tells you: {NOTE}" in text_of(told) and "status skipped" in text_of(told)
            assert changes[0]["text"] in text_of(told) and "blocked" not in text_of(told)
            again = await call("todo_read")
            assert "news" not in again.structured_content and NOTE not in text_of(again), "once"
        assert "queued" not in await states(gateway, session, edits)


async def test_another_run_is_told_nothing_of_it(gateway):
    for identity in IDENTITIES.values():
        async with identity.comes(gateway, str(uuid4())) as call:
            session = (await call("todo_write", todos=OWN)).structured_content["sessionId"]
        edits = await left(gateway, session)
        async with identity.comes(gateway, str(uuid4())) as call:
            other = await call("todo_write", todos=OWN)
            assert other.structured_content["sessionId"] != session
            assert "news" not in other.structured_content and NOTE not in text_of(other)
        assert await states(gateway, session, edits) == ["queued", "superseded", "queued", "queued"]


# Nothing says which run it is but what its hooks read in our result; that lasts.
async def test_a_run_known_by_its_hooks_hears_it_with_its_first_prompt(gateway):
    own = str(uuid4())
    async with connected(gateway, "stdio", name=GEMINI.client) as client:
        result = await client.call_tool("todo_write", {"todos": OWN})
        assert await heard(gateway, GEMINI, GEMINI.wrote(own, OWN, result), "command") is None
    session = result.structured_content["sessionId"]
    edits = await left(gateway, session)
    gateway.stop()
    gateway.start()
    assert await heard(gateway, GEMINI, GEMINI.payload(own, "SessionStart", source="resume"), "command") is None
    context = await heard(gateway, GEMINI, GEMINI.prompt(own), "command")
    assert f"The user tells you: {NOTE}" in context and "status skipped" in context
    assert await heard(gateway, GEMINI, GEMINI.prompt(own), "command") is None
    assert await states(gateway, session, edits) == ["delivered", "superseded", "delivered", "delivered"]
    async with opened(gateway) as user:
        session_now = (await user.ask("session.get", sessionId=session))["session"]
        assert session_now["current"], "it is at work again"


# D2, P11
async def test_edits_made_while_no_gateway_runs(gateway):
    identity, own = IDENTITIES["qwen in the environment"], str(uuid4())
    async with identity.comes(gateway, own) as call:
        session = (await call("todo_write", todos=OWN)).structured_content["sessionId"]
    gateway.stop()
    named = ("--session", session)

    def edited() -> None:
        assert succeed(gateway, "todo", "delete", *named, "3") == 'Deleted TODO at 3: "Ship"\n'
        assert succeed(gateway, "note", *named, NOTE) == f'Message pending, delivered on the agent\'s next call: "{NOTE}"\n'

    await anyio.to_thread.run_sync(edited)
    gateway.start()
    async with identity.comes(gateway, own) as call:
        told = await call("todo_write", todos=OWN)
        assert contents(told.structured_content["todos"]) == ["Read", "Fix"]
        assert NOTE in text_of(told) and 'removed "Ship"' in text_of(told)


# An agent that is killed says no goodbye; what is left for it waits all the same.
async def test_an_agent_that_was_killed(gateway):
    identity, own = IDENTITIES["codex says it in each call"], str(uuid4())
    messages = [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HELLO},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        tool_call("todo_write", {"todos": OWN}),
    ]
    messages[2]["params"]["_meta"] = {"sessionId": own}
    async with opened(gateway) as user:
        await user.ask("events.subscribe")
        process = await asyncio.create_subprocess_exec(
            *gateway.command("mcp"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            env=environment(gateway.home),
        )
        process.stdin.write("".join(f"{json.dumps(message)}\n" for message in messages).encode())
        session = (await user.event("todo.update"))["sessionId"]
        process.kill()
        await process.wait()

        async def gone() -> bool:
            return not (await user.ask("session.get", sessionId=session))["session"]["connected"]

        await eventually(gone, COMMAND_SECONDS, "it is known that the agent has gone")
        await user.ask("note.send", sessionId=session, text=NOTE)
    async with identity.comes(gateway, own) as call:
        told = await call("todo_read")
        assert told.structured_content["sessionId"] == session
        assert f"The user tells you: {NOTE}" in text_of(told)
