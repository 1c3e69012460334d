"""Tools of servers that nobody here wrote, each call behind an approval."""

import json

import pytest

from chat.client import Chat
from chat.files import OPEN, PENCIL, READ, SLOW, WRITE, box, files, reads, restless, slow_tool, waits_long, writes
from chat.model import COMPLEX, DONE, SIMPLE, calls, completes, plan, says
from socket_client import Refused, opened

pytestmark = pytest.mark.anyio


@pytest.fixture
async def chat(chat, folder):
    await chat.socket.ask("settings.update", **files(folder))
    return chat


# G3
async def test_a_task_that_reads_and_writes_files_with_approval(chat, model, folder):
    done = completes(1)
    model.start(COMPLEX, plan("Count the words"), reads(folder), writes(folder), done, DONE)
    await chat.send("Count the words of in.txt, write the number to out.txt")
    request = await chat.event("tool.approval.request")
    assert request["toolName"] == WRITE and request["args"]["content"] == "3"
    assert not (folder / "out.txt").exists()
    run = (await chat.get())["run"]
    assert run["approval"]["toolCallId"] == request["toolCallId"]
    await chat.socket.ask("tool.approval.response", toolCallId=request["toolCallId"], approved=True)
    end = await chat.end()
    assert end.get("outcome") == "completed", end
    assert (folder / "out.txt").read_text() == "3"
    assert "three words here" in [tool["result"] for tool in await chat.said("tool")][0]
    with pytest.raises(Refused) as late:
        await chat.socket.ask("tool.approval.response", toolCallId=request["toolCallId"], approved=True)
    assert late.value.code == "NO_PENDING_APPROVAL"


async def test_numbers_travel_as_text_and_the_log_names_the_tool(chat, model, folder):
    call = {"path": str(folder / "out.txt"), "content": "1", "id": 12345678901234567890}
    model.start(SIMPLE, calls((WRITE, call)), says("Written."))
    await chat.send("Write one")
    request = await chat.event("tool.approval.request")
    assert '"id":12345678901234567890' in request["argsText"]
    assert json.loads(request["argsText"]) == request["args"] == call
    run = (await chat.get())["run"]
    assert run["approval"]["argsText"] == request["argsText"]
    await chat.socket.ask("tool.approval.response", toolCallId=request["toolCallId"], approved=False)
    await chat.end()
    log = (await chat.socket.ask("audit.list"))["entries"]
    assert [entry["subject"] for entry in log if entry["deed"] == "deny"] == [f"{WRITE} ({request['toolCallId']})"]


async def test_for_this_session_is_asked_once(chat, model, folder):
    model.start(SIMPLE, writes(folder, "1"), writes(folder, "2"), says("Written."))
    await chat.send("Write one, then two")
    await chat.allow()
    assert (await chat.end())["outcome"] == "completed"
    assert (folder / "out.txt").read_text() == "2"
    assert sum(m["type"] == "tool.approval.request" for m in chat.socket.seen) == 1


async def test_what_is_refused_is_not_called(chat, model, folder):
    model.start(COMPLEX, plan("Write it"), writes(folder), DONE)
    await chat.send("Write it, and look at it, and again")
    request = await chat.event("tool.approval.request")
    await chat.socket.ask("tool.approval.response", toolCallId=request["toolCallId"], approved=False)
    await chat.end()
    assert not (folder / "out.txt").exists()
    assert [status for _, status in await chat.statuses()] == ["skipped"]


async def test_what_nobody_answers_ends_the_run_and_can_be_resumed(chat, model, folder):
    done = completes(1)
    await chat.socket.ask("settings.update", chatApprovalSeconds=10)
    model.start(COMPLEX, plan("Write it"), writes(folder), writes(folder), done, DONE)
    await chat.send("Write it, and look at it, and again")
    await chat.event("tool.approval.request")
    end = await chat.end()
    assert end["code"] == "NO_PENDING_APPROVAL" and (await chat.get())["canResume"]
    await chat.again()
    request = await chat.event("tool.approval.request")
    await chat.socket.ask("tool.approval.response", toolCallId=request["toolCallId"], approved=True)
    assert (await chat.end())["outcome"] == "completed"
    assert (folder / "out.txt").read_text() == "3"


