"""Changes in the middle of a run of the built-in agent, by users, other agents, settings and crashes."""

import sqlite3
import sys
from contextlib import closing

import anyio
import pytest

from chat.client import Chat, killed, last_words
from chat.files import READ, SLOW, WRITE, files, reads, slow_tool, waits_long, writes
from chat.line import held_up
from chat.model import COMPLEX, DONE, SIMPLE, calls, completes, plan, provider, says
from gateway import END_SECONDS, eventually
from socket_client import Refused, opened

pytestmark = pytest.mark.anyio


@pytest.fixture
async def chat(chat, folder):
    await chat.socket.ask("settings.update", **files(folder))
    return chat


def slow(answer: dict, words: str = "Looking around for a while, with many words.") -> dict:
    return {**answer, "content": words, "latency": 300}


async def state(chat: Chat) -> tuple[str, str | None]:
    sessions = (await chat.socket.ask("session.list"))["sessions"]
    [session] = [session for session in sessions if session["sessionId"] == chat.session]
    return session["state"], session.get("stateReason")


async def test_results_that_are_more_than_a_model_can_read_leave_the_task_to_be_read(chat, model, folder):
    (folder / "in.txt").write_text("words " * 17_000)
    model.start(SIMPLE, *[reads(folder) for _ in range(5)], says("That was much."), needs="PINEAPPLE")
    await chat.send("Read it five times, and mind the PINEAPPLE")
    end = await chat.end()
    assert end.get("outcome") == "completed", end
    assert chat.streamed() == "That was much."


async def test_a_session_that_is_deleted_is_not_worked_on_any_more(chat, model, folder):
    model.start(COMPLEX, plan("One", "Two"), slow(reads(folder)), *[reads(folder)] * 50)
    await chat.send("Do one and two")
    await chat.event("chat.stream.delta")
    await chat.socket.ask("session.delete", sessionId=chat.session)
    assert (await chat.end())["outcome"] == "aborted"
    asked = len(model.asked())
    with pytest.raises(Refused) as refused:
        await chat.abort()
    assert refused.value.code == "SESSION_NOT_FOUND"
    assert (await chat.socket.ask("session.list"))["sessions"] == []
    assert len(model.asked()) == asked == 3
    await chat.socket.ask("session.undelete", sessionId=chat.session)
    kept = await chat.get()
    assert kept["canResume"] and "run" not in kept
    # Nothing of it is left half open.
    assert [message["outcome"] for message in await chat.said("end")] == ["interrupted"]
    assert all(call["result"] for call in await chat.said("tool"))
    assert "in_progress" not in dict(await chat.statuses()).values()
    await chat.again()
    await chat.event("tool.result")
    assert [message["outcome"] for message in await chat.said("end")] == ["interrupted"]
    await chat.abort()


# P11
async def test_an_edit_in_a_burst_of_list_calls_is_obeyed(chat, model):
    burst = calls(
        *[("todo_manager", {"action": "add_multiple", "todos": [{"content": f"More {n}"}]}) for n in range(20)]
    )
    wait = says("Words.", latency=60_000)
    model.start(COMPLEX, plan("One", "Two"), burst, wait)
    await chat.send("Do one and two")
    await chat.event("tool.result")
    await chat.socket.ask("todo.setStatus", sessionId=chat.session, position="1", status="pending")

    async def obeyed() -> bool:
        return any('changed "One"' in notice for notice in await chat.notices())

    await eventually(obeyed, END_SECONDS, "the work on it stops")

    async def goes_on() -> bool:
        statuses = dict(await chat.statuses())
        assert statuses["One"] == "pending"
        return statuses["Two"] == "in_progress"

    # The notice comes before the next step begins.
    await eventually(goes_on, END_SECONDS, "the next step begins")
    await chat.abort()


