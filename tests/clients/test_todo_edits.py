"""The user's edits over the WebSocket, each with its answer and its events."""

import pytest

from agent import contents
from socket_client import Socket, opened

pytestmark = pytest.mark.anyio

LIST = [
    {"id": "a", "content": "Read", "status": "completed"},
    {"id": "b", "content": "Fix", "status": "in_progress", "activeForm": "Fixing", "priority": "low"},
    {
        "id": "c",
        "content": "Test",
        "subtasks": [
            {"id": "c1", "content": "Unit"},
            {"id": "c2", "content": "Window"},
            {"id": "c3", "content": "Page"},
        ],
    },
    {"id": "d", "content": "Ship"},
    {"id": "e", "content": "Rest", "dependsOn": ["d"]},
]
ANSWER = {"type", "id", "sessionId", "revision", "todos", "editId", "message", "text"}


async def given(socket: Socket, label: str = "label", todos: list[dict] = LIST) -> dict:
    """A list that an agent wrote, and a subscription to what becomes of it."""
    await socket.ask("events.subscribe")
    return await socket.ask("todo.write", session=label, todos=todos)


async def edited(socket: Socket, before: dict, kind: str, **fields) -> dict:
    """Sends an edit; checks all that every edit's answer and events have in common, and gives the answer."""
    since = len(socket.seen)
    done = await socket.ask(kind, sessionId=before["sessionId"], **fields)
    assert set(done) - {"remarks", "remarkTexts"} == ANSWER
    assert done["sessionId"] == before["sessionId"] and done["revision"] == before["revision"] + 1
    update = await socket.event("todo.update", since, sessionId=done["sessionId"], revision=done["revision"])
    assert update["todos"] == done["todos"]
    assert update["actor"] == {"kind": "user", "name": "you", "transport": "websocket"}
    state = await socket.event("edit.state", since, editId=done["editId"])
    assert state["sessionId"] == done["sessionId"] and state["cursor"] and state["at"]
    now = await socket.ask("session.get", sessionId=done["sessionId"])
    assert now["todos"] == done["todos"] and now["revision"] == done["revision"]
    (edit,) = [edit for edit in now["edits"] if edit["editId"] == done["editId"]]
    assert edit["state"] == state["state"]
    return {**done, "state": state, "edit": edit, "update": update}


def statuses(todos: list[dict]) -> list[str]:
    return [item["status"] for item in todos]


# D5
async def test_set_status(gateway):
    async with opened(gateway) as socket:
        written = await given(socket)
        one = await edited(socket, written, "todo.setStatus", position="4", status="blocked", reason="no key")
        assert one["message"] == 'Set TODO at 4 to blocked: "Ship"'
        ship = one["todos"][3]
        assert ship["status"] == "blocked" and ship["reason"] == "no key" and ship["origin"] == "agent"
        assert one["state"]["state"] == "queued" and one["state"]["uid"] == ship["uid"]
        assert one["edit"]["kind"] == "set" and one["edit"]["text"] == "Ship"
        assert one["edit"]["detail"] == 'status blocked, reason "no key"'

        by_uid = await edited(socket, one, "todo.setStatus", uid=written["todos"][1]["uid"], status="done")
        assert by_uid["message"] == 'Set TODO at 2 to completed: "Fix"', "any word for a status will do"

        sub = await edited(socket, by_uid, "todo.setStatus", position="3.last", status="skipped")
        assert sub["message"] == 'Set TODO at 3.3 to skipped: "Page"'
        assert statuses(sub["todos"][2]["subtasks"]) == ["pending", "pending", "skipped"]

        several = await edited(socket, sub, "todo.setStatus", position="2-4", status="in_progress")
        assert several["message"] == "Set 3 TODOs at 2-4 to in_progress"
        assert statuses(several["todos"]) == ["completed", "in_progress", "in_progress", "in_progress", "pending"]
        assert "uid" not in several["state"], "it is about several"

        everything = await edited(socket, several, "todo.setStatus", position="all", status="cancelled")
        assert everything["message"] == "Set 5 TODOs at 1-5 to cancelled"
        assert statuses(everything["todos"]) == ["cancelled"] * 5

        session = everything["sessionId"]
        same = await socket.ask("todo.setStatus", sessionId=session, position="1", status="cancelled")
        assert same["revision"] == everything["revision"] and same["editId"] == "", "there is nothing to tell"


