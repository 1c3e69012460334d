"""Lines to the agent, and edits that the user insists on: sent by socket or terminal, told over MCP."""

import json

import pytest

import agent
from agent import WAYS, connected, contents
from socket_client import Refused, opened
from terminal import run, succeed

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("way", WAYS)]

OWN = [{"content": "Read"}, {"content": "Ship"}]
NOTE = "Use the staging database, <b>not</b> production"
PENDING = "Message pending, delivered on the agent's next call"


# P11
async def test_a_note_is_told_once_and_changes_no_item(gateway, way):
    async with connected(gateway, way) as client, opened(gateway) as socket:
        await socket.ask("events.subscribe")
        session = (await agent.write(client, OWN))["sessionId"]
        sent = await socket.ask("note.send", sessionId=session, text=NOTE)
        assert sent["message"] == f'{PENDING}: "{NOTE}"' and contents(sent["todos"]) == ["Read", "Ship"]
        result = await client.call_tool("todo_read", {})
        assert f"The user tells you: {NOTE}" in result.content[0].text
        await socket.event("edit.state", editId=sent["editId"], state="delivered")
        again = await client.call_tool("todo_write", {"todos": OWN})
        assert NOTE not in again.content[0].text, "once is enough"
        known = await socket.ask("session.get", sessionId=session)
        assert [(edit["kind"], edit["text"]) for edit in known["edits"]] == [("note", NOTE)], "it is kept"


async def test_what_is_no_note(gateway, way):
    async with connected(gateway, way) as client, opened(gateway) as socket:
        session = (await agent.write(client, OWN))["sessionId"]
        for text in ("", " \n", "x" * 2001):
            with pytest.raises(Refused) as refused:
                await socket.ask("note.send", sessionId=session, text=text)
            assert "a message has 1 to 2000" in str(refused.value)
        assert (await socket.ask("session.get", sessionId=session))["revision"] == 1


# P11
async def test_what_the_user_insists_on_is_made_and_told_again(gateway, way):
    async with connected(gateway, way) as client, opened(gateway) as socket:
        await socket.ask("events.subscribe")
        session = (await agent.write(client, OWN))["sessionId"]
        edit = (await socket.ask("todo.setStatus", sessionId=session, position="2", status="blocked"))["editId"]
        with pytest.raises(Refused):
            await socket.ask("edit.insist", sessionId=session, editId=edit)
        await agent.write(client, [OWN[0], {**OWN[1], "status": "in_progress"}])
        await socket.event("edit.state", editId=edit, state="overridden")
        again = await socket.ask("edit.insist", sessionId=session, editId=edit)
        assert again["todos"][1]["status"] == "blocked" and again["editId"] != edit
        await socket.event("edit.state", editId=edit, state="superseded")
        result = await client.call_tool("todo_read", {})
        assert 'set "Ship": status blocked (the user insists on it)' in result.content[0].text
        await agent.write(client, [OWN[0], {**OWN[1], "status": "blocked"}])
        await socket.event("edit.state", editId=again["editId"], state="reflected")


async def test_both_in_a_terminal(gateway, way):
    async with connected(gateway, way) as client, opened(gateway) as socket:
        session = (await agent.write(client, OWN))["sessionId"]
        assert (
            succeed(gateway, "note", "--session", session, "ask", "me", "first") == f'{PENDING}: "ask me first"\n'
        )
        nothing = run(gateway, "todo", "insist", "--session", session)
        assert nothing.code == 1 and "neither overrode nor ignores" in nothing.err
        assert run(gateway, "note", "--session", session).err == "Usage: sightline note <text>\n"
        await socket.ask("todo.delete", sessionId=session, position="2")
        for _ in range(3):
            told = await agent.write(client, OWN)
        assert contents(told["todos"]) == ["Read"]
        assert succeed(gateway, "todo", "insist", "--session", session) == 'Sent again: "Ship"\n'
        asked = json.loads(run(gateway, "note", "--session", session, "--json", "one more").out)
        assert asked["editId"] and asked["message"] == f'{PENDING}: "one more"'
