"""Lines in the command bar: hostile ones, help, lists and the history; and the offers of its completion."""

import unicodedata
from uuid import uuid4

import pytest

import agent
from agent import connected
from socket_client import Refused, Socket, opened
from terminal import run, succeed

pytestmark = pytest.mark.anyio

LIST = [
    {"content": "Read", "status": "completed"},
    {"content": "Fix the parser", "subtasks": [{"content": "Comments"}, {"content": "Cut-off blocks"}]},
    {"content": "Ship"},
]
NAMES = ["show", "add", "delete", "set", "unset", "edit", "move", "indent", "outdent", "assign"] + [
    "clear",
    "undo",
    "insist",
    "note",
    "list",
    "load",
    "archive",
    "history",
    "help",
]
KNOWN = "Use: " + ", ".join(NAMES)


async def given(socket: Socket, todos: list[dict] = LIST, label: str | None = None) -> str:
    return (await socket.ask("todo.write", session=label or str(uuid4()), todos=todos))["sessionId"]


async def say(socket: Socket, session: str, line: str) -> str:
    return (await socket.ask("todo.command", sessionId=session, line=line))["output"]


async def offered(socket: Socket, session: str, line: str) -> dict:
    return await socket.ask("todo.complete", sessionId=session, line=line)


def raw(text: str) -> list[str]:
    """The control characters in a text, which a terminal would obey."""
    return [character for character in text if unicodedata.category(character) == "Cc" and character != "\n"]


# Each with the code that it gets, and what its message says.
REFUSED = {
    "an unknown command": ("/todo frobnicate", "USAGE", f"Unknown subcommand: frobnicate. {KNOWN}"),
    "capitals": ("/TODO show", "USAGE", f"Unknown subcommand: TODO. {KNOWN}"),
    "a wide slash": ("／todo add 1 x", "USAGE", "Unknown subcommand: ／todo"),
    "colours": ("/todo \x1b[31mred\x1b[0m", "USAGE", "Unknown subcommand:  [31mred [0m. Use: "),
    "a command of 100,000 letters": ("/todo " + "y" * 100_000, "USAGE", "y…. Use: "),
    "an emoji": ("/todo 🦊", "USAGE", "Unknown subcommand: 🦊"),
    "only a right-to-left mark": ("\u202e", "USAGE", "Unknown subcommand: "),
    "10,000 words": ("/todo add 1 " + "word " * 10_000, "INVALID_TODOS", "2000"),
    "10,000 positions": ("/todo delete " + "1," * 10_000, "INVALID_POSITION", "Use 1, 2, last"),
    "a position of 10,000 digits": ("/todo delete " + "9" * 10_000, "INVALID_POSITION", f"Position {'9' * 40} does"),
    "a position with colours": ("/todo delete \x1b[31m1", "INVALID_POSITION", "Use 1, 2, last"),
    "a full-width number": ("/todo delete １", "INVALID_POSITION", "Use 1, 2, last"),
    "a description of nothing": ("/todo add 1 \t \n \u3000", "USAGE", "Usage: /todo add <position> <description>"),
    "a description of quotes": ('/todo add 1 "  "', "USAGE", "Usage: /todo add <position> <description>"),
    "a status of 5,000 letters": ("/todo set 1 " + "z" * 5000, "INVALID_TODOS", "500"),
    "an edit to nothing": ("/todo edit 1", "USAGE", "Usage: /todo edit <position> <description>"),
    "an option that is none": ("/todo edit 1 --colour red", "USAGE", "Usage: /todo edit"),
    "a note of nothing": ("/note  ", "USAGE", "Usage: /todo note <text>"),
    "a note of 10,000 letters": ("/note " + "x" * 10_000, "INVALID_TODOS", "2000"),
    "a list that is none": ("/todo load 0", "INVALID_MESSAGE", "there is no saved list 0"),
    "a list with colours": ("/todo load \x1b[31m", "INVALID_MESSAGE", "there is no saved list  [31m"),
    "an edit that is none": ("/todo undo \x1b[31m", "CANNOT_UNDO", "editId"),
    "more after a clear": ("/todo clear 2", "USAGE", "Usage: /todo clear"),
    "more after an archive": ("/todo archive it", "USAGE", "Usage: /todo archive"),
    "a second position": ("/todo delete 1 2", "USAGE", "Usage: /todo delete <position>"),
    "a second to unset": ("/todo unset 1 2", "USAGE", "Usage: /todo unset <position>"),
    "a third place": ("/todo move 1 2 3", "USAGE", "Usage: /todo move <from> <to>"),
    "a history that is not there": ("/todo history 9", "INVALID_POSITION", "Position 9 does not exist"),
}


