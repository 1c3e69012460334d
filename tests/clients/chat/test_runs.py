"""The built-in agent from a prompt to the end of its run, with a scripted model."""

from contextlib import nullcontext

import pytest

from chat.client import killed, last_words
from chat.line import held_up
from chat.model import COMPLEX, DONE, SIMPLE, calls, completes, plan, provider, says, thinks
from socket_client import Refused, opened

pytestmark = pytest.mark.anyio


def skips(number: int, reason: str):
    return calls(("todo_manager", {"action": "skip", "ids": [number], "reason": reason}))


# T8, G6
async def test_a_simple_task_is_answered_in_one_turn_without_a_list(chat, model):
    model.start(SIMPLE, says("Paris is the capital of France."))
    await chat.send("What is the capital of France?")
    end = await chat.end()
    assert (end["type"], end["outcome"]) == ("chat.stream.end", "completed")
    assert chat.streamed() == "Paris is the capital of France."
    assert await chat.statuses() == []
    kept = await chat.get()
    assert [message["kind"] for message in kept["messages"]] == ["user", "assistant", "end"]
    assert "run" not in kept and not kept["canResume"]
    assert end["usage"]["totalTokens"] > 0


# T9, T10, T11
async def test_a_complex_task_is_planned_worked_on_and_validated(chat, model):
    model.start(COMPLEX, plan("Read the file", "Write the summary"), completes(1), completes(2), DONE)
    await chat.send("Read the file, write a summary, and check it twice")
    end = await chat.end()
    assert (end["type"], end.get("outcome")) == ("chat.stream.end", "completed"), end
    assert await chat.statuses() == [("Read the file", "completed"), ("Write the summary", "completed")]
    updates = [m for m in chat.socket.seen if m["type"] == "todo.update" and m["sessionId"] == chat.session]
    assert {update["requestId"] for update in updates} == {chat.started["requestId"]}
    assert max(sum(todo["status"] == "in_progress" for todo in update["todos"]) for update in updates) == 1


# T10, T14
async def test_an_item_that_fails_is_skipped_with_its_reason(chat, model):
    model.start(COMPLEX, plan("Fetch it", "Use it"), skips(1, "the server is away"), completes(2), DONE)
    await chat.send("Fetch it and use it, then tell me")
    assert (await chat.end())["outcome"] == "completed"
    first, second = await chat.todos()
    assert (first["status"], first["reason"]) == ("skipped", "the server is away")
    assert second["status"] == "completed"


# P2
async def test_a_lazy_model_is_continued_three_times_and_then_left_to_the_user(chat, model):
    lazy = [says(f"I will do it soon ({turn}).") for turn in range(4)]
    model.start(COMPLEX, plan("Do it"), *lazy, completes(1), DONE)
    await chat.send("Do it, and all that belongs to it")
    assert (await chat.end())["outcome"] == "waiting"
    continued = [notice for notice in await chat.notices() if notice.startswith("Continued")]
    assert len(continued) == 3 and "3 of 3" in continued[-1]
    assert "You have an active task: Do it" in last_words(model.asked()[-1])
    assert await chat.statuses() == [("Do it", "pending")]
    await chat.again()
    assert (await chat.end())["outcome"] == "completed"
    assert await chat.statuses() == [("Do it", "completed")]


# P2
@pytest.mark.parametrize("count", [0, 1, 5])
async def test_the_continuations_are_a_setting(chat, model, count):
    await chat.socket.ask("settings.update", chatContinuations=count)
    model.start(COMPLEX, plan("Do it"), *[says(f"Soon ({turn}).") for turn in range(count + 1)])
    await chat.send("Do it, and all that belongs to it")
    assert (await chat.end())["outcome"] == "waiting"
    continued = [notice for notice in await chat.notices() if notice.startswith("Continued")]
    assert [notice.split(":")[0] for notice in continued] == [f"Continued, {at + 1} of {count}" for at in range(count)]
    assert len(model.asked()) == 3 + count and await chat.statuses() == [("Do it", "pending")]


