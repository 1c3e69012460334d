"""Hostile messages over the WebSocket: a clear error for each, and nothing stops or changes."""

import json

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from agent import contents
from socket_client import opened

pytestmark = pytest.mark.anyio

EARLIER = [{"id": "a", "content": "Read"}, {"id": "b", "content": "Fix"}]
THOUSAND = [{"content": f"Step {i}"} for i in range(1000)]
LONG = "x" * 10_000
LARGE = [{"content": "x" * 2000} for _ in range(200)]

# Frames as they are: what is sent, the code, a word of the message that helps.
FRAMES = {
    "not JSON": ("not json", "INVALID_MESSAGE", "JSON"),
    "nothing": ("", "INVALID_MESSAGE", "JSON"),
    "cut-off JSON": ('{"type": "gateway.status", "id"', "INVALID_MESSAGE", "JSON"),
    "half a surrogate pair": (
        r'{"type": "todo.write", "id": "1", "session": "kept", "todos": [{"content": "\ud83d"}]}',
        "INVALID_MESSAGE",
        "JSON",
    ),
    "a list": ("[]", "INVALID_MESSAGE", "object"),
    "a number": ("7", "INVALID_MESSAGE", "object"),
    "null": ("null", "INVALID_MESSAGE", "object"),
    "nested without end": ("[" * 100_000, "INVALID_MESSAGE", "JSON"),
    "bytes": (b"\x00\xff\xfe", "INVALID_MESSAGE", "JSON"),
    "an id of a wrong type": ('{"type": "gateway.status", "id": {}}', "INVALID_MESSAGE", "id"),
}

# Requests with an id: the fields, the code, a word of the message that helps.
REQUESTS = {
    "no type": ({}, "INVALID_MESSAGE", "type"),
    "a type of a wrong type": ({"type": 7}, "INVALID_MESSAGE", "type"),
    "an unknown type": ({"type": "todo.frobnicate"}, "UNKNOWN_TYPE", "todo.frobnicate"),
    "write without todos": ({"type": "todo.write", "session": "kept"}, "INVALID_MESSAGE", "todos"),
    "write: todos not a list": ({"type": "todo.write", "session": "kept", "todos": "x"}, "INVALID_TODOS", "array"),
    "write: an item not an object": (
        {"type": "todo.write", "session": "kept", "todos": [7]},
        "INVALID_TODOS",
        "todos[0]",
    ),
    "write: an item without content": (
        {"type": "todo.write", "session": "kept", "todos": [{"content": "a"}, {"status": "pending"}]},
        "INVALID_TODOS",
        "todos[1].content",
    ),
    "write: content of a wrong type": (
        {"type": "todo.write", "session": "kept", "todos": [{"content": 7}]},
        "INVALID_TODOS",
        "content",
    ),
    "write: an empty content": (
        {"type": "todo.write", "session": "kept", "todos": [{"content": " "}]},
        "INVALID_TODOS",
        "1 to 2000",
    ),
    "write: 10,000 characters": (
        {"type": "todo.write", "session": "kept", "todos": [{"content": LONG}]},
        "INVALID_TODOS",
        "2000",
    ),
    "write: a thousand items": (
        {"type": "todo.write", "session": "kept", "todos": THOUSAND},
        "LIMIT_EXCEEDED",
        "256",
    ),
    "write: a list too large as a whole": (
        {"type": "todo.write", "session": "kept", "todos": LARGE},
        "LIMIT_EXCEEDED",
        "shorten",
    ),
    "write: a label of a wrong type": (
        {"type": "todo.write", "session": 7, "todos": []},
        "INVALID_MESSAGE",
        "session",
    ),
    "add to a session and a label": (
        {"type": "todo.add", "sessionId": "SESSION", "label": "api", "content": "x"},
        "INVALID_MESSAGE",
        "sessionId",
    ),
    "add to a label of two lines": ({"type": "todo.add", "label": "a\nb", "content": "x"}, "INVALID_MESSAGE", "label"),
    "add to no such session": (
        {"type": "todo.add", "sessionId": "nobody", "content": "x"},
        "SESSION_NOT_FOUND",
        "nobody",
    ),
    "add without content": ({"type": "todo.add", "sessionId": "SESSION"}, "INVALID_MESSAGE", "content"),
    "add at no position": (
        {"type": "todo.add", "sessionId": "SESSION", "content": "x", "position": "first"},
        "INVALID_POSITION",
        "Use 1, 2, last",
    ),
    "add past the end": (
        {"type": "todo.add", "sessionId": "SESSION", "content": "x", "position": "9"},
        "INVALID_POSITION",
        "1-3",
    ),
    "add 10,000 characters": (
        {"type": "todo.add", "sessionId": "SESSION", "content": LONG},
        "INVALID_TODOS",
        "2000",
    ),
    "delete nothing in particular": ({"type": "todo.delete", "sessionId": "SESSION"}, "INVALID_MESSAGE", "position"),
    "delete what is not there": (
        {"type": "todo.delete", "sessionId": "SESSION", "position": "9"},
        "INVALID_POSITION",
        "does not exist",
    ),
    "delete an unknown item": (
        {"type": "todo.delete", "sessionId": "SESSION", "uid": "019aa000-0000-7000-8000-000000000000"},
        "ITEM_NOT_FOUND",
        "any more",
    ),
    "delete what is no uid": (
        {"type": "todo.delete", "sessionId": "SESSION", "uid": "'; --"},
        "ITEM_NOT_FOUND",
        "item",
    ),
    "clear no such session": ({"type": "todo.clear", "sessionId": ""}, "SESSION_NOT_FOUND", "session"),
    "undo an unknown edit": (
        {"type": "todo.undo", "sessionId": "SESSION", "editId": "019aa000-0000-7000-8000-000000000000"},
        "CANNOT_UNDO",
        "cannot be undone",
    ),
    "get without a session": ({"type": "session.get"}, "INVALID_MESSAGE", "sessionId"),
    "get a negative revision": (
        {"type": "session.get", "sessionId": "SESSION", "revision": -1},
        "INVALID_MESSAGE",
        "revision",
    ),
    "list a limit of a wrong type": ({"type": "session.list", "limit": "many"}, "INVALID_MESSAGE", "limit"),
}


