"""The archive over the wire: browsed, searched, deleted and brought back, taken out and in."""

import json
import shutil
import sqlite3

import pytest

from gateway import Gateway, eventually
from socket_client import opened

pytestmark = pytest.mark.anyio

WAIT_SECONDS = 30


async def wrote(socket, label: str, *contents: str, **more) -> str:
    """A session of this label with these items; its id."""
    todos = [{"content": content, **more} for content in contents]
    return (await socket.ask("todo.write", session=label, todos=todos))["sessionId"]


async def found(socket, query: str, **fields) -> list[dict]:
    return (await socket.ask("session.search", query=query, **fields))["results"]


def rows(gateway: Gateway, table: str) -> int:
    database = sqlite3.connect(f"file:{gateway.data_dir / 'sightline.db'}?mode=ro", uri=True)
    [count] = database.execute(f"SELECT count(*) FROM {table}").fetchone()
    database.close()
    return count


# D6
async def test_what_was_said_is_found_as_it_is_typed(gateway):
    async with opened(gateway) as socket:
        one = await wrote(socket, "one", "Read the résumé parser", "Ship")
        await socket.ask("todo.write", session="one", todos=[{"content": "Ship"}])
        await wrote(socket, "two", "Fix the lexer")
        for typed in ["r", "re", "resu", "RESUME", "résumé pars", '"the résumé"', "parser OR nothing", 'résumé"']:
            [hit] = await found(socket, typed)
            assert (hit["sessionId"], hit["revision"]) == (one, 1), typed
            assert any(part["hit"] for part in hit["parts"])
            assert "".join(part["text"] for part in hit["parts"]) == hit["snippet"]
        assert await found(socket, "parser", filter={"unfinished": True}) != []
        assert await found(socket, "parser", filter={"agent": "nobody"}) == []
        then = await socket.ask("session.get", sessionId=one, revision=1)
        assert [item["content"] for item in then["todos"]] == ["Read the résumé parser", "Ship"]
        then = await socket.ask("session.get", sessionId=one, revision=2)
        assert [item["content"] for item in then["removed"]] == ["Read the résumé parser"]
        assert then["change"]["removed"] == [then["removed"][0]["uid"]]


# D6
async def test_pages_go_on_to_the_end_and_each_session_is_there_once(gateway):
    async with opened(gateway) as socket:
        ids = {await wrote(socket, f"page-{number}", f"Step number {number}") for number in range(25)}
        for kind, fields in (
            ("session.list", {"filter": {"unfinished": True}}),
            ("session.search", {"query": "number"}),
        ):
            seen, cursor = [], None
            while True:
                page = await socket.ask(kind, limit=4, **fields, **({"cursor": cursor} if cursor else {}))
                listed = page["sessions"] if kind == "session.list" else page["results"]
                seen += [one["sessionId"] for one in listed]
                if not (cursor := page.get("nextCursor")):
                    break
            assert len(seen) == len(set(seen)), kind
            assert set(seen) == ids, kind


