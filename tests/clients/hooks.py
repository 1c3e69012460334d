"""Hooks as the agents fire them: payloads in the shapes of their real runs, sent over HTTP or to `sightline hook`."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass

import httpx2

from gateway import Gateway, environment
from terminal import COMMAND_SECONDS

FOLDER = "/home/user/billing"


def text_parts(result) -> list[str]:
    return [part.text for part in result.content if part.type == "text"]


def claude_response(result):
    return [{"type": "text", "text": text} for text in text_parts(result)]


def codex_response(result):
    blocks = [{"type": "text", "text": text} for text in text_parts(result)]
    return {"content": blocks, "structuredContent": result.structured_content, "isError": False}


def gemini_response(result):
    text = "\n".join(text_parts(result))
    wrapped = f"<untrusted_context>\n{text}\n</untrusted_context>"
    return {"llmContent": [{"text": wrapped}], "returnDisplay": text}


def qwen_response(result):
    texts = [json.dumps(result.structured_content), *text_parts(result)]
    return {"llmContent": [{"text": text} for text in texts], "returnDisplay": "\n".join(texts)}


@dataclass(frozen=True)
class Agent:
    """An agent with hooks: its names for things, and what its payloads have beside what all have."""

    name: str
    # The name by which its MCP client introduces itself.
    client: str
    # The events with which added context reaches the model: after a tool call, with a prompt.
    tool_event: str
    prompt_event: str
    ours: str
    shell: dict
    response: Callable
    more: dict

    def payload(self, own: str, event: str, **fields) -> dict:
        """The input of an event's hook; `own` is the agent's id for its session."""
        base = {
            "session_id": own,
            "transcript_path": f"/home/user/.{self.name}/sessions/{own}.jsonl",
            "cwd": FOLDER,
            "hook_event_name": event,
        }
        return {**base, **self.more, **fields}

    def tool(self, own: str, **fields) -> dict:
        """An ordinary tool has answered."""
        return self.payload(own, self.tool_event, **{**self.shell, **fields})

    def prompt(self, own: str, prompt: str = "Go on with it.") -> dict:
        """The user has sent a prompt."""
        return self.payload(own, self.prompt_event, prompt=prompt)

    def wrote(self, own: str, todos: list[dict], result) -> dict:
        """Our own tool has answered; the agent wraps what it said in its way."""
        return self.payload(
            own,
            self.tool_event,
            tool_name=self.ours,
            tool_input={"todos": todos},
            tool_response=self.response(result),
            **self.beside_ours,
        )

    @property
    def beside_ours(self) -> dict:
        if self.name != "gemini":
            return {}
        return {"mcp_context": {"server_name": "sightline", "tool_name": "todo_write", "args": ["mcp"]}}


CLAUDE = Agent(
    name="claude",
    client="claude-code",
    tool_event="PostToolUse",
    prompt_event="UserPromptSubmit",
    ours="mcp__sightline__todo_write",
    shell={
        "tool_name": "Bash",
        "tool_input": {"command": "ls", "description": "List the files"},
        "tool_response": {"stdout": "invoices\n", "stderr": "", "interrupted": False},
        "tool_use_id": "toolu_01",
    },
    response=claude_response,
    more={"permission_mode": "default"},
)
CODEX = Agent(
    name="codex",
    client="codex-mcp-client",
    tool_event="PostToolUse",
    prompt_event="UserPromptSubmit",
    ours="mcp__sightline__todo_write",
    shell={
        "tool_name": "Bash",
        "tool_input": {"command": "ls"},
        "tool_response": "invoices\n",
        "tool_use_id": "call_1",
    },
    response=codex_response,
    more={"turn_id": "turn-1", "model": "some-model", "permission_mode": "bypassPermissions"},
)
GEMINI = Agent(
    name="gemini",
    client="gemini-cli-mcp-client",
    tool_event="AfterTool",
    prompt_event="BeforeAgent",
    ours="mcp_sightline_todo_write",
    shell={
        "tool_name": "list_directory",
        "tool_input": {"dir_path": "."},
        "tool_response": {"llmContent": "invoices", "returnDisplay": {"summary": "Found 1 item(s)."}},
    },
    response=gemini_response,
    more={"timestamp": "2026-11-21T01:04:26.283Z"},
)
QWEN = Agent(
    name="qwen",
    client="qwen-cli-mcp-client-sightline",
    tool_event="PostToolUse",
    prompt_event="UserPromptSubmit",
    ours="mcp__sightline__todo_write",
    shell={
        "tool_name": "glob",
        "tool_input": {"pattern": "*.md"},
        "tool_response": {"llmContent": "Found 1 file(s)", "returnDisplay": "Found 1 matching file(s)"},
        "tool_use_id": "toolu_1_x",
        "duration_ms": 4,
    },
    response=qwen_response,
    more={"timestamp": "2026-11-21T01:04:32.312Z", "permission_mode": "yolo", "prompt_id": "p########0"},
)
AGENTS = {agent.name: agent for agent in (CLAUDE, CODEX, GEMINI, QWEN)}


async def post(gateway: Gateway, agent: str, body, token: str | None = None, **headers: str) -> httpx2.Response:
    """One POST to `/hooks/AGENT`; no token where it is empty."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    token = gateway.agent_token if token is None else token
    sent = {"Content-Type": "application/json", "Authorization": f"Bearer {token}" if token else "", **headers}
    async with httpx2.AsyncClient(timeout=COMMAND_SECONDS, trust_env=False, verify=False) as http:
        headers = {name: value for name, value in sent.items() if value}
        return await http.post(f"{gateway.address}/hooks/{agent}", content=content, headers=headers)