# P2
@pytest.mark.parametrize(
    ("value", "code"),
    [
        (21, "INVALID_SETTING"),
        (4_294_967_295, "INVALID_SETTING"),
        (-1, "INVALID_MESSAGE"),
        (4_294_967_296, "INVALID_MESSAGE"),
        (1.5, "INVALID_MESSAGE"),
        ("3", "INVALID_MESSAGE"),
        ([3], "INVALID_MESSAGE"),
        (True, "INVALID_MESSAGE"),
    ],
)
async def test_a_number_of_continuations_that_cannot_be_is_refused(lasting, value, code):
    async with opened(lasting) as socket:
        before = await socket.ask("settings.get")
        with pytest.raises(Refused) as refused:
            await socket.ask("settings.update", chatContinuations=value, chatSteps=7)
        assert refused.value.code == code and "chatContinuations" in refused.value.message, refused.value
        if code == "INVALID_SETTING":
            assert refused.value.message == '"chatContinuations" must be 0, for none, to 20'
        after = await socket.ask("settings.get")
        assert (after["chatContinuations"], after["chatSteps"]) == (before["chatContinuations"], before["chatSteps"])


# T11
async def test_the_steps_of_a_run_are_bounded(chat, model):
    await chat.socket.ask("settings.update", chatSteps=4)
    model.start(COMPLEX, plan("Look"), *[calls(("nothing__there", {"at": turn})) for turn in range(8)])
    await chat.send("Look until you find it")
    end = await chat.end()
    assert (end["type"], end["code"]) == ("error", "AGENT_ERROR")
    assert end["message"] == "Task did not complete within the maximum of 4 steps."
    assert all(status != "in_progress" for _, status in await chat.statuses())


# T10
async def test_a_model_that_never_stops_calling_tools_gets_five_calls_an_item(chat, model):
    endless = [calls(("nothing__there", {"at": turn})) for turn in range(6)]
    model.start(COMPLEX, plan("Look"), *endless, DONE)
    await chat.send("Look until you find it")
    await chat.end()
    [item] = await chat.todos()
    assert item["status"] == "skipped" and "5 tool calls" in item["reason"]
    made = [tool for tool in await chat.said("tool") if tool["result"].startswith("There is no tool")]
    assert len(made) == 5


# T9
async def test_a_plan_of_fifty_items_is_asked_for_again_and_cut(chat, model):
    long = plan(*[f"Step {number}" for number in range(50)])
    model.start(COMPLEX, long, long, long, *[completes(number + 1) for number in range(30)])
    await chat.socket.ask("settings.update", chatSteps=6)
    await chat.send("Do fifty things")
    await chat.end()
    assert len(await chat.todos()) == 30
    notices = await chat.notices()
    assert sum("a shorter one is asked for" in notice for notice in notices) == 2
    assert any("its last 20 steps" in notice for notice in notices)


# T11
async def test_what_is_not_complete_is_planned_once_more(chat, model):
    unfinished = thinks({"done": False, "reason": "no test was written", "suggestions": ["Write the test"]})
    model.start(COMPLEX, plan("Write it"), completes(1), unfinished, plan("Write the test"), completes(2), DONE)
    await chat.send("Write it with a test")
    assert (await chat.end())["outcome"] == "completed"
    assert await chat.statuses() == [("Write it", "completed"), ("Write the test", "completed")]
    assert "The task is not complete yet: no test was written" in await chat.notices()


# T9
async def test_without_a_plan_the_run_ends_by_saying_so(chat, model):
    model.start(COMPLEX, says("I would rather not."))
    await chat.send("Plan a journey")
    end = await chat.end()
    assert (end["type"], end["message"]) == ("error", "Planning failed. Could not generate next steps.")


# T9, T14, P1
@pytest.mark.parametrize("later", [False, True], ids=["at once", "in another process"])
async def test_a_prompt_to_go_on_goes_on_with_the_list(gateway, chat, model, later):
    model.start(COMPLEX, plan("One", "Two"), says("Later."), COMPLEX, plan(), completes(1), completes(2), DONE)
    await chat.socket.ask("settings.update", chatSteps=3)
    await chat.send("Do one, then two, and then look at both")
    assert (await chat.end())["type"] == "error"
    assert await chat.statuses() == [("One", "pending"), ("Two", "pending")]
    async with killed(gateway, chat) if later else nullcontext(chat) as chat:
        await chat.socket.ask("settings.update", chatSteps=100)
        await chat.send("Continue with the list", sessionId=chat.session)
        end = await chat.end()
        assert (end["type"], end.get("outcome")) == ("chat.stream.end", "completed"), end
        assert await chat.statuses() == [("One", "completed"), ("Two", "completed")]


