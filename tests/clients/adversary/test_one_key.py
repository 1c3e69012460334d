"""Whoever has one key uses up neither memory nor what others need."""

import asyncio
import json
import socket as sockets
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from uuid import uuid4

import httpx2
import pytest
from websockets.frames import Frame, Opcode

from adversary.test_hostile_hook import MIB, Peak
from agent import CALL_SECONDS, call, post, rpc_answer
from gateway import Gateway, eventually
from socket_client import opened

pytestmark = pytest.mark.anyio

# For one connection of a key that sends a part of what is large: that part, twice while it grows, and its task.
KILOBYTES = 320
# The memory that the first of anything takes: code, arenas, threads.
FIRST = 24 * MIB


def initialize(name: str = "sightline tests") -> dict:
    client = {"name": name, "version": "1"}
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
    return {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}


async def test_sessions_that_are_opened_and_left_cost_little(gateway):
    """Each costs some memory until it is forgotten; an agent that loses its ids, or means to, opens any number."""
    async with httpx2.AsyncClient(timeout=CALL_SECONDS, trust_env=False, verify=False) as http:

        async def opens(key: str, number: int) -> str:
            headers = {"Authorization": f"Bearer {key}", "Accept": "application/json, text/event-stream"}
            for _ in range(number):
                answer = await http.post(f"{gateway.address}/mcp", json=initialize(), headers=headers)
                assert answer.status_code == 200
            return answer.headers["mcp-session-id"]

        mine = gateway.new_key("--agent", name="mine")
        session = await opens(mine, 1)
        own = {"Authorization": f"Bearer {mine}", "Mcp-Session-Id": session}
        todos = [{"content": "Read", "status": "in_progress"}]
        assert (await post(gateway, call("todo_write", {"todos": todos}), **own)).status_code == 200
        await opens(gateway.agent_token, 100)
        peak = Peak(gateway)
        first = await opens(gateway.agent_token, 1)
        await opens(gateway.agent_token, 1500)
        assert peak.grown() < FIRST, f"{peak.grown() // MIB} MiB"
        # One that has left the memory goes on, and another key's was never disturbed.
        for headers in ({"Mcp-Session-Id": first}, own):
            answer = await post(gateway, call("todo_read", {}, 2), **headers)
            assert answer.status_code == 200
        assert [item["content"] for item in rpc_answer(answer)["result"]["structuredContent"]["todos"]] == ["Read"]


def head(gateway: Gateway, path: str, length: int) -> bytes:
    lines = (
        f"POST {path} HTTP/1.1",
        f"Host: 127.0.0.1:{gateway.port}",
        f"Authorization: Bearer {gateway.agent_token}",
        "Content-Type: application/json",
        "Accept: application/json, text/event-stream",
        f"Content-Length: {length}",
    )
    return "\r\n".join([*lines, "", ""]).encode()


def upgrade(gateway: Gateway, key: str) -> bytes:
    return (
        f"GET /gateway HTTP/1.1\r\nHost: 127.0.0.1:{gateway.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        f"Authorization: Bearer {key}\r\n\r\n"
    ).encode()


@contextmanager
def plugs(gateway: Gateway, count: int, first: bytes, rest: int) -> Iterator[list[sockets.socket]]:
    """So many connections that each begin with the same, and then send as much as is taken of the rest."""
    with ExitStack() as stack:
        there = []
        for _ in range(count):
            plug = stack.enter_context(sockets.create_connection(("127.0.0.1", gateway.port)))
            plug.sendall(first)
            there.append(plug)
        left = dict.fromkeys(there, rest)
        for _ in range(50):
            before = sum(left.values())
            for plug in there:
                plug.setblocking(False)
                try:
                    while left[plug]:
                        left[plug] -= plug.send(b" " * min(left[plug], 256 * 1024))
                except BlockingIOError:
                    pass
                except OSError:
                    # It was refused.
                    left[plug] = 0
            if sum(left.values()) in (0, before):
                break
        yield there


