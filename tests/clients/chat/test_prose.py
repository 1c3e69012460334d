"""A model that gives tokens and nothing else, from the beginning of a run to its end."""

import json

import pytest

from chat.client import last_words
from chat.line import Answer, line_to
from chat.model import COMPLEX, DONE, SIMPLE, plan, provider, says

pytestmark = pytest.mark.anyio

NO_TOOLS = "registry.ollama.ai/library/scripted does not support tools"
MODULE = '(module (func (export "area") (param f64 f64) (result f64) local.get 0 local.get 1 f64.mul))'
MEASURE, REPORT = "Measure the room", "Report its area"


def refuses_tools(body: dict) -> Answer | None:
    """As Ollama does, and servers like it."""
    return (400, "application/json", json.dumps({"error": {"message": NO_TOOLS}})) if body.get("tools") else None


def block(measure: str, report: str) -> str:
    items = [
        f'<todo_item status="{status}">{step}</todo_item>' for status, step in ((measure, MEASURE), (report, REPORT))
    ]
    return f"<todo>{''.join(items)}</todo>"


@pytest.fixture(params=["openai", "ollama"])
def kind(request) -> str:
    return request.param


@pytest.fixture
async def line(chat, model, kind):
    async with line_to(model) as line:
        line.says = refuses_tools
        await chat.socket.ask("settings.update", **provider(line, kind))
        yield line


def taught(question: dict) -> str:
    """The first message that a model gets."""
    assert question["messages"][0]["role"] == "system"
    return question["messages"][0]["content"]


# K1, K5, K8
async def test_a_model_without_tool_calls_does_a_task_by_blocks_and_computations(chat, model, line):
    model.start(
        COMPLEX,
        plan(MEASURE, REPORT),
        says(f"It is 8.5 by 5 metres. {block('completed', 'in_progress')} Now its area."),
        says(f'It is <wat_model args="8.5 5">{MODULE}</wat_model>'),
        says(f" square metres. {block('completed', 'completed')}"),
        DONE,
    )
    await chat.send("Measure the room, and report its area, and look at it")
    end = await chat.end()
    assert end.get("outcome") == "completed", (end["message"], await chat.notices())
    assert await chat.statuses() == [(MEASURE, "completed"), (REPORT, "completed")]
    updates = [m for m in chat.socket.seen if m["type"] == "todo.update" and m["sessionId"] == chat.session]
    steps = [tuple(todo["status"] for todo in update["todos"]) for update in updates]
    assert steps[-2:] == [("completed", "in_progress"), ("completed", "completed")]
    # It was offered tools once, and taught the blocks from then on.
    offered = [bool(question.body.get("tools")) for question in line.questions]
    assert offered == [False, False, True, False, False, False, False]
    assert [notice for notice in await chat.notices() if "tool calls" in notice] == [
        "mock:scripted has no tool calls; it keeps its list in its answers."
    ]
    for question in line.questions[3:]:
        assert "tools" not in question.body and "tool_choice" not in question.body
        assert "<todo_item status=" in taught(question.body) and "todo_manager" not in taught(question.body)
        assert {turn["role"] for turn in question.body["messages"]} <= {"system", "user", "assistant"}
    assert "<todo_item" not in taught(line.questions[2].body) and "todo_manager" in taught(line.questions[2].body)
    # The model reads the computed text next, as if it had written it itself.
    told = [turn["content"] for turn in line.questions[5].body["messages"][-2:]]
    assert told[0] == "It is <computed>42.5</computed>" and "their results stand in <computed>" in told[1]
    # People read neither blocks nor modules.
    prose = " ".join(message["content"] for message in await chat.said("assistant"))
    assert "It is 8.5 by 5 metres." in prose and "42.5" in prose and "square metres." in prose
    assert not any(word in prose + chat.streamed() for word in ("<todo", "(module", "wat_model"))


# K1
async def test_a_block_that_is_left_out_is_told_to_the_user_and_to_the_model(chat, model, line):
    deep = block("pending", "pending").replace(REPORT, "<todo_item>a<todo_item>b</todo_item></todo_item>")
    model.start(SIMPLE, says(f"Well. {deep} So."), SIMPLE, says("Again."))
    await chat.send("Measure the room")
    assert (await chat.end())["outcome"] == "completed"
    (notice,) = [notice for notice in await chat.notices() if "left out" in notice]
    assert notice.startswith("A todo block in the answer is left out: ") and "nested too deep" in notice
    assert await chat.statuses() == [] and "<todo" not in chat.streamed()
    await chat.send("And now?", sessionId=chat.session)
    assert (await chat.end())["outcome"] == "completed"
    told = [turn["content"] for turn in line.questions[-1].body["messages"]]
    after = told[next(at for at, text in enumerate(told) if "Well." in text) + 1]
    assert after.startswith("About the todo blocks in your last answer:\n- Left out, so that it changed nothing: ")
    assert "nested too deep" in after


# K3
async def test_a_step_that_should_not_be_in_progress_is_told_to_the_model(chat, model, line):
    await chat.socket.ask("settings.update", chatContinuations=0)
    early = block("pending", "in_progress").replace(f">{REPORT}", f' depends_on="1">{REPORT}')
    model.start(SIMPLE, says(f"The area first. {early}"), SIMPLE, says(f"Well. {block('in_progress', 'pending')}"))
    await chat.send("Measure the room")
    await chat.end()
    written = await chat.event("todo.update", revision=1)
    assert [item["status"] for item in written["todos"]] == ["pending", "in_progress"], "it is taken as it is"
    await chat.send("And now?", sessionId=chat.session)
    await chat.end()
    told = [turn["content"] for turn in line.questions[-1].body["messages"]]
    after = told[next(at for at, text in enumerate(told) if "The area first." in text) + 1]
    assert after == (
        "About the todo blocks in your last answer:\n"
        f'- "{REPORT}" is in progress, though it waits for "{MEASURE}"; do that first, or mark it pending.'
    )


# K1, K8
async def test_it_stays_so_in_the_next_prompt_and_not_for_another_model(chat, model, line, kind):
    [mock] = provider(line, kind)["chatProviders"]
    await chat.socket.ask("settings.update", chatProviders=[mock, {**mock, "name": "other"}])
    model.start(SIMPLE, says("Once."), SIMPLE, says("Twice."), SIMPLE, says("Never reached."))
    for words in ("Say it", "Say it again"):
        await chat.send(words, **({"sessionId": chat.session} if words == "Say it again" else {}))
        assert (await chat.end())["outcome"] == "completed"
    assert [bool(question.body.get("tools")) for question in line.questions] == [False, True, False, False, False]
    line.says = lambda body: None
    await chat.send("And you?", sessionId=chat.session, model="other:scripted")
    assert (await chat.end())["outcome"] == "completed"
    assert line.questions[-1].body["tools"] and last_words(line.questions[-1].body) == "And you?"
    assert "<todo_item" not in taught(line.questions[-1].body)
