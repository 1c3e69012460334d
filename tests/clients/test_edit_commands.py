"""The /todo commands that change single items, load and archive, to the letter."""

import json

import pytest

from agent import contents
from socket_client import opened
from terminal import Ran, Terminal, run, succeed

pytestmark = pytest.mark.anyio

TODOS = [
    {"id": "a", "content": "Read", "status": "completed"},
    {"id": "b", "content": "Fix", "status": "in_progress", "activeForm": "Fixing"},
    {"id": "c", "content": "Test", "subtasks": [{"content": "Unit"}, {"content": "Window"}]},
    {"id": "d", "content": "Ship"},
]
ANSWER = {"sessionId", "revision", "todos", "editId", "message", "text"}
STATUSES = "use pending, in_progress, completed, blocked, skipped or cancelled"


async def given(gateway, label: str = "label", todos: list[dict] = TODOS) -> dict:
    async with opened(gateway) as socket:
        return await socket.ask("todo.write", session=label, todos=todos)


async def now(gateway, label: str = "label") -> dict:
    async with opened(gateway) as socket:
        return await socket.ask("session.get", sessionId=label)


def todo(gateway, *arguments: str, typed: str | None = None) -> Ran:
    return run(gateway, "todo", *arguments, "--session", "label", given=typed)


def statuses(todos: list[dict]) -> list[str]:
    return [item["status"] for item in todos]


# P9, D5
async def test_each_change_says_what_it_did(gateway):
    await given(gateway)
    steps = [
        (("set", "4", "blocked", "--reason", "no key"), 'Set TODO at 4 to blocked: "Ship"'),
        (("set", "3"), 'Set TODO at 3 to in_progress: "Test"'),
        (("set", "3.2", "done"), 'Set TODO at 3.2 to completed: "Window"'),
        (("set", "2-3", "completed"), "Set 2 TODOs at 2-3 to completed"),
        (("unset", "3"), 'Set TODO at 3 to pending: "Test"'),
        (("unset", "all"), "Set 4 TODOs at 1-4 to pending"),
        (("edit", "2", '"Fix', 'it all"'), 'Changed TODO at 2: "Fix" to "Fix it all"'),
        (
            ("edit", "2", "--priority", "high", "--notes", "half way", "--active-form", "Fixing it"),
            'Changed the activeForm and priority and notes of TODO at 2: "Fix it all"',
        ),
        (
            ("edit", "2", "--priority", "none", "--notes", ""),
            'Changed the priority and notes of TODO at 2: "Fix it all"',
        ),
        (("move", "4", "1"), 'Moved TODO from 4 to 1: "Ship"'),
        (("move", "4.1", "4.last"), 'Moved TODO from 4.1 to 4.2: "Unit"'),
        (("indent", "2"), 'Indented TODO at 2: "Read"'),
        (("outdent", "1.1"), 'Outdented TODO at 1.1: "Read"'),
        (("delete", "2-4"), "Deleted 3 TODOs at 2-4"),
        (("undo",), "Undone: 3 items are back"),
        (("undo",), 'Undone: moved "Read"'),
        (("undo",), 'Undone: moved "Read"'),
        (("undo",), 'Undone: moved "Unit"'),
        (("delete", "all"), "Deleted 4 TODOs at 1-4"),
        (("undo",), "Undone: 4 items are back"),
        (("archive",), "TODO list archived"),
    ]
    for arguments, message in steps:
        ran = todo(gateway, *arguments)
        assert (ran.code, ran.out, ran.err) == (0, f"{message}\n", ""), arguments
        if arguments[:2] == ("edit", "2") and "high" in arguments:
            fix = (await now(gateway))["todos"][1]
            assert (fix["priority"], fix["notes"], fix["activeForm"]) == ("high", "half way", "Fixing it")
        if arguments == ("delete", "2-4"):
            assert contents((await now(gateway))["todos"]) == ["Ship"]
    archived = await now(gateway)
    assert archived["todos"] == [] and archived["revision"] == 1 + len(steps)


# P9
async def test_an_undo_says_what_it_left(gateway):
    await given(gateway)
    todo(gateway, "set", "1-2", "blocked")
    async with opened(gateway) as socket:
        await socket.ask("todo.setStatus", sessionId="label", position="2", status="skipped")
    ran = todo(gateway, "undo")
    assert (ran.code, ran.out.splitlines()) == (
        0,
        ["Undone: changed the status of 2 items", 'Not changed: the status of "Fix" was changed since'],
    )