async def gone(gateway: Gateway, there: list[sockets.socket], seconds: float) -> None:
    """Waits until the gateway has closed all of them."""

    def is_open(plug: sockets.socket) -> bool:
        try:
            while plug.recv(65_536):
                pass
        except BlockingIOError:
            return True
        except OSError:
            pass
        return False

    async def all_closed() -> bool:
        return not any([is_open(plug) for plug in there])

    await eventually(all_closed, seconds, "the gateway closes them")


# Their number, and the part of each that is sent: nearly all.
HALF = {"/mcp": MIB - 1, "/hooks/claude": 15 * MIB, "/hooks/qwen": 250 * 1024}


@pytest.mark.parametrize("path", HALF)
async def test_half_sent_bodies_cost_little(gateway, path):
    mine = {"Authorization": f"Bearer {gateway.new_key('--agent', name='mine')}"}
    assert (await post(gateway, call("todo_read", {}), **mine)).status_code == 200
    large = call("todo_write", {"todos": [{"content": "x", "description": "y" * 100_000}]})
    peak = Peak(gateway)
    with plugs(gateway, 300, head(gateway, path, 16 * MIB if "hooks" in path else MIB), HALF[path]):
        # Another key has its own turn, while the first one's is taken.
        assert (await post(gateway, large, **mine, **{"Mcp-Session-Id": str(uuid4())})).status_code in (200, 202)
        # Of those that were let in, one has its turn.
        assert peak.grown() < FIRST + 128 * KILOBYTES * 1024 + 2 * 16 * MIB, f"{peak.grown() // MIB} MiB"


@pytest.mark.parametrize("path", ["/mcp", "/mcp/label", "/hooks/claude"])
async def test_half_sent_bodies_end_by_themselves(gateway, path):
    small, large = head(gateway, path, 100), head(gateway, path, MIB)
    with plugs(gateway, 3, small, 50) as some, plugs(gateway, 1, large, 99_000) as one:
        await gone(gateway, [*some, *one], 60)


async def test_an_agents_key_has_some_connections_and_a_program_more(gateway):
    begun = head(gateway, "/mcp", 10)
    with plugs(gateway, 160, begun, 1) as there:

        async def some_are_refused() -> bool:
            refused = 0
            for plug in there:
                plug.setblocking(False)
                try:
                    refused += b"128 connections at once" in plug.recv(4096, sockets.MSG_PEEK)
                except BlockingIOError:
                    pass
            return refused == 160 - 128

        await eventually(some_are_refused, CALL_SECONDS, "those above the limit are refused")
        async with opened(gateway) as socket:
            await socket.ask("session.list")


def frame(size: int) -> bytes:
    """The beginning of a text frame of that size."""
    whole = Frame(Opcode.TEXT, b" " * size).serialize(mask=True)
    return whole[: len(whole) - size]


@pytest.mark.parametrize("rights", ["look", "edit"])
async def test_half_sent_messages_cost_little(gateway, rights):
    key = gateway.new_key("--rights", rights, name="script")
    large = json.dumps([{"content": "x", "description": "y" * 1000}] * 100)
    async with opened(gateway) as person:
        await person.ask("session.list")
        peak = Peak(gateway)
        with plugs(gateway, 100, upgrade(gateway, key) + frame(8 * MIB - 10), 7 * MIB) as there:
            written = await person.ask("todo.write", session="mine", todos=json.loads(large))
            assert written["revision"] == 1, "another key has its own turn"
            async with opened(gateway, token=key) as script:
                assert (await script.ask("session.list"))["sessions"], "small messages need none"
            await asyncio.sleep(0.5)
            assert peak.grown() < FIRST + 100 * KILOBYTES * 1024 + 3 * 8 * MIB, f"{peak.grown() // MIB} MiB"
            if rights == "look":
                await gone(gateway, there, CALL_SECONDS)
