"""opencode, with a model that says what it is to do."""

import asyncio
import json
import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import uuid4

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

from content import QUERIES, sessions
from measure import Way
from process import Server, free_port
from tool import LIVE, PAGE, Tool, is_in, with_first


class Model:
    """A model, as OpenAI's API has it, that calls `todowrite` in one long turn whenever it is given a text."""

    def __init__(self):
        self.port = free_port()
        self.texts: asyncio.Queue[str] = asyncio.Queue()
        self.sent: asyncio.Queue[float] = asyncio.Queue()
        routes = [Route("/v1/chat/completions", self.complete, methods=["POST"])]
        self.server = uvicorn.Server(
            uvicorn.Config(Starlette(routes=routes), port=self.port, log_level="warning", lifespan="off")
        )

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        serving = asyncio.create_task(self.server.serve())
        try:
            yield
        finally:
            self.server.force_exit = self.server.should_exit = True
            await serving

    async def complete(self, request: Request) -> StreamingResponse:
        asked = await request.json()
        has_list = any(tool["function"]["name"] == "todowrite" for tool in asked.get("tools", []))
        return StreamingResponse(self.calls() if has_list else self.says("A title"), media_type="text/event-stream")

    async def calls(self) -> AsyncIterator[str]:
        """One call of the tool, once there is something to write."""
        steps = [{**todo, "priority": "medium"} for todo in with_first(await self.texts.get())]
        function = {"name": "todowrite", "arguments": json.dumps({"todos": steps})}
        call = {"index": 0, "id": f"call_{uuid4().hex}", "type": "function", "function": function}
        yield self.chunk({"role": "assistant", "tool_calls": [call]})
        yield self.chunk({}, "tool_calls") + "data: [DONE]\n\n"
        self.sent.put_nowait(time.perf_counter())

    async def says(self, text: str) -> AsyncIterator[str]:
        yield self.chunk({"role": "assistant", "content": text})
        yield self.chunk({}, "stop") + "data: [DONE]\n\n"

    def chunk(self, delta: dict, reason: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        fields = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "scripted", "usage": usage}
        return f"data: {json.dumps({**fields, 'choices': [choice]})}\n\n"

    async def write(self, text: str) -> float:
        """The time at which the whole call was sent."""
        self.texts.put_nowait(text)
        return await self.sent.get()


class OpenCode(Tool):
    """opencode's server: its own agent writes the list, as a scripted model tells it to."""

    name = "opencode serve"
    kept = "a SQLite commit (WAL) without a sync; the list is replaced, earlier ones stay as calls in the conversation"
    announced = "listening on"
    notes = [
        "The write is the end of the model's call of `todowrite`, from a scripted model on loopback. "
        "It shows its own agent only.",
        "Its search looks at titles only.",
    ]

    @property
    def version(self) -> str:
        return self.npm_version("opencode-ai")

    @property
    def command(self) -> list[str | Path]:
        return [self.modules / ".bin/opencode", "serve", "--port", str(self.port)]

    @property
    def folder(self) -> Path:
        return self.home / "project"

    async def prepare(self) -> None:
        """One session is made through its API, and its row copied for the others."""
        self.model = Model()
        await self.stack.enter_async_context(self.model.serving())
        self.folder.mkdir(parents=True)
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "options": {"baseURL": f"http://127.0.0.1:{self.model.port}/v1", "apiKey": "none"},
            "models": {"scripted": {}},
        }
        config = {
            "model": "mock/scripted",
            "provider": {"mock": provider},
            "permission": "allow",
            "autoupdate": False,
            "share": "disabled",
        }
        (self.folder / "opencode.json").write_text(json.dumps(config))
        server = Server(self.home, self.command, self.folder)
        try:
            async with asyncio.timeout(120):
                while not server.has_said(self.announced):
                    server.check()
                    await asyncio.sleep(0.2)
                answer = await self.http.post("/session", json={"title": LIVE})
                answer.raise_for_status()
                self.live = answer.json()["id"]
        finally:
            server.stop()
        self.fill(self.home / ".local/share/opencode/opencode.db")

    def fill(self, database: Path) -> None:
        opened = sqlite3.connect(database)
        opened.row_factory = sqlite3.Row
        row = dict(opened.execute("SELECT * FROM session").fetchone())
        names = ", ".join(row)
        places = ", ".join(f":{name}" for name in row)
        for number, session in enumerate(sessions(self.count)):
            at = int(session.at.timestamp() * 1000)
            own = f"{row['id'][:-6]}{number:06}"
            new = {"id": own, "slug": own, "title": session.title, "time_created": at, "time_updated": at}
            opened.execute(f"INSERT INTO session ({names}) VALUES ({places})", {**row, **new})
            steps = [
                (own, step["content"], step["status"], "medium", place, at, at)
                for place, step in enumerate(session.lists[-1])
            ]
            opened.executemany("INSERT INTO todo VALUES (?, ?, ?, ?, ?, ?, ?)", steps)
        opened.commit()
        opened.close()

    async def counted(self) -> int:
        return len(json.loads(await self.get("/session", limit=self.count)))

    async def ways(self) -> list[Way]:
        channel = await self.events("/event")
        prompt = {"parts": [{"type": "text", "text": "Keep a list."}]}
        (await self.http.post(f"/session/{self.live}/prompt_async", json=prompt)).raise_for_status()

        async def tells(message: str, text: str) -> bool:
            return '"todo.updated"' in message[:200] and is_in(message, text)

        async with asyncio.timeout(60):
            await self.model.write("Begin")
            while not await tells((await channel.next()).text, "Begin"):
                pass
        return [Way("its agent's tool, SSE", self.model.write, channel, tells)]

    async def page(self, sample: int) -> bytes:
        return await self.get("/session", limit=PAGE)

    async def search(self, sample: int) -> bytes:
        return await self.get("/session", search=QUERIES[sample % len(QUERIES)], limit=PAGE)

    def found(self, answer: bytes) -> int:
        return len(json.loads(answer))
