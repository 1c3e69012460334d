"""Training examples of conversations, and what comes of them when they are read again (K6)."""

import json

import pytest

from chat.line import line_to
from chat.model import COMPLEX, DONE, SIMPLE, calls, plan, provider, says
from chat.test_prose import MODULE, refuses_tools
from socket_client import Socket, opened
from stream import ingested, ingesting
from terminal import run

pytestmark = pytest.mark.anyio

SUM = f'<wat_model args="8.5 5">{MODULE}</wat_model>'
FIELDS = ("content", "status", "priority", "category", "estimate", "dependsOn", "reason")


def block(first: str, second: str) -> str:
    items = f'<todo_item status="{first}" priority="high">Measure & note</todo_item>'
    items += f'<todo_item status="{second}" depends_on="Measure &amp; note" category="coding">Report <it></todo_item>'
    return f"<todo>{items}</todo>"


def shown(todos: list[dict]) -> list[dict]:
    """The part of a list that a block can carry."""
    return [
        {field: item[field] for field in FIELDS if item.get(field)} | {"subtasks": shown(item.get("subtasks", []))}
        for item in todos
    ]


async def lists(socket: Socket, session: str) -> list[list[dict]]:
    """The lists of a session, each once while it stays the same, without an empty one at the beginning."""
    revisions = (await socket.ask("session.revisions", sessionId=session, limit=500))["revisions"]
    found = []
    for revision in sorted(revision["revision"] for revision in revisions):
        todos = shown((await socket.ask("session.get", sessionId=session, revision=revision))["todos"])
        if (found or todos) and todos != (found[-1] if found else None):
            found.append(todos)
    return found


async def exported(socket: Socket, *sessions: str) -> tuple[list[dict], list[str]]:
    first, *others = sessions
    answer = await socket.ask("session.export", sessionId=first, format="training", **{"and": others})
    return [json.loads(line) for line in answer["text"].splitlines()], answer.get("leftOut", [])


# K5, K6, K7, K8
async def test_an_example_gives_the_same_list_at_every_block(gateway, chat, model):
    async with line_to(model) as line:
        line.says = refuses_tools
        await chat.socket.ask("settings.update", **provider(line))
        model.start(
            COMPLEX,
            plan("Measure & note", "Report <it>"),
            says(f"It is 8.5 by 5 metres. {block('completed', 'in_progress')} Now its area."),
            says(f"It is {SUM}"),
            says(f" square metres, not `<computed>4</computed>`. {block('completed', 'completed')} So."),
            DONE,
            SIMPLE,
            says("```\nunclosed"),
        )
        await chat.send("Measure the room, and report its area, and look at it")
        assert (await chat.end()).get("outcome") == "completed"
        await chat.send("And again?", sessionId=chat.session)
        await chat.end()
    examples, left_out = await exported(chat.socket, chat.session)
    assert examples[0]["prompt"] == "Measure the room, and report its area, and look at it"
    response = examples[0]["response"]
    places = [
        response.index(part)
        for part in (
            "It is 8.5 by 5 metres.",
            "Now its area.",
            f"It is {SUM}<computed>42.5</computed>",
            "square metres, not `<computed>4</computed>`.",
            "So.",
        )
    ]
    assert places == sorted(places)
    assert response.index("<todo>", places[0]) < places[1] and response.index("<todo>", places[3]) < places[4]
    # The finished list goes to the history with the second prompt.
    assert [example["prompt"] for example in examples[1:]] == ["And again?"]
    assert examples[1]["response"] == "<todo>\n</todo>"
    assert left_out == [f"{chat.session}: 1 text that would hide a list, or be read as one"]
    whole = "\n\n".join(example["response"] for example in examples)
    async with ingesting(gateway, "--session", "again") as stream:
        await stream.feed(whole)
        code, printed, said = await stream.end()
    assert (code, said) == (0, "")
    assert "It is <computed>42.5</computed> square metres" in " ".join(printed.decode().split())
    was, now = await lists(chat.socket, chat.session), await lists(chat.socket, "again")
    assert now == was and len(was) > 3
    # Half of it, up to each block.
    for count in range(1, whole.count("</todo>") + 1):
        part = "</todo>".join(whole.split("</todo>")[:count]) + "</todo>"
        await ingested(gateway, part, "--session", f"part {count}")
        assert (await lists(chat.socket, f"part {count}"))[-1] == was[count - 1]


# K6, T4
async def test_a_model_with_tools_is_shown_with_its_lists(chat, model):
    todos = [{"content": "Look", "status": "in_progress"}]
    model.start(
        SIMPLE,
        calls(("todo_write", {"todos": todos}), text="I write a list."),
        calls(("nothing__there", {}), text="I look."),
        calls(("todo_manager", {"action": "complete_multiple", "ids": [1]}), text="It is done."),
        says("All is well."),
        DONE,
    )
    await chat.send("Look whether all is well")
    await chat.end()
    [example], left_out = await exported(chat.socket, chat.session)
    parts = example["response"].split("\n\n")
    kinds = ["list" if part.startswith("<todo>") else part for part in parts]
    assert kinds == ["I write a list.", "list", "I look.", "It is done.", "list", "All is well."], example["response"]
    assert 'status="in_progress"' in parts[1] and 'status="completed"' in parts[4]
    assert left_out == [f"{chat.session}: 1 tool call with its result"]


# K6
async def test_what_is_empty_is_left_out_and_said(gateway, chat, model):
    model.start(SIMPLE, says("Paris."))
    await chat.send("What is the capital of France?")
    await chat.end()
    async with opened(gateway) as socket:
        written = await socket.ask("todo.write", session="other", todos=[{"content": "Read"}])
        await socket.ask("todo.clear", sessionId=written["sessionId"])
        empty = (await socket.ask("todo.write", session="empty", todos=[]))["sessionId"]
        examples, left_out = await exported(socket, empty, chat.session, written["sessionId"])
    assert examples[0] == {"prompt": "What is the capital of France?", "response": "Paris."}
    assert examples[1]["prompt"] is None and examples[1]["response"].count("<todo>") == 2 and len(examples) == 2
    assert left_out == [f"{empty}: everything, since it has neither a list nor an answer"]
    printed = run(gateway, "export", "--format", "training", empty, chat.session)
    assert printed.code == 0
    assert [json.loads(line) for line in printed.out.splitlines()] == [examples[0]]
    assert printed.err == f"Left out of {empty}: everything, since it has neither a list nor an answer\n"
    nothing = run(gateway, "export", "--format", "training", empty)
    assert (nothing.code, nothing.out) == (0, "")
