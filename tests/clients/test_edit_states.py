"""The states of an edit with an agent that follows it, goes on as before, or decides otherwise."""

import pytest

import agent
from agent import WAYS, connected, contents
from socket_client import Socket, opened

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("way", WAYS)]

OWN = [
    {"id": "1", "content": "Read", "status": "completed"},
    {"id": "2", "content": "Fix", "status": "in_progress"},
    {"id": "3", "content": "Test", "status": "pending"},
    {"id": "4", "content": "Ship", "status": "pending", "priority": "medium"},
]
SENT = ("id", "content", "status", "activeForm", "priority", "reason")


def as_told(written: dict) -> list[dict]:
    """The list as an agent that took notice sends it again."""
    return [{key: item[key] for key in SENT if key in item} for item in written["todos"]]


def with_fourth(**fields) -> list[dict]:
    return [*OWN[:3], {**OWN[3], **fields}]


async def states(socket: Socket, edit: str, last: str) -> list[str]:
    """The states that an edit went through, to the last one."""
    end = await socket.event("edit.state", editId=edit, state=last)
    came = [message for message in socket.seen if message["type"] == "edit.state" and message["editId"] == edit]
    came = came[: came.index(end) + 1]
    told = [message for message in came if message["state"] == "delivered"]
    assert all(message["toolCall"] for message in told), "with the call whose result told it"
    names = [message["state"] for message in came]
    return [name for at, name in enumerate(names) if at == 0 or name != names[at - 1]]


# Request, its fields, how it is told, and a list of the agent's that decides otherwise.
EDITS = {
    "status": ("todo.setStatus", {"status": "blocked"}, 'set "Ship": status blocked', with_fourth(status="completed")),
    "text": (
        "todo.edit",
        {"content": "Ship tomorrow"},
        'set "Ship": text "Ship tomorrow"',
        with_fourth(content="Ship next week"),
    ),
    "another field": ("todo.edit", {"priority": "high"}, 'set "Ship": priority high', with_fourth(priority="low")),
    "place": ("todo.move", {"to": "1"}, 'moved "Ship" to 1', [OWN[0], OWN[3], *OWN[1:3]]),
}


# P11, D5
@pytest.mark.parametrize("edit", EDITS)
async def test_an_edit_is_reflected_ignored_or_overridden(gateway, way, edit):
    kind, fields, sentence, otherwise = EDITS[edit]
    async with connected(gateway, way) as client, opened(gateway) as socket:
        await socket.ask("events.subscribe")

        async def edited_and_told(label: str) -> tuple[str, dict, dict]:
            session = (await agent.write(client, OWN, session=label))["sessionId"]
            done = await socket.ask(kind, sessionId=session, position="4", **fields)
            assert await states(socket, done["editId"], "queued") == ["queued"]
            # The list that crosses it repeats what it knew, so the user's word stands, and is told.
            told = await agent.write(client, OWN, session=label)
            assert told["todos"] == done["todos"]
            assert f"\n- {sentence}" in told["text"]
            assert [change["text"] for change in told["userChanges"]] == ["Ship"]
            await states(socket, done["editId"], "delivered")
            return done["editId"], done, told

        name, done, told = await edited_and_told("reflected")
        taken = await agent.write(client, as_told(told), session="reflected")
        assert taken["userChanges"] == [], "told once"
        assert taken["todos"] == done["todos"]
        assert await states(socket, name, "reflected") == ["queued", "delivered", "reflected"]

        name, done, told = await edited_and_told("ignored")
        for _ in range(2):
            repeated = await agent.write(client, OWN, session="ignored")
            assert repeated["todos"] == done["todos"], "repetition decides nothing"
        assert await states(socket, name, "ignored") == ["queued", "delivered", "ignored"]
        assert (await agent.write(client, OWN, session="ignored"))["todos"] == done["todos"], "however often"

        name, done, told = await edited_and_told("overridden")
        decided = await agent.write(client, otherwise, session="overridden")
        assert contents(decided["todos"]) == contents(otherwise)
        assert [item["status"] for item in decided["todos"]] == [item["status"] for item in otherwise]
        assert [item.get("priority") for item in decided["todos"]] == [item.get("priority") for item in otherwise]
        assert await states(socket, name, "overridden") == ["queued", "delivered", "overridden"]


# P11, D5
async def test_an_added_item_is_taken_left_out_or_skipped(gateway, way):
    async with connected(gateway, way) as client, opened(gateway) as socket:
        await socket.ask("events.subscribe")

        async def added_and_told(label: str) -> tuple[str, dict]:
            session = (await agent.write(client, OWN, session=label))["sessionId"]
            name = (await socket.ask("todo.add", sessionId=session, content="Ask"))["editId"]
            told = await agent.write(client, OWN, session=label)
            assert await states(socket, name, "delivered") == ["queued", "delivered"]
            return name, told

        name, told = await added_and_told("reflected")
        await agent.write(client, as_told(told), session="reflected")
        assert await states(socket, name, "reflected") == ["queued", "delivered", "reflected"]

        name, told = await added_and_told("ignored")
        for _ in range(2):
            ignored = await agent.write(client, OWN, session="ignored")
        assert await states(socket, name, "ignored") == ["queued", "delivered", "ignored"]
        assert contents(ignored["todos"])[-1] == "Ask", "it stays in ours"

        name, told = await added_and_told("overridden")
        *rest, ask = as_told(told)
        given_up = await agent.write(client, [*rest, {**ask, "status": "skipped"}], session="overridden")
        assert given_up["todos"][-1]["status"] == "skipped"
        assert await states(socket, name, "overridden") == ["queued", "delivered", "overridden"]


