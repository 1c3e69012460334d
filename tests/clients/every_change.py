"""Every change that a user can make to one list: how each transport says it, and what must come of it."""

from dataclasses import dataclass, field

LIST = [
    {"id": "a", "content": "Read", "status": "completed"},
    {"id": "b", "content": "Fix", "status": "in_progress", "activeForm": "Fixing"},
    {"id": "c", "content": "Test", "subtasks": [{"id": "c1", "content": "Unit"}, {"id": "c2", "content": "Window"}]},
    {"id": "d", "content": "Ship"},
]
READ, FIX, TEST, UNIT, WINDOW, SHIP = (
    "1 completed Read",
    "2 in_progress Fix",
    "3 pending Test",
    "3.1 pending Unit",
    "3.2 pending Window",
    "4 pending Ship",
)


@dataclass(frozen=True)
class Row:
    """A change, said in each transport's way, and what comes of it."""

    request: tuple[str, dict] | None
    words: tuple[str, ...]
    line: str
    message: str
    # The content of the agent's next result: kind, text, detail.
    told: list[tuple]
    outline: list[str]
    # A change that the same client makes before.
    after: "Row | None" = None
    # The list that the agent writes between the two.
    answered: list[dict] | None = None
    # Fields of single items beside their statuses.
    fields: dict = field(default_factory=dict)
    # The code of an error.
    code: str | None = None


def todo(kind: str, sent: dict, line: str, message: str, told: list, outline: list[str], **more) -> Row:
    """A `/todo` command: the terminal's words are those of the line."""
    words = more.pop("words", tuple(line.split()[1:]))
    return Row((kind, sent), ("todo", *words), line, message, told, outline, **more)


def numbered(*items: str) -> list[str]:
    """An outline of items without subtasks: `pending Ship` and so on."""
    return [f"{at} {item}" for at, item in enumerate(items, 1)]