# C5
async def test_what_waits_for_the_user_says_so_in_its_session(chat, model, folder):
    model.start(COMPLEX, plan({"content": "Write it", "tool": WRITE}), slow(writes(folder)), completes(1), DONE)
    await chat.send("Write it, and look at it, and again")
    await chat.event("preflight.checklist")
    assert await state(chat) == ("waiting", "A plan waits for your approval.")
    await chat.socket.ask("preflight.approval", requestId=chat.started["requestId"], approved=True)
    await chat.event("chat.stream.delta")
    assert (await state(chat))[0] == "running"
    assert (await chat.end())["outcome"] == "completed"
    model.stop()
    model.start(SIMPLE, writes(folder), says("Then not."))
    await chat.send("Write it", sessionId=chat.session)
    request = await chat.event("tool.approval.request")
    assert await state(chat) == ("waiting", f"May {WRITE} be called?")
    await chat.socket.ask("tool.approval.response", toolCallId=request["toolCallId"], approved=False)
    assert (await chat.end())["outcome"] == "completed"


# G3
async def test_a_tool_that_is_denied_from_now_on_is_not_called_any_more(chat, model, folder):
    model.start(SIMPLE, reads(folder), slow(reads(folder)), says("That is all."))
    await chat.send("Read it twice")
    await chat.event("chat.stream.delta")
    await chat.socket.ask("settings.update", chatTools={READ: "deny"})
    assert (await chat.end())["outcome"] == "completed"
    assert [call.get("isError", False) for call in await chat.said("tool")] == [False, True]


# G3
async def test_an_approval_for_the_session_is_not_for_another_server_of_that_name(chat, model, folder):
    model.start(SIMPLE, writes(folder, "1"), says("One."), SIMPLE, writes(folder, "2"), says("Two."))
    await chat.send("Write one")
    request = await chat.event("tool.approval.request")
    yes = {"toolCallId": request["toolCallId"], "approved": True, "sessionApprove": True}
    await chat.socket.ask("tool.approval.response", **yes)
    await chat.end()
    [server] = files(folder)["chatServers"]
    await chat.socket.ask("settings.update", chatServers=[{**server, "env": {"ANOTHER": "one"}}])
    await chat.send("Write two", sessionId=chat.session)
    request = await chat.event("tool.approval.request")
    await chat.socket.ask("tool.approval.response", toolCallId=request["toolCallId"], approved=False)
    assert (await chat.end())["outcome"] == "completed"
    assert (folder / "out.txt").read_text() == "1"


# D3
async def test_a_call_in_whose_middle_it_was_killed_may_have_been_made(gateway, chat, model):
    await chat.socket.ask("settings.update", **slow_tool())
    model.start(COMPLEX, plan("Wait"), waits_long(), completes(1), DONE)
    await chat.send("Send the mail, then say so")
    await chat.event("tool.call", toolName=SLOW)
    async with killed(gateway, chat) as later:
        [call] = await later.said("tool")
        assert call["isError"] and "is not known" in call["result"]
        assert [end["outcome"] for end in await later.said("end")] == ["interrupted"]
        await later.again()
        assert (await later.end())["outcome"] == "completed"
    told = [turn["content"] for turn in model.asked()[-2]["messages"] if turn["role"] == "tool"]
    assert "is not known" in told[0]


# D3
async def test_a_resumption_that_is_killed_before_it_has_said_anything_is_interrupted(gateway, chat, model):
    model.start(COMPLEX, plan("One"), *[says("Soon.")] * 4)
    await chat.send("Do one thing after the other")
    assert (await chat.end())["outcome"] == "waiting"
    stuck = {"name": "stuck", "command": [sys.executable, "-c", "input()"]}
    await chat.socket.ask("settings.update", chatServers=[stuck])
    await chat.again()
    await chat.event("todo.update")
    async with killed(gateway, chat) as later:
        assert [end["outcome"] for end in await later.said("end")] == ["waiting", "interrupted"]
        assert await later.statuses() == [("One", "pending")]


async def test_what_was_read_of_an_answer_that_failed_stays(chat, model):
    cut = [says("A long and useful answer that people have read.", truncateAfterChunks=3, latency=50) for _ in range(3)]
    model.start(SIMPLE, *cut)
    await chat.send("Say something useful")
    end = await chat.end()
    assert (end["type"], end["code"]) == ("error", "AGENT_ERROR")
    said = [message["content"] for message in await chat.said("assistant")]
    assert len(said) == 3 and all(words.startswith("A long and useful") for words in said)


