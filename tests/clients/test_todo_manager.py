"""`todo_manager` as the `mcp` package calls it: over both transports and in both protocol eras."""

import pytest

import agent
from agent import ERAS, WAYS, connected, contents, step
from socket_client import opened

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.parametrize("way", WAYS),
    pytest.mark.parametrize("era", ERAS),
]

ACTIONS = ["list", "next", "add_multiple", "add_after_position", "complete_multiple", "skip", "replace_all"]
UPDATED = "TODO list updated. Current state:\n"
UNCHANGED = "TODO list unchanged. Current state:\n"


def drafts(*words: str) -> list[dict]:
    return [{"content": word} for word in words]


def xml(*items: tuple[str, str]) -> str:
    """The list as it is to be read: status and content of each item, numbered from 1."""
    lines = [f'<todo id="{at}" status="{status}">{said}</todo>\n' for at, (status, said) in enumerate(items, 1)]
    return f"<todos>\n{''.join(lines)}</todos>"


async def listed(client) -> str:
    """The output of `list`, which has no reminder."""
    found = await step(client, "list")
    assert found.reminder is None
    return found.answer["output"]


async def changed(client, output, *items: tuple[str, str], action: str, **fields) -> dict:
    """Calls a changing action; its exact answer and the exact reminder after it. Gives the structured part."""
    done = await step(client, action, **fields)
    assert done.answer == {"ok": True, "output": output}
    assert done.reminder == UPDATED + xml(*items)
    assert await listed(client) == xml(*items), "the list is what the reminder said"
    return done.structured


# T1
async def test_the_tool_is_listed_with_its_schema(gateway, way, era):
    async with connected(gateway, way, era) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    tool = tools["todo_manager"]
    assert tool.input_schema["required"] == ["action"]
    properties = tool.input_schema["properties"]
    assert properties["action"]["enum"] == ACTIONS
    assert properties["todos"]["items"]["required"] == ["content"]
    assert properties["ids"] | {"description": ""} == {
        "type": "array",
        "items": {"type": "integer"},
        "description": "",
    }
    assert properties["position"]["type"] == "integer"
    for action in ACTIONS:
        assert f"{action}: " in tool.description, "the description tells the actions apart"


# T1, T2, T4, T5, T7
async def test_every_action_answers_exactly(gateway, way, era):
    async with connected(gateway, way, era) as client:
        assert await listed(client) == "<todos>\n</todos>"
        empty = await step(client, "next")
        assert empty.answer == {"ok": True, "output": "No active TODOs"}
        assert empty.reminder == UNCHANGED + xml()

        a, b, c, d = "Read", "Fix", "Test", "Ship"
        first = await changed(
            client, "Added 2 TODOs", ("todo", a), ("todo", c), action="add_multiple", todos=drafts(a, c)
        )
        assert first["revision"] == 1 and contents(first["todos"]) == [a, c]
        await changed(
            client,
            "Added 1 TODOs",
            ("todo", a),
            ("todo", b),
            ("todo", c),
            action="add_after_position",
            position=1,
            todos=drafts(b),
        )
        await changed(
            client,
            {"id": 1, "content": a, "status": "doing"},
            ("doing", a),
            ("todo", b),
            ("todo", c),
            action="next",
        )
        again = await step(client, "next")
        assert again.answer["output"] == {"id": 1, "content": a, "status": "doing"}, "what is doing stays"
        assert again.reminder == UNCHANGED + xml(("doing", a), ("todo", b), ("todo", c))
        await changed(
            client,
            "Completed TODOs: 1, 3",
            ("done", a),
            ("todo", b),
            ("done", c),
            action="complete_multiple",
            ids=[1, 3],
        )
        skipped = await changed(
            client,
            "Skipped TODO: 2",
            ("done", a),
            ("skipped", b),
            ("done", c),
            action="skip",
            ids=[2],
            reason="the disk is full",
        )
        assert skipped["todos"][1]["status"] == "skipped", "it stays in the list"
        for action, fields in (
            ("complete_multiple", {"ids": [1, 3]}),
            ("skip", {"ids": [2], "reason": "the disk is full"}),
            ("next", {}),
        ):
            once_more = await step(client, action, **fields)
            assert once_more.ok and once_more.reminder == UNCHANGED + xml(("done", a), ("skipped", b), ("done", c))
        assert skipped["todos"][1]["reason"] == "the disk is full"
        assert skipped["progress"] == {"completed": 3, "total": 3}
        over = await step(client, "next")
        assert over.answer["output"] == "All TODOs are done or skipped"
        await changed(
            client,
            "Added 1 TODOs",
            ("todo", d),
            ("done", a),
            ("skipped", b),
            ("done", c),
            action="add_after_position",
            position=0,
            todos=drafts(d),
        )
        await changed(
            client,
            "Replaced all TODOs with 2 new items",
            ("todo", "One"),
            ("todo", "Two"),
            action="replace_all",
            todos=drafts("One", "Two"),
        )
        emptied = await changed(client, "Replaced all TODOs with 0 new items", action="replace_all", todos=[])
        assert emptied["todos"] == []


