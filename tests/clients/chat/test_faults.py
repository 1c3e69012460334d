"""Faults of a model in every part of a run, for each of the models' protocols."""

import pytest

from chat.line import line_to
from chat.model import COMPLEX, completes, plan, provider, thinks

pytestmark = pytest.mark.anyio

KINDS = ["openai", "anthropic", "ollama"]
# Changes that aimock makes to an answer. The pause lets the part before a cut go out.
FAULTS = {
    "rate limit": {"chaos": {"rateLimitRate": 1}},
    "error of the server": {"chaos": {"dropRate": 1}},
    "hung up": {"chaos": {"disconnectRate": 1}},
    "cut off": {"truncateAfterChunks": 3, "latency": 20},
    "no JSON": {"chaos": {"malformedRate": 1}},
}
PLAN, WORK = plan("Read the configuration, and whatever belongs to it"), completes(1)
DONE = thinks({"done": True, "reason": "all of it is there, and nothing of it is missing any more"})
WORDS = "I have read all of it, from its beginning to its end, and compared it, and so it is done now."


@pytest.fixture
async def line(chat, model):
    async with line_to(model) as line:
        yield line


async def worked(chat, line, kind: str) -> None:
    """A run with a plan of one item, whatever goes wrong in it."""
    await chat.socket.ask("settings.update", **provider(line, kind))
    await chat.socket.ask("vault.keys.set", provider="mock", key="made-up")
    await chat.send("Read the configuration, and look at it, and again")
    end = await chat.end()
    assert end.get("outcome") == "completed", (end["message"], await chat.notices())
    assert await chat.statuses() == [("Read the configuration, and whatever belongs to it", "completed")]


async def retries(chat) -> list[str]:
    """The notices of what is tried again, each of which says why."""
    notices = [notice for notice in await chat.said("notice") if "retries" in notice]
    assert all(notice["retries"] in notice["message"] for notice in notices), notices
    return [notice["message"] for notice in notices]


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("kind", KINDS)
async def test_a_fault_in_each_part_of_a_run_is_tried_again_and_said(chat, model, line, kind, fault):
    work = {**WORK, "content": WORDS}

    def failing(answer: dict) -> dict:
        return {**answer, **FAULTS[fault]}

    model.start(COMPLEX, failing(PLAN), PLAN, failing(work), work, failing(DONE), DONE)
    await worked(chat, line, kind)
    assert len(await retries(chat)) == 3
    # The item was completed once, and what was said of it stands there once.
    assert [call["toolName"] for call in await chat.said("tool")] == ["todo_manager"]
    assert [words["content"] for words in await chat.said("assistant")].count(WORDS) == 1
    assert len(line.questions) == 7


@pytest.mark.parametrize("part", ["planning", "working", "validating"])
@pytest.mark.parametrize("kind", KINDS)
async def test_an_answer_that_cannot_be_read_in_its_middle_is_asked_for_again(chat, model, line, kind, part):
    work = {**WORK, "content": WORDS}
    answers = [COMPLEX, PLAN, work, DONE]
    number = ["classifying", "planning", "working", "validating"].index(part)
    answers.insert(number, dict(answers[number]))
    model.start(*answers)
    # Something of it is there by then, and not all; the others begin with a piece that says nothing.
    line.spoiled[number] = 3 if kind == "ollama" else 4
    await worked(chat, line, kind)
    assert len(await retries(chat)) == 1
    assert [call["toolName"] for call in await chat.said("tool")] == ["todo_manager"]
    assert [words["content"] for words in await chat.said("assistant")].count(WORDS) == 1
    assert len(line.questions) == 5
