"""Hostile edits over the WebSocket: a clear error for each, and nothing stops or changes."""

import json

import pytest

from socket_client import Socket, opened

pytestmark = pytest.mark.anyio

LIST = [
    {"content": "Read"},
    {"content": "Fix"},
    {"content": "Test", "subtasks": [{"content": "Unit"}]},
    {"content": "Ship"},
    {"content": "Rest", "dependsOn": ["4"]},
]
UNKNOWN = "019aa000-0000-7000-8000-000000000000"


async def given(socket: Socket) -> dict:
    """A list that an agent wrote, and a subscription to what becomes of it."""
    await socket.ask("events.subscribe")
    return await socket.ask("todo.write", session="kept", todos=LIST)


BAD_POSITIONS = {
    "0": ("INVALID_POSITION", "Position 0 does not exist"),
    "-1": ("INVALID_POSITION", "Invalid position format: -1. Use 1, 2, last, 1.1, or 1.last"),
    "9999999999999999999999": ("INVALID_POSITION", "Position 9999999999999999999999 does not exist"),
    "1.2.3": ("INVALID_POSITION", "Invalid position format: 1.2.3. Use 1, 2, last, 1.1, or 1.last"),
    "": ("INVALID_POSITION", "Invalid position format: . Use 1, 2, last, 1.1, or 1.last"),
    "<b>1</b>": ("INVALID_POSITION", "Invalid position format: <b>1</b>. Use 1, 2, last, 1.1, or 1.last"),
    "6": ("INVALID_POSITION", "Position 6 does not exist"),
    "1.1": ("INVALID_POSITION", "Subtask position 1.1 does not exist"),
    "9.1": ("INVALID_POSITION", "Parent position 9 does not exist"),
    "4-2": ("INVALID_POSITION", "Invalid positions: 4-2. Use 1, 2, last, 1.1, 1.last, 2-4, or all"),
    "1-3.1": ("INVALID_POSITION", "Invalid positions: 1-3.1. Use 1, 2, last, 1.1, 1.last, 2-4, or all"),
    "1-x": ("INVALID_POSITION", "Invalid positions: 1-x. Use 1, 2, last, 1.1, 1.last, 2-4, or all"),
    "2-99": ("INVALID_POSITION", "Position 99 does not exist"),
}
# The fields that each request needs besides the item.
ITEM_REQUESTS = {
    "todo.setStatus": {"status": "completed"},
    "todo.edit": {"content": "Another"},
    "todo.move": {"to": "1"},
    "todo.delete": {},
}

# Type, fields, code, words of the message.
HOSTILE = [
    ("todo.setStatus", {"position": "1"}, "INVALID_MESSAGE", "status"),
    ("todo.setStatus", {"position": "1", "status": 7}, "INVALID_MESSAGE", "status"),
    ("todo.setStatus", {"position": "1", "status": None}, "INVALID_MESSAGE", "status"),
    ("todo.setStatus", {"position": "1", "status": "frobnicated"}, "INVALID_TODOS", '"frobnicated" is no status; use'),
    ("todo.setStatus", {"position": "1", "status": "unknown"}, "INVALID_TODOS", "is no status; use pending"),
    ("todo.setStatus", {"position": "1", "status": "<b>done</b>"}, "INVALID_TODOS", "is no status; use pending"),
    ("todo.setStatus", {"position": "1", "status": "x" * 501}, "INVALID_TODOS", "501 characters"),
    ("todo.setStatus", {"position": "1", "status": "done", "reason": {}}, "INVALID_MESSAGE", "reason"),
    ("todo.setStatus", {"position": "1", "status": "done", "reason": "x" * 2001}, "INVALID_TODOS", "2001 characters"),
    ("todo.edit", {"position": "1"}, "INVALID_TODOS", "changes nothing; send at least one field"),
    ("todo.edit", {"position": "1", "content": ""}, "INVALID_TODOS", "content is empty"),
    ("todo.edit", {"position": "1", "content": " \n"}, "INVALID_TODOS", "content is empty"),
    ("todo.edit", {"position": "1", "content": None}, "INVALID_TODOS", "content is null"),
    ("todo.edit", {"position": "1", "content": 7}, "INVALID_TODOS", "content must be text"),
    ("todo.edit", {"position": "1", "content": ["x"]}, "INVALID_TODOS", "content must be text"),
    ("todo.edit", {"position": "1", "content": "x" * 2001}, "INVALID_TODOS", "has 2001 characters, it may have 2000"),
    ("todo.edit", {"position": "1", "notes": "x" * 2001}, "INVALID_TODOS", "has 2001 characters, it may have 2000"),
    ("todo.edit", {"position": "1", "status": "frobnicated"}, "INVALID_TODOS", "is no status"),
    ("todo.edit", {"position": "1", "dependsOn": [{}]}, "INVALID_TODOS", "dependsOn must hold"),
    ("todo.edit", {"position": "4", "dependsOn": ["5"]}, "INVALID_TODOS", "wait for each other"),
    ("todo.move", {"position": "1"}, "INVALID_MESSAGE", "to"),
    ("todo.move", {"position": "1", "to": 2}, "INVALID_MESSAGE", "to"),
    ("todo.move", {"position": "1", "to": "0"}, "INVALID_POSITION", "Position 0 does not exist"),
    ("todo.move", {"position": "1", "to": "-1"}, "INVALID_POSITION", "Invalid position format: -1."),
    ("todo.move", {"position": "1", "to": "6"}, "INVALID_POSITION", "Position 6 does not exist"),
    ("todo.move", {"position": "1", "to": "2-3"}, "INVALID_POSITION", "Invalid position format: 2-3."),
    ("todo.move", {"position": "1-2", "to": "3"}, "INVALID_POSITION", "Only one item can be moved at a time"),
    ("todo.move", {"position": "1", "to": "3.1"}, "INVALID_POSITION", "An item stays on its level: 1 cannot be moved"),
    ("todo.move", {"position": "3.1", "to": "1"}, "INVALID_POSITION", "stays on its level: 3.1 cannot be moved to 1"),
    ("todo.undo", {}, "CANNOT_UNDO", "There is no edit to undo here"),
    ("todo.undo", {"editId": 7}, "INVALID_MESSAGE", "editId"),
    ("todo.undo", {"editId": "<b>"}, "CANNOT_UNDO", "editId"),
    ("todo.undo", {"editId": UNKNOWN}, "CANNOT_UNDO", "cannot be undone"),
    ("todo.archive", {"sessionId": 7}, "INVALID_MESSAGE", "sessionId"),
    ("todo.archive", {"sessionId": "nobody"}, "SESSION_NOT_FOUND", "session"),
    ("session.load", {"revision": 99}, "REVISION_NOT_FOUND", "revision"),
    ("session.load", {"revision": -1}, "INVALID_MESSAGE", "revision"),
    ("session.load", {"revision": 1.5}, "INVALID_MESSAGE", "revision"),
    ("session.load", {"revision": "1"}, "INVALID_MESSAGE", "revision"),
    ("session.load", {"from": "nobody"}, "SESSION_NOT_FOUND", "session"),
    ("session.load", {"from": 7}, "INVALID_MESSAGE", "from"),
    ("session.load", {"sessionId": "nobody", "from": "kept"}, "SESSION_NOT_FOUND", "session"),
]


