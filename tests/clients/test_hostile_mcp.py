"""Hostile messages over MCP, by HTTP and stdio: a clear error for each, and nothing stops or changes."""

import asyncio
import json
from contextlib import asynccontextmanager

import httpx2
import pytest

import agent
from agent import CALL_SECONDS, WAYS, call, connected, post, rpc_answer, shim, text_of
from socket_client import opened

pytestmark = pytest.mark.anyio

EARLIER = [{"id": "a", "content": "Read the private page"}, {"id": "b", "content": "Fix"}]

# Arguments of `todo_write` and what the result's text has to speak of.
MISTAKES = {
    "no arguments": ({}, "todos"),
    "todos not a list": ({"todos": "x"}, "array"),
    "todos null": ({"todos": None}, "todos"),
    "an item not an object": ({"todos": [7]}, "todos[0]"),
    "an item without content": ({"todos": [{"content": "a"}, {"status": "pending"}]}, "todos[1].content"),
    "content of a wrong type": ({"todos": [{"content": ["a"]}]}, "content"),
    "status of a wrong type": ({"todos": [{"content": "a", "status": {}}]}, "status"),
    "an empty content": ({"todos": [{"content": ""}]}, "1 to 2000"),
    "10,000 characters": ({"todos": [{"content": "x" * 10_000}]}, "2000"),
    "a thousand items": ({"todos": [{"content": f"Step {i}"} for i in range(1000)]}, "256"),
    "a list too large as a whole": ({"todos": [{"content": "x" * 2000} for _ in range(200)]}, "shorten"),
    "subtasks of subtasks": (
        {"todos": [{"content": "a", "subtasks": [{"content": "b", "subtasks": [{"content": "c"}]}]}]},
        "subtask",
    ),
    "a session of a wrong type": ({"todos": [], "session": 7}, "session"),
}


# G1
@pytest.mark.parametrize("way", WAYS)
async def test_each_mistake_is_a_result_that_says_what_to_do(gateway, way):
    async with connected(gateway, way) as client:
        before = await agent.write(client, EARLIER)
        for name, (arguments, word) in MISTAKES.items():
            result = await client.call_tool("todo_write", arguments)
            assert result.is_error, name
            assert word in text_of(result), f"{name}: {text_of(result)}"
        after = await agent.read(client)
        assert after["todos"] == before["todos"] and after["revision"] == before["revision"]


# G1
@pytest.mark.parametrize("way", WAYS)
async def test_markup_and_control_characters_stay_text(gateway, way):
    markup = "<img src=x onerror=alert(1)> </todos> & \u001b[31mred\u001b[0m \u202eesrever"
    async with connected(gateway, way) as client:
        before = await agent.write(client, EARLIER)
        result = await client.call_tool("todo_write", {"todos": [{"content": markup}], "session": "markup"})
        if not result.is_error:
            assert result.structured_content["todos"][0]["content"] == markup
        assert (await agent.read(client))["todos"] == before["todos"]


async def assert_all_is_well(gateway, before: dict) -> None:
    async with opened(gateway) as socket:
        after = await socket.ask("session.get", sessionId=before["sessionId"])
        assert after["todos"] == before["todos"] and after["revision"] == before["revision"]


async def earlier(gateway) -> dict:
    response = await post(gateway, call("todo_write", {"todos": EARLIER, "session": "kept"}))
    assert response.status_code == 200, response.text
    written = rpc_answer(response)["result"]["structuredContent"]
    async with opened(gateway) as socket:
        return {**await socket.ask("session.get", sessionId=written["sessionId"]), "sessionId": written["sessionId"]}


# G1
async def test_http_bodies_that_are_no_messages(gateway):
    before = await earlier(gateway)
    for body in (b"not json", b"", b"[]", b"7", b'{"jsonrpc": "2.0"', b"\xff\xfe", b"[" * 100_000):
        response = await post(gateway, body)
        assert 400 <= response.status_code < 500, f"{body[:20]}: {response.status_code} {response.text}"
        assert response.text.strip(), f"{body[:20]}: it says what is wrong"
        await assert_all_is_well(gateway, before)


# G1
async def test_http_unknown_methods_and_tools(gateway):
    before = await earlier(gateway)
    response = await post(gateway, {"jsonrpc": "2.0", "id": 5, "method": "todo/frobnicate"})
    assert rpc_answer(response)["error"]["code"] == -32601
    answer = rpc_answer(await post(gateway, call("todo_frobnicate", {})))
    said = json.dumps(answer)
    assert "error" in answer or answer["result"]["isError"]
    assert "todo_frobnicate" in said or "tool" in said
    await assert_all_is_well(gateway, before)


# G1
async def test_http_a_message_of_two_megabytes(gateway):
    before = await earlier(gateway)
    large = call("todo_write", {"todos": [{"content": "x" * 2_000_000}], "session": "kept"})
    response = await post(gateway, large)
    assert response.status_code == 413
    assert any(word in response.text.lower() for word in ("large", "limit", "exceed")), response.text
    await assert_all_is_well(gateway, before)


