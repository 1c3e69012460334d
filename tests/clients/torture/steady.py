"""Agents that write their lists without a pause, and keep what was acknowledged."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import count

import httpx2

from agent import CALL_SECONDS, call, contents, rpc_answer
from gateway import Gateway
from socket_client import Socket, opened


def a_list(words: str, items: int = 5, length: int = 20) -> list[dict]:
    return [{"id": str(at), "content": f"{words} step {at} ".ljust(length, "x")} for at in range(items)]


async def is_there(socket: Socket, session: str, acknowledged: dict[int, list[str]]) -> None:
    """Each list that was acknowledged is the list of its revision, and there are no others."""
    for revision, words in acknowledged.items():
        then = await socket.ask("session.get", sessionId=session, revision=revision)
        assert contents(then["todos"]) == words, f"revision {revision} of {session}"
    newest = (await socket.ask("session.get", sessionId=session))["revision"]
    assert sorted(acknowledged) == list(range(1, newest + 1))


class Agent:
    """An agent that writes its own list, over and over, and keeps what was acknowledged."""

    def __init__(self, name: str):
        self.name, self.session = name, None
        self.acknowledged: dict[int, list[str]] = {}

    async def send(self, todos: list[dict]) -> dict:
        raise NotImplementedError

    async def work(self, turns: int) -> None:
        for _ in range(turns):
            # Each list is another one: one that is sent once more makes no revision.
            turn = len(self.acknowledged)
            answer = await self.send(a_list(f"{self.name} turn {turn}", turn % 5 + 1))
            self.session = answer["sessionId"]
            assert answer["revision"] not in self.acknowledged
            self.acknowledged[answer["revision"]] = contents(answer["todos"])


class McpAgent(Agent):
    """It has one connection, which it keeps open, as agents' clients do."""

    def __init__(self, name: str, gateway: Gateway, http: httpx2.AsyncClient):
        super().__init__(name)
        self.gateway, self.http, self.numbers = gateway, http, count(1)

    async def send(self, todos: list[dict]) -> dict:
        headers = {
            "Authorization": f"Bearer {self.gateway.agent_token}",
            "Accept": "application/json, text/event-stream",
            "Mcp-Session-Id": self.name,
        }
        message = call("todo_write", {"todos": todos, "session": self.name}, next(self.numbers))
        response = await self.http.post(f"{self.gateway.address}/mcp", json=message, headers=headers)
        assert response.status_code == 200, response.text
        return rpc_answer(response)["result"]["structuredContent"]


class SocketAgent(Agent):
    def __init__(self, name: str, socket: Socket):
        super().__init__(name)
        self.socket = socket

    async def send(self, todos: list[dict]) -> dict:
        return await self.socket.ask("todo.write", session=self.name, todos=todos)


@asynccontextmanager
async def agents(gateway: Gateway, number: int) -> AsyncIterator[list[Agent]]:
    """Half of them over MCP, half over WebSockets, each with a connection of its own."""
    async with AsyncExitStack() as stack:
        them: list[Agent] = []
        for at in range(number // 2):
            http = httpx2.AsyncClient(timeout=CALL_SECONDS, trust_env=False, verify=False)
            them.append(McpAgent(f"mcp {at}", gateway, await stack.enter_async_context(http)))
            them.append(SocketAgent(f"socket {at}", await stack.enter_async_context(opened(gateway))))
        yield them
