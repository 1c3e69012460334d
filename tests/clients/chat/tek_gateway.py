"""A Tek gateway for tests: it tells a client what the real one told those of the recorded stories (`tek/README.md`),
and what has to come of that is read from the same data, by rules of its own."""

import asyncio
import json
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

LINES = [json.loads(line) for line in (Path(__file__).parent / "tek" / "told.jsonl").read_text().splitlines()]
STORIES: dict[str, list] = {story["story"]: story["lines"] for story in LINES}

SECONDS = 60
ANSWERS = {"tool.approval.response": "tool.approval.request", "preflight.approval": "preflight.checklist"}


class Tek:
    """A gateway that tells one side of a story, or what a test has it tell."""

    def __init__(self, lines: list | None = None):
        self.lines = lines
        self.heard: list[dict] = []
        self.news = asyncio.Event()
        self.connections: list[ServerConnection] = []
        # Decisions that the story wants of the user, and whether it is told to its end.
        self.wanted: asyncio.Queue[bool] = asyncio.Queue()
        self.is_over = asyncio.Event()
        self.sessions: list[dict] = []
        self.port = 0

    @property
    def address(self) -> str:
        return f"tek://127.0.0.1:{self.port}"

    async def serve(self, connection: ServerConnection) -> None:
        assert connection.request.path == "/gateway", connection.request.path
        self.connections.append(connection)
        story = None
        with suppress(ConnectionClosed):
            async for text in connection:
                message = json.loads(text)
                self.heard.append(message)
                self.news.set()
                if message["type"] == "gateway.status":
                    await self.tell({"type": "gateway.status.result", "id": message["id"], "version": "0.0.34"})
                if message["type"] == "session.list":
                    await self.tell({"type": "session.list", "requestId": message["id"], "sessions": self.sessions})
                    if self.lines is not None and story is None and not self.is_over.is_set():
                        story = asyncio.create_task(self.play(connection))
        if story is not None:
            await asyncio.wait([story])

    async def tell(self, message: dict | str) -> None:
        text = message if isinstance(message, str) else json.dumps(message)
        await self.connections[-1].send(text)

    async def first(self, kind: str, after: int = 0) -> dict:
        """The first message of that type that was heard, after so many of all."""
        async with asyncio.timeout(SECONDS):
            while True:
                found = [message for message in self.heard[after:] if message["type"] == kind]
                if found:
                    return found[0]
                self.news.clear()
                await self.news.wait()

    async def play(self, connection: ServerConnection) -> None:
        asked: list[dict] = []
        for kind, message in self.lines or []:
            if kind == "told":
                await self.tell(lately(message))
                if message["type"] in ANSWERS.values():
                    asked.append(message)
            elif kind == "closed":
                # Set first: the client comes again at once.
                self.is_over.set()
                await connection.close(message if message in (1001, 1009) else 1001)
            elif kind == "sent" and message.get("type") in ANSWERS:
                await self.decision(message, asked)
        self.is_over.set()

    async def decision(self, recorded: dict, asked: list[dict]) -> None:
        """Waits for the decision that the recorded client sent, where its gateway has asked for one."""
        kind = recorded["type"]
        open_ones = [one for one in asked if one["type"] == ANSWERS[kind]]
        if "toolCallId" in recorded:
            open_ones = [one for one in open_ones if one["toolCallId"] == recorded["toolCallId"]]
        if not open_ones:
            return
        asked.remove(open_ones[0])
        since = len(self.heard)
        self.wanted.put_nowait(recorded["approved"])
        answer = await self.first(kind, since)
        name = "toolCallId" if kind == "tool.approval.response" else "requestId"
        assert (answer[name], answer["approved"]) == (open_ones[0][name], recorded["approved"]), answer


def lately(message: dict) -> dict:
    """A message whose sessions were made just now: those of long ago are not taken over."""
    if message.get("type") != "session.list":
        return message
    now = datetime.now(UTC).isoformat()
    return {**message, "sessions": [{**known, "createdAt": now} for known in message["sessions"]]}


