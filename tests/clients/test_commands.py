"""The /todo commands in the terminal, to the letter."""

import sqlite3

import pytest

from agent import contents
from socket_client import opened
from terminal import run, succeed

pytestmark = pytest.mark.anyio

RULE = "─" * 38
LONG_RULE = "─" * 52

TODOS = [
    {
        "content": "Implement feature X",
        "status": "in_progress",
        "priority": "high",
        "subtasks": [{"content": "Write tests", "status": "pending"}, {"content": "Write code", "status": "completed"}],
    },
    {"content": "Read the page", "status": "completed"},
    {"content": "Ask the customer", "status": "pending", "priority": "low"},
]


async def given(gateway, todos: list[dict], label: str = "label") -> None:
    async with opened(gateway) as socket:
        await socket.ask("todo.write", session=label, todos=todos)


async def now(gateway) -> list[dict]:
    async with opened(gateway) as socket:
        return (await socket.ask("session.get", sessionId="label"))["todos"]


# P4
async def test_show(gateway):
    await given(gateway, TODOS)
    assert succeed(gateway, "todo", "show", "--session", "label").rstrip("\n").split("\n") == [
        "Current TODO List:",
        RULE,
        "1. [IN_PROGRESS] (HIGH) Implement feature X",
        "   1.1 [PENDING] Write tests",
        "   1.2 [COMPLETED] Write code",
        "",
        "2. [COMPLETED] Read the page",
        "",
        "3. [PENDING] (LOW) Ask the customer",
        RULE,
    ]


# P4
async def test_show_means_the_one_current_session(gateway):
    await given(gateway, TODOS)
    assert succeed(gateway, "todo", "show") == succeed(gateway, "todo", "show", "--session", "label")
    await given(gateway, TODOS[:1], "second")
    which = run(gateway, "todo", "show")
    assert which.code != 0
    assert "label" in which.said and "second" in which.said and "--session" in which.said


# P4, P3
async def test_show_of_an_empty_list(gateway):
    await given(gateway, TODOS)
    assert "TODO list cleared" in succeed(gateway, "todo", "clear", "--session", "label")
    assert succeed(gateway, "todo", "show", "--session", "label").strip() == "No active TODOs"
    assert "TODO list cleared" in succeed(gateway, "todo", "clear", "--session", "label"), "also when it was empty"


# P5
async def test_add(gateway):
    await given(gateway, [])
    steps = [
        (("1", "First"), 'Added TODO at position 1: "First"'),
        (("last", "Third"), 'Added TODO at position last: "Third"'),
        (("2", '"Second"'), 'Added TODO at position 2: "Second"'),
        (("4", "Fourth"), 'Added TODO at position 4: "Fourth"'),
        (("1.1", "Part", "one"), 'Added TODO at position 1.1: "Part one"'),
        (("1.last", "Part two"), 'Added TODO at position 1.last: "Part two"'),
        (("last", '"Say" and "hear"'), 'Added TODO at position last: ""Say" and "hear""'),
    ]
    for arguments, answer in steps:
        assert answer in succeed(gateway, "todo", "add", "--session", "label", *arguments)
    todos = await now(gateway)
    assert contents(todos) == ["First", "Second", "Third", "Fourth", '"Say" and "hear"']
    assert contents(todos[0]["subtasks"]) == ["Part one", "Part two"]
    assert "   1.1 [PENDING] Part one\n" in succeed(gateway, "todo", "show", "--session", "label"), "no priority"
    assert all(item["status"] == "pending" and item["priority"] == "medium" for item in todos)