async def test_a_denied_tool_is_never_called(chat, model, folder):
    await chat.socket.ask("settings.update", chatTools={WRITE: "deny"})
    model.start(SIMPLE, writes(folder), says("Then not."))
    await chat.send("Write it")
    assert (await chat.end())["outcome"] == "completed"
    assert not (folder / "out.txt").exists()
    assert all(m["type"] != "tool.approval.request" for m in chat.socket.seen)


async def test_a_plan_with_tools_that_need_approval_is_shown_first_and_can_be_edited(chat, model, folder):
    done = completes(1)
    steps = [{"content": "Write it", "tool": WRITE}, {"content": "Write it twice", "tool": WRITE}]
    model.start(COMPLEX, plan(*steps), writes(folder), done, DONE)
    await chat.send("Write it twice, then look")
    checklist = await chat.event("preflight.checklist")
    assert [step["needsApproval"] for step in checklist["steps"]] == [True, True]
    assert await chat.statuses() == []
    edited = [{"description": "Write it once", "toolName": WRITE}, {"description": "Write it twice", "skip": True}]
    run = chat.started["requestId"]
    await chat.socket.ask("preflight.approval", requestId=run, approved=True, editedSteps=edited)
    assert (await chat.end())["outcome"] == "completed"
    assert await chat.statuses() == [("Write it once", "completed"), ("Write it twice", "skipped")]
    assert (folder / "out.txt").read_text() == "3"


async def test_a_refused_plan_is_not_begun(chat, model, folder):
    model.start(COMPLEX, plan({"content": "Write it", "tool": WRITE}))
    await chat.send("Write it twice, then look")
    await chat.event("preflight.checklist")
    await chat.socket.ask("preflight.approval", requestId=chat.started["requestId"], approved=False)
    assert (await chat.end())["code"] == "PREFLIGHT_REJECTED"
    with pytest.raises(Refused) as late:
        await chat.socket.ask("preflight.approval", requestId=chat.started["requestId"], approved=True)
    assert late.value.code == "NO_PENDING_PREFLIGHT"


async def test_a_plan_that_nobody_answered_is_asked_about_again(chat, model, folder):
    done = completes(1)
    await chat.socket.ask("settings.update", chatApprovalSeconds=10)
    model.start(COMPLEX, plan({"content": "Write it", "tool": WRITE}), writes(folder), done, DONE)
    await chat.send("Write it twice, then look")
    first = await chat.event("preflight.checklist")
    end = await chat.end()
    assert end["code"] == "NO_PENDING_APPROVAL" and (await chat.get())["canResume"]
    await chat.again()
    again = await chat.event("preflight.checklist")
    assert again["steps"] == first["steps"]
    await chat.socket.ask("preflight.approval", requestId=chat.started["requestId"], approved=True)
    assert (await chat.end())["outcome"] == "completed"
    assert (folder / "out.txt").read_text() == "3"


async def test_tools_and_models_are_listed_with_their_problems(chat):
    there = await chat.socket.ask("chat.tools")
    [server] = there["servers"]
    policies = {tool["name"]: tool["policy"] for tool in server["tools"]}
    assert policies[READ] == "auto" and policies[WRITE] == "ask"
    gone = {"name": "gone", "command": ["/nowhere/at-all"]}
    await chat.socket.ask("settings.update", chatServers=[gone])
    [server] = (await chat.socket.ask("chat.tools"))["servers"]
    assert server["tools"] == [] and server["problem"]
    providers = (await chat.socket.ask("chat.models"))["providers"]
    assert {"openai", "anthropic", "gemini", "ollama", "mock"} == {provider["name"] for provider in providers}
    assert all(provider["problem"] for provider in providers), "nobody is there"


async def test_keys_are_kept_and_never_given_out(gateway, chat):
    kept = await chat.socket.ask("vault.keys.set", provider="openai", key="sk-secret-1234")
    assert kept["keys"]["openai"] in ("keyring", "file")
    await chat.socket.ask("vault.keys.list")
    said = "".join(str(message) for message in chat.socket.seen) + gateway.output()
    assert "sk-secret-1234" not in said
    database = b"".join(file.read_bytes() for file in gateway.folder.rglob("sightline.db*"))
    assert b"sk-secret-1234" not in database
    assert "openai" not in (await chat.socket.ask("vault.keys.delete", provider="openai"))["keys"]
    with pytest.raises(Refused) as refused:
        await chat.socket.ask("vault.keys.set", provider="nobody", key="x")
    assert refused.value.code == "PROVIDER_NOT_CONFIGURED"


