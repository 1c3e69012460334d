"""One list of several agents: steps are assigned, and each agent is told of its own and of nobody's."""

import pytest

from agent import WAYS, connected, contents, read, step, write
from gateway import eventually
from hooks import CLAUDE, heard
from socket_client import opened
from terminal import COMMAND_SECONDS, run, succeed

pytestmark = pytest.mark.anyio

LIST = [{"content": content} for content in ("Read", "Fix", "Test", "Ship")]


def listed(session: dict) -> list[tuple[str, str | None]]:
    return [(item["content"], item.get("owner")) for item in session["todos"]]


# K4
@pytest.mark.parametrize("way", WAYS)
async def test_two_of_a_kind_share_a_list(gateway, way):
    async with (
        connected(gateway, way, label="api") as one,
        connected(gateway, way, label="api") as two,
        opened(gateway) as socket,
    ):
        await socket.ask("events.subscribe")
        session = (await write(one, LIST))["sessionId"]
        assert (await write(two, LIST))["sessionId"] == session
        known = await socket.ask("session.get", sessionId=session)
        first, second = known["session"]["agents"]
        assert second == f"{first} 2"

        assert "owner of TODO at 3" in succeed(gateway, "todo", "assign", "3", second.upper())
        assert "owner of TODO at 2" in succeed(gateway, "todo", "assign", "2", first)
        refused = run(gateway, "todo", "assign", "1", "nobody of this name")
        assert refused.code == 1 and f"use {first}, {second} or nobody" in refused.said
        # The window hears who has which.
        told = await socket.event("todo.update", sessionId=session, revision=3)
        assert listed(told) == [("Read", None), ("Fix", first), ("Test", second), ("Ship", None)]

        said = await read(one)
        assert contents(said["todos"]) == ["Read", "Fix", "Ship"]
        assert f"you are {first}" in said["text"] and "yours)" in said["text"] and "Test" not in said["text"]
        assert 'assigned "Fix" to you' in said["text"] and f"you are {first}" in said["news"]
        # From its context, and the other's step is done by it as well.
        said = await write(one, [*LIST[:2], {"content": "Test", "status": "completed"}, LIST[3]])
        assert contents(said["todos"]) == ["Read", "Fix", "Ship"]
        assert f'"Test" is assigned to {second} now' in said["text"]
        # It takes what is left, and empties it.
        await write(one, [])
        said = await read(two)
        assert [(item["content"], item["status"]) for item in said["todos"]] == [("Test", "pending")]
        done = await step(two, "complete_multiple", ids=[1])
        assert done.ok and contents(done.structured["todos"]) == ["Test"]
        known = await socket.ask("session.get", sessionId=session)
        assert listed(known) == [("Test", second)] and known["todos"][0]["status"] == "completed"


async def test_what_is_nobodys_again_is_told_again(gateway):
    async with connected(gateway, label="api") as one, connected(gateway, label="api") as two, opened(gateway) as socket:
        session = (await write(one, LIST[:2]))["sessionId"]
        await read(two)
        second = (await socket.ask("session.get", sessionId=session))["session"]["agents"][1]
        done = await socket.ask("todo.edit", sessionId=session, position="2", owner=second)
        assert contents((await read(one))["todos"]) == ["Read"]
        await socket.ask("todo.undo", sessionId=session, editId=done["editId"])
        said = await write(one, LIST[:1])
        assert contents(said["todos"]) == ["Read", "Fix"], "it was not told that it is there again"


async def test_another_process_of_the_gateway_knows_who_has_which(gateway):
    async with connected(gateway, "stdio", label="api") as one, connected(gateway, "stdio", label="api") as two:
        session = (await write(one, LIST))["sessionId"]
        await write(two, LIST)
        async with opened(gateway) as socket:
            names = (await socket.ask("session.get", sessionId=session))["session"]["agents"]
            await socket.ask("todo.edit", sessionId=session, position="1", owner=names[1])
        assert contents((await read(one))["todos"]) == ["Fix", "Test", "Ship"]
        # A shim starts the next one.
        gateway.stop()
        assert contents((await write(one, LIST[1:]))["todos"]) == ["Fix", "Test", "Ship"]
        assert contents((await read(two))["todos"]) == ["Read", "Fix", "Test", "Ship"]
        async with opened(gateway) as socket:
            known = await socket.ask("session.get", sessionId=session)
            assert (known["session"]["agents"], listed(known)[0]) == (names, ("Read", names[1]))


async def test_a_hook_tells_its_agent_of_its_steps(gateway):
    async with (
        connected(gateway, label="api") as other,
        connected(gateway, label="api", name="claude-code") as claude,
        opened(gateway) as socket,
    ):
        await write(other, LIST)
        own = "0b0f6c0e-5d0f-4a58-8a3d-0d6f7c1f3a11"
        # The result names the session, by which the hook's run is known.
        result = await claude.call_tool("todo_write", {"todos": LIST})
        await heard(gateway, CLAUDE, CLAUDE.wrote(own, LIST, result))
        session = result.structured_content["sessionId"]
        names = (await socket.ask("session.get", sessionId=session))["session"]["agents"]
        assert "claude" in names
        theirs = next(name for name in names if name != "claude")
        await socket.ask("todo.edit", sessionId=session, position="1", owner=theirs)
        assert not await heard(gateway, CLAUDE, CLAUDE.tool(own))
        await socket.ask("todo.edit", sessionId=session, position="2", owner="claude")
        told = await heard(gateway, CLAUDE, CLAUDE.tool(own))
        assert 'assigned "Fix" to you' in told and "Read" not in told

        async def delivered() -> bool:
            edits = (await socket.ask("session.get", sessionId=session))["edits"]
            return [edit["state"] for edit in edits] == ["queued", "delivered"]

        await eventually(delivered, COMMAND_SECONDS, "the edit is delivered")
        assert contents((await read(claude))["todos"]) == ["Fix", "Test", "Ship"]


HOSTILE = ["x" * 2_001, 7, ["codex"], {"name": "codex"}, True]


@pytest.mark.parametrize("owner", HOSTILE, ids=lambda owner: type(owner).__name__)
async def test_an_owner_that_is_no_name_changes_nothing(gateway, owner):
    async with connected(gateway, label="api") as one, connected(gateway, label="api") as two, opened(gateway) as socket:
        session = (await write(one, LIST))["sessionId"]
        await read(two)
        answer = await socket.answer("todo.edit", sessionId=session, position="1", owner=owner)
        said = await read(one)
        assert answer["type"] == "error" or contents(said["todos"]) == contents(LIST), answer
        # Names that only look like one of an agent hide nothing.
        names = (await socket.ask("session.get", sessionId=session))["session"]["agents"]
        for name in (f" {names[1]}", f"{names[1]}\u200b", f"<b>{names[1]}</b>", ""):
            await socket.ask("todo.edit", sessionId=session, position="1", owner=name)
            assert contents((await read(one))["todos"]) == contents(LIST), name