# P5, P6, P9
async def test_what_is_wrong_is_said_and_changes_nothing(gateway):
    form = "Use 1, 2, last, 1.1, or 1.last"
    several = "Use 1, 2, last, 1.1, 1.last, 2-4, or all"
    mistakes = [
        (("set",), "Usage: /todo set <position> [status] [reason]"),
        (("set", "9"), "Error: Position 9 does not exist"),
        (("set", "0", "done"), "Error: Position 0 does not exist"),
        (("set", "-1", "done"), f"Error: Invalid position format: -1. {form}"),
        (("set", "9" * 22), f"Error: Position {'9' * 22} does not exist"),
        (("set", "4-2", "done"), f"Error: Invalid positions: 4-2. {several}"),
        (("set", "1", "frobnicated"), f'Error: "frobnicated" is no status; {STATUSES}'),
        (("unset",), "Usage: /todo unset <position>"),
        (("unset", "3.9"), "Error: Subtask position 3.9 does not exist"),
        (("edit",), "Usage: /todo edit <position> <description>"),
        (("edit", "1"), "Usage: /todo edit <position> <description>"),
        (("edit", "9", "Words"), "Error: Position 9 does not exist"),
        (("edit", "1", ""), "Usage: /todo edit <position> <description>"),
        (
            ("edit", "1", "x" * 2001),
            "Error: todo.edit.content has 2001 characters, it may have 2000; shorten it and send it again",
        ),
        (("edit", "1", "--priority", "urgent"), 'Error: "urgent" is no priority; use high, medium, low or none'),
        (("move",), "Usage: /todo move <from> <to>"),
        (("move", "1"), "Usage: /todo move <from> <to>"),
        (("move", "1", "9"), "Error: Position 9 does not exist"),
        (("move", "1-2", "3"), "Error: Only one item can be moved at a time; name one position"),
        (("indent", "1"), "Error: Item 1 has no item above it that it could belong to"),
        (("indent", "3.1"), "Error: Item 3.1 is a subtask already, and a subtask has no subtasks of its own"),
        (("outdent", "2"), "Error: Item 2 is on the top level already"),
        (("move", "1", "3.1"), "Error: An item stays on its level: 1 cannot be moved to 3.1"),
        (("delete", "2-9"), "Error: Position 9 does not exist"),
        (("delete", "4-2"), f"Error: Invalid positions: 4-2. {several}"),
        (("delete", "2-"), f"Error: Invalid position format: 2-. {form}"),
        (("undo",), "Error: There is no edit to undo here"),
        (("undo", "nonsense"), 'Error: "editId" is not one that this gateway gave'),
    ]
    before = await given(gateway)
    wrong = []
    for arguments, error in mistakes:
        ran = todo(gateway, *arguments)
        if (ran.code, ran.out, ran.err) != (1, "", f"{error}\n"):
            wrong.append((arguments, ran))
    assert wrong == []
    after = await now(gateway)
    assert (after["todos"], after["revision"]) == (before["todos"], 1)


# P9
async def test_an_unknown_session_is_said(gateway):
    await given(gateway)
    for arguments in (
        ("set", "1"),
        ("unset", "1"),
        ("edit", "1", "x"),
        ("move", "1", "2"),
        ("archive",),
        ("load", "1"),
    ):
        ran = run(gateway, "todo", *arguments, "--session", "nobody")
        assert ran.code == 1 and ran.out == "" and "nobody" in ran.err, arguments


PROMPT = "Enter number to load into current session (or blank to cancel):\n"


# P8
async def test_load_asks_for_the_number(gateway):
    old = await given(gateway, "old", TODOS)
    current = await given(gateway, "label", [{"content": "Mine"}])
    listed = succeed(gateway, "todo", "list")
    assert [line for line in listed.splitlines() if "→" in line] == ['   → "Mine"', '   → "Read"']

    for typed in ("\n", "   \n", ""):
        ran = todo(gateway, "load", typed=typed)
        assert (ran.code, ran.out, ran.err) == (0, listed + PROMPT, ""), "blank cancels"
    for typed in ("9", "0", "-1", "x", "1.5", "9" * 22):
        ran = todo(gateway, "load", typed=f"{typed}\n")
        said = f"Error: there is no saved list {typed}; `sightline todo list` numbers those there are\n"
        assert (ran.code, ran.out, ran.err) == (1, listed + PROMPT, said)
    untouched = await now(gateway)
    assert (untouched["todos"], untouched["revision"]) == (current["todos"], 1)

    ran = todo(gateway, "load", typed="2\n")
    assert (ran.code, ran.out, ran.err) == (0, f"{listed}{PROMPT}Loaded a TODO list of 4 item(s)\n", "")
    loaded = await now(gateway)
    assert contents(loaded["todos"]) == contents(old["todos"]) and statuses(loaded["todos"]) == statuses(old["todos"])
    assert todo(gateway, "undo").out == "Undone: loaded a TODO list\n"
    assert (await now(gateway))["todos"] == current["todos"]


