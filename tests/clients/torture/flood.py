"""Clients in great numbers and of bad manners, and what a gateway's process has of memory and descriptors."""

import asyncio
import json
import os
import resource
import socket as sockets
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.frames import Frame, Opcode

from gateway import Gateway, eventually

# The default limit of open files on most systems, and the limit that the tests need for the other ends.
USUAL_DESCRIPTORS = 1024
OWN_DESCRIPTORS = 8192

# For what waits on a gateway that has much to do, in a debug build on a busy machine.
BUSY_SECONDS = 60

# Number of connections that are opened at the same time.
OPENING = 40


class Process:
    """The gateway's process, from outside."""

    def __init__(self, gateway: Gateway):
        self.folder = Path(f"/proc/{gateway.process.pid}")

    def kilobytes(self) -> int:
        """Memory that is in use just now."""
        line = next(line for line in (self.folder / "status").read_text().splitlines() if line.startswith("VmRSS:"))
        return int(line.split()[1])

    def descriptors(self) -> int:
        """Without those of the database: its readers are opened when they are first needed, a few, and stay."""
        return sum("/sightline.db" not in name for name in self._names())

    def _names(self) -> Iterator[str]:
        for number in os.listdir(self.folder / "fd"):
            # A descriptor that has just been closed has no name any more.
            with suppress(FileNotFoundError):
                yield os.readlink(self.folder / "fd" / number)

    async def has_let_go(self, before: int) -> None:
        """Waits until no more descriptors are open than before."""

        async def is_back() -> bool:
            return self.descriptors() <= before

        await eventually(is_back, BUSY_SECONDS, f"no more than {before} descriptors")


@contextmanager
def descriptors(soft: int) -> Iterator[None]:
    """This process's limit for a while, and so that of the processes which it starts meanwhile."""
    was, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (was, hard))


class Subscriber:
    """A subscriber that keeps the newest list of each session, and nothing else of what it hears."""

    def __init__(self, connection: ClientConnection):
        self.connection = connection
        self.revisions: dict[str, int] = {}
        self.contents: dict[str, list[str]] = {}
        self.heard = 0
        self.cursor = 0
        self.wrong: list[str] = []
        self._arrived = asyncio.Event()

    def take(self, session: str, revision: int, todos: list[dict], cursor: str) -> None:
        number = int(cursor.rpartition(":")[2])
        if revision <= self.revisions.get(session, -1) or number < self.cursor:
            self.wrong.append(f"revision {revision} of {session} at {number}, after {self.revisions} at {self.cursor}")
        self.cursor = number
        self.revisions[session] = revision
        self.contents[session] = [item["content"] for item in todos]
        self.heard += 1

    async def subscribe(self) -> None:
        await self.connection.send('{"type": "events.subscribe", "id": "1"}')
        snapshot = json.loads(await self.connection.recv())
        assert snapshot["type"] == "events.subscribe.result", snapshot
        for session in snapshot["sessions"]:
            self.take(session["sessionId"], session["revision"], session["todos"], snapshot["cursor"])

    async def read(self) -> None:
        try:
            async for text in self.connection:
                message = json.loads(text)
                if message["type"] == "todo.update":
                    self.take(message["sessionId"], message["revision"], message["todos"], message["cursor"])
                    self._arrived.set()
        except ConnectionClosed as closed:
            self.wrong.append(f"cut off: {closed}")
            self._arrived.set()

    async def reaches(self, newest: dict[str, int]) -> None:
        """Waits until it has these revisions."""
        while any(self.revisions.get(session, 0) < revision for session, revision in newest.items()):
            assert not self.wrong, self.wrong
            self._arrived.clear()
            await self._arrived.wait()


@asynccontextmanager
async def subscribers(gateway: Gateway, number: int) -> AsyncIterator[list[Subscriber]]:
    """So many, all subscribed."""
    few = asyncio.Semaphore(OPENING)
    headers = {"Authorization": f"Bearer {gateway.token}"}
    options = {"additional_headers": headers, "proxy": None, "compression": None, "ping_interval": None}

    async def one() -> Subscriber:
        async with few:
            connection = await connect(f"ws://127.0.0.1:{gateway.port}/gateway", open_timeout=BUSY_SECONDS, **options)
            subscriber = Subscriber(connection)
            await subscriber.subscribe()
            return subscriber

    opening = [asyncio.create_task(one()) for _ in range(number)]
    reading: list[asyncio.Task] = []
    try:
        there = await asyncio.gather(*opening)
        reading = [asyncio.create_task(subscriber.read()) for subscriber in there]
        yield there
    finally:
        for task in opening + reading:
            task.cancel()
        opened = [task.result() for task in opening if task.done() and not task.cancelled() and not task.exception()]
        for subscriber in opened:
            subscriber.connection.transport.abort()
        await asyncio.gather(*opening, *reading, return_exceptions=True)