# P5
@pytest.mark.parametrize(
    "arguments, error",
    [
        (("x", "Words"), "Error: Invalid position format: x. Use 1, 2, last, 1.1, or 1.last"),
        (("0", "Words"), "Error: Position 0 out of range (1-4)"),
        (("9" * 22, "Words"), f"Error: Position {'9' * 22} out of range (1-4)"),
        (("-1", "Words"), "Error: Invalid position format: -1. Use 1, 2, last, 1.1, or 1.last"),
        (("1.2.3", "Words"), "Error: Invalid position format: 1.2.3. Use 1, 2, last, 1.1, or 1.last"),
        (("9", "Words"), "Error: Position 9 out of range (1-4)"),
        (("7.1", "Words"), "Error: Parent position 7 does not exist"),
        ((), "Usage: /todo add <position> <description>"),
        (("1",), "Usage: /todo add <position> <description>"),
    ],
)
async def test_add_says_what_is_wrong(gateway, arguments, error):
    await given(gateway, TODOS)
    before = await now(gateway)
    ran = run(gateway, "todo", "add", "--session", "label", *arguments)
    assert ran.code != 0
    assert error in ran.said
    assert await now(gateway) == before


# P6
async def test_delete(gateway):
    await given(gateway, TODOS)
    delete = ("todo", "delete", "--session", "label")
    assert 'Deleted subtask at 1.1: "Write tests"' in succeed(gateway, *delete, "1.1")
    succeed(gateway, "todo", "add", "--session", "label", "1.last", "Ship")
    assert 'Deleted TODO at 1: "Implement feature X" (and 2 subtask(s))' in succeed(gateway, *delete, "1")
    assert 'Deleted TODO at 2: "Ask the customer"' in succeed(gateway, *delete, "last")
    assert contents(await now(gateway)) == ["Read the page"]


# P6
@pytest.mark.parametrize(
    "arguments, error",
    [
        (("9",), "Error: Position 9 does not exist"),
        (("1.9",), "Error: Subtask position 1.9 does not exist"),
        (("x",), "Error: Invalid position format: x. Use 1, 2, last, 1.1, or 1.last"),
        ((), "Usage: /todo delete <position>"),
    ],
)
async def test_delete_says_what_is_wrong(gateway, arguments, error):
    await given(gateway, TODOS)
    before = await now(gateway)
    ran = run(gateway, "todo", "delete", "--session", "label", *arguments)
    assert ran.code != 0
    assert error in ran.said
    assert await now(gateway) == before


# D5
async def test_undo(gateway):
    await given(gateway, TODOS)
    before = await now(gateway)
    succeed(gateway, "todo", "delete", "--session", "label", "2")
    succeed(gateway, "todo", "undo", "--session", "label")
    assert [item["uid"] for item in await now(gateway)] == [item["uid"] for item in before]


# P7
async def test_list(gateway):
    assert "No saved TODO lists found" in succeed(gateway, "todo", "list")
    old, older, empty = (
        [{"content": f"Step {i}", "status": "completed"} for i in range(5)],
        [{"content": "Old step", "status": "skipped"}],
        [],
    )
    for label, todos in (("days", older), ("hours", old), ("day", empty)):
        await given(gateway, todos, label)
    async with opened(gateway) as socket:
        sessions = (await socket.ask("session.list"))["sessions"]
        ids = {session["label"]: session["sessionId"] for session in sessions}
    gateway.stop()
    shift_into_the_past(gateway, {ids["hours"]: 2.1, ids["day"]: 25, ids["days"]: 73})
    gateway.start()
    await given(
        gateway,
        [
            {"content": "Fix", "status": "in_progress"},
            {"content": "Test", "status": "pending"},
            {"content": "Ship", "status": "pending"},
        ],
        "current",
    )
    assert succeed(gateway, "todo", "list").rstrip("\n").split("\n") == [
        "Saved TODO Lists:",
        LONG_RULE,
        "1. [CURRENT SESSION] 3 items (1 in_progress, 2 pending) │ agent · current",
        '   → "Fix"',
        "",
        "2. 2 hours ago │ 5 items (5 completed) │ agent · hours",
        '   → "Step 0"',
        "",
        "3. 1 day ago │ 0 items │ agent · day",
        '   → "(empty)"',
        "",
        "4. 3 days ago │ 1 item (1 skipped) │ agent · days",
        '   → "Old step"',
        LONG_RULE,
    ]


