"""The effect of a new prompt on the list before it (P1, G4)."""

import pytest

from chat.model import COMPLEX, DONE, SIMPLE, calls, plan, says

pytestmark = pytest.mark.anyio

COMPLETE = calls(("todo_manager", {"action": "complete_multiple", "ids": [1]}))
FIRST = (COMPLEX, plan("One"), COMPLETE, DONE)
LEFT = (COMPLEX, plan("One"), *[says("Later.")] * 4)


async def prompted_again(chat, **settings) -> list[dict]:
    """The lists of the session's updates since a second prompt."""
    await chat.socket.ask("settings.update", **settings)
    await chat.send("Do one thing after the other")
    await chat.end()
    await chat.send("And now?", sessionId=chat.session)
    await chat.end()
    updates = chat.socket.seen[chat.since :]
    return [m["todos"] for m in updates if m["type"] == "todo.update" and m["sessionId"] == chat.session]


async def test_a_finished_list_goes_to_the_history(chat, model):
    model.start(*FIRST, SIMPLE, says("Nothing."))
    assert await prompted_again(chat) == [[]]
    revisions = (await chat.socket.ask("session.revisions", sessionId=chat.session))["revisions"]
    before = await chat.socket.ask("session.get", sessionId=chat.session, revision=revisions[0]["revision"] - 1)
    assert [todo["content"] for todo in before["todos"]] == ["One"]


async def test_an_unfinished_one_stays(chat, model):
    model.start(*LEFT, SIMPLE, *[says("Still later.")] * 4)
    await prompted_again(chat)
    assert [todo["content"] for todo in await chat.todos()] == ["One"]


async def test_always_and_never_are_settings(chat, model):
    model.start(*LEFT, SIMPLE, says("Nothing."))
    assert await prompted_again(chat, chatArchiving="always") == [[]]


async def test_never_leaves_a_finished_one(chat, model):
    model.start(*FIRST, SIMPLE, says("Nothing."), *[says("Nothing.")] * 3)
    await prompted_again(chat, chatArchiving="never")
    assert [todo["content"] for todo in await chat.todos()] == ["One"]


async def test_what_was_archived_can_be_written_again_and_was_nobodys_edit(chat, model):
    def writes(status: str):
        return calls(("todo_write", {"todos": [{"id": "1", "content": "Run the tests", "status": status}]}))

    model.start(SIMPLE, writes("completed"), says("Run."), DONE, SIMPLE, writes("completed"), says("Run again."), DONE)
    await chat.send("Run the tests")
    assert (await chat.end())["outcome"] == "completed"
    await chat.send("And once more", sessionId=chat.session)
    assert (await chat.end())["outcome"] == "completed"
    assert await chat.statuses() == [("Run the tests", "completed")]
    at = await chat.socket.ask("session.get", sessionId=chat.session)
    assert at["edits"] == []
    [_, second] = [call["result"] for call in await chat.said("tool")]
    assert second == "Updated todos: 1/1 complete"
    told = [str(turn["content"]) for question in model.asked() for turn in question["messages"]]
    told = [content for content in told if content.startswith("TODO list updated.")]
    assert told and not any("removed" in content or "cleared" in content for content in told), told