class Rude:
    """A WebSocket without manners: it reads only when it is told to, and takes little meanwhile."""

    def __init__(self, plug: sockets.socket):
        self.plug = plug
        self.kept = bytearray()

    async def send(self, message: dict) -> None:
        frame = Frame(Opcode.TEXT, json.dumps(message).encode()).serialize(mask=True)
        await asyncio.get_running_loop().sock_sendall(self.plug, frame)

    async def _more(self) -> None:
        data = await asyncio.get_running_loop().sock_recv(self.plug, 1 << 18)
        if not data:
            raise ConnectionError("the gateway has closed")
        self.kept += data

    async def receive(self) -> dict:
        """The next message; a ping is answered on the way."""
        while True:
            while len(self.kept) < 2 or len(self.kept) < (length := self._length()):
                await self._more()
            opcode, start = self.kept[0] & 15, length - self._payload()
            payload = bytes(self.kept[start:length])
            del self.kept[:length]
            if opcode == Opcode.TEXT:
                return json.loads(payload)
            if opcode == Opcode.CLOSE:
                raise ConnectionError(f"the gateway has closed: {payload}")
            assert opcode == Opcode.PING, opcode

    def _extra(self) -> int:
        return {126: 2, 127: 8}.get(self.kept[1] & 127, 0)

    def _payload(self) -> int:
        extra = self._extra()
        return int.from_bytes(self.kept[2 : 2 + extra]) if extra else self.kept[1] & 127

    def _length(self) -> int:
        return 2 + self._extra() + self._payload()

    def cut(self) -> None:
        """Goes away without a word."""
        self.plug.setsockopt(sockets.SOL_SOCKET, sockets.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
        self.plug.close()


def plug_in(gateway: Gateway, takes: int | None = None) -> sockets.socket:
    """A connection to the gateway's port; it takes so many bytes before it is read."""
    plug = sockets.socket()
    if takes is not None:
        plug.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, takes)
    plug.setblocking(False)
    return plug


def handshake(gateway: Gateway) -> bytes:
    """The request that opens a WebSocket."""
    return (
        f"GET /gateway HTTP/1.1\r\nHost: 127.0.0.1:{gateway.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        f"Authorization: Bearer {gateway.token}\r\n\r\n"
    ).encode()


@asynccontextmanager
async def rude(gateway: Gateway, takes: int = 1 << 16) -> AsyncIterator[Rude]:
    """A WebSocket that is open, and that nobody reads."""
    loop = asyncio.get_running_loop()
    plug = plug_in(gateway, takes)
    client = Rude(plug)
    try:
        await loop.sock_connect(plug, ("127.0.0.1", gateway.port))
        await loop.sock_sendall(plug, handshake(gateway))
        while b"\r\n\r\n" not in client.kept:
            await client._more()
        head, _, rest = bytes(client.kept).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 101"), head
        client.kept = bytearray(rest)
        yield client
    finally:
        client.cut()


async def come_and_go(gateway: Gateway, times: int) -> None:
    """Opens connections and goes again as fast as it can: at once, within the handshake, or just after it."""
    loop = asyncio.get_running_loop()
    opening = handshake(gateway)
    for turn in range(times):
        plug = plug_in(gateway)
        try:
            await loop.sock_connect(plug, ("127.0.0.1", gateway.port))
            if turn % 4 == 1:
                await loop.sock_sendall(plug, opening[: len(opening) // 2])
            elif turn % 4 == 2:
                await loop.sock_sendall(plug, opening)
            elif turn % 4 == 3:
                await loop.sock_sendall(plug, opening)
                await loop.sock_recv(plug, 4096)
                plug.setsockopt(sockets.SOL_SOCKET, sockets.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
        finally:
            plug.close()
