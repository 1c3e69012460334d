"""A Tek gateway as a host: all that the real one told the clients of the 39 recorded stories is told to ours, and the
user's messages and decisions go there."""

import asyncio
import json
from contextlib import AsyncExitStack

import pytest
from gateway import eventually
from hosts import SECONDS, answering, silent
from socket_client import Refused, Socket, opened
from terminal import run

from chat.tek_gateway import STORIES, Expected, Tek, plain, side, sockets, tek_gateway

pytestmark = pytest.mark.anyio

QUIET = {"idle", "stale", "finished"}


async def listed(user: Socket) -> list[dict]:
    current = (await user.ask("session.list"))["sessions"]
    return [session for session in current if session["agent"]["name"] == "tek"]


async def list_of(user: Socket, run_id: str) -> str | None:
    """The list that a run has written with its own tool."""
    return next((one["sessionId"] for one in await listed(user) if one.get("parentSessionId") == run_id), None)


async def history(user: Socket, run_id: str) -> list:
    """The lists of a run one after the other, and its state."""
    known = await user.ask("session.get", sessionId=run_id)
    own = await list_of(user, run_id)
    lists = []
    if own is not None:
        newest = (await user.ask("session.get", sessionId=own))["revision"]
        for revision in range(1, newest + 1):
            at = await user.ask("session.get", sessionId=own, revision=revision)
            now = [[todo["content"], todo["status"]] for todo in at["todos"]]
            # Other fields may have changed alone.
            if now != (lists[-1] if lists else []):
                lists.append(now)
    state = known["session"]["state"]
    return [lists, "quiet" if state in QUIET else state]


async def run_ids(user: Socket, host: str) -> set[str]:
    """The runs of a host; of one with a list that list is told in its place."""
    found = [session for session in await listed(user) if session.get("project") == host]
    return {one["parentSessionId"] if "ownTool" in one else one["sessionId"] for one in found}


async def runs(user: Socket, host: str) -> list:
    return sorted([await history(user, run_id) for run_id in await run_ids(user, host)])


async def decide(user: Socket, tek: Tek) -> None:
    """Answers what the gateway asks, as the recorded client did."""
    while True:
        approved = await tek.wanted.get()

        async def waiting():
            return (await user.ask("permission.list"))["permissions"]

        [permission] = await eventually(waiting, SECONDS, "the user is asked")
        ids = {"sessionId": permission["sessionId"], "permissionId": permission["permissionId"]}
        await user.ask("permission.answer", **ids, allow=approved)


def normal(expected: list) -> list:
    """As it comes over a wire."""
    return json.loads(json.dumps(expected))


# H15
@pytest.mark.parametrize("story", STORIES)
async def test_every_recorded_story_comes_out_as_it_was_told(gateway, story):
    async with AsyncExitStack() as stack:
        user = await stack.enter_async_context(opened(gateway))
        for socket in sockets(story):
            lines = side(story, socket)
            tek = await stack.enter_async_context(tek_gateway(lines))
            deciding = asyncio.create_task(decide(user, tek))
            await user.ask("hosts.add", name=socket, address=tek.address)
            async with asyncio.timeout(SECONDS):
                await tek.is_over.wait()
            expected = normal(Expected(lines).all)

            async def met(socket=socket, expected=expected):
                found = await runs(user, socket)
                compared = [[lists, "asks" if state == "waiting" else state] for lists, state in found]
                return compared == expected

            try:
                await eventually(met, SECONDS, f"{story}, {socket}")
            except AssertionError:
                assert await runs(user, socket) == expected
            deciding.cancel()


def chat(request: str, session: str, *lists: list[dict]) -> list[dict]:
    """The messages of a chat that writes these lists."""
    told: list[dict] = [{"type": "chat.stream.start", "requestId": request, "sessionId": session, "model": "made:up"}]
    for todos in lists:
        told.append({"type": "todo.update", "requestId": "stale", "todos": todos})
        args = {"todos": todos}
        told.append(
            {"type": "tool.call", "requestId": request, "toolCallId": "c", "toolName": "todo_write", "args": args}
        )
    told.append({"type": "chat.stream.end", "requestId": request, "usage": {}, "cost": {}})
    return told