# T9
async def test_an_empty_plan_for_no_list_is_none(chat, model):
    model.start(COMPLEX, plan(), COMPLEX, plan(" "))
    await chat.send("Plan a journey")
    assert (await chat.end())["message"] == "Planning failed. Could not generate next steps."
    await chat.socket.ask("todo.add", sessionId=chat.session, content="Pack")
    await chat.again()
    assert (await chat.end())["message"] == "Planning failed. Could not generate next steps.", "its words are blank"
    assert await chat.statuses() == [("Pack", "pending")]


# T12
async def test_what_needs_verification_stays_in_progress_until_it_is_verified(chat, model):
    missing = thinks({"done": False, "reason": "the page was not looked at"})
    step = {"content": "Deploy", "needsVerification": True}
    model.start(COMPLEX, plan(step), completes(1), missing, completes(1), DONE, DONE)
    await chat.send("Deploy it and look at it")
    assert (await chat.end())["outcome"] == "completed"
    assert await chat.statuses() == [("Deploy", "completed")]
    statuses = [m["todos"][0]["status"] for m in chat.socket.seen if m["type"] == "todo.update" and m["todos"]]
    assert statuses[-1] == "completed" and statuses.count("completed") == 1


# T12, T14
@pytest.mark.parametrize("when", ["classifying", "planning", "working", "verifying", "validating"])
async def test_an_abort_ends_it_at_once_and_it_can_be_resumed(chat, model, when):
    two = {"content": "Two", "needsVerification": True}
    answers = [COMPLEX, plan("One", two), completes(1), completes(2), DONE, DONE]
    slow = {"classifying": 0, "planning": 1, "working": 2, "verifying": 4, "validating": 5}[when]
    # Between its pieces this answer takes as long as anybody waits.
    answers[slow] = {**answers[slow], "latency": 60_000}
    model.start(*answers)
    await chat.send("Do one and two")
    await chat.event("chat.updated")
    doing = {
        "classifying": "Reading the task",
        "planning": "Planning",
        "working": "Working",
        "verifying": "Checking an item",
        "validating": "Checking the whole",
    }[when]
    await chat.socket.first(
        lambda m: m["type"] == "chat.updated" and m.get("run", {}).get("doing") == doing, chat.since
    )
    await chat.abort()
    end = await chat.end()
    assert (end["type"], end["outcome"]) == ("chat.stream.end", "aborted")
    statuses = [status for _, status in await chat.statuses()]
    assert statuses == {
        "working": ["pending", "pending"],
        "verifying": ["completed", "pending"],
        "validating": ["completed", "completed"],
    }.get(when, [])
    assert (await chat.get())["canResume"]
    told = [m for m in chat.socket.seen if m["type"] == "chat.updated" and m["sessionId"] == chat.session]
    assert "run" not in told[-1] and told[-1]["canResume"]


# T11, T14
async def test_a_run_that_ended_in_its_last_judgement_is_resumed_with_it(chat, model):
    model.start(COMPLEX, plan("One"), completes(1), DONE, DONE)
    async with held_up(chat, model, 3) as line:
        await chat.send("Do one")
        # It is asked by then, and not only about to be.
        await line.has_asked(4)
        await chat.abort()
        await chat.end()
        await chat.again()
        assert (await chat.end())["outcome"] == "completed"
        assert await chat.statuses() == [("One", "completed")] and not (await chat.get())["canResume"]
        assert len(line.questions) == 5, "nothing was done again"


# P11
async def test_a_note_in_the_last_answer_is_read_before_the_end(chat, model):
    words = "It is four, as everybody knows who has ever counted. " * 6 + "So it is."
    model.start(SIMPLE, says(words), says("Vier."))
    async with held_up(chat, model, 1) as line:
        await chat.send("What is two and two?")
        await chat.event("chat.stream.delta")
        await chat.socket.ask("note.send", sessionId=chat.session, text="In German")
        line.let_go.set()
        assert (await chat.end())["outcome"] == "completed"
    assert [message["content"] for message in await chat.said("assistant")] == [words, "Vier."]
    [*_, last] = model.asked()
    told = [str(turn["content"]) for turn in last["messages"]]
    assert any("In German" in content for content in told) and len(model.asked()) == 3
    assert sum("In German" in content for content in told) == 1, "it is told once"


