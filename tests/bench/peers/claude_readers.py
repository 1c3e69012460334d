"""Peers that read what Claude Code writes."""

import asyncio
import json
import time
from importlib.metadata import version
from pathlib import Path

from content import QUERIES
from measure import Way
from tool import PAGE, ClaudeReader, is_in


class AgentsView(ClaudeReader):
    """agentsview: reads agents' files into SQLite, for a page."""

    name = "agentsview"
    imports = True
    kept = "read only: it copies the transcript into SQLite (WAL, NORMAL), each `TodoWrite` as a message of its own"
    notes = [
        "It reads changed files at most every 5 s and looks for news of an open session every 1.5 s, so writes come "
        "6 to 8 s apart here; closer ones wait for the 5 s. Its stream for all sessions tells at most every 10 s.",
    ]

    @property
    def version(self) -> str:
        return version("agentsview")

    @property
    def command(self) -> list[str | Path]:
        import agentsview

        program = Path(agentsview.__file__).parent / "bin" / "agentsview"
        return [program, "serve", "--port", str(self.port), "--no-browser", "--no-update-check"]

    async def counted(self) -> int:
        return json.loads(await self.get("/api/v1/stats"))["session_count"]

    async def ways(self) -> list[Way]:
        self.begin()
        session = f"/api/v1/sessions/{self.live.own}"
        async with asyncio.timeout(60):
            while (await self.http.get(session)).status_code != 200:
                await asyncio.sleep(0.2)

        async def tells(message: str, text: str) -> bool:
            if not message.startswith(("session_updated", "data_changed")):
                return False
            return is_in((await self.get(f"{session}/messages", limit=20, direction="desc")).decode(), text)

        watched = await self.events(f"{session}/watch")
        return [Way("Claude Code's transcript, SSE of the session", self.write, watched, tells, pause=(6, 8))]

    async def page(self, sample: int) -> bytes:
        return await self.get("/api/v1/sessions", limit=PAGE)

    async def search(self, sample: int) -> bytes:
        return await self.get("/api/v1/search", q=QUERIES[sample % len(QUERIES)], limit=PAGE)

    def found(self, answer: bytes) -> int:
        return len(json.loads(answer)["results"])

    async def remarks(self) -> list[str]:
        begun = time.perf_counter()
        answer = await self.http.get("/api/v1/sessions/sidebar-index")
        took = time.perf_counter() - begun
        told = "" if answer.status_code == 200 else f" with status {answer.status_code}"
        return [f"The index of all sessions that its page asks for was answered{told} after {took:.1f} s."]


class ClaudeRun(ClaudeReader):
    """claude-run: shows Claude Code's transcripts."""

    name = "claude-run"
    listed = "all"
    kept = "read only: it has no store, and shows the transcript that Claude Code keeps"
    notes = ["Its page filters the titles that it has; the server has no search."]

    @property
    def version(self) -> str:
        return self.npm_version("claude-run")

    @property
    def command(self) -> list[str | Path]:
        return [self.modules / ".bin/claude-run", "--no-open", "--port", str(self.port)]

    async def counted(self) -> int:
        return len(json.loads(await self.page(0)))

    async def ways(self) -> list[Way]:
        self.begin()
        await asyncio.sleep(2)
        channel = await self.events(f"/api/conversation/{self.live.own}/stream")

        async def tells(message: str, text: str) -> bool:
            return is_in(message, text)

        return [Way("Claude Code's transcript, SSE of the session", self.write, channel, tells)]

    async def page(self, sample: int) -> bytes:
        return await self.get("/api/sessions")


class ClaudeCodeTemplates(ClaudeReader):
    """claude-code-templates, of which `--chats` shows Claude Code's transcripts."""

    name = "claude-code-templates --chats"
    listed = "all"
    kept = "read only: it has no store, and shows the transcript that Claude Code keeps"
    notes = [
        "It knows a new session 2 s after its file was quiet, and reads all files again 2 s after each last change.",
        "Its search looks at the texts of messages, not at the steps of lists.",
    ]

    def __init__(self, home: Path, modules: Path, count: int):
        super().__init__(home, modules, count)
        # It takes no other port.
        self.port = 9876
        self.http.base_url = self.address

    @property
    def version(self) -> str:
        return self.npm_version("claude-code-templates")

    @property
    def command(self) -> list[str | Path]:
        return [self.modules / ".bin/claude-code-templates", "--chats"]

    async def counted(self) -> int:
        return len(json.loads(await self.page(0))["conversations"])

    async def ways(self) -> list[Way]:
        self.begin()
        async with asyncio.timeout(120):
            while self.live.own.encode() not in await self.page(0):
                await asyncio.sleep(1)
        channel = await self.socket(f"ws://127.0.0.1:{self.port}/ws")

        async def tells(message: str, text: str) -> bool:
            return is_in(message, text)

        return [Way("Claude Code's transcript, WebSocket", self.write, channel, tells)]

    async def page(self, sample: int) -> bytes:
        return await self.get("/api/conversations")

    async def search(self, sample: int) -> bytes:
        asked = {"contentSearch": QUERIES[sample % len(QUERIES)]}
        answer = await self.http.post("/api/search", json=asked)
        answer.raise_for_status()
        return answer.content

    def found(self, answer: bytes) -> int:
        found = json.loads(answer)
        return found.get("count", len(found.get("results", [])))