BLOCKED = todo(
    "todo.setStatus",
    {"position": "4", "status": "blocked"},
    "/todo set 4 blocked",
    'Set TODO at 4 to blocked: "Ship"',
    [("set", "Ship", "status blocked")],
    [READ, FIX, TEST, UNIT, WINDOW, "4 blocked Ship"],
)
NOTE = Row(
    ("note.send", {"text": "Use the staging database"}),
    ("note", "Use", "the", "staging", "database"),
    "/note Use the staging database",
    'Message pending, delivered on the agent\'s next call: "Use the staging database"',
    [("note", "Use the staging database", None)],
    [READ, FIX, TEST, UNIT, WINDOW, SHIP],
)
ROWS = {
    "add at a place": todo(
        "todo.add",
        {"position": "3", "content": "Check it"},
        "/todo add 3 Check it",
        'Added TODO at position 3: "Check it"',
        [("add", "Check it", None)],
        [READ, FIX, "3 pending Check it", "4 pending Test", "4.1 pending Unit", "4.2 pending Window", "5 pending Ship"],
        fields={"3": {"priority": "medium", "origin": "user"}},
    ),
    "add at the end": todo(
        "todo.add",
        {"position": "last", "content": "Rest"},
        "/todo add last Rest",
        'Added TODO at position last: "Rest"',
        [("add", "Rest", None)],
        [READ, FIX, TEST, UNIT, WINDOW, SHIP, "5 pending Rest"],
    ),
    "add a part": todo(
        "todo.add",
        {"position": "3.1", "content": "Lint"},
        "/todo add 3.1 Lint",
        'Added TODO at position 3.1: "Lint"',
        [("add", "Lint", None)],
        [READ, FIX, TEST, "3.1 pending Lint", "3.2 pending Unit", "3.3 pending Window", SHIP],
    ),
    "add a part at the end": todo(
        "todo.add",
        {"position": "2.last", "content": "Lint"},
        "/todo add 2.last Lint",
        'Added TODO at position 2.last: "Lint"',
        [("add", "Lint", None)],
        [READ, FIX, "2.1 pending Lint", TEST, UNIT, WINDOW, SHIP],
    ),
    "delete an item": todo(
        "todo.delete",
        {"position": "3"},
        "/todo delete 3",
        'Deleted TODO at 3: "Test" (and 2 subtask(s))',
        [("delete", "Test", None)],
        [READ, FIX, "3 pending Ship"],
    ),
    "delete a part": todo(
        "todo.delete",
        {"position": "3.1"},
        "/todo delete 3.1",
        'Deleted subtask at 3.1: "Unit"',
        [("delete", "Unit", None)],
        [READ, FIX, TEST, "3.1 pending Window", SHIP],
    ),
    "delete several": todo(
        "todo.delete",
        {"position": "2-3"},
        "/todo delete 2-3",
        "Deleted 2 TODOs at 2-3",
        [("delete", "2 items: Fix, Test", None)],
        [READ, "2 pending Ship"],
    ),
    "delete all": todo(
        "todo.delete",
        {"position": "all"},
        "/todo delete all",
        "Deleted 4 TODOs at 1-4",
        [("delete", "4 items: Read, Fix, Test, Ship", None)],
        [],
    ),
    "clear": todo("todo.clear", {}, "/todo clear", "TODO list cleared", [("clear", "4 items", None)], []),
    "set": BLOCKED,
    "set with a reason": todo(
        "todo.setStatus",
        {"position": "3.2", "status": "skipped", "reason": "no screen"},
        "/todo set 3.2 skipped no screen",
        'Set TODO at 3.2 to skipped: "Window"',
        [("set", "Window", 'status skipped, reason "no screen"')],
        [READ, FIX, TEST, UNIT, "3.2 skipped Window", SHIP],
        words=("set", "3.2", "skipped", "--reason", "no screen"),
    ),
    "set several": todo(
        "todo.setStatus",
        {"position": "all", "status": "completed"},
        "/todo set all done",
        "Set 4 TODOs at 1-4 to completed",
        [("set", "4 items: Read, Fix, Test, Ship", "status completed")],
        [READ, "2 completed Fix", "3 completed Test", UNIT, WINDOW, "4 completed Ship"],
    ),
    "unset": todo(
        "todo.setStatus",
        {"position": "2", "status": "pending"},
        "/todo unset 2",
        'Set TODO at 2 to pending: "Fix"',
        [("set", "Fix", "status pending")],
        [READ, "2 pending Fix", TEST, UNIT, WINDOW, SHIP],
    ),
    "edit the text": todo(
        "todo.edit",
        {"position": "2", "content": "Fix it all"},
        "/todo edit 2 Fix it all",
        'Changed TODO at 2: "Fix" to "Fix it all"',
        [("set", "Fix", 'text "Fix it all"')],
        [READ, "2 in_progress Fix it all", TEST, UNIT, WINDOW, SHIP],
    ),
    "edit the other fields": todo(
        "todo.edit",
        {"position": "2", "activeForm": "At it", "priority": "high", "notes": "half way"},
        '/todo edit 2 --active-form "At it" --priority high --notes "half way"',
        'Changed the activeForm and priority and notes of TODO at 2: "Fix"',
        [("set", "Fix", 'activeForm "At it", priority high, notes "half way"')],
        [READ, FIX, TEST, UNIT, WINDOW, SHIP],
        words=("edit", "2", "--active-form", "At it", "--priority", "high", "--notes", "half way"),
        fields={"2": {"activeForm": "At it", "priority": "high", "notes": "half way"}},
    ),
    "move": todo(
        "todo.move",
        {"position": "4", "to": "1"},
        "/todo move 4 1",
        'Moved TODO from 4 to 1: "Ship"',
        [("move", "Ship", "to 1")],
        [
            "1 pending Ship",
            "2 completed Read",
            "3 in_progress Fix",
            "4 pending Test",
            "4.1 pending Unit",
            "4.2 pending Window",
        ],
    ),
    "move a part": todo(
        "todo.move",
        {"position": "3.1", "to": "3.last"},
        "/todo move 3.1 3.last",
        'Moved TODO from 3.1 to 3.2: "Unit"',
        [("move", "Unit", "to 3.2")],
        [READ, FIX, TEST, "3.1 pending Window", "3.2 pending Unit", SHIP],
    ),
    "undo before it was told": todo(
        "todo.undo",
        {},
        "/todo undo",
        'Undone: changed the status of "Ship"',
        [],
        [READ, FIX, TEST, UNIT, WINDOW, SHIP],
        after=BLOCKED,
    ),
    "undo what was told": todo(
        "todo.undo",
        {},
        "/todo undo",
        'Undone: changed the status of "Ship"',
        [("set", "Ship", "status pending")],
        [READ, FIX, TEST, UNIT, WINDOW, SHIP],
        after=BLOCKED,
        answered=LIST,
    ),
    "note": NOTE,
    "insist": todo(
        "edit.insist",
        {},
        "/todo insist",
        'Sent again: "Ship"',
        [("set", "Ship", "status blocked")],
        [READ, FIX, TEST, UNIT, WINDOW, "4 blocked Ship"],
        after=BLOCKED,
        answered=[*LIST[:3], {**LIST[3], "status": "skipped"}],
    ),
    "load": todo(
        "session.load",
        {"from": "{old}"},
        "/todo load {number}",
        "Loaded a TODO list of 2 item(s)",
        [("load", "2 items", None)],
        ["1 completed Plan", "2 pending Build"],
    ),
    "archive": todo("todo.archive", {}, "/todo archive", "TODO list archived", [("clear", "4 items", None)], []),
}
OLD = [{"content": "Plan", "status": "completed"}, {"content": "Build"}]