@asynccontextmanager
async def tek_gateway(lines: list | None = None, port: int = 0):
    """A gateway that tells these lines to whoever comes."""
    tek = Tek(lines)
    async with serve(tek.serve, "127.0.0.1", port, max_size=None) as server:
        tek.port = server.sockets[0].getsockname()[1]
        yield tek


def side(story: str, socket: str) -> list:
    """A story as one of its sockets saw it."""
    return [line[1:] for line in STORIES[story] if line[0] == socket]


def sockets(story: str) -> list[str]:
    return sorted({line[0] for line in STORIES[story]})


def plain(todos: list[dict]) -> list[tuple[str, str]]:
    """The contents and statuses of a list, as Sightline has them: items without words are none."""
    return [(todo["content"], todo["status"]) for todo in todos if todo["content"].strip()]


def without_empty(todos: list[dict]) -> list[dict]:
    return [{name: value for name, value in todo.items() if (name, value) != ("activeForm", "")} for todo in todos]


class Expected:
    """What has to come of one side of a story: for each session the lists that were written there one after the other,
    with the clearings between, and its state in the end."""

    def __init__(self, lines: list):
        self.sessions: dict[str, list] = {}
        self.states: dict[str, str] = {}
        self.chats: dict[str, str] = {}
        self.tasks: dict[str, list[dict]] = {}
        self.failed: set[str] = set()
        self.open: dict[str, str] = {}
        told = [message for kind, message in lines if kind == "told"]
        for at, message in enumerate(told):
            self.take(message, told[at + 1] if at + 1 < len(told) else {})
        if any(kind == "closed" for kind, _ in lines):
            # A chat under way has failed, as far as it can be told from here.
            for session in self.open.values():
                self.states[session] = "failed"

    def take(self, message: dict, following: dict) -> None:
        kind, request = message.get("type"), message.get("requestId")
        session = self.chats.get(request)
        if kind == "session.created":
            self.sessions.setdefault(message["sessionId"], [])
            self.states.setdefault(message["sessionId"], "quiet")
            self.created = message["sessionId"]
        elif kind == "session.list":
            for known in message["sessions"]:
                self.sessions.setdefault(known["sessionId"], [])
                self.states.setdefault(known["sessionId"], "quiet")
        elif kind == "preflight.checklist":
            self.chats[request] = self.created
            self.states[self.created] = "asks"
        elif kind == "chat.stream.start":
            session = self.chats[request] = message["sessionId"]
            self.write(session, [])
            self.tasks[session] = []
            self.open[request], self.states[session] = session, "running"
            self.failed.discard(request)
        elif kind == "todo.update":
            assert following["type"] == "tool.call" and without_empty(following["args"]["todos"]) == message["todos"]
            self.write(self.chats[following["requestId"]], message["todos"])
        elif kind == "tool.call":
            self.failed.discard(request)
            self.claude(session, message["toolName"], message["args"])
        elif kind == "error" and session and message["code"] != "STREAM_IN_PROGRESS":
            self.states[session] = "quiet" if message["code"] == "PREFLIGHT_REJECTED" else "failed"
            self.open.pop(request, None)
            self.failed.add(request)
        elif kind == "chat.stream.end":
            self.open.pop(request, None)
            if request not in self.failed:
                self.states[session] = "quiet"

    def claude(self, session: str, tool: str, args) -> None:
        tasks = self.tasks.get(session, [])
        if tool == "TodoWrite":
            self.write(session, args["todos"])
        elif tool == "TaskCreate":
            tasks.append({"content": args["subject"], "status": "pending"})
            self.write(session, tasks)
        elif tool == "TaskUpdate":
            tasks[int(args["taskId"]) - 1]["status"] = args.get("status", tasks[int(args["taskId"]) - 1]["status"])
            self.write(session, tasks)

    def write(self, session: str, todos: list[dict]) -> None:
        lists = self.sessions.setdefault(session, [])
        now = plain(todos)
        # The same list once more is no revision, and there is nothing before the first.
        if now != (lists[-1] if lists else []):
            lists.append(now)

    @property
    def all(self) -> list:
        return sorted((lists, self.states[session]) for session, lists in self.sessions.items())
