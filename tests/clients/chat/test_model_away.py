"""A model's server that dies in the middle of a run, and comes back."""

import pytest

from chat.model import COMPLEX, DONE, completes, plan, says
from gateway import END_SECONDS, eventually

pytestmark = pytest.mark.anyio

LONG = "This takes its time, with many words and more. " * 20


async def dies_for_good(chat, model) -> dict:
    """The end of a run whose model's server does not come back."""
    model.stop()
    end = await chat.end()
    assert (end["type"], end["code"]) == ("error", "AGENT_ERROR")
    place = f"http://127.0.0.1:{model.port}/v1/"
    assert end["message"].startswith(f"mock cannot be reached at {place}: Connection refused"), end
    assert "Check the network, and the endpoint in Settings." in end["message"]
    # It was tried again, and said each time.
    retried = [notice for notice in await chat.said("notice") if "retries" in notice]
    assert len(retried) >= 3 and all(notice["retries"] in notice["message"] for notice in retried)
    [kept] = await chat.said("end")
    assert (kept["outcome"], kept["message"]) == ("failed", end["message"])
    now = await chat.get()
    assert now["canResume"] and "run" not in now
    return end


async def under_way(chat, doing: str) -> None:
    await chat.socket.first(lambda m: m["type"] == "chat.updated" and m.get("run", {}).get("doing") == doing)


async def comes_to(chat, state: str) -> str | None:
    """The reason of the session's state. The session learns of the end a moment after the clients."""

    async def session() -> dict | None:
        [session] = (await chat.socket.ask("session.list"))["sessions"]
        return session if session["state"] == state else None

    return (await eventually(session, END_SECONDS, f"the session is {state}")).get("stateReason")


# T14
async def test_a_run_whose_model_dies_while_it_works_fails_and_goes_on_from_there(chat, model):
    model.start(COMPLEX, plan("One", "Two", "Three"), completes(1), says(LONG, latency=500))
    await chat.send("Do three things, one after the other")
    await chat.event("chat.stream.delta")
    end = await dies_for_good(chat, model)
    assert await chat.statuses() == [("One", "completed"), ("Two", "pending"), ("Three", "pending")]
    why = await comes_to(chat, "failed")
    assert why.startswith("mock cannot be reached") and end["message"].startswith(why.removesuffix("…"))
    # The part of the answer that was shown stays.
    assert any(LONG.startswith(words["content"]) for words in await chat.said("assistant"))
    model.start(completes(2), completes(3), DONE)
    await chat.again()
    assert (await chat.end())["outcome"] == "completed"
    assert [status for _, status in await chat.statuses()] == ["completed"] * 3
    # A finished call is not repeated.
    works = [str(question["messages"]) for question in model.asked()[:2]]
    assert "and only on it: Two" in works[0] and "and only on it: Three" in works[1] and len(model.asked()) == 3
    assert await comes_to(chat, "idle") is None


# T14
async def test_a_run_whose_model_dies_while_it_plans_begins_with_its_prompt_again(chat, model):
    model.start(COMPLEX, {**plan("One", "Two"), "latency": 60_000})
    await chat.send("Do one and two")
    await under_way(chat, "Planning")
    await dies_for_good(chat, model)
    assert await chat.statuses() == []
    model.start(COMPLEX, plan("One", "Two"), completes(1), completes(2), DONE)
    await chat.again()
    assert (await chat.end())["outcome"] == "completed"
    assert await chat.statuses() == [("One", "completed"), ("Two", "completed")]
    assert [message["content"] for message in await chat.said("user")] == ["Do one and two"]


# T11
async def test_a_run_whose_model_dies_while_it_validates_is_validated_when_it_goes_on(chat, model):
    model.start(COMPLEX, plan("One"), completes(1), {**DONE, "latency": 60_000})
    await chat.send("Do one, and look at it")
    await under_way(chat, "Checking the whole")
    await dies_for_good(chat, model)
    assert await chat.statuses() == [("One", "completed")]
    model.start(DONE)
    await chat.again()
    assert (await chat.end())["outcome"] == "completed"
    assert await chat.statuses() == [("One", "completed")] and len(model.asked()) == 1
