"""A gateway was killed, and a program of somebody else has taken its port; or it has that port in the other family of
addresses, or stands where a client that has a key looks for the gateway."""

import asyncio
import json
import re
import socket as sockets

import pytest

import agent
from adversary.squatter import Pretender, Relay, Squatter
from agent import connected, contents
from gateway import START_SECONDS, Gateway, environment
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
    assert gateway.port != squatter.port


async def test_hooks_say_nothing_to_it(gateway, squatter):
    assert await by_command(gateway, CLAUDE, CLAUDE.prompt("own-1", "Pay the invoices.")) == ""


async def test_shims_say_nothing_to_it_and_their_agent_notices_nothing(gateway, squatter):
    async with connected(gateway, "stdio") as client:
        written = await agent.write(client, [{"content": "Read", "status": "in_progress"}])
        assert contents(written["todos"]) == ["Read"]
    assert gateway.port != squatter.port


def has_ipv6() -> bool:
    try:
        with sockets.socket(sockets.AF_INET6) as plug:
            plug.bind(("::1", 0))
    except OSError:
        return False
    return True


with_ipv6 = pytest.mark.skipif(not has_ipv6(), reason="there is no IPv6 on this machine")


@with_ipv6
async def test_nobody_else_has_the_port_in_the_other_family(data_folder):
    """Behind `localhost` may be either: from there whoever has the same port could relay every proof."""
    with sockets.socket(sockets.AF_INET6) as theirs:
        theirs.bind(("::1", 0))
        theirs.listen()
        taken = theirs.getsockname()[1]
        process, log = data_folder.spawn("--json", "--port", str(taken))
        assert await asyncio.to_thread(process.wait, START_SECONDS) == 1
        assert f"port {taken} cannot be taken" in log.read_text()
    gateway = data_folder.start()
    with sockets.socket(sockets.AF_INET6) as theirs:
        theirs.setsockopt(sockets.SOL_SOCKET, sockets.SO_REUSEADDR, 1)
        with pytest.raises(OSError, match="in use"):
            theirs.bind(("::1", gateway.port))
            theirs.listen()
    with sockets.create_connection(("::1", gateway.port)) as plug:
        plug.sendall(f"GET /health HTTP/1.1\r\nHost: localhost:{gateway.port}\r\nConnection: close\r\n\r\n".encode())
        assert b"200 OK" in plug.recv(4096)


async def with_key(gateway: Gateway, secret: str, port: int, *words: str) -> str:
    """The output of a command with a key, that finds the gateway at another port and is refused there."""
    runtime = gateway.runtime_file.read_text()
    gateway.runtime_file.write_text(json.dumps({**json.loads(runtime), "port": port}))
    try:
        process = await asyncio.create_subprocess_exec(
            *gateway.command(*words),
            env={**environment(gateway.home), "SIGHTLINE_KEY": secret},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        said, _ = await asyncio.wait_for(process.communicate(), START_SECONDS)
    finally:
        gateway.runtime_file.write_text(runtime)
    assert process.returncode == 1, said
    return said.decode()


WRITES = ("todo", "write", "--session", "api", '[{"content": "Secret plan"}]')
NOT_IT = "is not the gateway that this key is of; nothing was sent to it"


async def test_a_command_with_a_key_tells_a_squatter_and_a_relay_nothing(gateway):
    secret = gateway.new_key("--rights", "edit", name="script")
    with Squatter.on_port(0, 1) as squatter, Relay.on_port(0, 1).to(gateway.port) as relay:
        for other in (squatter, relay):
            said = await with_key(gateway, secret, other.port, *WRITES)
            assert NOT_IT in said and secret not in said
            # It asked for a proof, as anybody may, and went: no key, no proof of its own, no list.
            asked = bytes(other.received).decode()
            assert re.fullmatch(r"(GET /prove\?key=\w+&nonce=\w{64} HTTP/1.0\r\nHost: [^\r]+\r\n\r\n)+", asked), asked
            assert secret.partition(".")[2] not in asked


@pytest.mark.parametrize("first", [{"type": "proved", "proof": "0" * 64}, {"type": "hello.result"}])
async def test_a_command_tells_nothing_without_the_second_proof(gateway, first):
    """The first proof may be of a gateway that has gone since."""
    secret = gateway.new_key("--rights", "edit", name="script")
    with Pretender.on_port(0, 1).knowing(secret, first) as pretender:
        said = await with_key(gateway, secret, pretender.port, *WRITES)
        assert NOT_IT in said
        assert secret.partition(".")[2].encode() not in pretender.received
        assert b"proof." in pretender.received, "it has believed the first"
        assert bytes(pretender.told) == b""
