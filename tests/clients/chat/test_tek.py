"""A client of the older protocol holds a whole chat: what it hears has the types, fields and order of the recordings
(`docs/formats/gateways.md`), and where the original is broken, better."""

import json
import shutil

import pytest

from chat.model import COMPLEX, DONE, FOLDER, SIMPLE, calls, plan, provider, says
from socket_client import opened

pytestmark = pytest.mark.anyio

TODOS = [
    {"id": "1", "content": "Read the changelog", "status": "in_progress", "activeForm": "Reading the changelog"},
    {"id": "2", "content": "Write the summary", "status": "pending"},
]
FIELDS = {
    "session.created": {"sessionId", "sessionKey"},
    "chat.stream.start": {"requestId", "sessionId", "model"},
    "chat.stream.delta": {"requestId", "delta"},
    "chat.stream.end": {"requestId", "usage", "cost"},
    "todo.update": {"requestId", "todos"},
    "tool.call": {"requestId", "toolCallId", "toolName", "args"},
    "tool.error": {"requestId", "toolCallId", "toolName", "error"},
    "tool.result": {"requestId", "toolCallId", "toolName", "result"},
    "subprocess.start": {"requestId", "processId", "name", "processType"},
    "subprocess.end": {"requestId", "processId", "status", "durationMs"},
    "error": {"requestId", "code", "message"},
    "tool.approval.request": {"requestId", "toolCallId", "toolName", "args"},
    "preflight.checklist": {"requestId", "steps", "estimatedCost", "requiredPermissions", "warnings"},
}


@pytest.fixture
async def tek(gateway, model):
    async with opened(gateway) as settings:
        await settings.ask("settings.update", **provider(model))
    async with opened(gateway) as socket:
        yield socket


def everything() -> dict:
    """The configuration of a server of tools that have to be approved."""
    program = FOLDER / "node_modules/@modelcontextprotocol/server-everything/dist/index.js"
    return {"name": "all", "command": [shutil.which("node"), str(program), "stdio"]}


def in_order(messages: list[dict]) -> list[str]:
    """Their types, each once where it repeats itself."""
    kinds = [message["type"] for message in messages]
    return [kind for at, kind in enumerate(kinds) if at == 0 or kind != kinds[at - 1]]


# G1, G6
async def test_a_chat_with_a_list(tek, model):
    model.start(
        SIMPLE,
        calls(("todo_write", {"todos": TODOS}), text="I will plan this first."),
        says("That is all."),
        *[says("Still.")] * 3,
    )
    await tek.tell('{"type": "chat.send", "id": "req-1", "content": "Tidy the changelog"}')
    await tek.event("chat.stream.end", requestId="req-1")
    for message in tek.seen:
        assert set(message) - {"type"} == FIELDS[message["type"]], message
    assert {message["requestId"] for message in tek.seen if "requestId" in message} == {"req-1"}
    assert in_order(tek.seen)[:8] == [
        "session.created",
        "chat.stream.start",
        "chat.stream.delta",
        "todo.update",
        "tool.call",
        "subprocess.start",
        "tool.result",
        "subprocess.end",
    ]
    assert tek.seen[-1]["type"] == "chat.stream.end"
    [update] = [message for message in tek.seen if message["type"] == "todo.update"][:1]
    [call] = [message for message in tek.seen if message["type"] == "tool.call"]
    [result] = [message for message in tek.seen if message["type"] == "tool.result"]
    assert call["args"] == {"todos": TODOS}
    assert [todo["content"] for todo in update["todos"]] == [todo["content"] for todo in TODOS]
    assert result["result"] == "Updated todos: 0/2 complete"


async def test_a_second_chat_has_its_own_id_and_a_first_one_under_way_is_not_disturbed(tek, model):
    model.start({**SIMPLE, "latency": 500}, says("Here."), SIMPLE, says("There."))
    await tek.tell('{"type": "chat.send", "id": "req-1", "content": "Slow answer"}')
    started = await tek.event("session.created")
    await tek.tell('{"type": "chat.send", "id": "req-2", "content": "Plain question"}')
    refused = await tek.event("error", requestId="req-2")
    assert refused["code"] == "STREAM_IN_PROGRESS"
    await tek.event("chat.stream.end", requestId="req-1")
    since = len(tek.seen)
    again = {"type": "chat.send", "id": "req-3", "sessionId": started["sessionId"], "content": "And now?"}
    await tek.tell(json.dumps(again))
    await tek.event("chat.stream.end", since, requestId="req-3")
    assert {message["requestId"] for message in tek.seen[since:]} == {"req-3"}
    assert "session.created" not in in_order(tek.seen[since:])


async def test_an_error_that_ends_a_stream_is_its_only_end(tek, model):
    model.start(SIMPLE, {"error": {"message": "no such thing", "type": "invalid_request_error"}, "status": 400})
    await tek.tell('{"type": "chat.send", "id": "req-1", "content": "Anything"}')
    error = await tek.event("error", requestId="req-1")
    assert error["code"] == "AGENT_ERROR" and "no such thing" in error["message"]
    await tek.answer("session.list")
    assert "chat.stream.end" not in in_order(tek.seen)


async def test_a_run_that_goes_on_is_heard_by_whoever_has_it_go_on(tek, model):
    broken = {"error": {"message": "no such thing", "type": "invalid_request_error"}, "status": 400}
    model.start(SIMPLE, broken, SIMPLE, says("It is four."))
    await tek.tell('{"type": "chat.send", "id": "req-1", "content": "What is two and two?"}')
    created = await tek.event("session.created")
    await tek.event("error", requestId="req-1")
    since = len(tek.seen)
    await tek.tell(json.dumps({"type": "chat.resume", "id": "req-2", "sessionId": created["sessionId"]}))
    await tek.event("chat.stream.end", since, requestId="req-2")
    told = [message for message in tek.seen[since:] if message["type"].startswith("chat.stream.")]
    assert in_order(told) == ["chat.stream.start", "chat.stream.delta", "chat.stream.end"]
    assert all(set(message) == FIELDS[message["type"]] | {"type"} for message in told)


