"""Agents as they really connect: the `mcp` package over HTTP or stdio, in either protocol era."""

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types import Implementation

from gateway import BINARY, Gateway, environment

CALL_SECONDS = 30

# The setting that chooses the era of the protocol, and the version that has to be negotiated with it.
ERAS = {"stateless": ("auto", "2026-07-28"), "initialize": ("legacy", "2025-11-25")}
WAYS = ("http", "stdio")

# The end of a server's first answer, which the agent's hooks read.
INTRODUCED = re.compile(r"\n?This list is session ([0-9a-f-]{36}), proof [0-9A-Za-z]{32}\.")


def shim(gateway: Gateway, *arguments: str, **variables: str) -> StdioServerParameters:
    """`sightline mcp`, as an agent's configuration names it; `variables` are what the agent adds to the environment."""
    return StdioServerParameters(
        command=BINARY,
        args=["mcp", "--data-dir", str(gateway.data_dir), *arguments],
        env={**environment(gateway.home), **variables},
        cwd=gateway.home,
    )


@asynccontextmanager
async def connected(
    gateway: Gateway,
    way: str = "http",
    era: str = "initialize",
    label: str | None = None,
    name: str = "pytest-agent",
    on_message=None,
    variables: dict[str, str] | None = None,
    on_roots=None,
) -> AsyncIterator[Client]:
    """A client of the one or the other transport, ready to call."""
    mode, version = ERAS[era]
    options = {
        "mode": mode,
        "client_info": Implementation(name=name, version="1.2.3"),
        "message_handler": on_message,
        "list_roots_callback": on_roots,
        "read_timeout_seconds": CALL_SECONDS,
    }
    if way == "stdio":
        with_label = ("--session", label) if label else ()
        async with Client(shim(gateway, *with_label, **(variables or {})), **options) as client:
            assert client.protocol_version == version
            yield client
        return
    address = f"{gateway.address}/mcp" + (f"/{label}" if label else "")
    headers = {"Authorization": f"Bearer {gateway.agent_token}"}
    limit = httpx2.Timeout(CALL_SECONDS, read=120)
    # No certificates are loaded for a plain address: that would take most of the time of a short test.
    async with (
        httpx2.AsyncClient(headers=headers, timeout=limit, trust_env=False, verify=False) as http,
        Client(streamable_http_client(address, http_client=http), **options) as client,
    ):
        assert client.protocol_version == version
        yield client


def text_of(result) -> str:
    """The part of a result that the model reads."""
    return "\n".join(part.text for part in result.content if part.type == "text")


# The sentences in which a result tells what the user changed, by the kind of the edit.
SENTENCES = {
    "add": r'- added "(?P<text>.*?)"(?: at [\d.]+)?',
    "delete": r'- removed "(?P<text>.*?)": do not work on it, leave it out',
    "set": r'- set "(?P<text>.*?)": (?P<detail>.*)',
    "move": r'- moved "(?P<text>.*?)" (?P<detail>.*)',
    "load": r"- loaded another list \((?P<text>.*?)\): .*",
    "clear": r"- cleared the list \((?P<text>.*?)\): .*",
    "note": r"The user tells you: (?P<text>.*)",
}


def changes_in(news: str) -> list[dict]:
    """The user's changes in a result: those of the list, then the messages."""
    found = []
    for line in news.splitlines():
        line = line.removesuffix(" (the user insists on it)")
        for kind, sentence in SENTENCES.items():
            if match := re.fullmatch(sentence, line):
                found.append({"kind": kind, "detail": None, **match.groupdict()})
    return sorted(found, key=lambda change: change["kind"] == "note")


async def whole(client: Client, result) -> dict:
    """All that a program gets of a result: its structured part and text, and the list as the resource has it."""
    assert not result.is_error, text_of(result)
    part = result.structured_content
    news = part.get("news", "")
    remarks = [line.removeprefix("Note: ") for line in news.splitlines() if line.startswith("Note: ")]
    told = {"text": text_of(result), "userChanges": changes_in(news), "remarks": remarks}
    found = {"session": None, **part, **told}
    try:
        resource = await client.read_resource(f"todo://list/{part['sessionId']}")
    except MCPError:
        # The list of another label is none of the client's own.
        return found
    there = json.loads(resource.contents[0].text)
    # Somebody may have changed it since.
    return {**found, "todos": there["todos"]} if there["revision"] == part["revision"] else found


async def write(client: Client, todos: list[dict], **arguments) -> dict:
    """Calls `todo_write`; the whole of its result."""
    return await whole(client, await client.call_tool("todo_write", {"todos": todos, **arguments}))


async def read(client: Client, **arguments) -> dict:
    """Calls `todo_read`."""
    return await whole(client, await client.call_tool("todo_read", arguments))


@dataclass
class Step:
    """The answer of `todo_manager`: the JSON in its first block, the reminder in its second, the structured part."""

    ok: bool
    answer: dict
    reminder: str | None
    structured: dict


async def step(client: Client, action: str | None, **fields) -> Step:
    """Calls `todo_manager` and checks the form that every answer of it has."""
    named = {} if action is None else {"action": action}
    result = await client.call_tool("todo_manager", {**named, **fields})
    first, *rest = [part.text for part in result.content]
    # A server's first answer ends with the session that it is about.
    if rest and INTRODUCED.fullmatch(rest[-1]):
        assert INTRODUCED.fullmatch(rest.pop())[1] == result.structured_content["sessionId"]
    assert len(rest) <= 1, rest
    answer = json.loads(first)
    assert set(answer) == ({"ok", "output"} if answer["ok"] else {"ok", "error"})
    assert bool(result.is_error) is not answer["ok"]
    assert {key: result.structured_content[key] for key in answer} == answer, "both parts say the same"
    structured = await whole(client, result) if answer["ok"] else result.structured_content
    return Step(answer["ok"], answer, rest[0] if rest else None, structured)


def contents(todos: list[dict]) -> list[str]:
    """The words of each item, in order."""
    return [item["content"] for item in todos]


def rpc_answer(response: httpx2.Response) -> dict:
    """The JSON-RPC answer in an HTTP response, be it JSON or an event stream."""
    if response.headers.get("content-type", "").startswith("text/event-stream"):
        lines = (line[5:].strip() for line in response.text.splitlines() if line.startswith("data:"))
        messages = [json.loads(line) for line in lines if line]
        return next(m for m in messages if "result" in m or "error" in m)
    return response.json()


async def post(gateway: Gateway, message: dict | bytes, path: str = "/mcp", **headers: str) -> httpx2.Response:
    """One HTTP POST to `/mcp` as an agent that has said hello before, with nothing between the test and the wire."""
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    sent = {
        "Authorization": f"Bearer {gateway.agent_token}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "Mcp-Session-Id": "the-raw-client",
        **headers,
    }
    async with httpx2.AsyncClient(timeout=CALL_SECONDS, trust_env=False, verify=False) as http:
        return await http.post(f"{gateway.address}{path}", content=body, headers={k: v for k, v in sent.items() if v})


def call(tool: str, arguments: dict, number: int = 1) -> dict:
    """A `tools/call` as it is on the wire."""
    return {
        "jsonrpc": "2.0",
        "id": number,
        "method": "tools/call",
        "params": {"name": tool, "arguments": arguments},
    }
