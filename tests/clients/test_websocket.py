"""A plain WebSocket client: requests, answers, and events in their order."""

import asyncio
import json
import socket as sockets
from contextlib import AsyncExitStack

import pytest
from websockets.asyncio.client import connect

import agent
from agent import connected, contents
from socket_client import Refused, Socket, opened

pytestmark = pytest.mark.anyio

THREE = [
    {"id": "a", "content": "Read", "status": "completed"},
    {"id": "b", "content": "Fix", "status": "in_progress", "activeForm": "Fixing"},
    {"id": "c", "content": "Test", "status": "pending"},
]


def number(cursor: str) -> tuple[str, int]:
    """`dbId:n`."""
    database, _, count = cursor.rpartition(":")
    return database, int(count)


def updates(socket: Socket, since: int = 0, session: str | None = None) -> list[dict]:
    """The `todo.update` events that came, of one session or of all."""
    return [m for m in socket.seen[since:] if m["type"] == "todo.update" and session in (None, m["sessionId"])]


# D2
async def test_hello_says_what_it_is(gateway):
    async with opened(gateway) as socket:
        hello = await socket.ask("hello", client={"name": "pytest"})
        assert hello["protocol"] == 1
        assert hello["version"]
        number(hello["cursor"])


# D2, D4, G2
async def test_every_subscriber_gets_every_list(gateway):
    async with AsyncExitStack() as stack:
        sockets = [await stack.enter_async_context(opened(gateway)) for _ in range(3)]
        for socket in sockets:
            snapshot = await socket.ask("events.subscribe")
            assert snapshot["sessions"] == [] and snapshot["whole"] is True
        client = await stack.enter_async_context(connected(gateway))
        session = (await agent.write(client, THREE))["sessionId"]

        async def is_told(revision: int) -> None:
            # A subscriber that is slower than the changes of a list gets the newest one only.
            for socket in sockets:
                await socket.event("todo.update", sessionId=session, revision=revision)

        await is_told(1)
        await sockets[0].ask("todo.add", sessionId=session, position="1", content="Ask", priority="high")
        await is_told(2)
        await sockets[1].ask("todo.delete", sessionId=session, position="last")
        await is_told(3)
        for socket in sockets:
            came = updates(socket, session=session)
            assert [update["revision"] for update in came] == [1, 2, 3]
            cursors = [number(message["cursor"]) for message in socket.seen if "cursor" in message]
            assert len({database for database, _ in cursors}) == 1
            assert all(a < b for a, b in zip(cursors, cursors[1:], strict=False)), "cursors only ever rise"

        first, added, removed = updates(sockets[2], session=session)
        assert contents(first["todos"]) == ["Read", "Fix", "Test"]
        assert first["todos"][1]["activeForm"] == "Fixing"
        assert "activeForm" not in first["todos"][2], "left out where there is none"
        assert first["actor"]["kind"] == "agent" and first["actor"]["transport"] == "mcp"
        assert first["session"]["progress"]["completed"] == 1 and first["session"]["progress"]["total"] == 3
        assert added["actor"]["kind"] == "user" and added["actor"]["transport"] == "websocket"
        assert added["todos"][0]["origin"] == "user" and added["todos"][0]["priority"] == "high"
        assert contents(removed["todos"]) == ["Ask", "Read", "Fix"]
        assert all(update["requestId"] for update in (first, added, removed))


# G2
async def test_an_update_names_the_write_that_caused_it(gateway):
    async with opened(gateway) as socket, opened(gateway) as other:
        await other.ask("events.subscribe")
        written = await socket.ask("todo.write", id="my-call", session="label", todos=THREE)
        assert written["session"] == "label" and written["revision"] == 1
        update = await other.event("todo.update", sessionId=written["sessionId"], revision=1)
        assert update["requestId"] == "my-call"
        await socket.ask("todo.add", id="my-edit", sessionId=written["sessionId"], content="Ask")
        update = await other.event("todo.update", sessionId=written["sessionId"], revision=2)
        assert update["requestId"] not in ("", "my-edit"), "an edit's update has the revision's own id"