# T12
async def test_an_abort_while_it_waits_for_an_approval(chat, model, folder):
    model.start(COMPLEX, plan("Write it"), writes(folder))
    await chat.send("Write it, and look at it, and again")
    request = await chat.event("tool.approval.request")
    await chat.abort()
    assert (await chat.end())["outcome"] == "aborted"
    with pytest.raises(Refused) as late:
        await chat.socket.ask("tool.approval.response", toolCallId=request["toolCallId"], approved=True)
    assert late.value.code == "NO_PENDING_APPROVAL"
    assert not (folder / "out.txt").exists()
    assert [status for _, status in await chat.statuses()] == ["pending"]


async def test_an_abort_while_a_plan_waits_for_an_approval(chat, model, folder):
    model.start(COMPLEX, plan({"content": "Write it", "tool": WRITE}))
    await chat.send("Write it twice, then look")
    await chat.event("preflight.checklist")
    await chat.abort()
    assert (await chat.end())["outcome"] == "aborted"
    assert "run" not in await chat.get() and await chat.statuses() == []


async def test_an_abort_in_the_middle_of_a_tool_call(chat, model):
    await chat.socket.ask("settings.update", **slow_tool())
    model.start(COMPLEX, plan("Wait"), waits_long())
    await chat.send("Wait for ten minutes, then say so")
    await chat.event("tool.call", toolName=SLOW)
    await chat.abort()
    assert (await chat.end())["outcome"] == "aborted"
    [call] = await chat.said("tool")
    assert call["isError"] and call["result"]
    assert [status for _, status in await chat.statuses()] == ["pending"]


# G3: tools come and go while it works; what was allowed was the tool as it was.
async def test_a_tool_that_comes_while_it_works_is_called_and_one_that_comes_back_otherwise_is_asked_for(
    chat, model, folder
):
    await chat.socket.ask("settings.update", **box(folder, "", "Draws a line.", "", "Draws a circle."))
    opens, draws = calls((OPEN, {})), calls((PENCIL, {}))
    model.start(SIMPLE, opens, draws, draws, opens, opens, draws, says("Drawn."))
    await chat.send("Draw a line, then a circle")
    await chat.allow()
    await chat.allow()
    assert (await chat.end())["outcome"] == "completed"
    results = [(tool["toolName"], tool["result"]) for tool in await chat.said("tool")]
    assert [name for name, _ in results] == [OPEN, PENCIL, PENCIL, OPEN, OPEN, PENCIL]
    assert all("drawn" in result for name, result in results if name == PENCIL), results
    offered = [[tool["function"]["name"] for tool in body["tools"]] for body in model.asked() if "tools" in body]
    assert [PENCIL in names for names in offered] == [False, True, True, True, False, True, True]
    assert len(chat.asked_for()) == 2


@pytest.mark.parametrize("pencil", ["Draws a line.", "Draws a circle."])
async def test_a_tool_that_is_another_after_a_restart_is_asked_for_again(gateway, chat, model, folder, pencil):
    await chat.socket.ask("settings.update", **box(folder, "Draws a line."))
    draws = calls((PENCIL, {}))
    model.start(SIMPLE, draws, says("Drawn."), SIMPLE, draws, says("Drawn."))
    await chat.send("Draw a line")
    await chat.allow()
    assert (await chat.end())["outcome"] == "completed"
    box(folder, pencil)
    gateway.stop()
    gateway.start()
    async with opened(gateway) as socket:
        again = Chat(socket)
        await socket.ask("events.subscribe")
        await again.send("Draw another", sessionId=chat.session)
        if pencil == "Draws a circle.":
            await again.allow()
        assert (await again.end())["outcome"] == "completed"
        results = [tool["result"] for tool in await again.said("tool")]
        assert len(results) == 2 and all("drawn" in result for result in results), results
        assert len(again.asked_for()) == (pencil == "Draws a circle.")