def mistake(request: tuple[str, dict] | None, line: str, code: str, message: str, words: tuple = ()) -> Row:
    """A command that is refused; without a request where the language itself refuses it."""
    return Row(request, ("todo", *(words or line.split()[1:])), line, message, [], [], code=code)


MISTAKES = [
    mistake(
        ("todo.add", {"position": "9", "content": "x"}),
        "/todo add 9 x",
        "INVALID_POSITION",
        "Position 9 out of range (1-5)",
    ),
    mistake(
        ("todo.add", {"position": "7.1", "content": "x"}),
        "/todo add 7.1 x",
        "INVALID_POSITION",
        "Parent position 7 does not exist",
    ),
    mistake(
        ("todo.add", {"position": "x", "content": "y"}),
        "/todo add x y",
        "INVALID_POSITION",
        "Invalid position format: x. Use 1, 2, last, 1.1, or 1.last",
    ),
    mistake(("todo.delete", {"position": "9"}), "/todo delete 9", "INVALID_POSITION", "Position 9 does not exist"),
    mistake(
        ("todo.delete", {"position": "3.9"}),
        "/todo delete 3.9",
        "INVALID_POSITION",
        "Subtask position 3.9 does not exist",
    ),
    mistake(
        ("todo.setStatus", {"position": "1", "status": "frobnicated"}),
        "/todo set 1 frobnicated",
        "INVALID_TODOS",
        '"frobnicated" is no status; use pending, in_progress, completed, blocked, skipped or cancelled',
    ),
    mistake(
        ("todo.move", {"position": "1", "to": "3.1"}),
        "/todo move 1 3.1",
        "INVALID_POSITION",
        "An item stays on its level: 1 cannot be moved to 3.1",
    ),
    mistake(("todo.undo", {}), "/todo undo", "CANNOT_UNDO", "There is no edit to undo here"),
    mistake(
        ("edit.insist", {}),
        "/todo insist",
        "CANNOT_UNDO",
        "the agent neither overrode nor ignores any of your edits",
    ),
    mistake(None, "/todo add", "USAGE", "Usage: /todo add <position> <description>"),
    mistake(None, "/todo delete", "USAGE", "Usage: /todo delete <position>"),
    mistake(None, "/todo set", "USAGE", "Usage: /todo set <position> [status] [reason]"),
    mistake(None, "/todo edit 2", "USAGE", "Usage: /todo edit <position> <description>"),
    mistake(
        None,
        "/todo edit 1 --priority urgent",
        "INVALID_TODOS",
        '"urgent" is no priority; use high, medium, low or none',
    ),
    mistake(
        None,
        "/todo frobnicate 1",
        "USAGE",
        "Unknown subcommand: frobnicate. Use: show, add, delete, set, unset, edit, move, indent, outdent, assign, clear,"
        " undo, insist, note, list, load, archive, history, help",
    ),
]