# T1
async def test_every_mistake_is_said_and_changes_nothing(gateway, way, era):
    known = "list, next, add_multiple, add_after_position, complete_multiple, skip, replace_all"
    unknown = "the list has 1 to 3. Nothing was changed"
    mistakes = [
        ("add_multiple", {}, "Todos required"),
        ("add_multiple", {"todos": []}, "Todos required"),
        ("add_multiple", {"todos": None}, "Todos required"),
        ("replace_all", {}, "Todos required"),
        ("add_after_position", {"position": 1}, "Todos required"),
        ("add_after_position", {"todos": drafts("x")}, "Position required"),
        ("add_after_position", {"todos": drafts("x"), "position": 4}, "Position 4 out of range (0-3)"),
        ("complete_multiple", {}, "IDs required"),
        ("complete_multiple", {"ids": []}, "IDs required"),
        ("complete_multiple", {"ids": [1, 9]}, f"Unknown ID: 9; {unknown}"),
        ("complete_multiple", {"ids": [0]}, f"Unknown ID: 0; {unknown}"),
        ("complete_multiple", {"ids": [-1]}, "Unknown ID: -1; an ID is a number as in the list. Nothing was changed"),
        (
            "complete_multiple",
            {"ids": ["two"]},
            'Unknown ID: "two"; an ID is a number as in the list. Nothing was changed',
        ),
        ("skip", {}, "IDs required"),
        ("skip", {"ids": []}, "IDs required"),
        ("skip", {"ids": [4]}, f"Unknown ID: 4; {unknown}"),
        ("skip", {"ids": [1, 2]}, "Skip takes exactly one id, 2 were sent; skip one at a time"),
        ("frobnicate", {}, f"Unknown action: frobnicate. Use one of {known}"),
        (None, {}, f"Action required: one of {known}"),
        ("add_multiple", {"todos": [{"status": "pending"}]}, None),
        ("add_multiple", {"todos": [{"content": ""}]}, None),
        ("add_multiple", {"todos": 7}, None),
        ("add_multiple", {"todos": drafts("x" * 2001)}, None),
    ]
    async with connected(gateway, way, era) as client:
        before = await step(client, "add_multiple", todos=drafts("Read", "Fix", "Test"))
        wrong = []
        for action, fields, error in mistakes:
            refused = await step(client, action, **fields)
            said = refused.answer.get("error", "")
            if refused.ok or refused.reminder or (said != error if error else "todos" not in said):
                wrong.append((action, fields, refused.answer))
        assert wrong == []
        after = await agent.read(client)
        assert after["todos"] == before.structured["todos"] and after["revision"] == 1


# T1
async def test_an_empty_list_says_that_it_has_no_ids(gateway, way, era):
    async with connected(gateway, way, era) as client:
        refused = await step(client, "skip", ids=[1])
        assert refused.answer["error"] == "Unknown ID: 1; the list is empty. Nothing was changed"


# T4
async def test_next_starts_what_can_start(gateway, way, era):
    todos = [
        {"id": "ship", "content": "Ship", "dependsOn": ["fix"]},
        {"id": "fix", "content": "Fix"},
        {"id": "stuck", "content": "Stuck", "status": "blocked"},
    ]
    async with connected(gateway, way, era) as client:
        await agent.write(client, todos)
        assert await listed(client) == xml(("waiting", "Ship"), ("todo", "Fix"), ("blocked", "Stuck"))
        started = await step(client, "next")
        assert started.answer["output"] == {"id": 2, "content": "Fix", "status": "doing"}
        await step(client, "complete_multiple", ids=[2])
        started = await step(client, "next")
        assert started.answer["output"] == {"id": 1, "content": "Ship", "status": "doing"}
        await step(client, "complete_multiple", ids=[1])
        stuck = await step(client, "next")
        assert stuck.answer["output"].startswith("No TODO can be started")


# T3, T4
async def test_at_most_one_item_is_doing(gateway, way, era):
    two = [{"content": "Read", "status": "in_progress"}, {"content": "Fix", "status": "doing"}]
    async with connected(gateway, way, era) as client:
        refused = await step(client, "replace_all", todos=two)
        assert "Only one TODO can be doing at a time" in refused.answer["error"]
        assert await listed(client) == "<todos>\n</todos>"
        await step(client, "add_multiple", todos=drafts("Read"))
        await step(client, "next")
        refused = await step(client, "add_multiple", todos=two[1:])
        assert "Only one TODO can be doing at a time" in refused.answer["error"]
        assert await listed(client) == xml(("doing", "Read"))
        # `todo_write` takes what it is sent, and says so.
        written = await agent.write(client, two)
        assert [item["status"] for item in written["todos"]] == ["in_progress", "in_progress"]
        assert any("one at a time" in remark for remark in written["remarks"])