@pytest.mark.parametrize("others", [False, True], ids=["this tool", "all others"])
@pytest.mark.parametrize("pencil", ["Draws a line.", "Draws a circle."])
async def test_a_tool_that_is_called_without_asking_is_asked_for_when_it_is_another(
    gateway, chat, model, folder, pencil, others
):
    free = {"chatTools": {}, "chatOtherTools": "auto"} if others else {"chatTools": {PENCIL: "auto"}}
    await chat.socket.ask("settings.update", **{**box(folder, "Draws a line."), **free})
    draws = calls((PENCIL, {}))
    model.start(SIMPLE, draws, says("Drawn."), SIMPLE, draws, says("Drawn."))
    await chat.send("Draw a line")
    assert (await chat.end())["outcome"] == "completed" and not chat.asked_for()
    box(folder, pencil)
    # Neither a restart nor another conversation makes it the tool that was allowed.
    gateway.stop()
    gateway.start()
    async with opened(gateway) as socket:
        again = Chat(socket)
        await socket.ask("events.subscribe")
        await again.send("Draw another")
        if pencil == "Draws a circle.":
            await again.allow()
            assert (await again.event("tool.approval.request", toolName=PENCIL))["changed"]
        assert (await again.end())["outcome"] == "completed"
        assert len(again.asked_for()) == (pencil == "Draws a circle.")


async def test_a_changed_tool_is_called_without_asking_once_that_is_chosen_again(chat, model, folder):
    async def offered() -> dict:
        [server] = (await chat.socket.ask("chat.tools"))["servers"]
        return next(tool for tool in server["tools"] if tool["name"] == PENCIL)

    await chat.socket.ask("settings.update", **box(folder, "Draws a line."))
    first = await offered()
    trust = {"chatTools": {PENCIL: "auto"}}
    await chat.socket.ask("settings.update", **trust, chatToolDigests={PENCIL: first["digest"]})
    assert (await offered()) == {**first, "policy": "auto"}
    box(folder, "Draws a circle.")
    changed = await offered()
    assert changed["policy"] == "ask" and changed["changed"] and changed["digest"] != first["digest"]
    kept = await chat.socket.ask("settings.update", **trust)
    assert kept["chatToolDigests"] == {PENCIL: first["digest"]} and (await offered())["changed"]
    # By its digest, or by another policy in between.
    await chat.socket.ask("settings.update", **trust, chatToolDigests={PENCIL: changed["digest"]})
    assert (await offered()) == {**changed, "policy": "auto", "changed": False}
    await chat.socket.ask("settings.update", chatToolDigests={PENCIL: first["digest"]})
    await chat.socket.ask("settings.update", chatTools={PENCIL: "ask"})
    assert (await chat.socket.ask("settings.update", **trust))["chatToolDigests"] == {}
    assert (await offered()) == {**changed, "policy": "auto", "changed": False}


async def test_a_server_whose_configuration_has_changed_has_other_tools(chat, model, folder):
    await chat.socket.ask("settings.update", **box(folder, "Draws a line."), chatOtherTools="auto")
    [server] = (await chat.socket.ask("settings.get"))["chatServers"]
    await chat.socket.ask("settings.update", chatTools={PENCIL: "auto"})
    draws = calls((PENCIL, {}))
    model.start(SIMPLE, draws, says("Drawn."), SIMPLE, draws, says("Drawn."))
    await chat.send("Draw a line")
    assert (await chat.end())["outcome"] == "completed" and not chat.asked_for()
    await chat.socket.ask("settings.update", chatServers=[{**server, "env": {"COLOUR": "red"}}])
    await chat.send("Draw another", sessionId=chat.session)
    await chat.allow()
    assert (await chat.event("tool.approval.request", toolName=PENCIL))["changed"]
    assert (await chat.end())["outcome"] == "completed"


@pytest.mark.parametrize(
    "digests", [{PENCIL: "x"}, {PENCIL: "0" * 63}, {PENCIL: 1}, [], {f"a{at}": "0" * 64 for at in range(1_001)}]
)
async def test_no_digests(chat, digests):
    with pytest.raises(Refused):
        await chat.socket.ask("settings.update", chatToolDigests=digests)


async def test_tools_that_change_without_end_hold_up_no_run(chat, model, folder):
    await chat.socket.ask("settings.update", **restless(folder))
    model.start(SIMPLE, says("Here it is."))
    await chat.send("Say it")
    assert (await chat.end())["outcome"] == "completed"
    assert 1 <= (folder / "notes").read_text().count("listed") <= len(model.asked())
