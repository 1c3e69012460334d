"""A model that says that the whole task is complete."""

import pytest

from chat.client import last_words
from chat.line import line_to
from chat.model import COMPLEX, DONE, calls, completes, plan, provider, says

pytestmark = pytest.mark.anyio

TASK_DONE = calls(("task_done", {}))
NOT_NEEDED = "The task was complete without it."


async def reasons(chat) -> dict[str, str | None]:
    return {todo["content"]: todo.get("reason") for todo in await chat.todos()}


# T10
async def test_a_task_that_is_done_ends_the_run_in_its_middle(chat, model):
    model.start(COMPLEX, plan("One", "Two", "Three", "Four"), completes(1), TASK_DONE, says("Not reached."))
    await chat.send("Do four things, one after the other")
    end = await chat.end()
    assert (end["type"], end.get("outcome")) == ("chat.stream.end", "completed"), end
    assert await chat.statuses() == [
        ("One", "completed"),
        ("Two", "completed"),
        ("Three", "skipped"),
        ("Four", "skipped"),
    ]
    assert await reasons(chat) == {"One": None, "Two": None, "Three": NOT_NEEDED, "Four": NOT_NEEDED}
    # Nobody asks whether it is true, nor for a word about it.
    assert len(model.asked()) == 4
    kept = await chat.get()
    assert not kept["canResume"] and "run" not in kept
    assert [message["outcome"] for message in await chat.said("end")] == ["completed"]


# T10
async def test_the_other_calls_of_that_answer_are_made_first(chat, model):
    both = calls(("task_done", {}), ("todo_manager", {"action": "skip", "ids": [2], "reason": "it is closed"}))
    model.start(COMPLEX, plan("One", "Two", "Three"), both, says("Not reached."))
    await chat.send("Do three things, one after the other")
    assert (await chat.end())["outcome"] == "completed"
    assert dict(await chat.statuses()) == {"One": "completed", "Two": "skipped", "Three": "skipped"}
    assert await reasons(chat) == {"One": None, "Two": "it is closed", "Three": NOT_NEEDED}
    assert len(model.asked()) == 3


# T10, T12
async def test_what_needs_verification_is_verified_before_the_task_is_done(chat, model):
    model.start(COMPLEX, plan({"content": "One", "needsVerification": True}, "Two"), TASK_DONE, DONE, says("No."))
    await chat.send("Do one and two, and look at one")
    assert (await chat.end())["outcome"] == "completed"
    assert await chat.statuses() == [("One", "completed"), ("Two", "skipped")]
    assert len(model.asked()) == 4 and "Is this item done: One" in str(model.asked()[-1]["messages"][-1])


# T10, P11
async def test_what_the_user_added_meanwhile_is_worked_on_before_the_task_is_done(chat, model):
    said = {**TASK_DONE, "content": "It was little work, and all of it is done."}
    model.start(COMPLEX, plan("One", "Two"), said, TASK_DONE, says("Not reached."))
    async with line_to(model) as line:
        await chat.socket.ask("settings.update", **provider(line))
        # Its answer is under way while the user adds to the list.
        line.held[2] = 2
        await chat.send("Do one and two")
        await chat.event("chat.stream.delta")
        await chat.socket.ask("todo.add", sessionId=chat.session, content="Mine", position="2")
        line.let_go.set()
        end = await chat.end()
        assert end.get("outcome") == "completed", end
    assert await chat.statuses() == [("One", "completed"), ("Mine", "completed"), ("Two", "skipped")]
    assert await reasons(chat) == {"One": None, "Mine": None, "Two": NOT_NEEDED}
    assert len(model.asked()) == 4 and "and only on it: Mine" in last_words(model.asked()[-1])
