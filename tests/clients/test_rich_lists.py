"""`todo_write` with all that an item can carry, as the `mcp` package sends it and a WebSocket client sees it."""

import pytest

import agent
from agent import ERAS, WAYS, connected, contents
from socket_client import opened

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.parametrize("way", WAYS),
    pytest.mark.parametrize("era", ERAS),
]

# Everything by its own name, so that what comes back can be held against what was sent.
SUBTASK = {
    "id": "ship.tag",
    "content": "Tag it",
    "status": "completed",
    "activeForm": "Tagging it",
    "priority": "low",
    "category": "release",
    "estimate": "5min",
    "description": "With a message",
    "notes": "signed",
    "owner": "second-agent",
    "reason": "none",
}
FULL = {
    "id": "ship",
    "content": "Ship it – наконец 🚀",
    "status": "skipped",
    "activeForm": "Shipping it",
    "priority": "high",
    "category": "release",
    "dependsOn": ["write", "elsewhere"],
    "estimate": "1h 30m",
    "description": "To all of them",
    "notes": "after lunch",
    "owner": "first-agent",
    "reason": "the customer said no",
}
EXTRA = {
    "ticket": {"system": "elsewhere", "number": 7, "tags": ["a", None, 1.5, True]},
    "кто": "все",
    "empty": "",
    "nothing": [],
}
SUB_EXTRA = {"weight": 0.25}


async def over_the_socket(socket, written: dict) -> list[dict]:
    """The list of a revision as a subscriber was told of it."""
    update = await socket.event("todo.update", sessionId=written["sessionId"], revision=written["revision"])
    return update["todos"]


# G1, K4
async def test_every_field_comes_back_as_it_was_sent(gateway, way, era):
    async with connected(gateway, way, era) as client, opened(gateway) as socket:
        await socket.ask("events.subscribe")
        sent = {**FULL, **EXTRA, "subtasks": [{**SUBTASK, **SUB_EXTRA}]}
        written = await agent.write(client, [{"id": "write", "content": "Write it"}, sent])
        item = written["todos"][1]
        assert {key: item[key] for key in FULL} == FULL
        assert item["extra"] == EXTRA
        (sub,) = item["subtasks"]
        assert {key: sub[key] for key in SUBTASK} == SUBTASK
        assert sub["extra"] == SUB_EXTRA
        assert item["estimateMinutes"] == 90 and sub["estimateMinutes"] == 5
        assert item["origin"] == sub["origin"] == "agent"
        assert await over_the_socket(socket, written) == written["todos"]
        assert (await agent.read(client))["todos"] == written["todos"]
        # Our own answer, sent back to us, changes nothing.
        again = await agent.write(client, written["todos"])
        assert again["todos"] == written["todos"]


# G1
async def test_every_word_for_a_status_is_understood_or_kept(gateway, way, era):
    words = {
        "todo": "pending",
        "not-started": "pending",
        "open": "pending",
        "TODO_STATUS_PENDING": "pending",
        "inProgress": "in_progress",
        "done": "completed",
        "closed": "completed",
        "blocked": "blocked",
        "skipped": "skipped",
        "canceled": "cancelled",
        "awaiting review": "unknown",
        "_custom:Wartet 🕰": "unknown",
        "unknown": "unknown",
    }
    async with connected(gateway, way, era) as client, opened(gateway) as socket:
        await socket.ask("events.subscribe")
        written = await agent.write(client, [{"content": f"Is {word}", "status": word} for word in words])
        assert [item["status"] for item in written["todos"]] == list(words.values())
        raw = {item["content"]: item["statusRaw"] for item in written["todos"] if "statusRaw" in item}
        assert raw == {f"Is {word}": word for word in ("awaiting review", "_custom:Wartet 🕰")}
        assert await over_the_socket(socket, written) == written["todos"]
        # Neither done nor active: 3 of ours are completed or skipped, one is cancelled.
        assert written["progress"] == {"completed": 3, "total": 12}
        assert "[awaiting review] Is awaiting review" in written["text"]


# G1, K2
async def test_a_priority_of_no_known_word_is_kept(gateway, way, era):
    async with connected(gateway, way, era) as client:
        written = await agent.write(client, [{"content": "a", "priority": "P0"}, {"content": "b", "priority": "HIGH"}])
        first, second = written["todos"]
        assert "priority" not in first and first["extra"] == {"priority": "P0"}
        assert second["priority"] == "high"


# K2, G1
async def test_estimates_are_kept_and_read_as_minutes(gateway, way, era):
    estimates = {"5min": 5, "2hrs": 120, "1.5h": 90, "45s": 1, "15min|45min": None, "soon": None}
    todos = [{"content": f"Takes {said}", "estimate": said} for said in estimates]
    todos[0]["estimated_time"] = todos[0].pop("estimate")
    async with connected(gateway, way, era) as client:
        written = await agent.write(client, todos)
        assert [item["estimate"] for item in written["todos"]] == list(estimates)
        assert [item.get("estimateMinutes") for item in written["todos"]] == list(estimates.values())


