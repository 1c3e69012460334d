"""What every tool does here, and those that read Claude Code's files."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import httpx2
from mcp import Client
from websockets.asyncio.client import connect

from content import STEPS, Transcript, history_line, todos, write_claude_home
from measure import Channel, Way, listening
from process import Server, free_port

FOLDER = Path(__file__).parent
PAGE = 50
LIVE = "Live session"
UNLIMITED = 1 << 30


def with_first(text: str) -> list[dict[str, str]]:
    """A list as an agent writes it, with this as its first step."""
    return todos([text, *(f"Step {number}" for number in range(2, STEPS + 1))], 1)


def is_in(message: str, text: str) -> bool:
    return text in message


class Tool:
    """A tool with an archive. Each has a home of its own, which nothing else uses."""

    name: str
    # The contents of its list, and the result of a write.
    listed = f"a page of {PAGE}"
    kept = ""
    notes: list[str] = []
    # The server answers within so many seconds with all sessions, or gets fewer.
    patience = 300.0
    # It copies the archive into a store of its own on its first start, and is measured on its second.
    imports = False
    # Words of its log that are waited for, where an earlier question may never be answered.
    announced = ""

    def __init__(self, home: Path, modules: Path, count: int):
        self.home, self.modules, self.count = home, modules, count
        self.port = free_port()
        self.stack = AsyncExitStack()
        self.server: Server | None = None
        self.http = httpx2.AsyncClient(base_url=self.address, timeout=120, trust_env=False, verify=False)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def version(self) -> str:
        raise NotImplementedError

    @property
    def command(self) -> list[str | Path]:
        raise NotImplementedError

    @property
    def folder(self) -> Path:
        return self.home

    async def prepare(self) -> None:
        """Writes the archive, with nothing running."""
        raise NotImplementedError

    async def counted(self) -> int:
        """The sessions that the running server knows."""
        raise NotImplementedError

    async def ways(self) -> list[Way]:
        raise NotImplementedError

    async def page(self, sample: int) -> bytes:
        raise NotImplementedError

    async def search(self, sample: int) -> bytes | None:
        """The answer to a search for a word; none where it has no search of its own."""
        return None

    def found(self, answer: bytes) -> int:
        """The results in an answer to a search."""
        raise NotImplementedError

    async def remarks(self) -> list[str]:
        """Notes that only the running tool can give."""
        return []

    @asynccontextmanager
    async def running(self) -> AsyncIterator[float]:
        """Runs it with all sessions; the seconds that its first start took to know them."""
        async with self.stack:
            self.stack.push_async_callback(self.http.aclose)
            seconds = await self.start()
            if self.imports:
                self.server.stop()
                await self.start()
            yield seconds

    async def start(self) -> float:
        """Starts it, and waits until it knows all sessions; the seconds that this took."""
        begun = time.perf_counter()
        self.server = Server(self.home, self.command, self.folder)
        self.stack.callback(self.server.stop)
        while True:
            self.server.check()
            if time.perf_counter() - begun > self.patience:
                raise TimeoutError(f"it did not know {self.count} sessions after {self.patience:.0f} s")
            with suppress(httpx2.TransportError, OSError, KeyError):
                async with asyncio.timeout(30):
                    if self.server.has_said(self.announced) and await self.counted() >= self.count:
                        return time.perf_counter() - begun
            await asyncio.sleep(0.2)

    async def get(self, path: str, **query) -> bytes:
        answer = await self.http.get(path, params=query)
        answer.raise_for_status()
        return answer.content

    async def events(self, path: str) -> Channel:
        """Follows a stream of server-sent events."""

        async def messages() -> AsyncIterator[str]:
            async with self.http.stream("GET", path, timeout=httpx2.Timeout(30, read=None)) as answer:
                opened.set()
                async for event in httpx2.EventSource(answer, UNLIMITED):
                    yield f"{event.event} {event.data}"

        opened = asyncio.Event()
        channel = await self.stack.enter_async_context(listening(messages()))
        async with asyncio.timeout(30):
            await opened.wait()
        return channel

    async def socket(self, address: str, **options) -> Channel:
        """Follows a WebSocket."""
        opened = await self.stack.enter_async_context(connect(address, max_size=None, proxy=None, **options))
        return await self.stack.enter_async_context(listening(aiter(opened)))

    async def agent(self, server, **options) -> Client:
        """A client of MCP."""
        return await self.stack.enter_async_context(Client(server, **options))

    def npm_version(self, package: str) -> str:
        return json.loads((self.modules / package / "package.json").read_text())["version"]


class ClaudeReader(Tool):
    """A tool that reads Claude Code's files."""

    async def prepare(self) -> None:
        write_claude_home(self.home, self.count)

    def begin(self) -> None:
        """The first records of the session that is written to."""
        self.live = Transcript(self.home, str(uuid4()), datetime.now(UTC))
        self.live.path.parent.mkdir(parents=True, exist_ok=True)
        self.live.add(self.live.prompt(LIVE) + self.live.call(with_first("Begin")))
        with (self.home / ".claude/history.jsonl").open("a", encoding="utf-8") as history:
            history.write(history_line(self.live.own, LIVE, self.live.at))

    async def write(self, text: str) -> float:
        """A call of `TodoWrite` with its result, as Claude Code appends it to the transcript."""
        records = self.live.call(with_first(text))
        begun = time.perf_counter()
        self.live.add(records)
        return begun
