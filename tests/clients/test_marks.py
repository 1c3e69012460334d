"""Marks of the user on a session of the board, and hostile ones."""

import json

import pytest

from socket_client import opened

pytestmark = pytest.mark.anyio

LIST = [{"content": "Read", "status": "blocked"}, {"content": "Fix"}]

# Type, fields, code, words of the message.
HOSTILE = [
    ("session.mark", {"sessionId": "nobody", "pinned": True}, "SESSION_NOT_FOUND", "session"),
    ("session.mark", {"sessionId": 7, "pinned": True}, "INVALID_MESSAGE", "sessionId"),
    ("session.mark", {"sessionId": None, "pinned": True}, "INVALID_MESSAGE", "sessionId"),
    ("session.mark", {"sessionId": "x" * 100_000, "pinned": True}, "SESSION_NOT_FOUND", "session"),
    ("session.mark", {"pinned": "yes"}, "INVALID_MESSAGE", "pinned"),
    ("session.mark", {"muted": 1}, "INVALID_MESSAGE", "muted"),
    ("session.mark", {"dismissed": []}, "INVALID_MESSAGE", "dismissed"),
    ("need.dismiss", {}, "INVALID_MESSAGE", "needId"),
    ("need.dismiss", {"needId": ""}, "INVALID_MESSAGE", '"needId" is the id of one of'),
    ("need.dismiss", {"needId": 7}, "INVALID_MESSAGE", "needId"),
    ("need.dismiss", {"needId": "x" * 201}, "INVALID_MESSAGE", '"needId" is the id of one of'),
    ("need.dismiss", {"needId": "é" * 101}, "INVALID_MESSAGE", '"needId" is the id of one of'),
    ("need.dismiss", {"needId": "drift:1", "dismissed": "yes"}, "INVALID_MESSAGE", "dismissed"),
    ("need.dismiss", {"sessionId": "nobody", "needId": "drift:1"}, "SESSION_NOT_FOUND", "session"),
]


# D1
async def test_what_is_wrong_is_said_and_marks_nothing(gateway):
    wrong = []
    async with opened(gateway) as socket:
        kept = (await socket.ask("todo.write", session="kept", todos=LIST))["sessionId"]
        before = (await socket.ask("session.get", sessionId=kept))["session"]
        for kind, fields, code, said in HOSTILE:
            answer = await socket.answer(kind, **{"sessionId": kept, **fields})
            if answer["type"] != "error" or answer["code"] != code or said not in answer["message"]:
                wrong.append((kind, fields, code, said, answer))
            elif len(answer["message"]) > 1_000:
                wrong.append((kind, "the answer has", len(answer["message"]), "characters"))
        assert wrong == [], json.dumps(wrong, indent=1)[:4_000]
        assert (await socket.ask("session.get", sessionId=kept))["session"] == before


# D1
async def test_marks_are_kept_one_by_one(gateway):
    async with opened(gateway) as socket:
        kept = (await socket.ask("todo.write", session="marked", todos=LIST))["sessionId"]

        async def marks() -> tuple[bool, bool, bool]:
            session = (await socket.ask("session.get", sessionId=kept))["session"]
            return tuple(session.get(mark, False) for mark in ("pinned", "muted", "dismissed"))

        await socket.ask("session.mark", sessionId=kept, pinned=True)
        await socket.ask("session.mark", sessionId=kept, muted=True)
        assert await marks() == (True, True, False)
        await socket.ask("session.mark", sessionId=kept)
        assert await marks() == (True, True, False), "what is left out stays"
        await socket.ask("session.mark", sessionId=kept, pinned=False, dismissed=True)
        assert await marks() == (False, True, True)
        await socket.ask("todo.write", session="marked", todos=[*LIST, {"content": "Ship"}])
        assert await marks() == (False, True, False), "who is heard of again is on the board again"


# D1
async def test_a_need_is_left_as_it_is_and_taken_up_again(gateway):
    async with opened(gateway) as socket:
        written = await socket.ask("todo.write", session="blocked", todos=LIST)
        session = written["sessionId"]

        async def needs() -> list[str]:
            told = await socket.ask("session.get", sessionId=session)
            return [need["id"] for need in told["session"].get("needs", [])]

        [blocked] = await needs()
        assert blocked.startswith(f"blocked:{written['todos'][0]['uid']}:")
        for _ in range(2):
            await socket.ask("need.dismiss", sessionId=session, needId=blocked)
            assert await needs() == []
        await socket.ask("need.dismiss", sessionId=session, needId=blocked, dismissed=False)
        assert await needs() == [blocked]
        # Two hundred of them are remembered, whoever sends them.
        for number in range(250):
            await socket.ask("need.dismiss", sessionId=session, needId=f"drift:{number}")
        assert await needs() == [blocked]
