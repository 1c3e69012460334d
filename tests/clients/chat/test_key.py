"""The key of a provider: the places that it reaches, and those that it must not reach."""

import json
import stat

import pytest

import gateway as gateways
from chat.client import Chat
from chat.line import line_to
from chat.model import COMPLEX, DONE, SIMPLE, completes, plan, provider, says
from socket_client import Refused, opened

pytestmark = pytest.mark.anyio

KEY = "sk-5ecret-0123456789-abcdef"


@pytest.fixture(params=["debug"])
def gateway(request, data_folder, monkeypatch):
    """One that logs more than it usually does."""
    usual = gateways.environment
    monkeypatch.setattr(gateways, "environment", lambda home: {**usual(home), "SIGHTLINE_LOG": request.param})
    return data_folder.start()


@pytest.fixture
async def line(chat, model):
    async with line_to(model) as line:
        await chat.socket.ask("settings.update", **provider(line))
        yield line


@pytest.fixture
async def listener(gateway):
    """Somebody else who hears everything."""
    async with opened(gateway) as socket:
        await socket.ask("events.subscribe")
        yield socket


async def heard(chat: Chat, listener) -> str:
    """All that clients were told, the conversation as it is kept too."""
    await listener.ask("chat.get", sessionId=chat.session)
    await listener.ask("chat.models")
    await listener.ask("vault.keys.list")
    return json.dumps([chat.socket.seen, listener.seen])


def written(gateway) -> dict[str, bytes]:
    """Everything that the gateway has written, once it has ended."""
    gateway.stop()
    files = [path for folder in (gateway.data_dir, gateway.home) for path in folder.rglob("*") if path.is_file()]
    return {path.name: path.read_bytes() for path in [*files, *gateway.logs]}


def keeps_the_key(files: dict[str, bytes]) -> set[str]:
    return {name for name, content in files.items() if KEY.encode() in content}


@pytest.mark.parametrize("gateway", ["debug", "trace", "debug,tungstenite::protocol=trace"], indirect=True)
async def test_a_stored_key_goes_to_its_provider_and_nowhere_else(gateway, chat, model, line, listener):
    kept = (await chat.socket.ask("vault.keys.set", provider="mock", key=f" {KEY} "))["keys"]["mock"]
    model.start(COMPLEX, plan("One"), completes(1), DONE)
    await chat.send("Do one thing after the other")
    assert (await chat.end())["outcome"] == "completed"
    assert [question.headers["authorization"] for question in line.questions] == [f"Bearer {KEY}"] * 4
    assert not any(KEY in json.dumps(question.body) for question in line.questions)
    assert KEY not in await heard(chat, listener)
    files = written(gateway)
    # It wrote a database, and logs in which everything is.
    assert b"Do one thing" in b"".join(files.values()) and any(b"DEBUG" in content for content in files.values())
    # Where the system has no keyring one file has it, which nobody else may read.
    assert keeps_the_key(files) == ({"keys.json"} if kept == "file" else set())
    if kept == "file":
        assert stat.S_IMODE((gateway.data_dir / "keys.json").stat().st_mode) == 0o600


@pytest.mark.parametrize(("kind", "header"), [("anthropic", "x-api-key"), ("ollama", None)])
async def test_each_kind_sends_it_in_its_own_way(chat, model, line, kind, header):
    await chat.socket.ask("settings.update", **provider(line, kind))
    await chat.socket.ask("vault.keys.set", provider="mock", key=KEY)
    model.start(SIMPLE, says("Here."))
    await chat.send("Say something")
    assert (await chat.end())["outcome"] == "completed"
    for question in line.questions:
        # Nobody else's model on this machine is shown a key.
        assert [name for name, value in question.headers.items() if KEY in value] == ([header] if header else [])


async def test_a_key_that_was_taken_back_is_not_sent_any_more(chat, model, line):
    await chat.socket.ask("vault.keys.set", provider="mock", key=KEY)
    await chat.socket.ask("vault.keys.delete", provider="mock")
    model.start(SIMPLE, says("Here."))
    await chat.send("Say something")
    assert (await chat.end())["outcome"] == "completed"
    assert not any(KEY in str(question.headers) for question in line.questions)


JSON, STREAM = "application/json", "text/event-stream"
SAID = f"Incorrect API key provided: {KEY}. It came as Authorization: Bearer {KEY}"


