"""No connection takes the others' share: what is over its limit is refused, with when to go on."""

import asyncio
import json
import time
from contextlib import AsyncExitStack

import httpx2
import pytest

from agent import CALL_SECONDS, contents
from gateway import eventually
from socket_client import opened
from torture.flood import BUSY_SECONDS, Rude, rude
from torture.steady import McpAgent, SocketAgent, is_there

pytestmark = pytest.mark.anyio

# Number of requests that a connection may send at once, and per second after that.
BURST = 2000
EACH_SECOND = 500


async def flooded(client: Rude, requests: list[dict]) -> list[dict]:
    """Sends all of it at once; the answers, of which each has one, in order."""

    async def send() -> None:
        for request in requests:
            await client.send(request)

    await client.send({"type": "hello", "id": "hello"})
    assert (await client.receive())["id"] == "hello"
    sending = asyncio.create_task(send())
    answers = [await client.receive() for _ in requests]
    await sending
    assert [answer.get("id", answer.get("requestId")) for answer in answers] == [request["id"] for request in requests]
    return answers


def check_limited(error: dict) -> None:
    """It says how many are allowed, and when to go on."""
    assert error["code"] == "RATE_LIMITED", error
    assert str(EACH_SECOND) in error["message"] and "second" in error["message"], error


# Fair shares, over a WebSocket: what is over the limit is refused, each in its turn, and nothing else happens with it.
async def test_a_flood_is_limited_and_the_others_are_not(gateway):
    async with opened(gateway) as socket, rude(gateway) as flood:
        writers = [SocketAgent("steady", socket)]
        await writers[0].work(1)
        requests = [
            {"type": "todo.write", "id": str(at), "session": "flood", "todos": [{"content": f"write {at}"}]}
            if at % 50 == 0
            else {"type": "gateway.status", "id": str(at)}
            for at in range(6_000)
        ]
        began = time.monotonic()
        steady = asyncio.create_task(writers[0].work(200))
        async with asyncio.timeout(BUSY_SECONDS):
            answers = await flooded(flood, requests)
        passed = time.monotonic() - began
        await steady

        refused = [answer for answer in answers if answer["type"] == "error"]
        assert refused, "a flood is limited"
        for error in refused:
            check_limited(error)
        done = len(answers) - len(refused)
        assert BURST - 10 <= done <= BURST + EACH_SECOND * passed + 10
        written = {a["revision"]: contents(a["todos"]) for a in answers if a["type"] == "todo.write.result"}
        await is_there(socket, "flood", written)
        await is_there(socket, writers[0].session, writers[0].acknowledged)

        async def is_welcome() -> bool:
            await flood.send({"type": "gateway.status", "id": "later"})
            return (await flood.receive())["type"] == "gateway.status.result"

        await eventually(is_welcome, BUSY_SECONDS, "after a while the same connection is answered as usual")


# The same over HTTP, where a TCP connection is the one that has the limit.
async def test_a_flood_over_http_is_limited_and_the_others_are_not(gateway):
    # Refused for want of a key, which costs the least.
    request = f"GET /mcp HTTP/1.1\r\nHost: 127.0.0.1:{gateway.port}\r\n\r\n".encode()
    number = 6_000
    reader, writer = await asyncio.open_connection("127.0.0.1", gateway.port)
    async with AsyncExitStack() as stack:
        http = await stack.enter_async_context(httpx2.AsyncClient(timeout=CALL_SECONDS, trust_env=False, verify=False))
        other = McpAgent("steady", gateway, http)
        steady = asyncio.create_task(other.work(40))

        async def send() -> None:
            for _ in range(number):
                writer.write(request)
                await writer.drain()

        sending = asyncio.create_task(send())
        began = time.monotonic()
        async with asyncio.timeout(BUSY_SECONDS):
            answers = [await answered(reader) for _ in range(number)]
        passed = time.monotonic() - began
        await sending
        await steady
        refused = [(headers, body) for status, headers, body in answers if status == 429]
        assert refused, "a flood is limited"
        for headers, body in refused:
            assert int(headers["retry-after"]) >= 1
            check_limited(json.loads(body))
        assert BURST - 10 <= number - len(refused) <= BURST + EACH_SECOND * passed + 10

        async def is_welcome() -> bool:
            writer.write(request)
            return (await answered(reader))[0] != 429

        await eventually(is_welcome, BUSY_SECONDS, "after a while the same connection is answered as usual")
        writer.close()
        socket = await stack.enter_async_context(opened(gateway))
        await is_there(socket, other.session, other.acknowledged)


async def answered(reader: asyncio.StreamReader) -> tuple[int, dict[str, str], bytes]:
    """The next response on a connection: its status, headers and body."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
    return int(head[0].split()[1]), headers, await reader.readexactly(int(headers.get("content-length", 0)))
