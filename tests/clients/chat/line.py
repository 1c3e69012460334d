"""The line between the built-in agent and its model: it sees what is asked, and holds answers up, spoils or refuses
them."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from chat.client import Chat
from chat.model import Model, provider
from gateway import END_SECONDS, eventually

# An answer as it is told: its status, its type and its text.
Answer = tuple[int, str, str]


@dataclass
class Question:
    """One that went over the line, and what became of its answer."""

    headers: dict[str, str]
    body: dict
    # All of it was sent.
    answered: bool = False
    # The client has closed the connection before.
    hung_up: asyncio.Event = field(default_factory=asyncio.Event)

    async def is_dropped(self) -> bool:
        """Waits until nobody wants its answer any more."""
        async with asyncio.timeout(END_SECONDS):
            await self.hung_up.wait()
        return not self.answered


def _headers(head: bytes) -> dict[str, str]:
    lines = head.decode().split("\r\n")[1:]
    return {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)}


async def _pieces(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    """The pieces that a body comes in, one for each that its server has written."""
    while True:
        size = await reader.readline()
        yield size + await reader.readexactly(int(size, 16) + 2)
        if int(size, 16) == 0:
            return


class Line:
    """Leads from a port of its own to a model's, a connection for each question. Faults are set as one goes; questions
    are numbered from 0."""

    def __init__(self, model: Model):
        self.model, self.port = model, 0
        self.questions: list[Question] = []
        # The line's own answer to a request with this body, in place of the model's.
        self.says: Callable[[dict], Answer | None] = lambda body: None
        # So many pieces of a question's answer go through until it is let go; none is not even its beginning.
        self.held: dict[int, int | None] = {}
        self.let_go = asyncio.Event()
        # This piece of a question's answer is no JSON, counted from 1.
        self.spoiled: dict[int, int] = {}

    async def has_asked(self, count: int) -> None:
        """Waits until so many questions are there."""

        async def there() -> bool:
            return len(self.questions) >= count

        await eventually(there, END_SECONDS, f"{count} questions")

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            headers = _headers(head)
            body = await reader.readexactly(int(headers.get("content-length", 0)))
            question = Question(headers, json.loads(body or "{}"))
            self.questions.append(question)
            answering = asyncio.create_task(self._answer(question, head + body, writer))
            # It says nothing more on this connection.
            gone = asyncio.create_task(reader.read())
            await asyncio.wait({answering, gone}, return_when=asyncio.FIRST_COMPLETED)
            if not answering.done():
                question.hung_up.set()
            for task in (answering, gone):
                task.cancel()
            await asyncio.gather(answering, gone, return_exceptions=True)
            if question.answered:
                writer.close()
                return
        writer.transport.abort()

    async def _answer(self, question: Question, asked: bytes, writer: asyncio.StreamWriter) -> None:
        if told := self.says(question.body):
            status, kind, text = told
            head = f"HTTP/1.1 {status} So\r\ncontent-type: {kind}\r\ncontent-length: {len(text.encode())}"
            writer.write(f"{head}\r\nconnection: close\r\n\r\n{text}".encode())
        else:
            number = self.questions.index(question)
            upstream, ask = await asyncio.open_connection("127.0.0.1", self.model.port)
            try:
                ask.write(asked)
                head = await upstream.readuntil(b"\r\n\r\n")
                if self.held.get(number, 0) is None:
                    await self.let_go.wait()
                writer.write(re.sub(rb"(?i)\r\nconnection:[^\r]*", b"", head)[:-2] + b"connection: close\r\n\r\n")
                if length := _headers(head).get("content-length"):
                    writer.write(await upstream.readexactly(int(length)))
                else:
                    await self._stream(number, upstream, writer)
            finally:
                ask.transport.abort()
        await writer.drain()
        question.answered = True

    async def _stream(self, number: int, upstream: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        through = 0
        async for piece in _pieces(upstream):
            if self.held.get(number) == through:
                await writer.drain()
                await self.let_go.wait()
            through += 1
            is_spoiled = self.spoiled.get(number) == through
            writer.write(piece.replace(b'{"', b"<<") if is_spoiled else piece)


@asynccontextmanager
async def line_to(model: Model) -> AsyncIterator[Line]:
    line = Line(model)
    server = await asyncio.start_server(line.accept, "127.0.0.1", 0)
    line.port = server.sockets[0].getsockname()[1]
    try:
        yield line
    finally:
        line.let_go.set()
        server.close()


@asynccontextmanager
async def held_up(chat: Chat, model: Model, number: int) -> AsyncIterator[Line]:
    """The answer to the question of this number stays in its middle until it is let go."""
    async with line_to(model) as line:
        await chat.socket.ask("settings.update", **provider(line))
        # The first piece says nothing.
        line.held[number] = 3
        yield line