# P11, D5
async def test_a_deleted_item_is_dropped_repeated_or_added_again(gateway, way):
    async with connected(gateway, way) as client, opened(gateway) as socket:
        await socket.ask("events.subscribe")

        async def deleted_and_told(label: str) -> str:
            session = (await agent.write(client, OWN, session=label))["sessionId"]
            name = (await socket.ask("todo.delete", sessionId=session, position="3-4"))["editId"]
            told = await agent.write(client, OWN, session=label)
            assert contents(told["todos"]) == ["Read", "Fix"]
            assert await states(socket, name, "delivered") == ["queued", "delivered"]
            return name

        name = await deleted_and_told("ignored")
        for _ in range(2):
            ignored = await agent.write(client, OWN, session="ignored")
            assert contents(ignored["todos"]) == ["Read", "Fix"]
            assert any('"Ship"; it stays removed' in remark for remark in ignored["remarks"])
        assert await states(socket, name, "ignored") == ["queued", "delivered", "ignored"]

        name = await deleted_and_told("reflected")
        await agent.write(client, OWN[:2], session="reflected")
        assert await states(socket, name, "reflected") == ["queued", "delivered", "reflected"]
        # It has dropped them, so it means it when it sends them again.
        again = await agent.write(client, OWN, session="reflected")
        assert contents(again["todos"]) == contents(OWN)
        assert (await states(socket, name, "overridden"))[-1] == "overridden"


# P11
async def test_a_later_edit_takes_the_place_of_an_earlier_one(gateway, way):
    async with connected(gateway, way) as client, opened(gateway) as socket:
        await socket.ask("events.subscribe")
        session = (await agent.write(client, OWN))["sessionId"]
        one = await socket.ask("todo.setStatus", sessionId=session, position="4", status="blocked")
        two = await socket.ask("todo.setStatus", sessionId=session, position="4", status="skipped")
        assert await states(socket, one["editId"], "superseded") == ["queued", "superseded"]
        told = await agent.write(client, OWN)
        assert [change["detail"] for change in told["userChanges"]] == ["status skipped"], "only what counts is told"
        assert told["todos"][3]["status"] == "skipped"
        assert await states(socket, two["editId"], "delivered") == ["queued", "delivered"]

        # Taken back after it was told, it is told that it was.
        undone = await socket.ask("todo.undo", sessionId=session)
        assert await states(socket, two["editId"], "superseded") == ["queued", "delivered", "superseded"]
        told = await agent.write(client, OWN)
        assert told["todos"] == undone["todos"]
        assert [change["detail"] for change in told["userChanges"]] == ["status blocked"]


# D5
@pytest.mark.parametrize(
    "kind, key, older, newer",
    [("todo.setStatus", "status", "blocked", "skipped"), ("todo.edit", "content", "Ship tomorrow", "Ship next week")],
)
async def test_what_was_told_before_does_not_undo_what_is_not_told_yet(gateway, way, kind, key, older, newer):
    async with connected(gateway, way) as client, opened(gateway) as socket:
        await socket.ask("events.subscribe")
        first = await agent.write(client, OWN)
        ship = {"sessionId": first["sessionId"], "uid": first["todos"][3]["uid"]}
        await socket.ask(kind, **ship, **{key: older})
        told = await agent.write(client, OWN)
        assert told["todos"][3][key] == older

        # The agent follows; the user has changed it again meanwhile, which this call is the first to tell.
        name = (await socket.ask(kind, **ship, **{key: newer}))["editId"]
        crossing = await agent.write(client, as_told(told))
        assert crossing["todos"][3][key] == newer, "the agent said nothing new, so the user's word stands"
        assert len(crossing["userChanges"]) == 1 and newer in crossing["userChanges"][0]["detail"]
        assert await states(socket, name, "delivered") == ["queued", "delivered"]


# D5, T3
async def test_the_users_item_in_progress_stands(gateway, way):
    async with connected(gateway, way) as client, opened(gateway) as socket:
        session = (await agent.write(client, OWN))["sessionId"]
        await socket.ask("todo.setStatus", sessionId=session, position="4", status="in_progress")
        mine = [OWN[0], {**OWN[1], "status": "completed"}, {**OWN[2], "status": "in_progress"}, OWN[3]]
        told = await agent.write(client, mine)
        assert [item["status"] for item in told["todos"]] == ["completed", "completed", "pending", "in_progress"]
        (remark,) = told["remarks"]
        assert '"Ship"' in remark and '"Test"' in remark and remark in told["text"]
