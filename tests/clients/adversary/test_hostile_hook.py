"""Hooks with the agents' key that are made to eat memory or to hold up others."""

import asyncio
import json
import socket as sockets
from contextlib import ExitStack
from pathlib import Path
from uuid import uuid4

import pytest

from gateway import Gateway
from hooked_run import NOTE, running
from hooks import AGENTS, CLAUDE, post

pytestmark = pytest.mark.anyio

MIB = 1024 * 1024
# As large as a payload may be, nearly.
BYTES = 14 * MIB


class Peak:
    """The most memory that a gateway's process has had since a time, in bytes above what it had then."""

    def __init__(self, gateway: Gateway):
        self.folder = Path(f"/proc/{gateway.process.pid}")
        # From now on.
        (self.folder / "clear_refs").write_text("5")
        self.before = self.read("VmRSS")

    def read(self, name: str) -> int:
        line = next(line for line in (self.folder / "status").read_text().splitlines() if line.startswith(f"{name}:"))
        return int(line.split()[1]) * 1024

    def grown(self) -> int:
        return self.read("VmHWM") - self.before


def small(value: bytes, size: int = BYTES) -> bytes:
    """An array of small values."""
    return b"[" + b",".join([value] * (size // (len(value) + 1))) + b"]"


def with_member(payload: dict, name: str, value: bytes) -> bytes:
    """A payload in which a member has this text."""
    payload = {key: kept for key, kept in payload.items() if key != name}
    return json.dumps(payload).encode()[:-1] + b',"' + name.encode() + b'":' + value + b"}"


# Each agent's are counted at the allocator in `crates/sources/tests/memory.rs`.
async def test_a_large_hook_of_small_values_costs_its_size_and_little_more(gateway):
    agent, own = CLAUDE, str(uuid4())
    payloads = {
        "a result": with_member(agent.tool(own), "tool_response", small(b'{"a":0}')),
        "a result of ours": with_member(agent.tool(own, tool_name=agent.ours), "tool_response", small(b'{"a":0}')),
        "nothing known": with_member(agent.prompt(own), "more", small(b"[[]]")),
    }
    assert (await post(gateway, agent.name, agent.prompt(own))).status_code == 200
    for name, payload in payloads.items():
        peak = Peak(gateway)
        assert (await post(gateway, agent.name, payload)).status_code == 200, name
        # The text itself, twice while it grows, and what is made of it.
        assert peak.grown() < 5 * BYTES, f"{name}: {peak.grown() // MIB} MiB"


async def test_many_large_hooks_at_once_wait_for_their_turn(gateway):
    payload = with_member(CLAUDE.tool(str(uuid4())), "tool_response", small(b'{"a":0}', 8 * MIB))
    peak = Peak(gateway)
    answers = await asyncio.gather(*(post(gateway, "claude", payload) for _ in range(12)))
    assert {answer.status_code for answer in answers} == {200}
    # Four at once, each twice while it grows.
    assert peak.grown() < 12 * 8 * MIB, f"{peak.grown() // MIB} MiB"


def half_a_hook(gateway: Gateway, size: int) -> sockets.socket:
    plug = sockets.create_connection(("127.0.0.1", gateway.port))
    head = (
        "POST /hooks/claude HTTP/1.1",
        f"Host: 127.0.0.1:{gateway.port}",
        f"Authorization: Bearer {gateway.agent_token}",
        "Content-Type: application/json",
        f"Content-Length: {16 * MIB}",
    )
    plug.sendall("\r\n".join([*head, "", ""]).encode() + b" " * size)
    return plug


async def test_half_sent_hooks_hold_up_nobody(gateway):
    with ExitStack() as stack:
        for _ in range(60):
            stack.enter_context(half_a_hook(gateway, 1024))
        async with running(gateway, CLAUDE) as run:
            await run.edits("note.send", text=NOTE)
            assert NOTE in await run.works()
    # The gateway ends in good order with its fixture.


# A text of each member that is read: of another type, huge, nothing but escapes, twice.
HOSTILE = {
    "huge": json.dumps("x" * (MIB // 2)).encode(),
    "escapes": json.dumps("\u0007" * 50_000).encode(),
    "half a letter": b'"\\ud800"',
    "markup": json.dumps("<img src=x onerror=alert(1)>\u202e\u001b[31m").encode(),
    "a number": b"1e300",
    "deep": b"[" * 100_000 + b"]" * 100_000,
    "an object": b'{"a":{"a":{}}}',
    "null": b"null",
    "twice": b'"one","cwd":"two"',
}
MEMBERS = ("cwd", "tool_name", "agent_id", "prompt", "message", "reason", "error", "tool_input", "tool_response")


@pytest.mark.parametrize("value", HOSTILE)
async def test_whatever_a_member_is_the_rest_is_heard(lasting, value):
    for agent in AGENTS.values():
        for event in (agent.tool_event, agent.prompt_event, "Notification", "SessionEnd"):
            for member in MEMBERS:
                payload = with_member(agent.payload(str(uuid4()), event), member, HOSTILE[value])
                answer = await post(lasting, agent.name, payload)
                assert answer.status_code == 200, (agent.name, event, member, answer.text)