# D5
async def test_edit(gateway):
    async with opened(gateway) as socket:
        written = await given(socket)
        text = await edited(socket, written, "todo.edit", position="2", content="Fix it all")
        assert text["message"] == 'Changed TODO at 2: "Fix" to "Fix it all"'
        fix = text["todos"][1]
        assert fix["content"] == "Fix it all" and fix["uid"] == written["todos"][1]["uid"]
        assert "activeForm" not in fix, "the old form would go on to say the old text"
        assert text["edit"]["text"] == "Fix" and text["edit"]["detail"] == 'text "Fix it all"'

        more = {
            "activeForm": "Fixing it",
            "priority": "high",
            "category": "coding",
            "estimate": "2hrs",
            "description": "The whole of it",
            "notes": "half way",
            "owner": "me",
        }
        rich = await edited(socket, text, "todo.edit", uid=fix["uid"], **more)
        assert rich["message"] == (
            "Changed the activeForm and priority and category and estimate and description and notes and owner"
            ' of TODO at 2: "Fix it all"'
        )
        assert {key: rich["todos"][1][key] for key in more} == more
        assert rich["todos"][1]["estimateMinutes"] == 120

        emptied = await edited(socket, rich, "todo.edit", position="2", priority=None, notes="")
        assert emptied["message"] == 'Changed the priority and notes of TODO at 2: "Fix it all"'
        assert "priority" not in emptied["todos"][1] and "notes" not in emptied["todos"][1]
        assert emptied["todos"][1]["category"] == "coding"

        own = await edited(socket, emptied, "todo.edit", position="3.1", ticket={"number": 7})
        assert own["todos"][2]["subtasks"][0]["extra"] == {"ticket": {"number": 7}}

        several = await edited(socket, own, "todo.edit", position="1-2", priority="low")
        assert several["message"] == "Changed the priority of 2 TODOs at 1-2"

        waits = await edited(socket, several, "todo.edit", position="4", dependsOn=["Test"])
        assert waits["todos"][3]["dependsOnUids"] == [waits["todos"][2]["uid"]] and waits["todos"][3]["waiting"]


# D5
async def test_move(gateway):
    async with opened(gateway) as socket:
        written = await given(socket)
        up = await edited(socket, written, "todo.move", position="4", to="1")
        assert up["message"] == 'Moved TODO from 4 to 1: "Ship"'
        assert contents(up["todos"]) == ["Ship", "Read", "Fix", "Test", "Rest"]
        assert up["edit"]["kind"] == "move" and up["edit"]["detail"] == "to 1"
        down = await edited(socket, up, "todo.move", uid=up["todos"][1]["uid"], to="last")
        assert down["message"] == 'Moved TODO from 2 to 5: "Read"'
        assert contents(down["todos"]) == ["Ship", "Fix", "Test", "Rest", "Read"]
        sub = await edited(socket, down, "todo.move", position="3.1", to="3.last")
        assert sub["message"] == 'Moved TODO from 3.1 to 3.3: "Unit"'
        assert contents(sub["todos"][2]["subtasks"]) == ["Window", "Page", "Unit"]
        nowhere = await socket.ask("todo.move", sessionId=sub["sessionId"], position="2", to="2")
        assert nowhere["revision"] == sub["revision"], "nothing came of it"
        assert contents(nowhere["todos"]) == contents(sub["todos"])