# D2: either the snapshot has the write or an event brings it, never both, never neither.
async def test_no_gap_and_no_duplicate_between_snapshot_and_events(gateway):
    async with opened(gateway) as writer, opened(gateway) as reader:
        session = (await writer.ask("todo.write", session="busy", todos=[]))["sessionId"]
        for turn in range(60):
            mark = len(reader.seen)
            todos = [{"id": "x", "content": f"Turn {turn}", "status": "pending"}]
            written, snapshot = await asyncio.gather(
                writer.ask("todo.write", session="busy", todos=todos), reader.ask("events.subscribe")
            )
            revision = written["revision"]
            (known,) = (s for s in snapshot["sessions"] if s["sessionId"] == session)
            if known["revision"] < revision:
                await reader.event("todo.update", since=mark, sessionId=session, revision=revision)
            # The answer comes after everything that was there before the question.
            await reader.ask("gateway.status")
            place = next(i for i in range(mark, len(reader.seen)) if reader.seen[i] is snapshot)
            came = [u["revision"] for u in updates(reader, place, session)]
            assert came == list(range(known["revision"] + 1, revision + 1))


# D2
async def test_a_busy_writer_is_followed_in_order(gateway):
    last = 150
    readers = 4
    reached = [asyncio.Event() for _ in range(readers)]

    async def write(socket: Socket) -> None:
        for turn in range(last):
            if turn % (last // readers) == 0 and turn // (last // readers) < readers:
                reached[turn // (last // readers)].set()
            await socket.ask("todo.write", session="busy", todos=[{"id": "x", "content": f"Turn {turn}"}])

    async def follow(number_of_reader: int) -> None:
        async with opened(gateway) as socket:
            await reached[number_of_reader].wait()
            snapshot = await socket.ask("events.subscribe")
            place = socket.seen.index(snapshot)
            (known,) = (s for s in snapshot["sessions"] if s["sessionId"] == session)
            await socket.first(lambda m: m["type"] == "todo.update" and m["revision"] == last + 1, place)
            came = updates(socket, place, session)
            assert len(came) > 1, "it subscribed while the writer was busy"
            revisions = [known["revision"], *(u["revision"] for u in came)]
            assert all(a < b for a, b in zip(revisions, revisions[1:], strict=False))
            cursors = [number(snapshot["cursor"]), *(number(u["cursor"]) for u in came)]
            assert all(a < b for a, b in zip(cursors, cursors[1:], strict=False))

    async with opened(gateway) as writer:
        session = (await writer.ask("todo.write", session="busy", todos=[]))["sessionId"]
        async with asyncio.TaskGroup() as group:
            group.create_task(write(writer))
            for reader in range(readers):
                group.create_task(follow(reader))


# D2
async def test_a_subscriber_that_comes_back_gets_what_changed_meanwhile(gateway):
    async with opened(gateway) as writer:
        quiet = (await writer.ask("todo.write", session="quiet", todos=THREE))["sessionId"]
        busy = (await writer.ask("todo.write", session="busy", todos=THREE))["sessionId"]
        async with opened(gateway) as reader:
            cursor = (await reader.ask("events.subscribe"))["cursor"]
        await writer.ask("todo.delete", sessionId=busy, position="1")
        await writer.ask("todo.delete", sessionId=busy, position="1")
        async with opened(gateway) as reader:
            snapshot = await reader.ask("events.subscribe", since=cursor)
            assert snapshot["whole"] is False
            assert [s["sessionId"] for s in snapshot["sessions"]] == [busy], f"nothing of {quiet}"
            assert snapshot["sessions"][0]["revision"] == 3
            assert contents(snapshot["sessions"][0]["todos"]) == ["Test"]
            again = await reader.ask("events.subscribe", since=snapshot["cursor"])
            assert again["sessions"] == [] and again["whole"] is False


# D2
async def test_a_cursor_of_another_database_gets_the_whole(gateway):
    async with opened(gateway) as socket:
        session = (await socket.ask("todo.write", session="label", todos=THREE))["sessionId"]
        for cursor in ("someone-elses:3", "not a cursor", ""):
            snapshot = await socket.ask("events.subscribe", since=cursor)
            assert snapshot["whole"] is True
            assert [s["sessionId"] for s in snapshot["sessions"]] == [session]


# D3, D6
async def test_sessions_are_listed_in_pages(gateway):
    async with opened(gateway) as socket:
        made = [(await socket.ask("todo.write", session=f"s{i}", todos=THREE))["sessionId"] for i in range(5)]
        found, cursor, pages = [], {}, 0
        while True:
            page = await socket.ask("session.list", limit=2, **cursor)
            found += page["sessions"]
            pages += 1
            if "nextCursor" not in page:
                break
            cursor = {"cursor": page["nextCursor"]}
        assert pages == 3
        assert [s["sessionId"] for s in found] == made[::-1], "the newest activity first"
        for session in found:
            assert session["sessionKey"].endswith(session["sessionId"])
            assert session["messageCount"] == 1 and "model" in session and session["createdAt"]


# D3, D6
async def test_a_session_is_read_at_any_revision(gateway):
    async with opened(gateway) as socket:
        session = (await socket.ask("todo.write", session="label", todos=THREE))["sessionId"]
        for turn in range(5):
            await socket.ask("todo.add", sessionId=session, content=f"Extra {turn}")
        for name in (session, "label", session[: len(session) - 2]):
            now = await socket.ask("session.get", sessionId=name)
            assert now["session"]["sessionId"] == session and now["revision"] == 6
            assert len(now["todos"]) == 8
        for revision in range(1, 7):
            then = await socket.ask("session.get", sessionId=session, revision=revision)
            assert contents(then["todos"]) == ["Read", "Fix", "Test", *(f"Extra {i}" for i in range(revision - 1))]
        with pytest.raises(Refused) as refused:
            await socket.ask("session.get", sessionId=session, revision=7)
        assert refused.value.code == "REVISION_NOT_FOUND"
        with pytest.raises(Refused) as refused:
            await socket.ask("session.get", sessionId="nobody")
        assert refused.value.code == "SESSION_NOT_FOUND"


# D3
async def test_revisions_say_what_changed_and_come_in_pages(gateway):
    async with opened(gateway) as socket:
        first = await socket.ask("todo.write", session="label", todos=THREE)
        session = first["sessionId"]
        added = await socket.ask("todo.add", sessionId=session, content="Ask")
        await socket.ask("todo.delete", sessionId=session, position="1")
        await socket.ask("todo.write", session="label", todos=[{**THREE[1], "status": "completed"}, THREE[2]])
        page = await socket.ask("session.revisions", sessionId=session, limit=3)
        assert [r["revision"] for r in page["revisions"]] == [4, 3, 2]
        rest = await socket.ask("session.revisions", sessionId=session, limit=3, cursor=page["nextCursor"])
        assert [r["revision"] for r in rest["revisions"]] == [1]
        assert "nextCursor" not in rest
        uid = {item["content"]: item["uid"] for item in added["todos"]}
        written, removed, came = page["revisions"]
        assert rest["revisions"][0]["added"] == [uid["Read"], uid["Fix"], uid["Test"]]
        assert came["added"] == [uid["Ask"]] and came["actor"]["kind"] == "user"
        assert removed["removed"] == [uid["Read"]]
        assert written["changed"] == [uid["Fix"]] and written["added"] == written["removed"] == []


# G2
async def test_the_status_has_teks_fields(gateway):
    async with opened(gateway) as socket:
        await socket.ask("todo.write", session="label", todos=THREE)
        status = await socket.ask("gateway.status")
        assert status["port"] == gateway.port and status["pid"] == gateway.runtime["pid"]
        assert status["uptime"] >= 0 and status["connections"] >= 0 and status["sessions"] == 1
        assert status["providers"] == [] and status["version"]
        assert status["address"] == gateway.address


# G2
async def test_a_client_that_speaks_only_tek_gets_teks_forms(gateway):
    words = ["pending", "in_progress", "completed", "blocked", "skipped", "cancelled", "awaiting review"]
    todos = [{"id": word, "content": f"Is {word}", "status": word, "priority": "high"} for word in words]
    todos[1]["activeForm"] = "Being in progress"
    async with opened(gateway) as tek, opened(gateway) as ours:
        await tek.ask("session.list")
        await tek.ask("gateway.status")
        await ours.ask("events.subscribe")
        await ours.ask("todo.write", session="label", todos=todos)
        update = await tek.event("todo.update")
        assert set(update) == {"type", "requestId", "todos"}
        assert [item["id"] for item in update["todos"]] == words
        assert [item["status"] for item in update["todos"]] == [
            "pending",
            "in_progress",
            "completed",
            "pending",
            "completed",
            "completed",
            "pending",
        ]
        assert update["todos"][1] == {
            "id": "in_progress",
            "content": "Is in_progress",
            "status": "in_progress",
            "activeForm": "Being in progress",
        }
        assert all(set(item) == {"id", "content", "status"} for item in update["todos"][2:])
        full = await ours.event("todo.update")
        assert full["todos"][3]["status"] == "blocked" and full["todos"][6]["statusRaw"] == "awaiting review"


# D5
async def test_each_client_undoes_its_own_edits(gateway):
    async with opened(gateway) as one, opened(gateway) as two:
        first = await one.ask("todo.write", session="label", todos=THREE)
        session = first["sessionId"]
        await one.ask("todo.add", sessionId=session, position="1", content="Mine")
        await two.ask("todo.add", sessionId=session, position="last", content="Yours")
        undone = await one.ask("todo.undo", sessionId=session)
        assert contents(undone["todos"]) == ["Read", "Fix", "Test", "Yours"]
        with pytest.raises(Refused) as refused:
            await one.ask("todo.undo", sessionId=session)
        assert refused.value.code == "CANNOT_UNDO"
        undone = await two.ask("todo.undo", sessionId=session)
        assert contents(undone["todos"]) == ["Read", "Fix", "Test"]


# D5
async def test_undo_brings_back_the_very_items(gateway):
    async with opened(gateway) as socket:
        first = await socket.ask("todo.write", session="label", todos=THREE)
        session = first["sessionId"]
        cleared = await socket.ask("todo.clear", sessionId=session)
        assert cleared["todos"] == []
        back = await socket.ask("todo.undo", sessionId=session, editId=cleared["editId"])
        assert [item["uid"] for item in back["todos"]] == [item["uid"] for item in first["todos"]]
        await socket.ask("todo.delete", sessionId=session, uid=first["todos"][1]["uid"])
        back = await socket.ask("todo.undo", sessionId=session)
        assert contents(back["todos"]) == ["Read", "Fix", "Test"]
        assert back["todos"][1]["status"] == "in_progress" and back["todos"][1]["activeForm"] == "Fixing"


# D3
async def test_everything_is_there_after_a_restart(gateway):
    async with opened(gateway) as socket:
        session = (await socket.ask("todo.write", session="label", todos=THREE))["sessionId"]
        before = await socket.ask("todo.add", sessionId=session, content="Ask")
        known = await socket.ask("events.subscribe")
    gateway.stop()
    gateway.start()
    async with opened(gateway) as socket:
        after = await socket.ask("session.get", sessionId=session)
        assert after["todos"] == before["todos"] and after["revision"] == before["revision"]
        snapshot = await socket.ask("events.subscribe", since=known["cursor"])
        assert number(snapshot["cursor"])[0] == number(known["cursor"])[0], "it is the same database"
        # Time passed while nobody counted it, so states may have changed too: everything is told anew.
        assert snapshot["whole"] is True
        assert [(s["sessionId"], s["todos"]) for s in snapshot["sessions"]] == [(session, before["todos"])]


# D2
async def test_a_subscriber_that_does_not_read_slows_nobody(gateway):
    writes = 50
    address = f"ws://127.0.0.1:{gateway.port}/gateway?token={gateway.token}"
    large = [{"id": str(i), "content": f"{i} " + "x" * 1900} for i in range(60)]
    narrow = sockets.socket()
    narrow.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, 64 * 1024)
    narrow.connect(("127.0.0.1", gateway.port))
    async with connect(address, sock=narrow, max_queue=1, max_size=None) as stalled, opened(gateway) as writer:
        await stalled.send('{"type": "events.subscribe", "id": "1"}')
        await stalled.recv()
        for turn in range(writes):
            todos = [{"id": "turn", "content": f"Turn {turn}"}, *large]
            written = await writer.ask("todo.write", session="busy", todos=todos)
        revisions = []
        lagged = False
        async with asyncio.timeout(60):
            while not lagged and (not revisions or revisions[-1] < written["revision"]):
                message = json.loads(await stalled.recv())
                if message["type"] == "todo.update":
                    revisions.append(message["revision"])
                lagged = message["type"] == "gateway.state" and message["state"] == "lagged"
        assert revisions == sorted(set(revisions))
        assert len(revisions) < writes, "what it could not take was left out, not kept in memory"
        if lagged:
            await stalled.send('{"type": "events.subscribe", "id": "2"}')
            async with asyncio.timeout(60):
                while (snapshot := json.loads(await stalled.recv())).get("id") != "2":
                    pass
            assert snapshot["sessions"][0]["revision"] == written["revision"]


# D2
async def test_the_end_of_a_gateway_is_announced(gateway):
    async with opened(gateway) as socket, connected(gateway), connected(gateway, "stdio"):
        await socket.ask("events.subscribe")
        await asyncio.to_thread(gateway.stop)
        await socket.event("gateway.state", state="closing")
        assert await socket.end() == 1001
