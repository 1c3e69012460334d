"""A WebSocket of somebody's day."""

import asyncio
from contextlib import AsyncExitStack

from websockets.exceptions import ConnectionClosed

from gateway import Gateway
from socket_client import Socket, opened


class Cut(Exception):
    """It was closed amid a question."""


class Line:
    """It is opened anew where it was closed: by a fast clock one looks dead who was held up for a second."""

    def __init__(self, gateway: Gateway, hello: dict | None = None):
        self.gateway, self.hello = gateway, hello
        self.socket: Socket | None = None
        self.stack, self.opening = AsyncExitStack(), asyncio.Lock()

    @property
    def is_open(self) -> bool:
        return self.socket is not None and not self.socket.closed

    async def open(self) -> None:
        await self.close()
        self.socket = await self.stack.enter_async_context(opened(self.gateway, ping_interval=None))
        if self.hello is not None:
            await self.socket.ask("hello", **self.hello)

    async def close(self) -> None:
        self.socket = None
        await self.stack.aclose()

    async def abort(self) -> None:
        """Goes without a word."""
        if self.socket is not None:
            self.socket.connection.transport.abort()
        await self.close()

    async def ask(self, kind: str, **fields) -> dict:
        async with self.opening:
            if not self.is_open:
                await self.open()
        socket = self.socket
        try:
            return await socket.ask(kind, **fields)
        except (AssertionError, ConnectionClosed) as error:
            if isinstance(error, AssertionError) and not socket.closed:
                raise
            raise Cut from error