async def test_a_list_that_another_agent_has_changed_is_worked_on_as_it_is(gateway, chat, model, folder):
    model.start(COMPLEX, plan("One", "Two"), slow(reads(folder)), completes(1), DONE)
    await chat.send("Do one and two")
    await chat.event("chat.stream.delta")
    async with opened(gateway) as other:
        await other.ask("todo.write", sessionId=chat.session, todos=[{"content": "Three"}])
    assert (await chat.end())["outcome"] == "completed"
    assert dict(await chat.statuses())["Three"] == "completed"
    assert any("Three" in last_words(question) for question in model.asked())


async def test_a_tool_server_that_was_away_is_tried_again_with_the_next_prompt(chat, model, tmp_path):
    [server] = files(tmp_path)["chatServers"]
    flag = tmp_path / "it is there"
    node, *rest = server["command"]
    late = ["/bin/sh", "-c", f'test -e "{flag}" && exec "{node}" "$@"', "sh", *rest]
    # One that works is not begun anew for that: it may keep something open.
    starts = tmp_path / "starts"
    other = ["/bin/sh", "-c", f'echo >> "{starts}" && exec "{node}" "$@"', "sh", *rest]
    servers = [{"name": "files", "command": late}, {"name": "other", "command": other}]
    await chat.socket.ask("settings.update", chatServers=servers)
    model.start(SIMPLE, says("No tools."), SIMPLE, says("Tools."))
    await chat.send("Hello")
    await chat.end()
    assert any("The tools of files are not there" in notice for notice in await chat.notices())
    flag.touch()
    await chat.send("Hello again", sessionId=chat.session)
    await chat.end()
    assert READ in str(model.asked()[-1]["tools"]) and READ not in str(model.asked()[1]["tools"])
    assert all("other__read_text_file" in str(model.asked()[at]["tools"]) for at in (1, -1))
    assert starts.read_text() == "\n"


async def test_a_key_that_is_missing_says_so_by_its_code(chat):
    await chat.send("Anything", model="anthropic:claude-sonnet")
    end = await chat.end()
    assert end["code"] == "PROVIDER_NOT_CONFIGURED" and "key" in end["message"]


# K1
async def test_a_block_that_a_model_with_tool_calls_quotes_is_no_list(chat, model):
    quoted = "The readme says <todo><todo_item>Buy milk</todo_item></todo> and no more."
    answer = {**completes(1), "content": "One is done."}
    model.start(COMPLEX, plan("One", "Two"), answer, {**completes(2), "content": quoted}, DONE)
    await chat.send("Do one and two")
    assert (await chat.end())["outcome"] == "completed"
    assert await chat.statuses() == [("One", "completed"), ("Two", "completed")]
    assert any("left out" in notice for notice in await chat.notices())


# K1
async def test_another_model_may_keep_its_list_in_blocks(chat, model):
    [mock] = provider(model)["chatProviders"]
    await chat.socket.ask("settings.update", chatProviders=[mock, {**mock, "name": "other"}])
    block = "<todo><todo_item status='completed'>Two</todo_item></todo> That is all."
    model.start(COMPLEX, plan("One"), completes(1), DONE, SIMPLE, says(block), DONE)
    await chat.send("Do one thing after the other")
    assert (await chat.end())["outcome"] == "completed"
    await chat.send("And two", sessionId=chat.session, model="other:scripted")
    assert (await chat.end())["outcome"] == "completed"
    assert await chat.statuses() == [("Two", "completed")]