# S25
async def test_what_is_kept_for_later_is_the_next_prompt(chat, model):
    words = "It is four, as everybody knows who has ever counted. " * 6
    model.start(SIMPLE, says(words), SIMPLE, says("Vier."))
    async with held_up(chat, model, 1) as line:
        await chat.send("What is two and two?")
        await chat.event("chat.stream.delta")
        await chat.socket.ask("later.add", sessionId=chat.session, text="Now in German")
        line.let_go.set()
        assert (await chat.end())["outcome"] == "completed"
        first = chat.started["requestId"]

        def is_next(message: dict) -> bool:
            return message["type"] == "chat.stream.end" and message["requestId"] != first

        assert (await chat.socket.first(is_next, chat.since))["outcome"] == "completed"
    assert [message["content"] for message in await chat.said("assistant")] == [words.strip(), "Vier."]
    told = [str(turn["content"]) for turn in model.asked()[-1]["messages"]]
    assert sum("Now in German" in content for content in told) == 1, "it is told once"


async def test_one_run_at_a_time(chat, model):
    model.start({**SIMPLE, "latency": 60_000})
    await chat.send("Take your time")
    with pytest.raises(Refused) as refused:
        await chat.socket.ask("chat.send", sessionId=chat.session, content="And this")
    assert refused.value.code == "STREAM_IN_PROGRESS"
    await chat.abort()


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"content": " "}, "INVALID_MESSAGE"),
        ({"content": "x" * 100_001}, "INVALID_MESSAGE"),
        ({"content": "x", "model": "nobody:x"}, "PROVIDER_NOT_CONFIGURED"),
        ({"content": "x", "model": "x"}, "PROVIDER_NOT_CONFIGURED"),
        ({"content": "x", "sessionId": "nobody"}, "SESSION_NOT_FOUND"),
    ],
)
async def test_what_cannot_be_done_is_refused_and_nothing_is_made(chat, fields, code):
    with pytest.raises(Refused) as refused:
        await chat.socket.ask("chat.send", **fields)
    assert refused.value.code == code
    assert (await chat.socket.ask("session.list"))["sessions"] == []


# P11, T7
async def test_the_user_changes_the_list_while_it_works_and_is_obeyed(chat, model):
    looks = calls(("nothing__there", {}), text="Looking around for a while, with many words on the way.")
    model.start(COMPLEX, plan("One", "Two"), looks, completes(1), completes(2), DONE)
    async with held_up(chat, model, 2) as line:
        await chat.send("Do one and two")
        await chat.event("chat.stream.delta")
        await chat.socket.ask("todo.delete", sessionId=chat.session, position="2")
        await chat.socket.ask("todo.add", sessionId=chat.session, content="Three", position="last")
        line.let_go.set()
        assert (await chat.end())["outcome"] == "completed"
    assert await chat.statuses() == [("One", "completed"), ("Three", "completed")]
    told = [str(question["messages"]) for question in model.asked()]
    assert any("TODO list updated. Current state:" in words and "Three" in words for words in told)
    at = await chat.socket.ask("session.get", sessionId=chat.session)
    assert {edit["state"] for edit in at["edits"]} <= {"delivered", "reflected"}, at["edits"]


# T7, P9
async def test_a_note_is_read_with_its_next_step(chat, model):
    looks = calls(("nothing__there", {}), text="Looking around for a while, with many words on the way.")
    model.start(COMPLEX, plan("One"), looks, completes(1), DONE)
    async with held_up(chat, model, 2) as line:
        await chat.send("Do one thing after the other")
        await chat.event("chat.stream.delta")
        await chat.socket.ask("note.send", sessionId=chat.session, text="Mind the gap")
        line.let_go.set()
        assert (await chat.end())["outcome"] == "completed"
    assert any("Mind the gap" in str(question["messages"]) for question in model.asked())


