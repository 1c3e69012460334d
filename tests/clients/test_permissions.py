"""Permission prompts that are answered here: a hook waits for the user, and never longer than the agent can bear."""

import asyncio
import json
import time
from contextlib import asynccontextmanager
from uuid import uuid4

import pytest

from gateway import Gateway, environment, eventually
from hooks import CLAUDE, CODEX, GEMINI, Agent, by_command
from socket_client import Socket, opened
from terminal import COMMAND_SECONDS

pytestmark = pytest.mark.anyio

LONG = 120
COMMAND = {"command": "cargo test", "description": "Run the tests"}


class Hook:
    """`sightline hook AGENT --answers SECONDS`, which has read its payload and waits."""

    def __init__(self, process: asyncio.subprocess.Process, began: float):
        self.process = process
        self.began = began

    async def end(self) -> str:
        """Its output; it ends well, whatever happened."""
        async with asyncio.timeout(COMMAND_SECONDS):
            out = await self.process.stdout.read()
            err = await self.process.stderr.read()
            code = await self.process.wait()
        assert (code, err) == (0, b"")
        return out.decode()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began


@asynccontextmanager
async def asking(gateway: Gateway, agent: Agent, payload: dict, seconds: int = LONG):
    """A hook that asks; it is ended with the test."""
    process = await asyncio.create_subprocess_exec(
        *gateway.command("hook", agent.name, "--answers", str(seconds)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment(gateway.home),
        cwd=gateway.home,
    )
    began = time.monotonic()
    process.stdin.write(json.dumps(payload, separators=(",", ":")).encode())
    process.stdin.close()
    try:
        yield Hook(process, began)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def asks(agent: Agent, own: str, tool_input: dict | None = None, tool: str = "Bash") -> dict:
    tool_input = COMMAND if tool_input is None else tool_input
    return agent.payload(own, "PermissionRequest", tool_name=tool, tool_input=tool_input)


async def waiting(user: Socket, count: int = 1) -> list[dict]:
    """The permissions that wait, once there are so many."""

    async def there() -> list[dict] | None:
        found = (await user.ask("permission.list", limit=200))["permissions"]
        return found if len(found) == count else None

    return await eventually(there, COMMAND_SECONDS, f"{count} wait")


async def none_wait(user: Socket) -> bool:
    return (await user.ask("permission.list"))["permissions"] == []


async def answers(user: Socket, permission: dict, allow: bool, **more) -> None:
    ids = {"sessionId": permission["sessionId"], "permissionId": permission["permissionId"]}
    await user.ask("permission.answer", **ids, allow=allow, **more)


async def state(user: Socket, permission: dict) -> str:
    of = (await user.ask("permission.list", sessionId=permission["sessionId"]))["permissions"]
    return next(it["state"] for it in of if it["permissionId"] == permission["permissionId"])


def decision(**fields) -> dict:
    return {"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": fields}}


# S16
@pytest.mark.parametrize("agent", [CLAUDE, CODEX], ids=["claude", "codex"])
async def test_the_users_answer_is_printed_for_the_agent(gateway, agent):
    async with opened(gateway) as user:
        async with asking(gateway, agent, asks(agent, "own-1")) as hook:
            [permission] = await waiting(user)
            assert permission["tool"] == "Bash" and json.loads(permission["input"]) == COMMAND
            assert permission["command"] == "cargo test" and permission.get("alone", False) is (agent is CODEX)
            [session] = (await user.ask("session.list"))["sessions"]
            assert session["state"] == "waiting"
            await answers(user, permission, allow=True)
            assert json.loads(await hook.end()) == decision(behavior="allow")
        async with asking(gateway, agent, asks(agent, "own-1")) as hook:
            [permission] = await waiting(user)
            await answers(user, permission, allow=False, message="Use the staging database")
            printed = json.loads(await hook.end())
            assert printed == decision(behavior="deny", message="Use the staging database")
        assert await state(user, permission) == "denied"


# S16
async def test_a_question_is_answered_with_what_the_user_chose(gateway):
    questions = [
        {
            "question": "Which one?",
            "header": "Pick",
            "options": [{"label": "Aaa", "description": "a"}, {"label": "Bbb", "description": "b"}],
            "multiSelect": False,
        }
    ]
    async with opened(gateway) as user:
        payload = asks(CLAUDE, "own-1", {"questions": questions}, tool="AskUserQuestion")
        async with asking(gateway, CLAUDE, payload) as hook:
            [permission] = await waiting(user)
            assert [option["label"] for option in permission["questions"][0]["options"]] == ["Aaa", "Bbb"]
            await answers(user, permission, allow=True, answers=[["Bbb"]])
            given = {"questions": questions, "answers": {"Which one?": "Bbb"}}
            assert json.loads(await hook.end()) == decision(behavior="allow", updatedInput=given)


# S16
async def test_without_an_answer_in_time_the_agent_asks_by_itself(gateway):
    async with opened(gateway) as user, asking(gateway, CLAUDE, asks(CLAUDE, "own-1"), seconds=1) as hook:
        [permission] = await waiting(user)
        assert await hook.end() == ""
        assert hook.seconds >= 1
        assert await eventually(lambda: has_state(user, permission, "expired"), COMMAND_SECONDS, "it has expired")


async def has_state(user: Socket, permission: dict, wanted: str) -> bool:
    return await state(user, permission) == wanted