async def spawn(gateway: Gateway, agent: str, stdout=asyncio.subprocess.PIPE) -> asyncio.subprocess.Process:
    """Starts `sightline hook AGENT`, as the agent does."""
    return await asyncio.create_subprocess_exec(
        *gateway.command("hook", agent),
        stdin=asyncio.subprocess.PIPE,
        stdout=stdout,
        stderr=asyncio.subprocess.PIPE,
        env=environment(gateway.home),
        cwd=gateway.home,
    )


async def ended(process: asyncio.subprocess.Process, given: bytes | None = None) -> tuple[int, str, str]:
    """Feeds a hook and waits for its end: the exit code, standard output and standard error."""
    async with asyncio.timeout(COMMAND_SECONDS):
        out, err = await process.communicate(given)
    return process.returncode, (out or b"").decode(), err.decode()


async def by_http(gateway: Gateway, agent: Agent, payload: dict) -> str:
    response = await post(gateway, agent.name, payload)
    assert response.status_code == 200, response.text
    if response.text:
        assert response.headers["content-type"] == "application/json"
    return response.text


async def by_command(gateway: Gateway, agent: Agent, payload: dict) -> str:
    code, out, err = await ended(await spawn(gateway, agent.name), json.dumps(payload).encode())
    # An agent reads standard error where standard output is empty.
    assert (code, err) == (0, "")
    assert not out or (out.endswith("\n") and out.count("\n") == 1), "one line"
    return out


WAYS = {"http": by_http, "command": by_command}


async def heard(gateway: Gateway, agent: Agent, payload: dict, way: str = "http") -> str | None:
    """The context that a hook adds for the model, or nothing."""
    answer = await WAYS[way](gateway, agent, payload)
    if not answer:
        return None
    given = json.loads(answer)
    # Claude Code goes on with added context, which it reads once.
    if payload["hook_event_name"] in ("Stop", "AfterAgent") and agent is not CLAUDE:
        assert set(given) == {"decision", "reason"}
        assert given["decision"] == ("deny" if agent is GEMINI else "block")
        return given["reason"]
    # Codex refuses an answer with any other key.
    assert set(given) == {"hookSpecificOutput"}
    assert set(given["hookSpecificOutput"]) == {"hookEventName", "additionalContext"}
    assert given["hookSpecificOutput"]["hookEventName"] == payload["hook_event_name"]
    context = given["hookSpecificOutput"]["additionalContext"]
    # The user's message to the agent is delivered whole, whatever its length.
    rest = [line for line in context.splitlines() if not line.startswith("The user tells you: ")]
    assert context and len("\n".join(rest)) < 1500
    return context