# D5, P6
async def test_delete_with_ranges(gateway):
    async with opened(gateway) as socket:
        written = await given(socket)
        subs = await edited(socket, written, "todo.delete", position="3.1-3.2")
        assert subs["message"] == "Deleted 2 TODOs at 3.1-3.2"
        assert contents(subs["todos"][2]["subtasks"]) == ["Page"]
        range_ = await edited(socket, subs, "todo.delete", position="2-4")
        assert range_["message"] == "Deleted 3 TODOs at 2-4"
        assert contents(range_["todos"]) == ["Read", "Rest"]
        assert range_["edit"]["kind"] == "delete" and range_["edit"]["text"] == "3 items: Fix, Test, Ship"
        back = await edited(socket, range_, "todo.undo")
        assert back["todos"] == subs["todos"], "the very items"
        last = await edited(socket, back, "todo.delete", position="4-last")
        assert contents(last["todos"]) == ["Read", "Fix", "Test"]
        everything = await edited(socket, last, "todo.delete", position="all")
        assert everything["message"] == "Deleted 3 TODOs at 1-3" and everything["todos"] == []


# D5
@pytest.mark.parametrize("restarted", [False, True])
async def test_undo_three_times_over_by_the_same_client(gateway, restarted):
    me, other = ({"name": "pytest", "id": name} for name in ("window-1", "window-2"))
    lists = []
    async with opened(gateway) as socket, opened(gateway) as another:
        await socket.ask("hello", client=me)
        await another.ask("hello", client=other)
        written = await socket.ask("todo.write", session="label", todos=LIST)
        session = written["sessionId"]
        lists.append(written["todos"])
        for kind, fields in (
            ("todo.setStatus", {"position": "all", "status": "skipped"}),
            ("todo.move", {"position": "1", "to": "last"}),
            ("todo.delete", {"position": "2-3"}),
        ):
            lists.append((await socket.ask(kind, sessionId=session, **fields))["todos"])
        others = await another.ask("todo.add", sessionId=session, position="last", content="Of another window")
    if restarted:
        gateway.stop()
        gateway.start()
    async with opened(gateway) as socket:
        await socket.ask("hello", client=me)
        await socket.ask("events.subscribe")
        before = {"sessionId": session, "revision": 5}
        messages = []
        for then in lists[2::-1]:
            before = await edited(socket, before, "todo.undo")
            messages.append(before["message"])
            own = [item for item in before["todos"] if item["content"] != "Of another window"]
            assert without_times(own) == without_times(then)
            assert before["state"]["state"] == "superseded", "nobody had heard of it"
        assert messages == ["Undone: 2 items are back", 'Undone: moved "Read"', "Undone: changed the status of 5 items"]
        refused = await socket.answer("todo.undo", sessionId=session)
        assert (refused["code"], refused["message"]) == ("CANNOT_UNDO", "There is no edit to undo here")
        assert before["todos"][-1]["uid"] == others["todos"][-1]["uid"], "the other window's stays"


def without_times(items: list[dict]) -> list[dict]:
    """Items as they are, but for since when they have their status, and how long they were in progress."""
    times = {"statusAt": None, "workedMs": None}
    return [{**item, **times, "subtasks": without_times(item.get("subtasks", []))} for item in items]


# D5
async def test_an_undo_leaves_what_others_changed_and_names_it(gateway):
    async with opened(gateway) as socket, opened(gateway) as another:
        written = await given(socket)
        done = await edited(socket, written, "todo.setStatus", position="1-2", status="blocked")
        await another.ask("todo.setStatus", sessionId=written["sessionId"], position="2", status="skipped")
        undone = await edited(socket, {**done, "revision": done["revision"] + 1}, "todo.undo", editId=done["editId"])
        assert statuses(undone["todos"])[:2] == ["completed", "skipped"]
        assert undone["remarks"] == ['the status of "Fix" was changed since']
        again = await socket.answer("todo.undo", sessionId=written["sessionId"], editId=done["editId"])
        assert again["code"] == "CANNOT_UNDO"


