"""Sightline."""

import asyncio
import json
import os
import subprocess
import time
from pathlib import Path

import httpx2
from mcp.client.streamable_http import streamable_http_client
from websockets.asyncio.client import connect

from content import QUERIES
from measure import Way, listening
from process import environment
from tool import FOLDER, PAGE, ClaudeReader, is_in, with_first


class Sightline(ClaudeReader):
    """Our gateway: the archive is Claude Code's, read on the first start; an agent writes by MCP or as Claude Code."""

    name = "sightline"
    kept = "one SQLite commit that is synced before the answer; every revision is kept"
    imports = True
    patience = 900.0
    user: dict[str, str] | None = None
    binary = os.environ.get("SIGHTLINE_BIN", str(FOLDER.parents[2] / "target" / "release" / "sightline"))

    @property
    def data(self) -> Path:
        return self.home / "data"

    @property
    def version(self) -> str:
        return self.run("--version").split()[-1]

    @property
    def command(self) -> list[str | Path]:
        return [self.binary, "--data-dir", self.data, "serve", "--port", str(self.port)]

    def run(self, *arguments: str) -> str:
        return subprocess.run(
            [self.binary, *arguments], env=environment(self.home), check=True, capture_output=True, text=True
        ).stdout

    def key(self, *options: str) -> dict[str, str]:
        made = self.run("--data-dir", str(self.data), "--json", "key", "new", *options)
        return {"Authorization": f"Bearer {json.loads(made)['secret']}"}

    def connect(self) -> connect:
        return connect(f"ws://127.0.0.1:{self.port}/gateway", additional_headers=self.user, max_size=None, proxy=None)

    async def ask(self, kind: str, **fields) -> bytes:
        """One question over a WebSocket without a subscription: the next message is its answer."""
        await self.asking.send(json.dumps({"type": kind, "id": "1", **fields}))
        answer = await self.asking.recv(decode=False)
        if b'"type":"error"' in answer[:200]:
            raise RuntimeError(answer.decode())
        return answer

    async def start(self) -> float:
        self.asking = None
        return await super().start()

    async def counted(self) -> int:
        if self.asking is None:
            await self.get("/health")
            self.user = self.user or self.key("bench", "--rights", "edit")
            self.asking = await self.stack.enter_async_context(self.connect())
        settled = self.data / "gateway.json"
        if not (settled.exists() and json.loads(settled.read_text()).get("imported")):
            return 0
        return json.loads(await self.ask("archive.status"))["lists"]

    async def ways(self) -> list[Way]:
        opened = await self.stack.enter_async_context(self.connect())
        await opened.send(json.dumps({"type": "events.subscribe", "id": "1"}))
        channel = await self.stack.enter_async_context(listening(aiter(opened)))
        headers = self.key("agent", "--agent")
        http = httpx2.AsyncClient(headers=headers, timeout=60, trust_env=False, verify=False)
        await self.stack.enter_async_context(http)
        agent = await self.agent(streamable_http_client(f"{self.address}/mcp/bench", http_client=http), mode="legacy")

        async def write(text: str) -> float:
            begun = time.perf_counter()
            result = await agent.call_tool("todo_write", {"todos": with_first(text)})
            assert not result.is_error, result
            return begun

        async def tells(message: str, text: str) -> bool:
            return '"type":"todo.update"' in message[:200] and is_in(message, text)

        await write("Begin")
        self.begin()
        async with asyncio.timeout(60):
            while not await tells((await channel.next()).text, "Begin"):
                pass
        return [
            Way("MCP over HTTP, WebSocket", write, channel, tells),
            Way("Claude Code's transcript, WebSocket", self.write, channel, tells),
        ]

    async def page(self, sample: int) -> bytes:
        return await self.ask("archive.lists", limit=PAGE)

    async def search(self, sample: int) -> bytes:
        return await self.ask("session.search", query=QUERIES[sample % len(QUERIES)], limit=PAGE)

    def found(self, answer: bytes) -> int:
        return len(json.loads(answer)["results"])
