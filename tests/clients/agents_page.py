"""Agents' configurations as somebody wrote them, and what the page of agents asks about them."""

from pathlib import Path

import pytest

from gateway import Gateway
from socket_client import Refused, Socket

AGENTS = ["claude", "codex", "gemini", "opencode", "qwen"]
# Every agent that can be connected, in the order of the page.
CONNECTABLE = [
    *("claude", "copilot", "codex", "opencode", "cline", "kilo", "kimi", "vibe", "continue", "pi"),
    *("gemini", "qwen", "cursor", "vscode", "zed", "jetbrains"),
]
each_agent = pytest.mark.parametrize("agent", AGENTS)
FILES = {
    "claude": ".claude.json",
    "codex": ".codex/config.toml",
    "gemini": ".gemini/settings.json",
    "opencode": ".config/opencode/opencode.json",
    "qwen": ".qwen/settings.json",
}
INSTRUCTIONS = {
    "claude": "CLAUDE.md",
    "codex": "AGENTS.md",
    "gemini": "GEMINI.md",
    "opencode": "AGENTS.md",
    "qwen": "QWEN.md",
}
JSON = b'{\r\n    "theme": "dark",\r\n  "mcpServers": { "other": {"command": "other"} }\r\n}'
OPENCODE = b'{\n  // mine\n  "theme": "dark",\n  "mcp": {"other": {"type": "local", "command": ["other"]}},\n}\n'
TOML = b'# mine\nmodel = "gpt-5" # best\n\n[mcp_servers.other]\ncommand = "other"\n'
TEXTS = dict.fromkeys(AGENTS, JSON) | {"codex": TOML, "opencode": OPENCODE}


def files(home: Path) -> dict[str, bytes]:
    """Everything there, but for backups."""
    paths = [path for path in home.rglob("*") if path.is_file() and "sightline-backup" not in path.name]
    return {str(path.relative_to(home)): path.read_bytes() for path in paths}


def configured(gateway: Gateway, agent: str) -> dict[str, bytes]:
    """A home in which the agent has a configuration that somebody wrote."""
    path = gateway.home / FILES[agent]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(TEXTS[agent])
    return files(gateway.home)


async def plan(user: Socket, agent: str, change: str = "connect", **fields) -> dict:
    return await user.ask("agents.plan", agent=agent, change=change, **fields)


async def carry_out(user: Socket, agent: str, change: str = "connect", **fields) -> dict:
    planned = await plan(user, agent, change, **fields)
    return await user.ask("agents.apply", planId=planned["planId"])


async def row(user: Socket, agent: str) -> dict:
    (found,) = [one for one in (await user.ask("agents.list"))["agents"] if one["agent"] == agent]
    return found


async def refused(user: Socket, kind: str, code: str, **fields) -> str:
    """The message of a refusal with that code; it can be shown as it is."""
    with pytest.raises(Refused) as error:
        await user.ask(kind, **fields)
    assert error.value.code == code, error.value
    assert error.value.message.isprintable() and len(error.value.message) < 600
    return error.value.message