# P1, D5
async def test_archive(gateway):
    async with opened(gateway) as socket:
        written = await given(socket)
        first = await socket.event("todo.update", sessionId=written["sessionId"], revision=1)
        archived = await edited(socket, written, "todo.archive")
        assert archived["message"] == "TODO list archived" and archived["todos"] == []
        assert archived["update"]["listId"] != first["listId"], "another list took its place"
        assert archived["update"]["session"]["listState"] == "known-empty"
        then = await socket.ask("session.get", sessionId=written["sessionId"], revision=1)
        assert then["todos"] == written["todos"], "it stays in the history"
        empty = await socket.ask("todo.archive", sessionId=written["sessionId"])
        assert empty["todos"] == [] and empty["revision"] == archived["revision"], "there is nothing more to archive"


# P8, D3
async def test_load_an_earlier_revision(gateway):
    async with opened(gateway) as socket:
        written = await given(socket)
        first = await socket.event("todo.update", sessionId=written["sessionId"], revision=1)
        changed = await edited(socket, written, "todo.setStatus", position="all", status="completed")
        cleared = await edited(socket, changed, "todo.clear")
        loaded = await edited(socket, cleared, "session.load", revision=1)
        assert loaded["message"] == "Loaded a TODO list of 5 item(s)"
        assert loaded["todos"] == written["todos"], "the very items, with the statuses of then"
        assert loaded["edit"]["kind"] == "load"
        assert loaded["update"]["listId"] != first["listId"]
        back = await edited(socket, loaded, "todo.undo")
        assert back["message"] == "Undone: loaded a TODO list" and back["todos"] == []
        same = await socket.ask("session.load", sessionId=back["sessionId"])
        assert same["todos"] == [] and same["revision"] == back["revision"], "it is there already"


# P8, D3
async def test_load_the_list_of_another_session(gateway):
    async with opened(gateway) as socket:
        old = await given(socket, "old")
        new = await socket.ask("todo.write", session="new", todos=[{"content": "Mine"}])
        loaded = await edited(socket, new, "session.load", **{"from": "old"})
        assert contents(loaded["todos"]) == contents(old["todos"])
        assert statuses(loaded["todos"]) == statuses(old["todos"]), "statuses are kept"
        uids = [item["uid"] for item in loaded["todos"]]
        assert not set(uids) & {item["uid"] for item in old["todos"]}, "they are copies"
        assert loaded["todos"][4]["dependsOnUids"] == [uids[3]], "which depend on each other, not on the originals"
        assert contents(loaded["todos"][2]["subtasks"]) == ["Unit", "Window", "Page"]
        there = await socket.ask("session.get", sessionId="old")
        assert there["todos"] == old["todos"] and there["revision"] == 1
        back = await edited(socket, loaded, "todo.undo")
        assert contents(back["todos"]) == ["Mine"]
        at = await edited(socket, back, "session.load", **{"from": old["sessionId"], "revision": 1})
        assert contents(at["todos"]) == contents(old["todos"])


# D5, G1
async def test_markup_and_long_texts_stay_what_they_are(gateway):
    markup = '<img src=x onerror=alert(1)></todo></todos> & "quotes" \'; DROP TABLE items; -- 🚀'
    longest = "ж" * 2000
    async with opened(gateway) as socket:
        written = await given(socket)
        one = await edited(socket, written, "todo.edit", position="1", content=markup, notes=markup)
        assert one["todos"][0]["content"] == one["todos"][0]["notes"] == markup
        two = await edited(socket, one, "todo.edit", position="2", content=longest)
        assert two["todos"][1]["content"] == longest
        three = await edited(socket, two, "todo.setStatus", position="3", status="blocked", reason=markup)
        assert three["todos"][2]["reason"] == markup
