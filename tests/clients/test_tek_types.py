"""Every message that a client of the older protocol can send (`docs/formats/gateways.md`): it is answered or refused,
and the connection hears afterwards what it heard before."""

import json

import pytest

from socket_client import opened

pytestmark = pytest.mark.anyio

HOURS = {"start": "08:00", "end": "17:00", "daysOfWeek": [1, 2]}
# Each type with fields as such a client sends them, and its answer here: a type, or the code of the refusal.
MESSAGES = {
    "chat.send": ({"content": "Plain question"}, "PROVIDER_NOT_CONFIGURED"),
    "chat.route.confirm": ({"requestId": "none", "accept": True}, "NO_PENDING_ROUTING"),
    "chat.model.switch": ({"sessionId": "none", "newModel": "ollama:other", "keepContext": True}, "NOT_SUPPORTED"),
    "context.inspect": ({"sessionId": "none"}, "NOT_SUPPORTED"),
    "context.dump": ({"sessionId": "none"}, "NOT_SUPPORTED"),
    "usage.query": ({}, "usage.report"),
    "session.list": ({}, "session.list"),
    "tool.approval.response": ({"toolCallId": "none", "approved": True}, "NO_PENDING_APPROVAL"),
    "preflight.approval": ({"requestId": "none", "approved": True}, "NO_PENDING_PREFLIGHT"),
    "soul.evolution.response": ({"requestId": "none", "approved": False}, "NOT_SUPPORTED"),
    "claude-code.start": ({"prompt": "Tidy up", "cwd": "project"}, "NO_SESSION_MANAGER"),
    "claude-code.abort": ({"sessionId": "none"}, "NO_SESSION_MANAGER"),
    "memory.search": ({"query": "parser", "topK": 3}, "MEMORY_SEARCH_ERROR"),
    "thread.create": ({"title": "Parser"}, "NOT_SUPPORTED"),
    "thread.list": ({"includeArchived": True}, "thread.list.result"),
    "thread.update": ({"threadId": "none", "archived": True}, "NOT_SUPPORTED"),
    "prompt.set": ({"name": "tone", "content": "Be brief", "priority": 1}, "NOT_SUPPORTED"),
    "prompt.list": ({}, "prompt.list.result"),
    "workflow.trigger": ({"workflowId": "none"}, "WORKFLOW_NOT_FOUND"),
    "workflow.approval": ({"executionId": "none", "stepId": "none", "approved": True}, "NO_PENDING_APPROVAL"),
    "workflow.list": ({}, "workflow.list.result"),
    "workflow.execution.list": ({"status": "running"}, "workflow.execution.list.result"),
    "schedule.create": ({"name": "daily", "cronExpression": "0 8 * * *", "activeHours": HOURS}, "NOT_SUPPORTED"),
    "schedule.update": ({"scheduleId": "none", "enabled": False}, "NOT_SUPPORTED"),
    "schedule.delete": ({"scheduleId": "none"}, "NOT_SUPPORTED"),
    "schedule.list": ({}, "schedule.list.result"),
    "heartbeat.configure": ({"heartbeatPath": "HEARTBEAT.md", "interval": 30, "enabled": True}, "NOT_SUPPORTED"),
    "terminal.snapshot": ({"sessionId": "none", "content": "$", "timestamp": 1}, "NOT_SUPPORTED"),
    "terminal.control.grant": ({"sessionId": "none"}, "NOT_SUPPORTED"),
    "terminal.control.revoke": ({"sessionId": "none"}, "NOT_SUPPORTED"),
    "vault.keys.list": ({}, "vault.keys.list.result"),
    "vault.keys.set": ({"provider": "openai", "key": "made-up"}, "vault.keys.set.result"),
    "vault.keys.delete": ({"provider": "openai"}, "vault.keys.delete.result"),
    "vault.keys.test": ({"provider": "nobody"}, "vault.keys.test.result"),
    "config.get": ({}, "config.get.result"),
    "config.update": ({"patch": {"defaultModel": "ollama:other"}}, "CONFIG_ERROR"),
    "ollama.discover": ({"url": "http://127.0.0.1:1"}, "NOT_SUPPORTED"),
    "provider.models.list": ({"provider": "nobody"}, "PROVIDER_NOT_CONFIGURED"),
    "agent.identity.read": ({"agentId": "default", "file": "SOUL.md"}, "NOT_SUPPORTED"),
    "agent.identity.write": ({"agentId": "default", "file": "SOUL.md", "content": "Kind"}, "NOT_SUPPORTED"),
    "agent.create": ({"agent": {"id": "other"}}, "NOT_SUPPORTED"),
    "agent.update": ({"agentId": "other", "patch": {}}, "NOT_SUPPORTED"),
    "agent.delete": ({"agentId": "other"}, "NOT_SUPPORTED"),
    "telegram.users.list": ({}, "telegram.users.list.result"),
    "telegram.users.update": ({"telegramChatId": 7, "approved": True}, "TELEGRAM_ERROR"),
    "gateway.logs.subscribe": ({}, "NOT_SUPPORTED"),
    "gateway.logs.unsubscribe": ({}, "NOT_SUPPORTED"),
    "gateway.status": ({}, "gateway.status.result"),
}
# Types of neither protocol, one that only a gateway sends, and fields that are missing or wrong.
ODD = {
    "of nobody": {"type": "no.such.type"},
    "a gateway's own": {"type": "todo.update", "requestId": "req-1", "todos": []},
    "empty": {"type": ""},
    "a long one": {"type": "x" * 10_000},
    "no type": {},
    "a type of a wrong type": {"type": ["chat.send"]},
    "a question without its field": {"type": "provider.models.list"},
    "a field of a wrong type": {"type": "vault.keys.test", "provider": {}},
    "a prompt without words": {"type": "chat.send"},
}


