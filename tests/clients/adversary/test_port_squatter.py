"""A gateway was killed, and a program of somebody else has taken its port."""

import socket as sockets

import pytest

import agent
from adversary.squatter import Squatter
from agent import connected, contents
from hooks import CLAUDE, by_command
from terminal import run

pytestmark = pytest.mark.anyio


@pytest.fixture
def squatter(gateway):
    """On the port of a gateway that was killed, and whose `runtime.json` is still there."""
    port, pid = gateway.port, gateway.process.pid
    gateway.kill()
    assert gateway.runtime["port"] == port
    with Squatter.on_port(port, pid) as squatter:
        yield squatter
        assert (squatter.connections, bytes(squatter.received)) == (0, b""), "nobody even comes"


async def test_the_squatter_hears_those_who_come(squatter):
    # Otherwise the other tests would show nothing.
    with sockets.create_connection(squatter.listener.getsockname()) as plug:
        plug.sendall(b"GET /health HTTP/1.0\r\n\r\n")
        assert b'"status": "ok"' in plug.recv(4096)
    assert (squatter.connections, bytes(squatter.received)) == (1, b"GET /health HTTP/1.0\r\n\r\n")
    squatter.connections, squatter.received = 0, bytearray()


async def test_commands_say_nothing_to_it(gateway, squatter):
    for words in (("status",), ("todo", "show"), ("agents",), ("search", "invoices")):
        run(gateway, *words)
    ran = run(gateway, "status")
    assert ran.code == 0, ran.said
    # One that stays starts a gateway, on another port.
    opened = run(gateway, "open")
    assert opened.code == 0 and gateway.address in opened.out, opened.said
    assert gateway.port != squatter.listener.getsockname()[1]


async def test_hooks_say_nothing_to_it(gateway, squatter):
    assert await by_command(gateway, CLAUDE, CLAUDE.prompt("own-1", "Pay the invoices.")) == ""


async def test_shims_say_nothing_to_it_and_their_agent_notices_nothing(gateway, squatter):
    async with connected(gateway, "stdio") as client:
        written = await agent.write(client, [{"content": "Read", "status": "in_progress"}])
        assert contents(written["todos"]) == ["Read"]
    assert gateway.port != squatter.listener.getsockname()[1]
