"""Clients of every version of MCP that there was, over HTTP, with nothing between the test and the wire."""

import asyncio
import json

import httpx2
import pytest

import agent
from agent import CALL_SECONDS, call, contents
from gateway import Gateway
from socket_client import opened

pytestmark = pytest.mark.anyio

LIST = [{"content": "Read the format page", "status": "in_progress"}, {"content": "Fix the parser"}]
NEXT = [{**LIST[0], "status": "completed"}, {**LIST[1], "status": "in_progress"}]

# The version that a client offers, and whether it names it with each request. Since 2025-06-18 it is to; Gemini CLI,
# which offers that, does not.
CLIENTS = [
    pytest.param("2024-11-05", False, id="2024-11-05"),
    pytest.param("2025-03-26", False, id="2025-03-26"),
    pytest.param("2025-06-18", True, id="2025-06-18"),
    pytest.param("2025-06-18", False, id="2025-06-18 unsaid"),
    pytest.param("2025-11-25", True, id="2025-11-25"),
]


class RawClient:
    """A client that keeps a session, as versions before 2026-07-28 have it."""

    def __init__(self, gateway: Gateway, version: str, says_version: bool):
        self.gateway = gateway
        self.version = version
        self.says_version = says_version
        self.headers = {"Mcp-Session-Id": ""}

    async def post(self, message: dict) -> list[tuple[str, str]]:
        """The events of the answer: the id and the data of each."""
        response = await agent.post(self.gateway, message, **self.headers)
        assert response.status_code in (200, 202), response.text
        if session := response.headers.get("mcp-session-id"):
            self.headers["Mcp-Session-Id"] = session
        return events(response.text)

    async def hello(self) -> None:
        parameters = {
            "protocolVersion": self.version,
            "capabilities": {},
            "clientInfo": {"name": "raw", "version": "1"},
        }
        answer = await self.post({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": parameters})
        (message,) = [json.loads(data) for _, data in answer]
        assert message["result"]["protocolVersion"] == self.version
        if self.says_version:
            self.headers["MCP-Protocol-Version"] = self.version
        await self.post({"jsonrpc": "2.0", "method": "notifications/initialized"})

    async def ask(self, message: dict) -> dict:
        """The answer to a request, by a client that takes every event with data for a message."""
        (answer,) = [json.loads(data) for _, data in await self.post(message) if data]
        assert answer["id"] == message["id"]
        return answer["result"]


def events(text: str) -> list[tuple[str, str]]:
    """The events in a stream: the id and the data of each."""
    found = []
    for block in text.replace("\r\n", "\n").split("\n\n"):
        fields = dict(line.split(":", 1) for line in block.splitlines() if ":" in line[1:])
        if "data" in fields:
            found.append((fields.get("id", "").strip(), fields["data"].strip()))
    return found


# G1, D2: an event without data is one that a client before 2025-11-25 takes for a broken message.
@pytest.mark.parametrize(("version", "says_version"), CLIENTS)
async def test_every_version_keeps_its_list(lasting, version, says_version):
    client = RawClient(lasting, version, says_version)
    await client.hello()
    begun = await client.post({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}})
    empty = [event_id for event_id, data in begun if not data]
    assert (len(empty) == 1 and all(empty)) if version >= "2025-11-25" else empty == []
    assert len(begun) == 1 + len(empty)
    assert "todo_write" in begun[-1][1]

    first = await client.ask(call("todo_write", {"todos": LIST}, 2))
    assert contents(first["structuredContent"]["todos"]) == contents(LIST)
    again = (await client.ask(call("todo_write", {"todos": NEXT}, 3)))["structuredContent"]
    assert again["sessionId"] == first["structuredContent"]["sessionId"]
    assert again["revision"] == first["structuredContent"]["revision"] + 1


# D4: the stream of notifications is one that a client may be without, so it has no reason to be begun by an event.
@pytest.mark.parametrize(("version", "says_version"), CLIENTS)
async def test_every_version_is_told_of_changes(lasting, version, says_version):
    client = RawClient(lasting, version, says_version)
    await client.hello()
    session = (await client.ask(call("todo_write", {"todos": LIST}, 1)))["structuredContent"]["sessionId"]
    address = f"todo://list/{session}"
    await client.ask({"jsonrpc": "2.0", "id": 2, "method": "resources/subscribe", "params": {"uri": address}})
    headers = {
        "Authorization": f"Bearer {lasting.agent_token}",
        "Accept": "text/event-stream",
        **client.headers,
    }
    async with (
        asyncio.timeout(CALL_SECONDS),
        httpx2.AsyncClient(timeout=CALL_SECONDS, trust_env=False, verify=False) as http,
        http.stream("GET", f"{lasting.address}/mcp", headers=headers) as stream,
    ):
        assert stream.status_code == 200
        async with opened(lasting) as socket:
            await socket.ask("todo.add", sessionId=session, content="Ask the customer")
        async for line in stream.aiter_lines():
            if line.startswith("data:"):
                message = json.loads(line.removeprefix("data:"))
                assert message["method"] == "notifications/resources/updated"
                assert message["params"]["uri"] == address
                break


# G1: without a session each request says whose it is.
async def test_the_version_without_sessions_keeps_its_list(lasting):
    about = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "raw without sessions", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }

    async def ask(message: dict) -> dict:
        params = {**message.get("params", {}), "_meta": about}
        headers = {"Mcp-Session-Id": "", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": message["method"]}
        if "name" in params:
            headers["Mcp-Name"] = params["name"]
        response = await agent.post(lasting, {**message, "params": params}, **headers)
        assert response.status_code == 200, response.text
        assert "mcp-session-id" not in response.headers
        is_stream = response.headers["content-type"].startswith("text/event-stream")
        sent = [data for _, data in events(response.text)] if is_stream else [response.text]
        (answer,) = [json.loads(data) for data in sent]
        return answer["result"]

    listed = await ask({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    assert "todo_write" in {tool["name"] for tool in listed["tools"]}
    first = (await ask(call("todo_write", {"todos": LIST}, 2)))["structuredContent"]
    again = (await ask(call("todo_write", {"todos": NEXT}, 3)))["structuredContent"]
    assert again["sessionId"] == first["sessionId"]
    assert again["revision"] == first["revision"] + 1