# T12
async def test_a_stop_in_a_burst_of_calls_leaves_none_of_them_open(chat, model):
    burst = calls(*[("todo_manager", {"action": "add_multiple", "todos": [{"content": f"{n}"}]}) for n in range(150)])
    model.start(COMPLEX, plan("One"), burst, says("Not reached.", latency=60_000))
    await chat.send("Do one thing after the other")
    await chat.event("tool.result")
    await chat.abort()
    assert (await chat.end())["outcome"] == "aborted"
    made = await chat.said("tool")
    assert len(made) == 100 and all(call["result"] for call in made)
    assert any("150 tools at once" in notice for notice in await chat.notices())
    # Those that were not made say so.
    assert 50 < sum(call.get("notMade", False) for call in made) < 100
    refused = [call["result"] for call in made if call.get("isError")]
    assert 0 < len(made) - len(refused) <= 50, "no more than fifty calls of an answer are made"
    assert all(status != "in_progress" for _, status in await chat.statuses())


# D3
async def test_a_plan_waits_whatever_becomes_of_the_process(gateway, chat, model, folder):
    model.start(COMPLEX, plan({"content": "Write it", "tool": WRITE}), writes(folder), completes(1), DONE)
    await chat.send("Write it twice, then look")
    first = await chat.event("preflight.checklist")
    async with killed(gateway, chat) as later:
        assert (await later.get())["canResume"]
        await later.again()
        again = await later.event("preflight.checklist")
        assert again["steps"] == first["steps"]
        await later.socket.ask("preflight.approval", requestId=later.started["requestId"], approved=True)
        assert (await later.end())["outcome"] == "completed"
    assert (folder / "out.txt").read_text() == "3"


async def test_a_prompt_that_was_acknowledged_is_there_whatever_becomes_of_the_process(gateway, chat, model):
    model.start(SIMPLE, says("It is four."))
    await chat.send("What is two and two?")
    async with killed(gateway, chat) as later:
        kept = await later.get()
        assert [message["kind"] for message in kept["messages"]] == ["user", "end"]
        assert kept["messages"][0]["content"] == "What is two and two?"
        assert (kept["messages"][1]["outcome"], kept["canResume"]) == ("interrupted", True)
        assert (await state(later))[0] == "waiting"
        await later.again()
        assert (await later.end())["outcome"] == "completed"
        assert later.streamed() == "It is four."
        assert not (await later.get())["canResume"]


async def test_a_prompt_whose_model_was_not_there_is_answered_when_it_is(chat, model):
    started = await chat.send("What is two and two?")
    failed = await chat.end()
    assert failed["code"] == "AGENT_ERROR", failed
    assert (await chat.get())["canResume"]
    model.start(SIMPLE, says("It is four."))
    await chat.again()
    assert started["requestId"] != chat.started["requestId"]
    assert (await chat.end())["outcome"] == "completed"
    assert chat.streamed() == "It is four."
    # The prompt is there once, and its model has read it once.
    assert [message["content"] for message in await chat.said("user")] == ["What is two and two?"]
    assert sum("two and two" in str(message["content"]) for message in model.asked()[-1]["messages"]) == 1


async def test_another_model_goes_on_with_what_one_could_not_do(chat, model):
    model.start(SIMPLE, says("It is four."))
    await chat.send("What is two and two?", model="anthropic:claude-sonnet")
    assert (await chat.end())["code"] == "PROVIDER_NOT_CONFIGURED"
    for wrong in ("nobody:x", "x"):
        with pytest.raises(Refused) as refused:
            await chat.socket.ask("chat.resume", sessionId=chat.session, model=wrong)
        assert refused.value.code == "PROVIDER_NOT_CONFIGURED"
    await chat.again(model="mock:scripted")
    assert (chat.started["model"], (await chat.end())["outcome"]) == ("mock:scripted", "completed")
    assert (await chat.get())["model"] == "mock:scripted"


async def test_an_answer_that_was_stopped_is_given_again(chat, model):
    model.start(SIMPLE, slow(says("")), SIMPLE, says("It is four."))
    async with held_up(chat, model, 1):
        await chat.send("What is two and two?")
        await chat.event("chat.stream.delta")
        await chat.abort()
        await chat.end()
    await chat.socket.ask("settings.update", **provider(model))
    await chat.again()
    assert (await chat.end())["outcome"] == "completed"
    words = [message["content"] for message in await chat.said("assistant")]
    assert len(words) == 2 and words[1] == "It is four.", words
    assert last_words(model.asked()[-1]).startswith("The run was interrupted.")
    assert last_words(model.asked()[-1]).endswith("What is two and two?")