def answers(message: dict, name: str) -> bool:
    return name in (message.get("requestId"), message.get("id"))


async def hears(tek, ours, word: str) -> None:
    since = len(tek.seen)
    await ours.ask("todo.write", session="shown", todos=[{"content": word}])
    await tek.first(lambda m: m["type"] == "todo.update" and m["todos"][0]["content"] == word, since)


# G2, G6
@pytest.mark.parametrize("kind", MESSAGES)
async def test_each_message_is_answered_or_refused_and_the_next_list_is_heard(lasting, kind):
    fields, wanted = MESSAGES[kind]
    async with opened(lasting) as ours, opened(lasting, session="shown") as tek:
        await hears(tek, ours, f"before {kind}")
        await tek.tell(json.dumps({"type": kind, "id": "m-1", **fields}))
        answer = await tek.first(lambda message: answers(message, "m-1"))
        if answer["type"] == "error":
            assert answer["code"] == wanted and answer["requestId"] == "m-1", answer
            assert len(answer["message"]) > 20, "it says why, or what to do"
        else:
            assert answer["type"] == wanted, answer
        await hears(tek, ours, f"after {kind}")


# G2
async def test_each_odd_message_is_refused_and_the_next_list_is_heard(lasting):
    async with opened(lasting) as ours, opened(lasting, session="shown") as tek:
        for name, message in ODD.items():
            await tek.tell(json.dumps({"id": name, **message}))
            answer = await tek.first(lambda told, name=name: answers(told, name))
            assert answer["type"] == "error" and answer["message"], name
            await hears(tek, ours, f"after {name}")


# G2
async def test_answers_have_the_fields_of_the_older_protocol(gateway):
    async with opened(gateway) as ours, opened(gateway) as tek:
        await ours.ask(
            "settings.update",
            chatProviders=[{"name": "here", "kind": "ollama", "endpoint": "http://127.0.0.1:1/"}],
            chatModel="here:small",
        )

        async def answer(kind: str, **fields) -> dict:
            await tek.tell(json.dumps({"type": kind, "id": kind, **fields}))
            return await tek.first(lambda message: answers(message, kind))

        report = await answer("usage.query")
        assert report["perModel"] == {}
        assert report["grandTotal"] == {"totalCost": 0, "totalTokens": 0, "requestCount": 0}
        config = (await answer("config.get"))["config"]
        assert config["apiEndpoint"] == {"host": "127.0.0.1", "port": gateway.port}
        assert config["defaultModel"] == "here:small"
        assert config["ollamaEndpoints"] == [{"name": "here", "url": "http://127.0.0.1:1/"}]
        kept = await answer("vault.keys.set", provider="openai", key="made-up")
        assert (kept["provider"], kept["success"]) == ("openai", True)
        assert (await answer("vault.keys.list"))["providers"] == [{"provider": "openai", "configured": True}]
        gone = await answer("vault.keys.delete", provider="openai")
        assert (gone["provider"], gone["success"]) == ("openai", True)
        tested = await answer("vault.keys.test", provider="here")
        assert tested["provider"] == "here" and tested["success"] is False and tested["error"]
        for kind, field in (("thread.list", "threads"), ("schedule.list", "schedules"), ("prompt.list", "prompts")):
            assert (await answer(kind))[field] == []


# G2
async def test_a_client_of_the_older_protocol_stays_one_until_it_introduces_itself(gateway):
    async with opened(gateway) as ours, opened(gateway) as tek:
        await ours.ask("todo.write", session="shown", todos=[{"content": "There before"}])
        await tek.answer("thread.list")
        # A request that only Sightline has is answered, and nothing changes.
        assert (await tek.ask("session.get", sessionId="shown"))["todos"][0]["content"] == "There before"
        await hears(tek, ours, "Still in the older form")
        assert set(tek.seen[-1]) == {"type", "requestId", "todos"}
        await tek.ask("events.subscribe")
        since = len(tek.seen)
        await ours.ask("todo.write", session="other", todos=[{"content": "In ours"}])
        assert "sessionId" in await tek.event("todo.update", since)


# G2
async def test_a_client_of_ours_that_asks_for_its_state_first_is_told_nothing_unasked(gateway):
    async with opened(gateway) as ours, opened(gateway) as client:
        await client.ask("gateway.status")
        await client.ask("settings.get")
        since = len(client.seen)
        await ours.ask("todo.write", session="shown", todos=[{"content": "Read"}])
        await client.ask("gateway.status")
        assert [message["type"] for message in client.seen[since:]] == ["gateway.status.result"]
