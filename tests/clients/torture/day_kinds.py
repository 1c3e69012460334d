"""The kinds of agents of a day: how each says its list, and how it comes and goes."""

import asyncio
import json

import httpx2

from agent import CALL_SECONDS, call, rpc_answer, shim
from gateway import END_SECONDS
from hooks import CLAUDE, heard
from torture.day_agent import Agent
from torture.day_line import Line

INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def initialize(name: str) -> dict:
    client = {"name": name, "version": "1.2.3"}
    given = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
    return {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": given}


class HttpAgent(Agent):
    """MCP over HTTP: one connection that is kept, a stream beside it, and an MCP session for each start."""

    async def come(self) -> None:
        self.http = httpx2.AsyncClient(timeout=CALL_SECONDS, trust_env=False, verify=False)
        self.headers = {
            "Authorization": f"Bearer {self.gateway.agent_token}",
            "Accept": "application/json, text/event-stream",
        }
        response = await self.post(initialize(self.name))
        self.headers["Mcp-Session-Id"] = response.headers["mcp-session-id"]
        await self.post(INITIALIZED)
        self.stream = asyncio.create_task(self.listen())

    @property
    def address(self) -> str:
        return f"{self.gateway.address}/mcp/{self.own}"

    async def post(self, message: dict) -> httpx2.Response:
        response = await self.http.post(self.address, json=message, headers=self.headers)
        assert response.status_code in (200, 202), response.text
        return response

    async def listen(self) -> None:
        """It ends where the gateway forgets a session that is long silent."""
        async with self.http.stream("GET", self.address, headers=self.headers, timeout=None) as response:
            async for _ in response.aiter_lines():
                pass

    async def say(self, todos: list[dict]) -> dict:
        answer = rpc_answer(await self.post(call("todo_write", {"todos": todos}, next(self.numbers))))
        return answer["result"]["structuredContent"]

    async def end(self) -> None:
        response = await self.http.delete(self.address, headers=self.headers)
        assert response.status_code in (200, 202, 204), response.text
        await self.vanish()

    async def vanish(self) -> None:
        self.stream.cancel()
        await self.http.aclose()


class StdioAgent(Agent):
    """MCP over stdio: a process for each start."""

    async def come(self) -> None:
        program = shim(self.gateway, CLAUDE_CODE_SESSION_ID=self.own)
        self.process = await asyncio.create_subprocess_exec(
            program.command,
            *program.args,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=program.env,
            cwd=program.cwd,
        )
        await self.ask(initialize("claude-code"))
        self.tell(INITIALIZED)

    def tell(self, message: dict) -> None:
        self.process.stdin.write(json.dumps(message).encode() + b"\n")

    async def ask(self, message: dict) -> dict:
        self.tell(message)
        async with asyncio.timeout(CALL_SECONDS):
            while line := await self.process.stdout.readline():
                answer = json.loads(line)
                if answer.get("id") == message["id"]:
                    return answer["result"]
        raise ConnectionError("the shim has ended")

    async def say(self, todos: list[dict]) -> dict:
        answer = await self.ask(call("todo_write", {"todos": todos}, next(self.numbers)))
        return answer["structuredContent"]

    async def end(self) -> None:
        self.process.stdin.close()
        async with asyncio.timeout(END_SECONDS):
            assert await self.process.wait() == 0

    async def vanish(self) -> None:
        self.process.kill()
        await self.process.wait()


class SocketAgent(Agent):
    """A WebSocket that speaks for an agent."""

    async def come(self) -> None:
        connection = f"{self.own} {next(self.numbers)}"
        identity = {"agent": {"name": "plain"}, "ownSession": self.own, "connection": connection}
        self.line = Line(self.gateway, {"agent": identity})
        await self.line.open()

    async def say(self, todos: list[dict]) -> dict:
        answer = await self.line.ask("todo.write", todos=todos)
        edits = [edit["editId"] for edit in answer["edits"]]
        told = {"sessionId": answer["sessionId"], "revision": answer["revision"], "edits": edits}
        await self.line.ask("todo.delivered", **told)
        return answer

    async def end(self) -> None:
        await self.line.ask("session.leave")
        await self.line.close()

    async def vanish(self) -> None:
        await self.line.abort()


class HookAgent(Agent):
    """Only the hooks of Claude Code, and its own list; now and then a subagent has one as well."""

    def __init__(self, *given, user: Line):
        super().__init__(*given)
        self.user = user
        self.folder = f"/home/user/{self.name}"
        # A run has its hooks by one way: those of a key are of another run than those of our own command.
        self.way = "command" if self.chance.random() < 0.1 else "http"

    async def hook(self, payload: dict) -> None:
        await heard(self.gateway, CLAUDE, {**payload, "cwd": self.folder}, self.way)

    async def come(self) -> None:
        await self.hook(CLAUDE.prompt(self.own, f"Go on with {self.name}"))

    async def say(self, todos: list[dict]) -> dict:
        await self.hook(CLAUDE.tool(self.own))
        if self.chance.random() < 0.2:
            theirs = [{"content": f"{self.name}: look {next(self.numbers)}", "status": "in_progress"}]
            await self.hook({**self.wrote(theirs), "agent_id": "sub-1", "agent_type": "explorer"})
        await self.hook(self.wrote(todos))
        self.session = self.session or await self.find()
        return {**await self.user.ask("session.get", sessionId=self.session), "sessionId": self.session}

    def wrote(self, todos: list[dict]) -> dict:
        known = {"blocked": "pending", "skipped": "completed", "cancelled": "completed"}
        items = []
        for todo in todos:
            status = todo.get("status", "pending")
            items.append({"content": todo["content"], "status": known.get(status, status), "activeForm": "At it"})
        given = {"todos": items}
        response = {"oldTodos": [], "newTodos": items}
        return CLAUDE.payload(self.own, "PostToolUse", tool_name="TodoWrite", tool_input=given, tool_response=response)

    async def find(self) -> str:
        """The session of its own list, and not of a subagent's."""
        page = (await self.user.ask("session.list", limit=200))["sessions"]
        for one in page:
            if one.get("folder") == self.folder and "ownTool" in one:
                run = await self.user.ask("session.get", sessionId=one["parentSessionId"])
                if "parentSessionId" not in run["session"]:
                    return one["sessionId"]
        raise AssertionError(f"the list of {self.name} is not there")

    async def end(self) -> None:
        await self.hook(CLAUDE.payload(self.own, "Stop"))
        await self.hook(CLAUDE.payload(self.own, "SessionEnd", reason="exit"))

    async def crash(self) -> None:
        """It says no more; some wait for the user with that."""
        if self.there and self.chance.random() < 0.5:
            asked = {"notification_type": "permission_prompt", "message": "May I?"}
            await self.hook(CLAUDE.payload(self.own, "Notification", **asked))
        self.there = False