# P5
async def test_a_step_begins_a_list_where_there_is_none(gateway):
    added = succeed(gateway, "todo", "add", "1", "Ask", "the", "customer")
    assert 'Added TODO at position 1: "Ask the customer"' in added
    assert "1. [PENDING] (MEDIUM) Ask the customer" in succeed(gateway, "todo", "show")
    succeed(gateway, "todo", "add", "2", "Send the invoice")
    assert "2 items (2 pending) │ you" in succeed(gateway, "todo", "list"), "the second step is in the same list"
    succeed(gateway, "todo", "--session", "billing", "add", "1", "Read")
    succeed(gateway, "todo", "--session", "billing", "add", "2", "Test")
    assert "2 items (2 pending) │ you · billing" in succeed(gateway, "todo", "list")
    for label, said in (("x" * 201, "201 characters long"), ("two\nlines", "with control characters"), (" ", "empty")):
        ran = run(gateway, "todo", "--session", label, "add", "1", "x")
        assert ran.code == 1 and said in ran.err, ran
    ran = run(gateway, "todo", "--session", "nobody", "delete", "1")
    assert ran.code == 1 and "nobody" in ran.err, "nothing but a step begins one"
    async with opened(gateway) as socket:
        assert len((await socket.ask("archive.lists"))["lists"]) == 2
        written = await socket.ask("todo.write", session="billing", todos=[{"content": "Mine"}])
        assert [item["content"] for item in written["todos"]] == ["Read", "Test", "Mine"]


# P7, P8
async def test_every_list_of_a_session_is_numbered(gateway):
    for number in range(1, 62):
        await given(gateway, [{"content": f"Step {number}"}], "label")
        await archive(gateway)
    listed = succeed(gateway, "todo", "list")
    assert "1-50 of 61 lists. Next: sightline todo list 2. All: sightline todo list --all" in listed
    assert "\n61. " in succeed(gateway, "todo", "list", "2") and "\n61. " in succeed(gateway, "todo", "list", "--all")
    told = run(gateway, "todo", "list", "--json").json
    assert (len(told["lists"]), told["total"], told["first"]) == (50, 61, 1)
    beyond = run(gateway, "todo", "list", "9", "--json")
    assert beyond.code == 1 and beyond.out == "" and "there is no page 9; the last one is 2" in beyond.err, beyond
    succeed(gateway, "todo", "--session", "label", "load", "55")
    assert [item["content"] for item in await now(gateway)] == ["Step 7"]
    for number in ("0", "99", "99999999999", "9" * 30):
        ran = run(gateway, "todo", "--session", "label", "load", number)
        assert ran.code == 1 and f"there is no saved list {number}; `sightline todo list`" in ran.err, ran


async def archive(gateway) -> None:
    async with opened(gateway) as socket:
        await socket.ask("todo.archive", sessionId="label")


def shift_into_the_past(gateway, ages: dict[str, float]) -> None:
    """Moves what the database says of these sessions back by so many hours: nobody waits for days in a test."""
    database = sqlite3.connect(gateway.data_dir / "sightline.db")
    with database:
        for session, hours in ages.items():
            milliseconds = hours * 3_600_000
            database.execute(
                "UPDATE sessions SET created_at = created_at - ?1, last_activity_at = last_activity_at - ?1"
                " WHERE session_id = ?2",
                (milliseconds, session),
            )
            database.execute(
                "UPDATE revisions SET at = at - ?1 WHERE session_pk = (SELECT pk FROM sessions WHERE session_id = ?2)",
                (milliseconds, session),
            )
    database.close()


# P9
async def test_an_unknown_subcommand_names_the_known(gateway):
    ran = run(gateway, "todo", "frobnicate")
    assert ran.code != 0
    assert "frobnicate" in ran.said
    for name in ("show", "add", "delete", "clear", "list", "undo"):
        assert name in ran.said