# K1, K8
async def test_a_model_with_tokens_only_drives_its_list_by_blocks(chat, model):
    def block(one: str, two: str) -> str:
        items = [f'<todo_item status="{one}">One</todo_item>', f'<todo_item status="{two}">Two</todo_item>']
        return "<todo>" + "".join(items) + "</todo>"

    model.start(
        SIMPLE,
        says(f"Let me see. {block('in_progress', 'pending')} At it."),
        says(f"{block('completed', 'in_progress')} One is done."),
        says(f"{block('completed', 'completed')} All is done."),
    )
    await chat.send("Do one and two")
    await chat.end()
    assert await chat.statuses() == [("One", "completed"), ("Two", "completed")]
    prose = " ".join(message["content"] for message in await chat.said("assistant"))
    assert "<todo" not in prose and "All is done." in prose


# K5
async def test_computations_in_its_prose_are_made(chat, model):
    module = """(module (func (export "area") (param f64 f64) (result f64) local.get 0 local.get 1 f64.mul))"""
    asks = f'The area is <wat_model args="8.5 5">{module}</wat_model>'
    model.start(SIMPLE, says(asks), says(" square metres."))
    await chat.send("How large is a room of 8.5 by 5 metres?")
    assert (await chat.end())["outcome"] == "completed"
    [answer] = await chat.said("assistant")
    assert "42.5" in answer["content"] and answer["content"].endswith("square metres.")
    assert "(module" not in answer["content"]
    assert "42.5" in str(model.asked()[-1]["messages"])


# K5
@pytest.mark.parametrize(
    "module", ["(module", '(module (import "a" "b" (func)))', '(module (func (export "f") (loop br 0)))']
)
async def test_a_bad_computation_says_so_and_the_run_goes_on(chat, model, module):
    model.start(SIMPLE, says(f"It is <wat_model>{module}</wat_model>"), says(" not to be known."))
    await chat.send("Compute something")
    assert (await chat.end())["outcome"] == "completed"
    [answer] = await chat.said("assistant")
    assert "<computed" in answer["content"] and answer["content"].endswith("not to be known.")


# D3
async def test_a_run_that_is_killed_is_interrupted_and_resumed(gateway, model, chat):
    slow = says("This takes its time, with many words and more.", latency=2_000)
    model.start(COMPLEX, plan("One", "Two"), completes(1), slow, completes(2), DONE)
    await chat.send("Do one and two")
    await chat.event("chat.stream.delta")
    async with killed(gateway, chat) as later:
        kept = await later.get()
        assert kept["messages"][-1]["outcome"] == "interrupted" and kept["canResume"] and "run" not in kept
        assert await later.statuses() == [("One", "completed"), ("Two", "pending")]
        await later.again()
        assert (await later.end())["outcome"] == "completed"
        assert await later.statuses() == [("One", "completed"), ("Two", "completed")]


async def test_a_run_that_was_over_is_not_interrupted_by_a_restart_and_one_under_way_is(gateway, model, chat):
    model.start(SIMPLE, says("Here."), {**SIMPLE, "latency": 60_000})
    await chat.send("Say something")
    await chat.end()
    first = chat.started
    await chat.send("Take your time")
    gateway.stop()
    gateway.start()
    async with opened(gateway) as socket:
        for started, outcome in ((first, "completed"), (chat.started, "interrupted")):
            messages = (await socket.ask("chat.get", sessionId=started["sessionId"]))["messages"]
            ends = [message["outcome"] for message in messages if message["kind"] == "end"]
            assert ends == [outcome]


@pytest.mark.parametrize("kind", ["openai", "anthropic", "ollama"])
async def test_models_of_each_kind(chat, model, kind, monkeypatch):
    await chat.socket.ask("settings.update", **provider(model, kind))
    await chat.socket.ask("vault.keys.set", provider="mock", key="made-up")
    model.start(COMPLEX, plan("One"), completes(1), DONE)
    await chat.send("Do one thing after the other")
    end = await chat.end()
    assert end.get("outcome") == "completed", end
    assert await chat.statuses() == [("One", "completed")]