# P8
async def test_the_numbers_are_those_that_were_shown(gateway):
    """An agent writes between the question and the answer."""
    old = await given(gateway, "old", TODOS)
    await given(gateway, "other", [{"content": "Theirs"}])
    await given(gateway, "label", [{"content": "Mine"}])
    with Terminal(gateway, "todo", "load", "--session", "label") as terminal:
        await terminal.until("blank to cancel):")
        await given(gateway, "other", [{"content": "Theirs"}, {"content": "More"}])
        await given(gateway, "new", [{"content": "New"}])
        await terminal.type("3")
        assert await terminal.end() == 0
        assert "Loaded a TODO list of 4 item(s)" in terminal.seen
    loaded = await now(gateway)
    assert contents(loaded["todos"]) == contents(old["todos"])


# P8
async def test_load_takes_the_number_at_once(gateway):
    await given(gateway, "old", TODOS)
    await given(gateway, "label", [{"content": "Mine"}])
    ran = todo(gateway, "load", "2")
    assert (ran.code, ran.out, ran.err) == (0, "Loaded a TODO list of 4 item(s)\n", "")
    ran = todo(gateway, "load", "7")
    assert ran.code == 1 and ran.out == ""
    assert ran.err == "Error: there is no saved list 7; `sightline todo list` numbers those there are\n"


# P8
async def test_a_list_of_the_past_outlives_its_gateway(gateway):
    old = await given(gateway, "old", TODOS)
    gateway.stop()
    gateway.start()
    await given(gateway, "label", [{"content": "Mine"}])
    assert todo(gateway, "load", "2").out == "Loaded a TODO list of 4 item(s)\n"
    assert contents((await now(gateway))["todos"]) == contents(old["todos"])


# P9
async def test_every_change_in_json(gateway):
    await given(gateway, "old", TODOS)
    written = await given(gateway)
    revision = 1
    for arguments in (
        ("set", "4", "blocked"),
        ("unset", "2"),
        ("edit", "1", "Read it"),
        ("move", "4", "1"),
        ("delete", "2-4"),
        ("undo",),
        ("archive",),
        ("load", "2"),
    ):
        ran = todo(gateway, *arguments, "--json")
        assert (ran.code, ran.err, ran.out.count("\n")) == (0, "", 1), arguments
        revision += 1
        assert set(ran.json) == ANSWER and ran.json["revision"] == revision
        assert ran.json["sessionId"] == written["sessionId"] and ran.json["message"]
        assert ran.json["todos"] == (await now(gateway))["todos"]
    for arguments, code in (
        (("set", "9"), "INVALID_POSITION"),
        (("set", "1", "frobnicated"), "INVALID_TODOS"),
        (("unset",), "USAGE"),
        (("edit", "1", ""), "USAGE"),
        (("move", "1", "9"), "INVALID_POSITION"),
        (("delete", "4-2"), "INVALID_POSITION"),
        (("undo", "nonsense"), "CANNOT_UNDO"),
        (("load", "9"), "SESSION_NOT_FOUND"),
    ):
        ran = todo(gateway, *arguments, "--json")
        assert (ran.code, ran.out) == (1, ""), arguments
        error = json.loads(ran.err)
        named = set() if code in ("USAGE", "CANNOT_UNDO") else {"text"}
        assert set(error) == {"code", "message", *named} and error["code"] == code, arguments
    assert (await now(gateway))["revision"] == revision


# P8, P9
async def test_load_in_json_does_not_mix_a_prompt_into_it(gateway):
    await given(gateway, "old", TODOS)
    await given(gateway)
    ran = todo(gateway, "load", "--json", typed="2\n")
    assert ran.code == 0
    assert set(json.loads(ran.out)) == ANSWER, "what programs read is JSON only"