KNOWN = {"sessionId": "theirs", "sessionKey": "agent:global:theirs", "model": "m", "messageCount": 2}
STEPS = [{"id": "1", "content": "Read", "status": "in_progress"}, {"id": "2", "content": "Fix", "status": "pending"}]


async def the_run(user: Socket, host: str = "tek") -> dict:
    async def met():
        return [one for one in await listed(user) if one.get("project") == host and "ownTool" not in one]

    [session] = await eventually(met, SECONDS, "its session is here")
    return session


# H16
async def test_a_message_goes_into_its_chat_once_and_waits_for_the_gateway(gateway):
    async with opened(gateway) as user:
        async with tek_gateway() as tek:
            tek.sessions = [KNOWN]
            await user.ask("hosts.add", name="tek", address=tek.address)
            up = await answering(user, "tek")
            assert up["address"] == tek.address
            session = await the_run(user)
            await user.ask("note.send", sessionId=session["sessionId"], text="Go on")
            sent = await tek.first("chat.send")
            assert (sent["sessionId"], sent["content"]) == ("theirs", "Go on")
            # Another chat of that connection was faster.
            await tek.tell({"type": "chat.stream.start", "requestId": "other", "sessionId": "theirs", "model": "m"})
            refused = {"type": "error", "requestId": sent["id"], "code": "STREAM_IN_PROGRESS", "message": "busy"}
            await tek.tell(refused)
            heard = len(tek.heard)
            await tek.tell({"type": "chat.stream.end", "requestId": "other", "usage": {}, "cost": {}})
            again = await tek.first("chat.send", heard)
            assert again["content"] == "Go on" and again["id"] != sent["id"]
            heard = len(tek.heard)
            await user.ask("note.send", sessionId=session["sessionId"], text="And then rest")
            for message in chat(again["id"], "theirs", STEPS):
                await tek.tell(message)
            second = await tek.first("chat.send", heard)
            assert second["content"] == "And then rest"

            async def met():
                return (await history(user, session["sessionId"]))[0] == [[list(one) for one in plain(STEPS)]]

            await eventually(met, SECONDS, "its list is here")
            edits = (await user.ask("session.get", sessionId=session["sessionId"]))["edits"]
            assert "queued" not in [edit["state"] for edit in edits if edit["text"] == "Go on"], edits
            for message in chat(second["id"], "theirs"):
                await tek.tell(message)
            # Its list cannot be edited from here.
            own = await list_of(user, session["sessionId"])
            with pytest.raises(Refused) as why:
                await user.ask("todo.add", sessionId=own, content="Mine")
            assert why.value.code == "READ_ONLY"
            port = tek.port
        await silent(user, "tek")
        await user.ask("note.send", sessionId=session["sessionId"], text="Later")
        async with tek_gateway(port=port) as tek:
            tek.sessions = [KNOWN]
            assert (await tek.first("chat.send"))["content"] == "Later"
            assert [one["content"] for one in tek.heard if one["type"] == "chat.send"] == ["Later"]


# H15
async def test_what_is_too_long_or_no_gateway_is_told_and_tried_again(gateway):
    async with opened(gateway) as user:
        async with tek_gateway() as tek:
            await user.ask("hosts.add", name="tek", address=tek.address)
            await answering(user, "tek")
            for odd in ("{ half", "[]", "", '{"type":"todo.update"}', '{"type":"no.such.type"}'):
                await tek.tell(odd)
            await tek.tell("x" * (1024 * 1024 + 1))
            assert "1048576" in (await silent(user, "tek"))["problem"]
            await answering(user, "tek")
            assert len(tek.connections) == 2
        assert (await silent(user, "tek"))["problem"]


# H15
async def test_only_a_tek_gateway_on_this_machine_is_spoken_to(gateway):
    for address in ("tek://192.0.2.1:3271", "tek://box.example.net"):
        said = run(gateway, "host", "add", "tek", address)
        assert said.code == 1 and "only one on this machine" in said.said, said
    async with opened(gateway) as user, tek_gateway() as tek:
        done = run(gateway, "host", "add", "tek", tek.address)
        assert done.code == 0 and "waits to be confirmed" in done.out, done
        assert not tek.connections
        await user.ask("hosts.confirm", name="tek", address=tek.address, accept=True)
        await answering(user, "tek")
        with pytest.raises(Refused) as why:
            await user.ask("hosts.key", name="tek", key="id.secret")
        assert why.value.code == "INVALID_KEY"