# S16
async def test_a_gateway_that_ends_while_a_hook_waits_keeps_no_agent(gateway):
    async with asking(gateway, CLAUDE, asks(CLAUDE, "own-1")) as hook:
        async with opened(gateway) as user:
            await waiting(user)
            gateway.kill()
        assert await hook.end() == ""
        assert hook.seconds < LONG, "at once"
    async with asking(gateway, CLAUDE, asks(CLAUDE, "own-1")) as hook:
        assert await hook.end() == "", "nor does one that is not there"


# S16
async def test_a_gateway_that_is_stopped_lets_hooks_go(gateway):
    async with asking(gateway, CODEX, asks(CODEX, "own-1")) as hook:
        async with opened(gateway) as user:
            await waiting(user)
        await asyncio.to_thread(gateway.stop)
        assert await hook.end() == ""
        assert hook.seconds < LONG


# S16
async def test_an_agent_that_ends_its_hook_is_not_waited_for(gateway):
    async with opened(gateway) as user, asking(gateway, CLAUDE, asks(CLAUDE, "own-1")) as hook:
        [permission] = await waiting(user)
        hook.process.kill()
        assert await eventually(lambda: has_state(user, permission, "expired"), COMMAND_SECONDS, "it has expired")
        assert await none_wait(user)


# S16
async def test_a_hook_ends_when_its_agent_has(gateway, tmp_path):
    payload = tmp_path / "payload.json"
    payload.write_text(json.dumps(asks(CLAUDE, "own-1")))
    # A shell of the agent's, which waits for the hook.
    line = '"$@" < "$PAYLOAD"; true'
    agent = await asyncio.create_subprocess_exec(
        *["sh", "-c", line, "sh", *gateway.command("hook", "claude", "--answers", str(LONG))],
        env={**environment(gateway.home), "PAYLOAD": str(payload)},
    )
    async with opened(gateway) as user:
        [permission] = await waiting(user)
        agent.kill()
        await agent.wait()
        assert await eventually(lambda: has_state(user, permission, "expired"), COMMAND_SECONDS, "it has expired")


# S16
async def test_a_rule_of_the_users_decides_without_anybody(gateway):
    async with opened(gateway) as user:
        words = {"kind": "command", "words": ["cargo", "test"]}
        await user.ask("rule.new", allow=True, tool="Bash", calls=words)
        async with asking(gateway, CLAUDE, asks(CLAUDE, "own-1")) as hook:
            assert json.loads(await hook.end()) == decision(behavior="allow")
        async with asking(gateway, CLAUDE, asks(CLAUDE, "own-1", {"command": "cargo test; rm x"})) as hook:
            [permission] = await waiting(user)
            await answers(user, permission, allow=False)
            assert json.loads(await hook.end()) == decision(behavior="deny")
        # One that is asked at every call is never kept.
        before = GEMINI.payload("own-2", "BeforeTool", tool_name="run_shell_command", tool_input=COMMAND)
        async with asking(gateway, GEMINI, before) as hook:
            assert await hook.end() == ""
        await user.ask("rule.new", allow=False, tool="run_shell_command", calls=words)
        async with asking(gateway, GEMINI, before) as hook:
            assert json.loads(await hook.end())["decision"] == "deny"
        assert await none_wait(user)


# S16
async def test_the_end_of_the_call_releases_the_hook(gateway):
    async with opened(gateway) as user, asking(gateway, CLAUDE, asks(CLAUDE, "own-1")) as hook:
        [permission] = await waiting(user)
        done = CLAUDE.payload("own-1", "PostToolUse", tool_name="Bash", tool_input={"command": "ls"}, tool_response="x")
        assert await by_command(gateway, CLAUDE, done) == ""
        assert not await none_wait(user), "another call has ended"
        payload = json.dumps({**done, "tool_input": COMMAND}, separators=(",", ":")).encode()
        other = await asyncio.create_subprocess_exec(
            *gateway.command("hook", "claude"), stdin=asyncio.subprocess.PIPE, env=environment(gateway.home)
        )
        await other.communicate(payload)
        assert await hook.end() == "", "it was allowed in the agent's own prompt"
        assert await state(user, permission) == "elsewhere"
        refused = await user.answer(
            "permission.answer",
            sessionId=permission["sessionId"],
            permissionId=permission["permissionId"],
            allow=False,
        )
        assert refused["code"] == "PERMISSION_NOT_FOUND"


# S16
async def test_without_the_option_a_hook_only_tells(gateway):
    async with opened(gateway) as user:
        assert await by_command(gateway, CLAUDE, asks(CLAUDE, "own-1")) == ""
        assert await none_wait(user)
        [session] = (await user.ask("session.list"))["sessions"]
        assert session["state"] == "waiting"


# S16
async def test_thirty_sessions_ask_at_once(gateway):
    owns = [str(uuid4()) for _ in range(30)]

    async def asked(own: str) -> str:
        async with asking(gateway, CLAUDE, asks(CLAUDE, own, {"command": f"echo {own}"})) as hook:
            return await hook.end()

    async with opened(gateway) as user, asyncio.TaskGroup() as tasks:
        ends = {own: tasks.create_task(asked(own)) for own in owns}
        for permission in await waiting(user, len(owns)):
            own = json.loads(permission["input"])["command"].removeprefix("echo ")
            await answers(user, permission, allow=False, message=f"not {own}")
        for own, end in ends.items():
            assert json.loads(await end) == decision(behavior="deny", message=f"not {own}")