async def assert_all_is_well(socket, before: dict) -> None:
    """The same connection still answers, and the earlier list is what it was."""
    assert (await socket.ask("gateway.status"))["uptime"] >= 0
    after = await socket.ask("session.get", sessionId="kept")
    assert after["todos"] == before["todos"] and after["revision"] == before["revision"]


# D5, G1
async def test_each_bad_frame_is_answered(gateway):
    wrong = []
    async with opened(gateway) as socket:
        before = await socket.ask("todo.write", session="kept", todos=EARLIER)
        for name, (frame, code, word) in FRAMES.items():
            since = len(socket.seen)
            await socket.tell(frame)
            error = await socket.event("error", since)
            if error["code"] != code or word not in error["message"] or "requestId" in error:
                wrong.append((name, error))
            await assert_all_is_well(socket, before)
    assert wrong == []


# D5, G1
async def test_each_bad_request_is_answered(gateway):
    wrong = []
    async with opened(gateway) as socket:
        before = await socket.ask("todo.write", session="kept", todos=EARLIER)
        for name, (fields, code, word) in REQUESTS.items():
            since = len(socket.seen)
            request = {k: before["sessionId"] if v == "SESSION" else v for k, v in fields.items()}
            await socket.tell(json.dumps({"id": name, **request}))
            error = await socket.event("error", since, requestId=name)
            if error["code"] != code or word.lower() not in error["message"].lower():
                wrong.append((error["code"], error["message"], f"{name} should be {code} and speak of {word}"))
            await assert_all_is_well(socket, before)
    assert wrong == []


# D2
async def test_unknown_fields_are_passed_over(gateway):
    async with opened(gateway) as socket:
        answer = await socket.ask("gateway.status", color="green", todos=None)
        assert answer["type"] == "gateway.status.result"


# G1
async def test_a_message_of_two_megabytes_ends_its_own_connection_only(gateway):
    async with opened(gateway) as other:
        before = await other.ask("todo.write", session="kept", todos=EARLIER)
        async with opened(gateway) as socket:
            await socket.tell(json.dumps({"type": "gateway.status", "id": "large", "x": "y" * 2_000_000}))
            error = await socket.event("error")
            assert error["code"] == "MESSAGE_TOO_LARGE"
            assert "1 MiB" in error["message"] or "1048576" in error["message"]
            assert await socket.end() == 1009
        await assert_all_is_well(other, before)