async def test_a_stop_without_a_run_does_not_touch_the_next_one(gateway, chat, model):
    rounds = 12
    # A run with open steps is continued three times.
    model.start(*[answer for _ in range(rounds + 1) for answer in (SIMPLE, *[says("Done.")] * 4)])
    await chat.send("Hello")
    await chat.end()
    session = chat.session
    await chat.socket.ask("todo.add", sessionId=session, content="A")
    async with opened(gateway) as other:
        for _ in range(rounds):
            await chat.socket.ask("todo.setStatus", sessionId=session, position="1", status="in_progress")
            async with anyio.create_task_group() as both:
                both.start_soon(lambda: other.ask("chat.abort", sessionId=session))
                await chat.send("Go on", sessionId=session)
            # The stop may have been before it or after it; the run ends once, and no other is left behind.
            assert (await chat.end())["outcome"] in ("aborted", "waiting")
            assert "run" not in await chat.get()


async def test_a_call_that_was_stopped_may_have_done_its_work(chat, model):
    await chat.socket.ask("settings.update", **slow_tool())
    model.start(COMPLEX, plan("Wait"), waits_long(), completes(1), DONE)
    await chat.send("Send the mail, then say so")
    await chat.event("tool.call", toolName=SLOW)
    await chat.abort()
    [call] = await chat.said("tool")
    assert call["isError"] and "is not known" in call["result"] and "notMade" not in call
    await chat.again()
    assert (await chat.end())["outcome"] == "completed"
    told = [turn["content"] for turn in model.asked()[-2]["messages"] if turn["role"] == "tool"]
    assert "is not known" in told[0]


# T7
async def test_each_change_of_the_list_is_told_once(chat, model):
    steps = [f"Step {number}" for number in range(1, 6)]
    model.start(COMPLEX, plan(*steps), *[completes(number) for number in range(1, 6)], DONE)
    await chat.send("Do five things, one after the other")
    assert (await chat.end())["outcome"] == "completed"
    last = next(body for body in reversed(model.asked()) if body.get("tools"))
    reminders = [turn["content"] for turn in last["messages"] if "TODO list updated" in str(turn["content"])]
    assert 1 < len(reminders) == len(set(reminders)), reminders


async def test_what_a_tool_server_was_given_is_not_kept_with_the_conversation(gateway, chat, model):
    secret = "s3cretVALUE"
    server = {**slow_tool()["chatServers"][0], "env": {"API": secret}}
    await chat.socket.ask("settings.update", chatServers=[server])
    model.start(SIMPLE, calls(("all__echo", {"message": "Hello"})), says("Done."))
    await chat.send("Hello")
    await chat.allow()
    assert (await chat.end())["outcome"] == "completed"
    await chat.socket.ask("settings.update", chatServers=[])
    gateway.stop()
    with closing(sqlite3.connect(gateway.data_dir / "sightline.db")) as database:
        [[state]] = database.execute("SELECT state FROM chats").fetchall()
    assert '"all__echo":' in state and secret not in state


# Some servers refuse calls in a conversation that offers no tools.
async def test_a_judge_reads_calls_as_words(chat, model):
    model.start(COMPLEX, plan("One"), completes(1), DONE)
    await chat.send("Do one, and look at it")
    assert (await chat.end())["outcome"] == "completed"
    for body in model.asked():
        roles = {turn["role"] for turn in body["messages"]}
        has_calls = "tool" in roles or any(turn.get("tool_calls") for turn in body["messages"])
        assert bool(body.get("tools")) or not has_calls
    assert "I called todo_manager" in str(model.asked()[-1]["messages"])


async def test_an_empty_answer_is_said_to_be_one(chat, model):
    model.start(SIMPLE, says(""))
    await chat.send("Hello")
    assert (await chat.end())["outcome"] == "completed"
    assert await chat.notices() == ["The model has answered nothing."]