HOSTILE = [
    ("session.search", {}, "INVALID_MESSAGE", "query"),
    ("session.search", {"query": 7}, "INVALID_MESSAGE", "query"),
    ("session.search", {"query": "x", "cursor": "z9"}, "INVALID_MESSAGE", "cursor"),
    ("session.search", {"query": "x", "cursor": "i"}, "INVALID_MESSAGE", "cursor"),
    ("session.search", {"query": "x", "limit": -1}, "INVALID_MESSAGE", "limit"),
    ("session.search", {"query": "x", "filter": {"state": "gone"}}, "INVALID_MESSAGE", "filter.state"),
    ("session.search", {"query": "x", "filter": {"since": "yesterday"}}, "INVALID_MESSAGE", "filter.since"),
    ("session.list", {"cursor": "1"}, "INVALID_MESSAGE", "cursor"),
    ("session.list", {"filter": {"unfinished": "yes"}}, "INVALID_MESSAGE", "filter.unfinished"),
    ("session.list", {"filter": {"project": 1}}, "INVALID_MESSAGE", "filter.project"),
    ("session.delete", {"sessionId": "nobody"}, "SESSION_NOT_FOUND", "session"),
    ("session.delete", {"sessionId": "nobody", "forGood": True}, "SESSION_NOT_FOUND", "session"),
    ("session.undelete", {"sessionId": "nobody"}, "SESSION_NOT_FOUND", "no deleted session"),
    ("session.undelete", {}, "INVALID_MESSAGE", "sessionId"),
    ("archive.lists", {"cursor": "1.2"}, "INVALID_MESSAGE", "cursor"),
    ("archive.lists", {"cursor": "1.x.2"}, "INVALID_MESSAGE", "cursor"),
    ("archive.lists", {"limit": "all"}, "INVALID_MESSAGE", "limit"),
    ("archive.lists", {"filter": {"deleted": 2}}, "INVALID_MESSAGE", "filter.deleted"),
    ("list.delete", {"listId": "nothing"}, "SESSION_NOT_FOUND", "no such list"),
    ("list.delete", {}, "INVALID_MESSAGE", "listId"),
    ("list.undelete", {"listId": "nothing"}, "SESSION_NOT_FOUND", "no such list"),
    ("todo.add", {"label": "x" * 201, "content": "x"}, "INVALID_MESSAGE", "201 characters long"),
    ("todo.add", {"label": "two\nlines", "content": "x"}, "INVALID_MESSAGE", "control characters"),
    ("todo.add", {"label": 7, "content": "x"}, "INVALID_MESSAGE", "label"),
    ("todo.add", {"label": "x", "sessionId": "kept", "content": "x"}, "INVALID_MESSAGE", "one of them"),
    ("session.export", {"sessionId": "nobody", "format": "json"}, "SESSION_NOT_FOUND", "session"),
    ("session.export", {"sessionId": "kept", "format": "pdf"}, "INVALID_MESSAGE", "format"),
    ("session.export", {"sessionId": "kept", "and": ["x"] * 1_000}, "INVALID_MESSAGE", "at most 1000 sessions"),
    ("session.import", {"text": "{"}, "INVALID_MESSAGE", "no export of Sightline's"),
    ("session.import", {"text": '{"sightline": 9, "sessions": []}'}, "INVALID_MESSAGE", "form 9"),
    ("session.import", {}, "INVALID_MESSAGE", "text"),
    ("session.load", {"label": "new"}, "INVALID_MESSAGE", '"from" says whose list'),
    ("session.load", {"label": "", "from": "kept"}, "INVALID_MESSAGE", "label"),
    ("session.load", {"label": "new", "from": "nobody"}, "SESSION_NOT_FOUND", "session"),
    ("archive.status", {"with": {"keepDays": -1}}, "INVALID_MESSAGE", "keepDays"),
    ("archive.insight", {"since": 7}, "INVALID_MESSAGE", "since"),
    ("settings.update", {"keepDays": 36_501}, "INVALID_SETTING", "36500"),
    ("settings.update", {"keepMegabytes": 9}, "INVALID_SETTING", "at least 10"),
    ("settings.update", {"keepProjects": {"a": -1}}, "INVALID_MESSAGE", "keepProjects"),
]


# D6
async def test_what_is_wrong_is_said(gateway):
    wrong = []
    async with opened(gateway) as socket:
        await wrote(socket, "kept", "Stay")
        for kind, fields, code, said in HOSTILE:
            answer = await socket.answer(kind, **fields)
            if answer["type"] != "error" or answer["code"] != code or said not in answer["message"]:
                wrong.append((kind, fields, code, said, answer))
        assert wrong == [], json.dumps(wrong, indent=1)[:4_000]
        status = await socket.ask("archive.status")
        assert (status["sessions"], status["deleted"]) == (1, 0)


# D3
async def test_a_deleted_session_comes_back_after_a_restart(data_folder):
    data_folder.start()
    async with opened(data_folder) as socket:
        one = await wrote(socket, "one", "Fix")
        await socket.ask("events.subscribe")
        await socket.ask("session.delete", sessionId=one)
        await socket.event("session.deleted", sessionId=one)
        assert [session["sessionId"] for session in (await socket.ask("session.list"))["sessions"]] == []
    data_folder.stop()
    data_folder.start()
    async with opened(data_folder) as socket:
        [deleted] = (await socket.ask("session.list", filter={"deleted": True}))["sessions"]
        assert deleted["sessionId"] == one
        assert deleted["deletedAt"]
        await socket.ask("events.subscribe")
        await socket.ask("session.undelete", sessionId=one)
        told = await socket.event("session.created", sessionId=one)
        assert [item["content"] for item in told["todos"]] == ["Fix"]
        await socket.ask("session.delete", sessionId=one, forGood=True)
        refused = await socket.answer("session.undelete", sessionId=one)
        assert refused["code"] == "SESSION_NOT_FOUND"

        async def is_gone() -> bool:
            status = await socket.ask("archive.status")
            return status["freeBytes"] == 0 and rows(data_folder, "sessions") == 0

        await eventually(is_gone, WAIT_SECONDS, "it is gone for good, and its space is given back")
    data_folder.stop()
    for table in ("sessions", "items", "texts", "revisions", "edits", "lists", "text_search", "session_search"):
        assert rows(data_folder, table) == 0, table