# P5, P6, P9, G1
@pytest.mark.parametrize("name", REFUSED)
async def test_a_hostile_line_is_refused_with_a_short_answer(lasting, name):
    line, code, words = REFUSED[name]
    async with opened(lasting) as socket:
        session = await given(socket)
        with pytest.raises(Refused) as refused:
            await say(socket, session, line)
        assert refused.value.code == code and words in refused.value.message
        assert raw(refused.value.message) == [] and len(refused.value.message) < 400
        assert (await socket.ask("session.get", sessionId=session))["revision"] == 1
        hints = await offered(socket, session, line)
        for choice in hints["choices"]:
            assert raw(choice["line"].removeprefix(line)) == [] and raw(choice.get("detail", "")) == []


TEXTS = {
    "the longest": "ж" * 2000,
    "emoji": "🦊🏳️‍🌈 👩‍👩‍👧",
    "right to left": "\u202eevil\u202c שלום",
    "markup": '<script>alert(1)</script> </todo> & "quotes" \'',
    "quotes inside": 'Say "it" twice',
    "options": "--priority is a word",
    "tabs": "a\tb",
    "colours": "\x1b[31mred\x1b[0m \x07\x00",
    "wide spaces": "a\u3000b",
    "a command": "/todo clear",
}


# P5, G1
@pytest.mark.parametrize("name", TEXTS)
async def test_a_text_arrives_as_it_was_typed_and_is_answered_harmlessly(lasting, name):
    text = TEXTS[name]
    async with opened(lasting) as socket:
        session = await given(socket)
        for line in (f"/todo add 1 {text}", f'todo  add\t1   "{text}"  ', f'/todo edit 2 "{text}"'):
            said = await say(socket, session, line)
            assert raw(said) == [] and "\n" not in said
            now = await socket.ask("session.get", sessionId=session)
            assert now["todos"]["edit" in line[:10]]["content"] == text
        for line in ("/todo show", "/todo history 1", "/todo list"):
            assert raw(await say(socket, session, line)) == []
        hints = await offered(socket, session, "/todo edit 1 ")
        assert raw(hints["choices"][0]["line"]) == [], "its text, to change"


# P9
async def test_what_is_no_command_line_at_all(lasting):
    async with opened(lasting) as socket:
        session = await given(socket)
        for fields in ({}, {"line": 7}, {"line": None}, {"line": ["/todo show"]}):
            for kind in ("todo.command", "todo.complete"):
                answer = await socket.answer(kind, sessionId=session, **fields)
                assert answer["code"] == "INVALID_MESSAGE" and "line" in answer["message"]
        for kind in ("todo.command", "todo.complete"):
            answer = await socket.answer(kind, sessionId="nobody", line="/todo show")
            assert answer["code"] == "SESSION_NOT_FOUND" and "nobody" in answer["message"]