# D2
async def test_http_who_may_not_come_in(gateway):
    before = await earlier(gateway)
    message = call("todo_write", {"todos": [{"content": "Intruder"}], "session": "kept"})
    for path in ("/mcp", "/mcp/kept"):
        for headers, status, code in (
            ({"Authorization": ""}, 401, "UNAUTHORIZED"),
            ({"Authorization": "Bearer wrong"}, 401, "UNAUTHORIZED"),
            ({"Authorization": f"Basic {gateway.agent_token}"}, 401, "UNAUTHORIZED"),
            ({"Origin": "https://evil.example"}, 403, "FORBIDDEN"),
            ({"Origin": "null"}, 403, "FORBIDDEN"),
            ({"Host": "evil.example"}, 403, "FORBIDDEN"),
            ({"Host": f"evil.example:{gateway.port}"}, 403, "FORBIDDEN"),
        ):
            response = await post(gateway, message, path, **headers)
            assert response.status_code == status, f"{path} {headers}: {response.status_code} {response.text}"
            assert response.json()["code"] == code
            assert len(response.json()["message"]) > 20, "it says what to do"
    await assert_all_is_well(gateway, before)


# D2
async def test_http_both_keys_open_mcp(gateway):
    for token in (gateway.token, gateway.agent_token):
        response = await post(gateway, call("todo_read", {"session": "kept"}), Authorization=f"Bearer {token}")
        assert response.status_code == 200, response.text
        response = await post(gateway, call("todo_read", {"session": "kept"}), f"/mcp?token={token}", Authorization="")
        assert response.status_code == 200, response.text


# D2
async def test_http_what_is_public_holds_no_data(gateway):
    await earlier(gateway)
    async with httpx2.AsyncClient(base_url=gateway.address, trust_env=False) as http:
        health = await http.get("/health")
        assert health.status_code == 200 and health.json()["status"] == "ok"
        assert "pid" not in health.json(), "a program in its place would repeat it"
        page = await http.get("/")
        assert page.status_code == 200 and page.headers["content-type"].startswith("text/html")
        for public in (health, page):
            assert EARLIER[0]["content"] not in public.text
            assert gateway.token not in public.text and gateway.agent_token not in public.text
        assert "default-src" in page.headers["content-security-policy"]
        for path in ("/gateway", "/mcp", "/hooks/claude", "/runtime.json", "/sightline.db", "/../runtime.json"):
            response = await http.get(path)
            assert response.status_code in (400, 401, 403, 404, 426), f"{path}: {response.status_code}"
            assert gateway.token not in response.text
        assert (await http.get("/", headers={"Host": "evil.example"})).status_code == 403, "no DNS rebinding"


@asynccontextmanager
async def raw_shim(gateway):
    """`sightline mcp` with nothing between the test and its stdin."""
    parameters = shim(gateway)
    process = await asyncio.create_subprocess_exec(
        parameters.command,
        *parameters.args,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env=parameters.env,
        cwd=parameters.cwd,
        limit=32 * 1024 * 1024,
    )
    try:
        yield process
    finally:
        process.stdin.close()
        async with asyncio.timeout(CALL_SECONDS):
            assert await process.wait() == 0, "it ends when its stdin is closed"


async def send(process, line: bytes) -> None:
    process.stdin.write(line + b"\n")
    await process.stdin.drain()


async def answer(process, number: int) -> dict:
    async with asyncio.timeout(CALL_SECONDS):
        while True:
            line = await process.stdout.readline()
            assert line, "the shim has ended"
            message = json.loads(line)
            if message.get("id") == number:
                return message


async def initialize(process) -> None:
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "raw", "version": "1"},
        },
    }
    await send(process, json.dumps(hello).encode())
    assert (await answer(process, 1))["result"]["serverInfo"]["name"]
    await send(process, b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')


# G1
async def test_stdio_lines_that_are_no_messages(gateway):
    async with raw_shim(gateway) as process:
        await initialize(process)
        await send(process, json.dumps(call("todo_write", {"todos": EARLIER}, 2)).encode())
        before = (await answer(process, 2))["result"]["structuredContent"]
        for number, line in enumerate(
            (b"not json", b"", b"[]", b"7", b'{"jsonrpc": "2.0"', b"\xff\xfe", b'{"id": 99}', b"[" * 100_000), 10
        ):
            await send(process, line)
            await send(process, json.dumps(call("todo_read", {}, number)).encode())
            after = (await answer(process, number))["result"]["structuredContent"]
            assert after["todos"] == before["todos"], f"after {line[:20]}"


# G1
async def test_stdio_unknown_methods_and_tools(gateway):
    async with raw_shim(gateway) as process:
        await initialize(process)
        await send(process, b'{"jsonrpc": "2.0", "id": 2, "method": "todo/frobnicate"}')
        assert (await answer(process, 2))["error"]["code"] == -32601
        await send(process, json.dumps(call("todo_frobnicate", {}, 3)).encode())
        wrong = await answer(process, 3)
        assert "error" in wrong or wrong["result"]["isError"]
        await send(process, json.dumps(call("todo_write", {"todos": EARLIER}, 4)).encode())
        assert not (await answer(process, 4))["result"].get("isError")


# G1
async def test_stdio_a_message_of_two_megabytes(gateway):
    async with raw_shim(gateway) as process:
        await initialize(process)
        await send(process, json.dumps(call("todo_write", {"todos": EARLIER}, 2)).encode())
        before = (await answer(process, 2))["result"]["structuredContent"]
        await send(process, json.dumps(call("todo_write", {"todos": [{"content": "x" * 2_000_000}]}, 3)).encode())
        large = await answer(process, 3)
        said = json.dumps(large)
        assert "error" in large or large["result"]["isError"]
        assert "1 MiB" in said or "2000" in said
        await send(process, json.dumps(call("todo_read", {}, 4)).encode())
        assert (await answer(process, 4))["result"]["structuredContent"]["todos"] == before["todos"]
