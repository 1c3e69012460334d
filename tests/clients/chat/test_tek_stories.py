"""Every recorded story of the older protocol (`tek/README.md`), replayed message by message: each gets the answer that
it got then, or a refusal in that protocol's form, and the connection hears what happens afterwards."""

import asyncio
import json
from contextlib import AsyncExitStack
from itertools import count
from pathlib import Path

import pytest

from chat.model import COMPLEX, SIMPLE, calls, plan, provider, says
from chat.test_tek import FIELDS, everything
from socket_client import Socket, opened

pytestmark = pytest.mark.anyio

FOLDER = Path(__file__).parent / "tek"
STORIES = json.loads((FOLDER / "stories.json").read_text())
PROMPTS = json.loads((FOLDER / "prompts.json").read_text())

# The model goes on saying it for as long as the agent asks.
STILL = 12
ENDS = ("chat.stream.end", "error")
# Answers of a prompt that had a model.
BEGUN = {"chat.stream.start", "preflight.checklist"}
# The words of a refusal of ours are for people, so there are some.
WORDS = 10


def script(turns: list[dict], *, slow: bool, planned: bool) -> list[dict]:
    """The answers of the model to one prompt."""
    first = (COMPLEX, plan({"content": "Add them up", "tool": "all__get-sum"})) if planned else (SIMPLE,)
    answers = []
    for turn in turns or [{"text": ""}]:
        if "error" in turn:
            answers.append({"error": {"message": "no such thing", "type": "invalid_request_error"}, "status": 400})
        elif "calls" in turn:
            made = [(name, arguments) for name, arguments in turn["calls"]]
            answers.append(calls(*made, text=turn.get("text")))
        else:
            answers.append(says(turn.get("text", "")))
        if slow:
            answers[-1]["latency"] = 200
    return [*[dict(answer) for answer in first], *answers, *[says("Still.") for _ in range(STILL)]]