# P9
async def test_help_covers_every_command(lasting):
    async with opened(lasting) as socket:
        session = await given(socket)
        text = await say(socket, session, "/todo help")
        for line in ("", "   ", "\t\n", "/todo", "/todo ", "todo", "help", "/help"):
            assert await say(socket, session, line) == text, "what says nothing asks for help"
        assert await say(socket, "", "/todo help") == text, "it is about no session"
        lines = text.splitlines()
        commands = [line.split()[1] for line in lines if line.startswith("/todo ")]
        assert commands == NAMES
        assert "Positions: 1, last, 2.1, 2.last; several: 2-4, all." in lines
        examples = [line.strip() for line in lines[lines.index("For example:") + 1 :]]
        assert [example.removeprefix("/todo ").lstrip("/").split()[0] for example in examples] == NAMES
        for example in examples:
            hints = await offered(socket, session, f"{example} ")
            assert hints["usage"].split()[1] in NAMES, example


# P4, P7, P9
async def test_show_and_list_are_those_of_the_terminal(gateway):
    async with opened(gateway) as socket:
        session = await given(socket)
        await given(socket, [])
        for command in ("show", "list"):
            typed = await say(socket, session, f"/todo {command}")
            assert f"{typed}\n" == succeed(gateway, "todo", command, "--session", session)
        shown = (await say(socket, session, "/todo show")).splitlines()
        assert shown[0] == "Current TODO List:" and "   2.1 [PENDING] Comments" in shown
        assert await say(socket, "", "/todo list") == await say(socket, session, "list")


# D3, P9
async def test_the_history_says_who_when_and_how_much(lasting):
    async with connected(lasting, name="codex-mcp-client") as client, opened(lasting) as socket:
        session = (await agent.write(client, LIST))["sessionId"]
        assert await say(socket, session, "/todo history") == "r1  codex over MCP  just now  5 added"
        await say(socket, session, "/todo set 3 blocked")
        await socket.ask("hello", client={"name": "window", "id": str(uuid4()), "transport": "window"})
        await say(socket, session, "/todo delete 1-2")
        await socket.ask("hello", client={"name": "page", "id": str(uuid4()), "transport": "page"})
        await say(socket, session, "/note Stop")
        succeed(lasting, "todo", "add", "--session", session, "last", "Rest")
        assert (await say(socket, session, "/todo history")).splitlines() == [
            "r5  you in a terminal  just now  1 added",
            "r4  you in the browser  just now  the list as before",
            "r3  you in the window  just now  4 removed",
            "r2  you over the WebSocket  just now  1 changed",
            "r1  codex over MCP  just now  5 added",
        ]
        of_one = await say(socket, session, "/todo history 1")
        assert [line.split("  ")[0] for line in of_one.splitlines()] == ["r2", "r1"], "of the item that is there now"
        for position in ((), ("1",), ("last",)):
            typed = await say(socket, session, " ".join(("/todo history", *position)))
            assert succeed(lasting, "todo", "history", "--session", session, *position) == f"{typed}\n"
        for turn in range(20):
            await say(socket, session, f"/todo edit 1 Words {turn}")
        newest = (await say(socket, session, "/todo history")).splitlines()
        assert [line.split("  ")[0] for line in newest] == [f"r{number}" for number in range(25, 5, -1)]
        assert (
            await say(socket, await given(socket, []), "/todo history")
            == "r1  agent in the browser  just now  the list as before"
        )


# D3
async def test_the_history_for_programs(lasting):
    async with opened(lasting) as socket:
        session = await given(socket)
        await say(socket, session, "/todo set 3 blocked")
        known = await socket.ask("session.revisions", sessionId=session)
        done = run(lasting, "todo", "history", "--session", session, "--json")
        assert (done.code, done.err) == (0, "")
        assert done.json["revisions"] == known["revisions"] and len(known["revisions"]) == 2
        uid = (await socket.ask("session.get", sessionId=session))["todos"][0]["uid"]
        of_one = await socket.ask("session.revisions", sessionId=session, uid=uid)
        done = run(lasting, "todo", "history", "1", "--session", session, "--json")
        assert (done.code, done.err) == (0, "")
        assert done.json["revisions"] == of_one["revisions"] and len(of_one["revisions"]) == 1
        for position, code in (("9", "INVALID_POSITION"), ("x", "INVALID_POSITION")):
            wrong = run(lasting, "todo", "history", position, "--session", session, "--json")
            assert wrong.code == 1 and wrong.out == "" and f'"code":"{code}"' in wrong.err