# D6
async def test_what_is_exported_here_is_imported_there(data_folder, tmp_path):
    data_folder.start()
    other = Gateway(tmp_path / "other")
    (tmp_path / "other").mkdir()
    try:
        other.start()
        async with opened(data_folder) as here, opened(other) as there:
            one = await wrote(here, "one", "Fix", "Test")
            await here.ask("todo.setStatus", sessionId=one, position="1", status="completed")
            await here.ask("todo.add", sessionId=one, content="Added by hand", position="last")
            two = await wrote(here, "two", "Another")
            export = await here.ask("session.export", sessionId=one, **{"and": [two]}, format="json")
            imported = await there.ask("session.import", text=export["text"])
            assert (imported["sessions"], imported["known"]) == ([one, two], 0)
            assert await there.ask("session.import", text=export["text"]) | {"id": ""} == {
                "type": "session.import.result",
                "id": "",
                "sessions": [],
                "known": 2,
            }
            again = await there.ask("session.export", sessionId=one, **{"and": [two]}, format="json")
            assert json.loads(again["text"]) == json.loads(export["text"])
            for revision in (1, 2, 3):
                got = [await socket.ask("session.get", sessionId=one, revision=revision) for socket in (here, there)]
                assert got[0]["todos"] == got[1]["todos"]
                assert got[0]["change"] == got[1]["change"]
            assert [hit["sessionId"] for hit in await found(there, "by hand")] == [one]
    finally:
        other.leave_nothing()


# D3
async def test_a_damaged_database_is_mended_and_the_user_is_told(data_folder):
    data_folder.start()
    async with opened(data_folder) as socket:
        ids = {await wrote(socket, f"session-{number}", f"Step {number}", "Another") for number in range(30)}
    data_folder.stop()
    file = data_folder.data_dir / "sightline.db"
    whole = file.read_bytes()
    with sqlite3.connect(file) as database:
        [page] = database.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'items'").fetchone()
    database.close()
    damaged = bytearray(whole)
    damaged[(page - 1) * 4096 : page * 4096] = b"\xa5" * 4096
    file.write_bytes(bytes(damaged))
    data_folder.start()
    async with opened(data_folder) as socket:
        answer = await socket.answer("session.get", sessionId=min(ids))
        assert answer["code"] == "STORAGE"
        assert "Start Sightline anew" in answer["message"]
        assert (await socket.answer("session.list"))["type"] == "session.list", "what can be read is"
    data_folder.stop()
    data_folder.start()
    async with opened(data_folder) as socket:
        status = await socket.ask("gateway.status")
        assert "30 sessions could be read" in status["notice"]
        assert "sightline.db.damaged-1" in status["notice"]
        text = status["noticeText"]
        assert text["name"] == "database_mended" and text["params"]["sessions"] == "30", "for readers of other languages"
        listed = (await socket.ask("session.list", limit=200))["sessions"]
        assert {session["sessionId"] for session in listed} == ids
        await wrote(socket, "session-3", "It goes on")
    data_folder.stop()
    assert (data_folder.data_dir / "sightline.db.damaged-1").read_bytes()[:4096] == whole[:4096]
    data_folder.start()
    async with opened(data_folder) as socket:
        assert "notice" not in await socket.ask("gateway.status")


# D3
async def test_data_of_a_newer_build_is_left_alone_in_clear_words(data_folder):
    data_folder.start().stop()
    file = data_folder.data_dir / "sightline.db"
    with sqlite3.connect(file) as database:
        database.execute("PRAGMA user_version = 99")
    database.close()
    before = file.read_bytes()
    process, log = data_folder.spawn("--port", "0")
    assert process.wait(WAIT_SECONDS) != 0
    assert "written by a newer Sightline" in log.read_text()
    assert file.read_bytes() == before
    shutil.rmtree(data_folder.data_dir)