@pytest.mark.parametrize(
    "fault",
    [
        {"error": {"message": "Rate limited", "type": "rate_limit_error"}, "status": 429},
        {**SIMPLE, "chaos": {"dropRate": 1}},
        {**SIMPLE, "chaos": {"disconnectRate": 1}},
        {**SIMPLE, "chaos": {"malformedRate": 1}},
    ],
    ids=["rate limit", "error of the server", "cut off", "no JSON"],
)
async def test_a_fault_is_tried_again_and_said(chat, model, fault):
    model.start(fault, SIMPLE, says("Here it is."))
    await chat.send("Anything")
    end = await chat.end()
    assert end.get("outcome") == "completed", end
    notices = await chat.said("notice")
    assert any("Trying again" in notice["message"] and notice["retries"] in notice["message"] for notice in notices)
    assert chat.streamed() == "Here it is."


async def test_what_a_run_took_is_told_and_kept(chat, model):
    took = {"prompt_tokens": 1_000, "completion_tokens": 20, "cost": 0.25}
    model.start({**SIMPLE, "usage": took}, says("Here.", usage=took))
    # The scripted model has the costs of the one gateway that tells them, at its address.
    mock = {"name": "mock", "kind": "openai", "endpoint": f"http://127.0.0.1:{model.port}/api/v1"}
    await chat.socket.ask("settings.update", chatProviders=[mock])
    await chat.send("Anything")
    end = await chat.end()
    assert end.get("usage") == {"inputTokens": 2_000, "outputTokens": 40, "totalTokens": 2_040}, end
    assert end["cost"]["totalCost"] == 0.5
    [kept] = await chat.said("end")
    assert (kept["usage"], kept["cost"]) == (end["usage"], end["cost"])


async def test_each_piece_says_where_it_belongs(chat, model):
    thought, words = "Über 🌍 first. " * 5, "Größe 🌍 matters. " * 5
    model.start(SIMPLE, says(words, reasoning=thought))
    async with held_up(chat, model, 1) as line:
        # The first of its words are through.
        line.held[1] = 6
        await chat.send("Anything")
        await chat.event("chat.stream.delta")
        run = (await chat.get())["run"]
        assert run["reasoning"] == thought and words.startswith(run["content"]) and run["content"] not in ("", words)
        line.let_go.set()
        assert (await chat.end())["outcome"] == "completed"

    def length(text: str) -> int:
        return len(text.encode("utf-16-le")) // 2

    for kind, whole in (("delta", words), ("reasoning", thought)):
        said = ""
        for piece in (m for m in chat.socket.seen if m["type"] == f"chat.stream.{kind}"):
            assert piece["offset"] == length(said)
            said += piece["delta"]
        assert said == whole
    [kept] = await chat.said("assistant")
    assert kept["reasoning"] == thought


async def test_what_was_thought_and_said_before_a_stop_stays(chat, model):
    model.start(SIMPLE, says("Words, and words, and words.", reasoning="A thought before.", latency=1_000))
    await chat.send("Anything")
    await chat.event("chat.stream.delta")
    await chat.abort()
    assert (await chat.end())["outcome"] == "aborted"
    [kept] = await chat.said("assistant")
    assert kept["reasoning"] == "A thought before." and "Words" in kept["content"]


async def test_a_run_that_could_not_go_on_can_when_the_user_adds_to_its_list(chat, model):
    model.start(COMPLEX, plan("One"), completes(1), DONE, completes(2), DONE)
    await chat.send("Do one thing after the other")
    await chat.end()
    assert not (await chat.get())["canResume"]
    chat.since = len(chat.socket.seen)
    await chat.socket.ask("todo.add", sessionId=chat.session, content="Two", position="last")
    assert (await chat.event("chat.updated"))["canResume"]
    await chat.again()
    assert (await chat.end())["outcome"] == "completed"
    assert await chat.statuses() == [("One", "completed"), ("Two", "completed")]


async def test_a_model_without_tool_calls_is_asked_without_tools_and_only_once_more(chat, model):
    refused = {"error": {"message": "this model does not support tools", "type": "api_error"}, "status": 400}
    model.start(SIMPLE, refused, says("Then in words."))
    await chat.send("Anything")
    assert (await chat.end())["outcome"] == "completed"
    *_, first, second = model.asked()
    assert first["tools"] and not second.get("tools")
    assert [turn for turn in second["messages"] if turn["role"] == "user"] == [
        turn for turn in first["messages"] if turn["role"] == "user"
    ]