OFFERS = {
    "": NAMES,
    "/": NAMES,
    "/to": NAMES,
    "/todo": NAMES,
    "/todo ": NAMES,
    "/todo a": ["add", "assign", "archive"],
    "/todo assign ": ["1", "2", "3", "all"],
    "/todo assign 2 ": ["nobody"],
    "  /todo   un": ["undo", "unset"],
    "/no": ["note"],
    "/todo delete ": ["1", "2", "2.1", "2.2", "3", "all"],
    "/todo delete 2.": ["2.1", "2.2"],
    "/todo delete PARS": ["2"],
    "/todo history cut": ["2.2"],
    "/todo unset \t": ["1", "2", "2.1", "2.2", "3", "all"],
    "/todo set 2 ": ["pending", "in_progress", "completed", "blocked", "skipped", "cancelled"],
    "/todo set 2 bl": ["blocked"],
    "/todo move 2.1 ": ["2.2"],
    "/todo move 9 ": ["1", "2", "3"],
    "/todo add ": ["last", "1", "1.last", "2", "2.last", "3", "3.last"],
    "/todo add 1 Fix": [],
    "/todo delete 1 2 3": [],
    "/note Fix": [],
    "/todo frobnicate ": [],
    "🦊": [],
    "/todo delete \x1b[31m": [],
    "x" * 100_000: [],
    "/todo set 2 " + "b" * 10_000: [],
    "/todo delete " + "word " * 10_000: [],
}


# P9
async def test_completion_offers_what_can_be_typed(lasting):
    async with opened(lasting) as socket:
        session = await given(socket)
        wrong = []
        for line, labels in OFFERS.items():
            hints = await offered(socket, session, line)
            found = [choice["label"] for choice in hints["choices"]]
            if sorted(found) != sorted(labels):
                wrong.append((line[:40], found))
            for choice in hints["choices"]:
                again = await offered(socket, session, choice["line"])
                assert again["choices"] or again.get("usage"), f"{choice['line']} leads on, or ends"
        assert wrong == []
        usage = (await offered(socket, session, "/todo add 1 x"))["usage"]
        assert usage == "/todo add <position> <description>"
        text = (await offered(socket, session, "/todo edit 2.2 "))["choices"][0]
        assert text["line"] == "/todo edit 2.2 Cut-off blocks"
        assert (await socket.ask("session.get", sessionId=session))["revision"] == 1, "it changes nothing"


# P8, P9
async def test_completion_numbers_lists_as_list_does(gateway):
    async with opened(gateway) as socket:
        await given(socket, [{"content": "Plan"}], "the old plan")
        session = await given(socket)
        listed = await say(socket, session, "/todo list")
        choices = (await offered(socket, session, "/todo load "))["choices"]
        assert [choice["label"] for choice in choices] == ["1", "2"]
        by_text = (await offered(socket, session, "/todo load OLD"))["choices"]
        assert len(by_text) == 1 and "the old plan" in by_text[0]["detail"]
        number = by_text[0]["label"]
        assert f'\n{number}. [CURRENT SESSION] 1 item (1 pending) │ agent · the old plan\n   → "Plan"' in f"\n{listed}"
        assert await say(socket, session, by_text[0]["line"]) == "Loaded a TODO list of 1 item(s)"


# P9: at most fifty, however long the list.
async def test_completion_of_a_long_list_is_short(lasting):
    async with opened(lasting) as socket:
        session = await given(socket, [{"content": f"Step {number} {'x' * 500}"} for number in range(256)])
        choices = (await offered(socket, session, "/todo delete "))["choices"]
        assert len(choices) == 50 and all(len(choice["detail"]) <= 81 for choice in choices)
        assert [choice["label"] for choice in (await offered(socket, session, "/todo delete 256"))["choices"]] == [
            "256"
        ]