@pytest.mark.parametrize(
    ("answer", "is_quoted"),
    [
        ((401, JSON, json.dumps({"error": {"message": SAID, "type": "invalid_request_error"}})), True),
        ((400, JSON, json.dumps({"problem": {"because": SAID}})), True),
        ((500, "text/html", f"<html><body>{SAID}</body></html>"), True),
        ((429, JSON, json.dumps([{"error": {"message": SAID}}])), True),
        ((200, STREAM, f"data: {json.dumps({'error': {'message': SAID, 'type': 'server_error'}})}\n\n"), True),
        ((200, JSON, json.dumps({"error": SAID})), False),
        ((302, "text/plain", SAID), False),
    ],
    ids=["refused", "another form", "an error of the server", "rate limit", "in the stream", "no stream", "elsewhere"],
)
async def test_a_provider_that_repeats_the_key_does_not_bring_it_to_anybody(
    gateway, chat, model, line, listener, answer, is_quoted
):
    await chat.socket.ask("vault.keys.set", provider="mock", key=KEY)
    line.says = lambda body: answer
    await chat.send("Say something")
    end = await chat.end()
    assert end["type"] == "error" and end["message"]
    with pytest.raises(Refused):
        await chat.socket.ask("chat.test", model="mock:scripted")
    said = await heard(chat, listener)
    assert all(question.headers["authorization"] == f"Bearer {KEY}" for question in line.questions)
    assert len(line.questions) >= 3 and KEY not in said
    # The rest of what it said is there.
    assert not is_quoted or "It came as Authorization: Bearer [key]" in said
    assert keeps_the_key(written(gateway)) <= {"keys.json"}


@pytest.mark.parametrize("kind", ["openai", "anthropic", "gemini"])
async def test_a_key_is_not_sent_to_an_address_that_its_provider_has_got_since(gateway, chat, model, line, kind):
    async with line_to(model) as thief:
        mine, theirs = provider(line, kind), provider(thief, kind)
        mine["chatProviders"][0]["name"] = theirs["chatProviders"][0]["name"] = kind
        await chat.socket.ask("settings.update", **mine)
        kept = await chat.socket.ask("vault.keys.set", provider=kind, key=KEY)
        assert kept["origins"][kind] == f"http://127.0.0.1:{line.port}" and kind not in kept["withheld"]
        await chat.socket.ask("settings.update", **theirs)
        with pytest.raises(Refused) as refused:
            await chat.socket.ask("chat.test", model=f"{kind}:scripted")
        assert f"belongs to http://127.0.0.1:{line.port} and is not sent" in refused.value.message
        models = (await chat.socket.ask("chat.models"))["providers"]
        assert next(one for one in models if one["name"] == kind)["problem"] == refused.value.message
        await chat.send("Say something", model=f"{kind}:scripted")
        assert (await chat.end())["message"] == refused.value.message
        assert (await chat.socket.ask("vault.keys.list"))["withheld"] == {kind: refused.value.message}
        assert not thief.questions
        # Entered anew, and meant for that address, it goes there; the old address does not get it any more.
        with pytest.raises(Refused):
            await chat.socket.ask("vault.keys.set", provider=kind, key=KEY, origin=f"http://127.0.0.1:{line.port}")
        other = KEY.replace("0", "9")
        thief.says = lambda body: (401, JSON, "{}")
        there = {"provider": kind, "key": other, "origin": f"http://127.0.0.1:{thief.port}"}
        await chat.socket.ask("vault.keys.set", **there)
        with pytest.raises(Refused):
            await chat.socket.ask("chat.test", model=f"{kind}:nobody")
        assert thief.questions and all(other in str(question.headers) for question in thief.questions)
        assert not line.questions


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_a_redirect_takes_the_key_nowhere(chat, model, line, status):
    async with line_to(model) as thief:
        await chat.socket.ask("vault.keys.set", provider="mock", key=KEY)
        location = f"text/plain\r\nLocation: http://127.0.0.1:{thief.port}/v1/chat/completions"
        line.says = lambda body: (status, location, "there")
        with pytest.raises(Refused):
            await chat.socket.ask("chat.test", model="mock:scripted")
        assert line.questions and not thief.questions


@pytest.mark.parametrize("allowed", [False, True])
async def test_a_key_of_the_environment_goes_to_the_address_that_the_user_sends_it_to(
    data_folder, monkeypatch, model, allowed
):
    usual = gateways.environment
    monkeypatch.setattr(gateways, "environment", lambda home: {**usual(home), "ANTHROPIC_API_KEY": KEY})
    gateway = data_folder.start()
    async with line_to(model) as line, opened(gateway) as socket:
        line.says = lambda body: (401, JSON, "{}")
        settings = provider(line, "anthropic")
        settings["chatProviders"][0]["name"] = "anthropic"
        if allowed:
            settings["chatProviders"][0]["environmentKey"] = f"http://127.0.0.1:{line.port}"
        await socket.ask("settings.update", **settings)
        with pytest.raises(Refused) as refused:
            await socket.ask("chat.test", model="anthropic:nobody")
        assert ("ANTHROPIC_API_KEY is not sent to" in refused.value.message) != allowed
        assert [question.headers["x-api-key"] for question in line.questions] == [KEY] * allowed


@pytest.mark.parametrize("endpoint", ["http://192.0.2.1/v1", "http://localhost.example/v1"])
async def test_no_key_is_kept_for_an_address_on_the_way_to_which_it_could_be_read(gateway, chat, model, endpoint):
    await chat.socket.ask("settings.update", chatProviders=[{"name": "mock", "kind": "openai", "endpoint": endpoint}])
    with pytest.raises(Refused) as refused:
        await chat.socket.ask("vault.keys.set", provider="mock", key=KEY)
    assert "https://" in refused.value.message and KEY not in refused.value.message
    assert not keeps_the_key(written(gateway))
