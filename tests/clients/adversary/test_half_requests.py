"""Requests that never end, from programs without a key."""

import asyncio
import os
import socket as sockets
from contextlib import ExitStack
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from agent import call, post
from gateway import Gateway, eventually
from socket_client import opened
from terminal import succeed
from torture.flood import Process

pytestmark = pytest.mark.anyio

# As much as a gateway takes of a head, nearly: the rest never comes.
HALF = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Half: " + b"x" * 30_000

# The most connections without a key, and what one of them may cost: its head, a buffer twice as large, and its task.
STRANGERS = 256
STRANGER_KILOBYTES = 96
FIRST_KILOBYTES = 8 * 1024


def half(gateway: Gateway) -> sockets.socket:
    plug = sockets.create_connection(("127.0.0.1", gateway.port))
    plug.sendall(HALF)
    return plug


async def honest_clients_get_in(gateway: Gateway) -> None:
    async with opened(gateway) as socket:
        assert (await socket.ask("gateway.status"))["port"] == gateway.port
    # Over the private socket.
    assert await asyncio.to_thread(succeed, gateway, "status", "--json")


async def test_half_sent_heads_cost_little_and_keep_nobody_out(gateway):
    process = Process(gateway)
    await honest_clients_get_in(gateway)
    kilobytes, before = process.kilobytes(), process.descriptors()
    with ExitStack() as stack:
        for _ in range(250):
            stack.enter_context(half(gateway))
        await honest_clients_get_in(gateway)
        for _ in range(350):
            stack.enter_context(half(gateway))
        await honest_clients_get_in(gateway)
        grown = process.kilobytes() - kilobytes
        print(f"600 half requests: {grown} KiB, {process.descriptors() - before} connections")
        assert grown < FIRST_KILOBYTES + STRANGERS * STRANGER_KILOBYTES

        async def are_few() -> bool:
            return process.descriptors() <= before + STRANGERS

        await eventually(are_few, 30, "the oldest have made room")
    await process.has_let_go(before)


@pytest.fixture
def narrow(data_folder: Gateway) -> Gateway:
    """A gateway whose process may open few files, and which takes fewer connections for it."""
    usual = data_folder.command
    data_folder.command = lambda *words: ["sh", "-c", 'ulimit -n 512; exec "$0" "$@"', *usual(*words)]
    gateway = data_folder.start()
    data_folder.command = usual
    return gateway


# With one key, many connections: it is told so, and the private socket is as free as before.
async def test_a_key_that_has_all_its_connections_keeps_nobody_from_the_private_socket(narrow):
    headers = {"Authorization": f"Bearer {narrow.token}"}
    options = {"additional_headers": headers, "proxy": None, "compression": None}
    files = Path(f"/proc/{narrow.process.pid}/fd")
    connections = []
    try:
        with pytest.raises(InvalidStatus) as refused:
            while len(connections) < 512:
                connections.append(await connect(f"ws://127.0.0.1:{narrow.port}/gateway", **options))
        assert refused.value.response.status_code == 503
        assert b"connections at once" in refused.value.response.body
        assert len(connections) > 64 and len(os.listdir(files)) < 512
        assert await asyncio.to_thread(succeed, narrow, "status", "--json")
        other = {"Authorization": f"Bearer {narrow.agent_token}"}
        assert (await post(narrow, call("todo_read", {}), **other)).status_code == 200, "another key has its own"
    finally:
        for connection in connections:
            connection.transport.abort()