# K3
async def test_dependencies_are_found_by_id_position_and_text(gateway, way, era):
    todos = [
        {"id": "a", "content": "Write the parser", "status": "in_progress"},
        {"id": "b", "content": "Test the parser", "dependsOn": ["a"]},
        {"id": "c", "content": "Document it", "dependsOn": ["2"]},
        {"id": "d", "content": "Announce it", "blockedBy": ["Document it", "TEST THE"]},
        {"id": "e", "content": "Rest", "depends_on": ["elsewhere", "the parser"]},
    ]
    async with connected(gateway, way, era) as client, opened(gateway) as socket:
        await socket.ask("events.subscribe")
        written = await agent.write(client, todos)
        a, b, c, d, e = written["todos"]
        assert "dependsOnUids" not in a
        assert b["dependsOnUids"] == [a["uid"]]
        assert c["dependsOnUids"] == [b["uid"]] and c["dependsOn"] == ["2"], "as it was said"
        assert d["dependsOnUids"] == [c["uid"], b["uid"]]
        assert e["dependsOnUids"] == [None, None], "unknown, and of two one cannot choose: kept, and blocks nothing"
        assert [item.get("waiting", False) for item in written["todos"]] == [False, True, True, True, False]
        assert await over_the_socket(socket, written) == written["todos"]

        # It is met when terminal; the status itself was never touched.
        await socket.ask("todo.setStatus", sessionId=written["sessionId"], uid=a["uid"], status="cancelled")
        now = (await agent.read(client))["todos"]
        assert [item.get("waiting", False) for item in now] == [False, False, True, True, False]
        assert [item["status"] for item in now] == ["cancelled", "pending", "pending", "pending", "pending"]


# K3
async def test_a_circle_is_refused_and_nothing_changes(gateway, way, era):
    circle = [
        {"id": "a", "content": "Hen", "dependsOn": ["b"]},
        {"id": "b", "content": "Egg", "dependsOn": ["c"]},
        {"id": "c", "content": "Nest", "dependsOn": ["Hen"]},
    ]
    async with connected(gateway, way, era) as client:
        before = await agent.write(client, [{"id": "a", "content": "Hen"}])
        result = await client.call_tool("todo_write", {"todos": circle})
        assert result.is_error
        assert agent.text_of(result) == (
            'Error: these items wait for each other, so none could begin: "Hen" waits for "Egg" waits for "Nest" waits'
            ' for "Hen". Nothing was changed; take one dependency out and send it again'
        )
        itself = await client.call_tool("todo_write", {"todos": [{"id": "a", "content": "Hen", "dependsOn": ["a"]}]})
        assert itself.is_error and '"Hen" waits for "Hen"' in agent.text_of(itself)
        after = await agent.read(client)
        assert after["todos"] == before["todos"] and after["revision"] == before["revision"]


# G1
async def test_a_merge_changes_only_what_it_names(gateway, way, era):
    todos = [
        {"id": "a", "content": "Read", "status": "completed", "notes": "twice"},
        {"id": "b", "content": "Fix", "status": "in_progress", "activeForm": "Fixing", "color": "red"},
        {"id": "c", "content": "Test", "priority": "low", "subtasks": [{"id": "c1", "content": "Unit"}]},
    ]
    async with connected(gateway, way, era) as client:
        before = await agent.write(client, todos)
        part = [
            {"id": "b", "status": "completed"},
            {"id": "c", "notes": "slowly", "subtasks": [{"id": "c1", "status": "completed"}]},
            {"id": "d", "content": "Ship"},
        ]
        merged = await agent.write(client, part, merge=True)
        assert contents(merged["todos"]) == ["Read", "Fix", "Test", "Ship"]
        assert merged["text"].splitlines()[0] == "Updated todos: 2/4 complete"
        a, b, c, d = merged["todos"]
        assert a == before["todos"][0]

        def without(item: dict, *keys: str) -> dict:
            return {key: value for key, value in item.items() if key not in keys}

        changes = ("status", "statusAt", "workedMs")
        assert b["status"] == "completed" and without(b, *changes) == without(before["todos"][1], *changes)
        assert c["notes"] == "slowly"
        assert without(c, "notes", "subtasks") == without(before["todos"][2], "subtasks")
        assert c["subtasks"][0]["content"] == "Unit" and c["subtasks"][0]["status"] == "completed"
        assert d["status"] == "pending"

        gone = await agent.write(client, [{"id": "a", "status": "deleted"}], merge=True)
        assert contents(gone["todos"]) == ["Fix", "Test", "Ship"]
        for arguments, word in (
            ({"todos": [{"id": "nobody", "status": "completed"}], "merge": True}, "nobody"),
            ({"todos": [{"status": "completed"}], "merge": True}, "names no item"),
            ({"todos": [], "merge": "yes"}, "merge"),
        ):
            result = await client.call_tool("todo_write", arguments)
            assert result.is_error and word in agent.text_of(result)
        assert (await agent.read(client))["todos"] == gone["todos"]


# K4, G1
async def test_subtasks_are_of_one_level(gateway, way, era):
    deep = [{"content": "a", "subtasks": [{"content": "b", "subtasks": [{"content": "c"}]}]}]
    async with connected(gateway, way, era) as client:
        result = await client.call_tool("todo_write", {"todos": deep})
        assert result.is_error and "todos[0].subtasks[0].subtasks is too deep" in agent.text_of(result)
        assert (await agent.read(client))["todos"] == []
