"""Those who reach the gateway over a bad line: who watches, who writes, and what each has seen and was promised."""

import asyncio
import json
import subprocess
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from itertools import count

import httpx2
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

import agent
from agent import call, contents, rpc_answer, text_of
from gateway import END_SECONDS, environment
from parties import Terminal
from torture.proxy import Behind

# The time after which a client of ours asks whether the gateway is there, and waits for the answer.
BEAT_SECONDS = 1

# Time that it gives a connection to open.
OPENING_SECONDS = 5


class View:
    """The screen of a subscriber, by the rules of the protocol: a snapshot, then events."""

    def __init__(self):
        self.lists: dict[str, tuple[int, list[str]]] = {}
        self.cursor: str | None = None
        self.snapshots = 0
        self.wrong: list[str] = []

    def take(self, message: dict) -> None:
        match message["type"]:
            case "events.subscribe.result":
                self.snapshots += 1
                if message["whole"]:
                    self.lists = {}
                for session in message["sessions"]:
                    self._put(session["sessionId"], session["revision"], session["todos"])
                self._at(message["cursor"])
            case "todo.update":
                known = self.lists.get(message["sessionId"], (0, []))[0]
                # A list that is sent once more has the revision that it had.
                if message["revision"] < known:
                    self.wrong.append(f"revision {message['revision']} came after {known}")
                self._at(message["cursor"])
                self._put(message["sessionId"], message["revision"], message["todos"])

    def _put(self, session: str, revision: int, todos: list[dict]) -> None:
        known = self.lists.get(session, (0, []))
        if revision < known[0] or (revision == known[0] and known[1] != contents(todos)):
            self.wrong.append(f"revision {revision} {contents(todos)} came after {known}")
        self.lists[session] = (revision, contents(todos))

    def _at(self, cursor: str) -> None:
        number = int(cursor.rpartition(":")[2])
        if self.cursor is not None and number < int(self.cursor.rpartition(":")[2]):
            self.wrong.append(f"{cursor} came after {self.cursor}")
        self.cursor = cursor


class Follower:
    """A window or a page: it subscribes with the cursor that it had, again and again."""

    def __init__(self, behind: Behind):
        self.behind, self.view = behind, View()
        self.lost = 0

    async def follow(self) -> None:
        address = f"ws://127.0.0.1:{self.behind.port}/gateway"
        options = {
            "additional_headers": {"Authorization": f"Bearer {self.behind.token}"},
            "proxy": None,
            "open_timeout": OPENING_SECONDS,
            "ping_interval": BEAT_SECONDS,
            "ping_timeout": BEAT_SECONDS,
            "close_timeout": BEAT_SECONDS,
        }
        while True:
            try:
                async with connect(address, **options) as connection:
                    since = {"since": self.view.cursor} if self.view.cursor else {}
                    await connection.send(json.dumps({"type": "events.subscribe", "id": "1", **since}))
                    async for text in connection:
                        self.view.take(json.loads(text))
            except (OSError, TimeoutError, EOFError, WebSocketException):
                pass
            self.lost += 1
            await asyncio.sleep(0.05)


class Watcher:
    """`sightline watch` in a terminal."""

    def __init__(self, behind: Behind):
        self.view, self.lost = View(), 0
        self.log = behind.folder / "watch.jsonl"
        self.place = 0
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(
                behind.command("watch", "--json"),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=environment(behind.home),
            )

    async def follow(self) -> None:
        while True:
            assert self.process.poll() is None, self.log.read_text()
            with self.log.open("rb") as written:
                written.seek(self.place)
                for line in written:
                    if not line.endswith(b"\n"):
                        break
                    self.place += len(line)
                    message = json.loads(line)
                    self.lost += message.get("state") == "disconnected"
                    self.view.take(message)
            await asyncio.sleep(0.05)

    def end(self) -> None:
        self.process.terminate()
        self.process.wait(END_SECONDS)


class Worker:
    """Somebody who changes a list; what was acknowledged, and what was asked for and never answered."""

    def __init__(self, name: str):
        self.name, self.done = name, 0
        self.acknowledged: list[str] = []
        self.doubtful: list[str] = []
        self._turns = count(1)
        self._may, self._rests = asyncio.Event(), asyncio.Event()
        self._may.set()

    async def change(self, words: str) -> bool:
        """Asks for a change that brings these words; whether it was acknowledged."""
        raise NotImplementedError

    async def work(self) -> None:
        while True:
            if not self._may.is_set():
                self._rests.set()
                await self._may.wait()
            self._rests.clear()
            words = f"{self.name} {next(self._turns)}"
            if await self.change(words):
                self.acknowledged.append(words)
                self.done += 1
            else:
                self.doubtful.append(words)
                await asyncio.sleep(0.05)

    async def rest(self) -> None:
        """Ends what it is at, and waits."""
        self._may.clear()
        await self._rests.wait()

    def go_on(self) -> None:
        self._rests.clear()
        self._may.set()