class Story:
    """A story that is being told to a gateway."""

    def __init__(self, gateway, model, sockets: dict[str, Socket], ours: Socket, witness: str):
        self.gateway, self.model = gateway, model
        self.sockets, self.ours, self.witness = sockets, ours, witness
        self.sessions: list[str] = []
        # Chats that have not ended yet, by the ids of their messages; and those whose plan waits for the user.
        self.running: dict[str, Socket] = {}
        self.planned: set[str] = set()
        self.words = count(1)

    async def tell(self, turns: list[dict]) -> None:
        for turn in turns:
            socket = self.sockets[turn["socket"]]
            since = len(socket.seen)
            await self.send(socket, turn)
            if "closed" in turn:
                return await self.closes(socket, turn, since)
            await self.answered(socket, turn, since)
            if turn.get("leaves"):
                await socket.connection.close()
                self.running.clear()
            elif not turn.get("meanwhile"):
                await self.chats_end()
                if not self.running:
                    await self.hears(socket)

    async def send(self, socket: Socket, turn: dict) -> None:
        if "size" in turn:
            pad = "x" * turn["size"]
            return await socket.tell(json.dumps({"type": "session.list", "id": "big", "pad": pad}))
        if "raw" in turn:
            return await socket.tell(turn["raw"])
        message = dict(turn["send"])
        if str(message.get("sessionId")).startswith("session "):
            # One of Claude Code's own sessions has no counterpart here.
            number = int(message["sessionId"].split()[1])
            message["sessionId"] = self.sessions[number - 1] if number <= len(self.sessions) else "none"
        if message.get("type") == "preflight.approval" and message["requestId"] in self.planned:
            await socket.event("preflight.checklist", requestId=message["requestId"])
            self.planned.remove(message["requestId"])
        if message.get("content") in PROMPTS and not self.running:
            self.prepare(message["content"], turn)
        text = json.dumps(message)
        await socket.tell(text.encode() if turn.get("binary") else text)

    def prepare(self, prompt: str, turn: dict) -> None:
        """Gives the model what it is to say."""
        self.model.stop()
        planned = "preflight.checklist" in turn["answers"]
        slow = not planned and (turn.get("meanwhile", False) or not set(ENDS) & set(turn["answers"]))
        self.model.start(*script(PROMPTS[prompt], slow=slow, planned=planned))

    async def answered(self, socket: Socket, turn: dict, since: int) -> None:
        """Waits for the first answer, and looks whether it is one of those of the story, or a refusal."""
        sent = turn.get("send", {})
        name, kind = sent.get("id"), sent.get("type")

        def is_answer(message: dict) -> bool:
            if message["type"] == "todo.update":
                return False
            own = message.get("requestId", message.get("id"))
            if own is not None:
                return own == str(name)
            return message["type"] in ("error", "session.created")

        answer = await socket.first(is_answer, since)
        if answer["type"] == "error":
            assert answer["code"] and len(answer["message"]) > WORDS, answer
            return
        # Messages without an answer of their own are acknowledged.
        assert answer["type"] in turn["answers"] or (not turn["answers"] and answer["type"] == f"{kind}.result"), answer
        if kind == "chat.send":
            begun = answer if "sessionId" in answer else await socket.event("chat.stream.start", since, requestId=name)
            if begun["sessionId"] not in self.sessions:
                self.sessions.append(begun["sessionId"])
            self.running[name] = socket
            if "preflight.checklist" in turn["answers"]:
                self.planned.add(name)

    async def chats_end(self) -> None:
        """Waits for the end of each chat whose plan does not wait for the user."""
        for name, socket in list(self.running.items()):
            if name not in self.planned:
                await socket.first(lambda m, name=name: m.get("requestId") == name and m["type"] in ENDS)
                del self.running[name]

    async def hears(self, socket: Socket) -> None:
        """Changes the list that the connection shows from elsewhere; it is told so."""
        told = [m["sessionId"] for m in socket.seen if m["type"] in ("session.created", "chat.stream.start")]
        session, word = told[-1] if told else self.witness, f"heard {next(self.words)}"

        def has(message: dict) -> bool:
            return message["type"] == "todo.update" and word in [todo["content"] for todo in message["todos"]]

        since = len(socket.seen)
        edit = await self.ours.ask("todo.add", sessionId=session, content=word, position="last")
        await socket.first(has, since)
        since = len(socket.seen)
        await self.ours.ask("todo.undo", sessionId=session, editId=edit["editId"])
        await socket.first(lambda m: m["type"] == "todo.update" and not has(m), since)

    async def closes(self, socket: Socket, turn: dict, since: int) -> None:
        """Ends the gateway as the story does; the socket is closed by it."""
        if "size" in turn:
            assert await socket.end() == turn["closed"]
            return
        await socket.event("chat.stream.start", since)
        if turn["closed"] == 1006:
            self.gateway.kill()
            assert await socket.end() == 1006
        else:
            await asyncio.to_thread(self.gateway.stop)
            # With a reason, which the original has not.
            assert await socket.end() == 1001


def has_its_fields(message: dict) -> bool:
    fields = FIELDS.get(message["type"])
    return fields is None or set(message) - {"type"} in (fields, fields - {"requestId"})


@pytest.mark.parametrize("name", STORIES)
async def test_a_story(gateway, model, name):
    turns = STORIES[name]
    async with AsyncExitStack() as stack:
        ours = await stack.enter_async_context(opened(gateway))
        if any(BEGUN & set(turn["answers"]) for turn in turns):
            await ours.ask("settings.update", **provider(model), chatServers=[everything()])
        witness = (await ours.ask("todo.write", session="witness", todos=[{"content": "There before"}]))["sessionId"]
        names = sorted({turn["socket"] for turn in turns})
        sockets = {name: await stack.enter_async_context(opened(gateway)) for name in names}
        await Story(gateway, model, sockets, ours, witness).tell(turns)
        for socket in sockets.values():
            assert [message for message in socket.seen if not has_its_fields(message)] == []
