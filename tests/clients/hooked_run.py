"""A run of an agent with hooks: a real MCP client that keeps a list, its hooks, and the user beside it."""

from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from uuid import uuid4

from mcp import Client

from agent import INTRODUCED, connected, text_of
from gateway import Gateway
from hooks import Agent, heard
from socket_client import Socket, opened

OWN = [{"content": "Read", "status": "completed"}, {"content": "Fix", "status": "in_progress"}, {"content": "Ship"}]
NOTE = "Use the staging database"


@dataclass
class Run:
    """A run of an agent that has written a list, whose hook saw the result; and the user beside it."""

    gateway: Gateway
    agent: Agent
    client: Client
    user: Socket
    session: str
    own: str = field(default_factory=lambda: str(uuid4()))
    way: str = "http"

    async def hears(self, payload: dict) -> str | None:
        return await heard(self.gateway, self.agent, payload, self.way)

    async def works(self, **fields) -> str | None:
        """An ordinary tool answers the agent."""
        return await self.hears(self.agent.tool(self.own, **fields))

    async def prompted(self, prompt: str = "Go on.") -> str | None:
        return await self.hears(self.agent.prompt(self.own, prompt))

    async def edits(self, kind: str, **fields) -> str:
        """The user's edit; its id."""
        return (await self.user.ask(kind, sessionId=self.session, **fields))["editId"]

    async def states(self) -> list[str]:
        edits = (await self.user.ask("session.get", sessionId=self.session))["edits"]
        return [edit["state"] for edit in edits]

    async def delivered(self, edit: str, event: str) -> None:
        state = await self.user.event("edit.state", editId=edit, state="delivered")
        assert state["toolCall"] == f"hook {event}"


@asynccontextmanager
async def running(gateway: Gateway, agent: Agent, mcp: str = "http", way: str = "http"):
    """An agent whose first call wrote its list; the hook of that very call came, and answered nothing."""
    async with connected(gateway, mcp, name=agent.client) as client, opened(gateway) as user:
        await user.ask("events.subscribe")
        result = await client.call_tool("todo_write", {"todos": OWN})
        session = result.structured_content["sessionId"]
        assert INTRODUCED.search(text_of(result))[1] == session
        run = Run(gateway, agent, client, user, session, way=way)
        assert await run.hears(agent.wrote(run.own, OWN, result)) is None
        yield run