class Shimmed(Worker):
    """An agent whose shim hides the line from it: each of its calls succeeds."""

    def __init__(self, client):
        super().__init__("shim")
        self.client = client

    async def change(self, words: str) -> bool:
        written = await agent.write(self.client, [{"id": "1", "content": words, "status": "in_progress"}])
        assert contents(written["todos"]) == [words], f"{words}: {written}"
        return True


class Connected(Worker):
    """An agent that is connected over HTTP. What fails it sends again, as agents do, until it is answered.

    It is no client of the `mcp` package, which ends altogether when one connection breaks."""

    def __init__(self, behind: Behind, http: httpx2.AsyncClient):
        super().__init__("http")
        self.behind, self.http, self.numbers = behind, http, count(1)

    async def change(self, words: str) -> bool:
        todos = [{"id": "1", "content": words, "status": "in_progress"}]
        headers = {
            "Authorization": f"Bearer {self.behind.agent_token}",
            "Accept": "application/json, text/event-stream",
            "Mcp-Session-Id": "over-http",
        }
        while True:
            # Another number for each time: what was sent before may still be under way.
            message = call("todo_write", {"todos": todos, "session": self.name}, next(self.numbers))
            try:
                response = await self.http.post(f"{self.behind.address}/mcp", json=message, headers=headers)
            except httpx2.HTTPError:
                await asyncio.sleep(0.05)
                continue
            if response.status_code >= 500 or b'"result"' not in response.content:
                # This gateway is just ending; the next one answers.
                await asyncio.sleep(0.05)
                continue
            assert response.status_code == 200, response.text
            written = rpc_answer(response)["result"]["structuredContent"]
            assert contents(written["todos"]) == [words], f"{words}: {written}"
            return True


class Steps(Worker):
    """An agent behind a shim that adds steps: what is not answered is not sent again by itself."""

    # Then it begins a new list: 30 steps are the most that it may have.
    MOST = 20

    def __init__(self, client):
        super().__init__("step")
        self.client = client

    async def change(self, words: str) -> bool:
        if len(self.acknowledged + self.doubtful) % self.MOST == 0:
            await agent.write(self.client, [])
        item = {"content": words, "status": "skipped"}
        result = await self.client.call_tool("todo_manager", {"action": "add_multiple", "todos": [item]})
        if result.is_error:
            assert "connection" in text_of(result), text_of(result)
        return not result.is_error


class Typist(Worker):
    """A user who types commands, of which each is a process."""

    def __init__(self, behind: Behind, session: str):
        super().__init__("typed")
        self.terminal = Terminal(behind, session)

    async def change(self, words: str) -> bool:
        ran = await self.terminal.run("todo", "add", "last", words)
        if ran.code != 0:
            assert "gateway" in ran.said, ran
        return ran.code == 0


class Clicker(Worker):
    """A user at a page, which does not send an edit again by itself."""

    def __init__(self, behind: Behind, session: str):
        super().__init__("clicked")
        self.behind, self.session, self.connection = behind, session, None

    async def change(self, words: str) -> bool:
        try:
            if self.connection is None:
                self.connection = await connect(
                    f"ws://127.0.0.1:{self.behind.port}/gateway",
                    additional_headers={"Authorization": f"Bearer {self.behind.token}"},
                    proxy=None,
                    open_timeout=OPENING_SECONDS,
                    ping_interval=BEAT_SECONDS,
                    ping_timeout=BEAT_SECONDS,
                    close_timeout=BEAT_SECONDS,
                )
            ask = {"type": "todo.add", "id": words, "sessionId": self.session, "content": words, "position": "1"}
            await self.connection.send(json.dumps(ask))
            while (answer := json.loads(await self.connection.recv())).get("id") != words:
                assert answer["type"] != "error", answer
        except (OSError, TimeoutError, EOFError, WebSocketException):
            self.connection = None
            return False
        return True


@asynccontextmanager
async def at_work(*endless: Awaitable[None]) -> AsyncIterator[list[asyncio.Task]]:
    """Tasks that go on until the end; one that fails is heard of there."""
    tasks = [asyncio.ensure_future(one) for one in endless]
    try:
        yield tasks
    finally:
        for task in tasks:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
    assert all(isinstance(one, asyncio.CancelledError) for one in ended), ended