# D5, P5, P6
async def test_what_is_wrong_is_said_and_changes_nothing(gateway):
    requests = list(HOSTILE)
    for kind, fields in ITEM_REQUESTS.items():
        requests += [
            (kind, {"position": position, **fields}, code, said) for position, (code, said) in BAD_POSITIONS.items()
        ]
        requests += [
            (kind, fields, "INVALID_MESSAGE", 'say which item: send its "uid"'),
            (kind, {"position": 1, **fields}, "INVALID_MESSAGE", "position"),
            (kind, {"position": ["1"], **fields}, "INVALID_MESSAGE", "position"),
            (kind, {"uid": UNKNOWN, **fields}, "ITEM_NOT_FOUND", f"There is no item {UNKNOWN} in this list any more"),
            (kind, {"uid": "<b>1</b>", **fields}, "ITEM_NOT_FOUND", "uid"),
            (kind, {"uid": 1, **fields}, "INVALID_MESSAGE", "uid"),
            (kind, {"position": "1", "sessionId": None, **fields}, "INVALID_MESSAGE", "sessionId"),
            (kind, {"position": "1", "sessionId": "nobody", **fields}, "SESSION_NOT_FOUND", "session"),
        ]
    wrong = []
    async with opened(gateway) as socket:
        before = await given(socket)
        for kind, fields, code, said in requests:
            answer = await socket.answer(kind, **{"sessionId": before["sessionId"], **fields})
            if answer["type"] != "error" or answer["code"] != code or said not in answer["message"]:
                wrong.append((kind, fields, code, said, {**answer, "todos": ...}))
            # A test that goes on after a change would say the same wrong thing of all that follow.
            now = await socket.ask("session.get", sessionId="kept")
            assert (now["revision"], now["todos"]) == (1, before["todos"]), (kind, fields, answer)
        assert wrong == [], json.dumps(wrong, indent=1, default=str)
        assert not [message for message in socket.seen if message["type"] == "edit.state"]


# D5
@pytest.mark.parametrize("word", ["", " ", "deleted", "removed"])
async def test_a_word_that_is_no_status_is_refused(gateway, word):
    async with opened(gateway) as socket:
        before = await given(socket)
        for kind in ("todo.setStatus", "todo.edit"):
            answer = await socket.answer(kind, sessionId=before["sessionId"], position="1", status=word)
            assert (answer["type"], answer.get("code")) == ("error", "INVALID_TODOS"), answer.get("message")
        assert (await socket.ask("session.get", sessionId=before["sessionId"]))["todos"] == before["todos"]