# G1, D4
async def test_markup_and_control_characters_stay_text(gateway):
    markup = '<img src=x onerror=alert(1)><script>alert(2)</script> & "quotes" \'; DROP TABLE items; --'
    async with opened(gateway) as socket:
        written = await socket.ask("todo.write", session="kept", todos=[{"content": markup, "activeForm": markup}])
        assert contents(written["todos"]) == [markup]
        before = written
        for control in ("\u0000", "\u001b[2J", "\u202e", "a\r\nb"):
            answer = await socket.answer("todo.write", session="control", todos=[{"content": f"step {control} end"}])
            if answer["type"] == "error":
                assert answer["code"] in ("INVALID_TODOS", "INVALID_MESSAGE") and answer["message"]
            else:
                assert answer["todos"][0]["content"].startswith("step ")
            await assert_all_is_well(socket, before)


async def refused(gateway, address: str, **options) -> tuple[int, dict]:
    """The status and the JSON with which a handshake is refused."""
    with pytest.raises(InvalidStatus) as status:
        async with connect(f"ws://127.0.0.1:{gateway.port}{address}", proxy=None, **options):
            pass
    response = status.value.response
    return response.status_code, json.loads(response.body)


# D2
async def test_who_may_not_come_in(gateway):
    user = {"Authorization": f"Bearer {gateway.token}"}
    cases = [
        ("/gateway", {}, 401, "UNAUTHORIZED"),
        ("/gateway", {"additional_headers": {"Authorization": "Bearer wrong"}}, 401, "UNAUTHORIZED"),
        ("/gateway?token=wrong", {}, 401, "UNAUTHORIZED"),
        ("/gateway", {"subprotocols": ["sightline", "token.wrong"]}, 401, "UNAUTHORIZED"),
        ("/gateway", {"additional_headers": {"Authorization": f"Basic {gateway.token}"}}, 401, "UNAUTHORIZED"),
        ("/gateway", {"additional_headers": {"Authorization": f"Bearer {gateway.agent_token}"}}, 403, "UNAUTHORIZED"),
        (f"/gateway?token={gateway.agent_token}", {}, 403, "UNAUTHORIZED"),
        ("/gateway", {"additional_headers": user, "origin": "https://evil.example"}, 403, "FORBIDDEN"),
        ("/gateway", {"additional_headers": user, "origin": "null"}, 403, "FORBIDDEN"),
        ("/gateway", {"additional_headers": user, "origin": f"http://evil.example:{gateway.port}"}, 403, "FORBIDDEN"),
    ]
    for address, options, status, code in cases:
        got, error = await refused(gateway, address, **options)
        assert (got, error["code"]) == (status, code), f"{address} {options}: {got} {error}"
        assert len(error["message"]) > 20, "it says what to do"
    async with opened(gateway) as socket:
        assert await socket.ask("gateway.status")


# D2
async def test_the_three_ways_to_show_a_token(gateway):
    for address, options in (
        (f"/gateway?token={gateway.token}", {}),
        ("/gateway", {"additional_headers": {"Authorization": f"Bearer {gateway.token}"}}),
        ("/gateway", {"subprotocols": ["sightline", f"token.{gateway.token}"], "origin": gateway.address}),
    ):
        async with connect(f"ws://127.0.0.1:{gateway.port}{address}", proxy=None, **options) as connection:
            await connection.send('{"type": "gateway.status", "id": "1"}')
            assert json.loads(await connection.recv())["type"] == "gateway.status.result"
            if "subprotocols" in options:
                assert connection.subprotocol == "sightline", "the token is not sent back"


# D2
async def test_a_client_that_hangs_up_in_the_middle_harms_nobody(gateway):
    async with opened(gateway) as other:
        before = await other.ask("todo.write", session="kept", todos=EARLIER)
        for _ in range(20):
            async with opened(gateway) as socket:
                await socket.tell(json.dumps({"type": "events.subscribe", "id": "1"}))
                await socket.tell(json.dumps({"type": "todo.write", "id": "2", "session": "gone", "todos": EARLIER}))
                socket.connection.transport.abort()
        await assert_all_is_well(other, before)
