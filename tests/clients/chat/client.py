"""A client that holds one chat with the built-in agent."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from gateway import Gateway
from socket_client import Socket, opened


class Chat:
    def __init__(self, socket: Socket):
        self.socket = socket

    async def send(self, content: str, **fields) -> dict:
        self.since = len(self.socket.seen)
        self.started = await self.socket.ask("chat.send", content=content, **fields)
        return self.started

    @property
    def session(self) -> str:
        return self.started["sessionId"]

    async def again(self, **fields) -> None:
        """Goes on where the last run ended."""
        self.since = len(self.socket.seen)
        self.started = await self.socket.ask("chat.resume", sessionId=self.session, **fields)

    async def abort(self) -> None:
        await self.socket.ask("chat.abort", sessionId=self.session)

    def asked_for(self) -> list[str]:
        """The calls that the user was asked for, each once."""
        asked = [m["toolCallId"] for m in self.socket.seen if m["type"] == "tool.approval.request"]
        return list(dict.fromkeys(asked))

    async def allow(self) -> None:
        """Waits for the next call that is asked for, and allows its tool for the session."""
        known = self.asked_for()
        request = await self.socket.first(
            lambda m: m["type"] == "tool.approval.request" and m["toolCallId"] not in known, self.since
        )
        answer = {"toolCallId": request["toolCallId"], "approved": True, "sessionApprove": True}
        await self.socket.ask("tool.approval.response", **answer)

    async def end(self) -> dict:
        """The one message that ends the run."""
        run = self.started["requestId"]
        ends = ("chat.stream.end", "error")
        return await self.socket.first(lambda m: m["type"] in ends and m.get("requestId") == run, self.since)

    async def event(self, kind: str, **fields) -> dict:
        return await self.socket.event(kind, self.since, sessionId=self.session, **fields)

    async def get(self) -> dict:
        return await self.socket.ask("chat.get", sessionId=self.session)

    async def said(self, kind: str) -> list[dict]:
        """The kept messages of one kind."""
        return [message for message in (await self.get())["messages"] if message["kind"] == kind]

    async def notices(self) -> list[str]:
        return [notice["message"] for notice in await self.said("notice")]

    async def todos(self) -> list[dict]:
        return (await self.socket.ask("session.get", sessionId=self.session))["todos"]

    async def statuses(self) -> list[tuple[str, str]]:
        return [(todo["content"], todo["status"]) for todo in await self.todos()]

    def streamed(self) -> str:
        deltas = [m for m in self.socket.seen[self.since :] if m["type"] == "chat.stream.delta"]
        return "".join(delta["delta"] for delta in deltas)


def last_words(question: dict) -> str:
    """The last message that a model got."""
    content = question["messages"][-1]["content"]
    return content if isinstance(content, str) else json.dumps(content)


@asynccontextmanager
async def killed(gateway: Gateway, chat: Chat) -> AsyncIterator[Chat]:
    """The same chat after the gateway was killed and started again."""
    gateway.kill()
    gateway.start()
    async with opened(gateway) as socket:
        await socket.ask("events.subscribe")
        later = Chat(socket)
        later.started, later.since = chat.started, 0
        yield later