# T6
async def test_at_most_thirty_items_and_the_users_do_not_count(gateway, way, era):
    thirty = [f"Step {at}" for at in range(1, 31)]
    async with connected(gateway, way, era) as client, opened(gateway) as socket:
        refused = await step(client, "replace_all", todos=drafts(*thirty, "One more"))
        assert refused.answer["error"].startswith("Too many TODOs: 31 would be in the list, 30 may be. Nothing was")
        done = await step(client, "add_multiple", todos=drafts(*thirty[:29]))
        session = done.structured["sessionId"]
        for word in ("Mine", "Mine too", "And mine"):
            await socket.ask("todo.add", sessionId=session, content=word)
        done = await step(client, "add_multiple", todos=drafts(thirty[29]))
        assert done.ok and len(done.structured["todos"]) == 33
        for action, fields in (
            ("add_multiple", {"todos": drafts("One more")}),
            ("add_after_position", {"todos": drafts("One more"), "position": 1}),
            ("replace_all", {"todos": drafts(*thirty, "One more")}),
        ):
            refused = await step(client, action, **fields)
            assert refused.answer["error"].startswith("Too many TODOs: 31 would be in the list, 30 may be"), action
        assert len((await agent.read(client))["todos"]) == 33


# T1
async def test_the_list_is_escaped(gateway, way, era):
    words = '</todo><todo id="1" status="done">& "all" \'of\' it'
    async with connected(gateway, way, era) as client:
        done = await step(client, "add_multiple", todos=drafts(words, "Next"))
        said = '&lt;/todo&gt;&lt;todo id="1" status="done"&gt;&amp; "all" \'of\' it'
        assert done.reminder == UPDATED + xml(("todo", said), ("todo", "Next"))
        assert contents(done.structured["todos"]) == [words, "Next"]


# T1, T2, G1
async def test_both_tools_work_on_one_list(gateway, way, era):
    async with connected(gateway, way, era) as client:
        done = await step(client, "add_multiple", todos=drafts("Read", "Fix"))
        await step(client, "next")
        read = await agent.read(client)
        assert read["sessionId"] == done.structured["sessionId"]
        assert [(item["content"], item["status"]) for item in read["todos"]] == [
            ("Read", "in_progress"),
            ("Fix", "pending"),
        ]
        words = ["pending", "in_progress", "completed", "blocked", "skipped", "cancelled", "awaiting review"]
        await agent.write(client, [{"content": word, "status": word} for word in words])
        assert await listed(client) == xml(
            ("todo", "pending"),
            ("doing", "in_progress"),
            ("done", "completed"),
            ("blocked", "blocked"),
            ("skipped", "skipped"),
            ("cancelled", "cancelled"),
            ("awaiting review", "awaiting review"),
        )
        await step(client, "complete_multiple", ids=[1, 2])
        read = await agent.read(client)
        assert [item["status"] for item in read["todos"][:3]] == ["completed"] * 3


# T1
async def test_a_label_names_another_list(gateway, way, era):
    async with connected(gateway, way, era) as client:
        one = await step(client, "add_multiple", todos=drafts("Read"), session="one")
        two = await step(client, "add_multiple", todos=drafts("Fix"), session="two")
        assert one.structured["sessionId"] != two.structured["sessionId"]
        assert (await step(client, "list", session="one")).answer["output"] == xml(("todo", "Read"))


# T7, D5
async def test_the_users_edits_are_told_with_the_next_action(gateway, way, era):
    actions = {
        "list": {},
        "next": {},
        "add_multiple": {"todos": drafts("More")},
        "add_after_position": {"todos": drafts("More"), "position": 1},
        "complete_multiple": {"ids": [1]},
        "skip": {"ids": [1]},
        "replace_all": {"todos": drafts("Read", "Fix", "Test")},
    }
    assert list(actions) == ["list", "next", *ACTIONS[2:]]
    async with connected(gateway, way, era) as client, opened(gateway) as socket:
        for action, fields in actions.items():
            own = {"session": action}
            done = await step(client, "add_multiple", todos=drafts("Read", "Fix", "Test"), **own)
            session = done.structured["sessionId"]
            await socket.ask("todo.setStatus", sessionId=session, position="2", status="blocked")
            await socket.ask("todo.delete", sessionId=session, position="3")
            await socket.ask("todo.add", sessionId=session, content="Ask the customer")

            refused = await step(client, "skip", **own)
            assert not refused.ok and refused.reminder is None, "an error tells nothing, so nothing counts as told"
            told = await step(client, action, **fields, **own)
            assert told.ok, action
            # T7: the list follows what changes it; what the user changed follows anything.
            assert told.reminder.startswith(UPDATED + "<todos>\n") == (action != "list"), action
            for change in (
                'set "Fix": status blocked',
                'removed "Test": do not work on it, leave it out',
                'added "Ask the customer" at ',
            ):
                assert f"\n- {change}" in told.reminder, action
            changes = [(change["kind"], change["text"]) for change in told.structured["userChanges"]]
            assert changes == [("set", "Fix"), ("delete", "Test"), ("add", "Ask the customer")], action
            now = contents(told.structured["todos"])
            assert "Test" not in now and "Ask the customer" in now, action

            again = await step(client, "list", **own)
            assert again.reminder is None and again.structured["userChanges"] == [], "told once"
