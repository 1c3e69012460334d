"""A plain WebSocket client of `/gateway`: asks, and keeps everything that arrives in its order."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import count
from urllib.parse import urlencode

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

ANSWER_SECONDS = 30


class Refused(Exception):
    """The gateway answered with an error."""

    def __init__(self, answer: dict):
        super().__init__(f"{answer['code']}: {answer['message']}")
        self.code: str = answer["code"]
        self.message: str = answer["message"]


class Socket:
    """An open connection."""

    def __init__(self, connection: ClientConnection):
        self.connection = connection
        self.seen: list[dict] = []
        self.closed = False
        self._ids = count(1)
        self._arrived = asyncio.Event()

    async def read(self) -> None:
        try:
            async for text in self.connection:
                self.seen.append(json.loads(text))
                self._arrived.set()
        except ConnectionClosed:
            pass
        self.closed = True
        self._arrived.set()

    async def first(self, wanted: Callable[[dict], bool], since: int = 0) -> dict:
        """The first message from `since` on that is wanted; waits for it."""
        async with asyncio.timeout(ANSWER_SECONDS):
            place = since
            while True:
                while place < len(self.seen):
                    if wanted(self.seen[place]):
                        return self.seen[place]
                    place += 1
                if self.closed:
                    raise AssertionError(
                        f"closed with {self.connection.close_code} before it came; seen: {self.seen[since:]}"
                    )
                self._arrived.clear()
                if place == len(self.seen):
                    await self._arrived.wait()

    async def event(self, kind: str, since: int = 0, **fields) -> dict:
        """The first event of this kind that has these fields."""
        return await self.first(lambda m: m["type"] == kind and all(m.get(k) == v for k, v in fields.items()), since)

    async def tell(self, text: str | bytes) -> None:
        """Sends a frame as it is."""
        await self.connection.send(text)

    async def answer(self, kind: str, **fields) -> dict:
        """Sends a request and returns its answer, an error too."""
        since = len(self.seen)
        name = fields.pop("id", f"q{next(self._ids)}")
        await self.tell(json.dumps({"type": kind, "id": name, **fields}))

        def is_answer(message: dict) -> bool:
            if message["type"] == "error":
                return message.get("requestId") == name
            if message["type"] == f"{kind}.result":
                return message.get("id") == name
            # Tek's own name for it, with `requestId`.
            return kind == "session.list" and message["type"] == kind and message.get("requestId") == name

        return await self.first(is_answer, since)

    async def ask(self, kind: str, **fields) -> dict:
        """Sends a request and returns its answer; raises [`Refused`] for an error."""
        answer = await self.answer(kind, **fields)
        if answer["type"] == "error":
            raise Refused(answer)
        return answer

    async def end(self) -> int:
        """Waits until the gateway has closed the connection; the close code."""
        async with asyncio.timeout(ANSWER_SECONDS):
            await self.connection.wait_closed()
        return self.connection.close_code


@asynccontextmanager
async def opened(gateway, token: str | None = None, session: str | None = None, **options) -> AsyncIterator[Socket]:
    """Connects as the user, or with another token; a client of the older protocol may name a session."""
    headers = {"Authorization": f"Bearer {token or gateway.token}"}
    named = "" if session is None else f"?{urlencode({'session': session})}"
    address = f"ws://127.0.0.1:{gateway.port}/gateway{named}"
    options.setdefault("max_size", 32 * 1024 * 1024)
    async with connect(address, additional_headers=headers, proxy=None, **options) as connection:
        socket = Socket(connection)
        reading = asyncio.create_task(socket.read())
        try:
            yield socket
        finally:
            await connection.close()
            await reading