async def test_two_clients_hear_of_their_own_chats_only(gateway, tek, model):
    model.start(SIMPLE, says("For the first."))
    async with opened(gateway) as other:
        await other.answer("session.list")
        await tek.tell('{"type": "chat.send", "id": "req-1", "content": "Anything"}')
        await tek.event("chat.stream.end", requestId="req-1")
        await other.answer("session.list")
        assert set(in_order(other.seen)) == {"session.list"}


@pytest.mark.parametrize("approved", [True, False])
async def test_approvals_of_a_plan_and_of_a_call_are_acknowledged(gateway, tek, model, approved):
    async with opened(gateway) as settings:
        await settings.ask("settings.update", chatServers=[everything()])
    echo = calls(("all__echo", {"message": "hello"}))
    done = calls(("todo_manager", {"action": "complete_multiple", "ids": [1]}))
    steps = [{"content": "Say it", "tool": "all__get-sum"}]
    # A refusal skips the item.
    model.start(COMPLEX, plan(*steps), echo, *([done] if approved else []), DONE)
    await tek.tell('{"type": "chat.send", "id": "req-1", "content": "Say hello, and then say it again"}')
    await tek.event("preflight.checklist")
    answer = await tek.answer("preflight.approval", requestId="req-1", approved=True, id="pf-1")
    assert answer["type"] == "preflight.approval.result"
    request = await tek.event("tool.approval.request")
    answer = await tek.answer("tool.approval.response", toolCallId=request["toolCallId"], approved=approved, id="ap-1")
    assert answer["type"] == "tool.approval.response.result"
    await tek.event("chat.stream.end", requestId="req-1")
    ours = [message for message in tek.seen if not message["type"].endswith(".result") or "toolCallId" in message]
    for message in ours:
        assert set(message) - {"type"} == FIELDS[message["type"]], message
    [checklist] = [message for message in ours if message["type"] == "preflight.checklist"]
    assert set(checklist["steps"][0]) == {"description", "toolName", "risk", "needsApproval"}
    assert set(checklist["estimatedCost"]) == {"inputTokens", "outputTokens", "estimatedUSD"}
    # As recorded: the call, then the request. What became of it is told in any case.
    *told, last = [message for message in ours if message.get("toolCallId") == request["toolCallId"]]
    assert [message["type"] for message in told] == ["tool.call", "tool.approval.request"]
    assert told[0]["args"] == told[1]["args"] == {"message": "hello"}
    if approved:
        assert last["type"] == "tool.result" and "hello" in last["result"]
    else:
        assert last["type"] == "tool.error" and "refused" in last["error"]


def has_list(word: str):
    return lambda m: m["type"] == "todo.update" and word in [todo["content"] for todo in m["todos"]]


# G2, G6
async def test_the_panel_has_the_lists_of_its_own_chats_once_it_started_one(gateway, tek, model):
    model.start(
        SIMPLE,
        calls(("todo_write", {"todos": TODOS}), text="I will plan this first."),
        says("That is all."),
        *[says("Still.")] * 3,
    )
    async with opened(gateway) as ours:
        await ours.ask("todo.write", session="another agent's", todos=[{"content": "Something else"}])
        await tek.answer("thread.list")
        await tek.first(has_list("Something else"))
        await tek.tell('{"type": "chat.send", "id": "req-1", "content": "Tidy the changelog"}')
        session = (await tek.event("session.created"))["sessionId"]
        await tek.event("chat.stream.end", requestId="req-1")
        since = len(tek.seen)
        await ours.ask("todo.write", session="another agent's", todos=[{"content": "Something new"}])
        await ours.ask("todo.add", sessionId=session, content="By the user")
        await tek.first(has_list("By the user"), since)
        assert not any(map(has_list("Something new"), tek.seen))


# G6
async def test_the_usage_is_that_of_its_own_chats(tek, model):
    model.start(SIMPLE, says("Here."), SIMPLE, says("There."))
    ends = []
    for name in ("req-1", "req-2"):
        await tek.tell(json.dumps({"type": "chat.send", "id": name, "content": "Plain question"}))
        ends.append(await tek.event("chat.stream.end", requestId=name))
    await tek.tell('{"type": "usage.query", "id": "us-1"}')
    report = await tek.event("usage.report", requestId="us-1")
    assert report["grandTotal"]["requestCount"] == 2
    assert report["grandTotal"]["totalTokens"] == sum(end["usage"]["totalTokens"] for end in ends)
    assert list(report["perModel"]) == ["mock:scripted"]


# G6
async def test_no_message_of_the_client_makes_a_stream_go_silent(tek, model):
    model.start(SIMPLE, {**says("Here it is, word by word by word."), "latency": 300})
    await tek.tell('{"type": "chat.send", "id": "req-1", "content": "Slow answer"}')
    await tek.event("chat.stream.start")
    for kind in ("usage.query", "context.inspect", "thread.list", "config.get", "no.such.type", "settings.get"):
        await tek.tell(json.dumps({"type": kind, "id": kind, "sessionId": "none"}))
        await tek.first(lambda message, kind=kind: kind in (message.get("id"), message.get("requestId")))
    await tek.event("chat.stream.end", requestId="req-1")
