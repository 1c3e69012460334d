"""Keys for scripts, programs and agents: made, listed, used, confirmed, ended, renewed."""

import asyncio
import json

import httpx2
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from agent import post
from gateway import START_SECONDS, environment
from pairing import Exchange
from socket_client import Refused, opened
from terminal import run, succeed

pytestmark = pytest.mark.anyio


def listed(gateway) -> dict[str, dict]:
    return {key["name"]: key for key in json.loads(succeed(gateway, "--json", "key", "list"))["keys"]}


async def refused(gateway, token: str) -> int:
    """The status with which a secret is refused at `/gateway`."""
    with pytest.raises(InvalidStatus) as refusal:
        async with opened(gateway, token=token):
            pass
    return refusal.value.response.status_code


async def code_of(asked) -> str:
    with pytest.raises(Refused) as refusal:
        await asked
    return refusal.value.code


async def test_a_script_may_what_its_key_says(gateway):
    look, edit = gateway.new_key("--rights", "look", name="reader"), gateway.new_key("--rights", "edit", name="writer")
    async with opened(gateway, token=look) as reader, opened(gateway, token=edit) as writer:
        assert (await reader.ask("hello"))["rights"] == "look"
        written = await writer.ask("todo.write", session="api", todos=[{"content": "Read"}])
        assert (await reader.ask("session.list"))["sessions"]
        session = written["sessionId"]
        for kind, fields in (
            ("todo.add", {"sessionId": session, "content": "More"}),
            ("todo.write", {"session": "api", "todos": []}),
            ("session.delete", {"sessionId": session}),
            ("settings.update", {"keepDays": 3}),
            ("key.new", {"name": "mine", "rights": "look"}),
            ("key.code", {}),
        ):
            with pytest.raises(Refused, match="sightline key new NAME --rights edit") as refusal:
                await reader.ask(kind, **fields)
            assert refusal.value.code == "UNAUTHORIZED", kind
        await writer.ask("todo.add", sessionId=session, content="More")
        await writer.ask("settings.update", keepDays=3)
        for kind, fields in (
            ("settings.update", {"keepDays": 4, "terminal": "xterm"}),
            ("settings.update", {"editor": "code"}),
            ("settings.update", {"chatServers": []}),
            ("settings.update", {"chatProviders": []}),
            ("settings.update", {"chatTools": {"x__y": "auto"}}),
            ("settings.update", {"chatOtherTools": "auto"}),
            ("vault.keys.set", {"provider": "openai", "key": "k"}),
            ("key.confirm", {"keyId": "x", "accept": True}),
        ):
            with pytest.raises(Refused, match="administer") as refusal:
                await writer.ask(kind, **fields)
            assert refusal.value.code == "UNAUTHORIZED", fields
        assert (await writer.ask("settings.get"))["keepDays"] == 3, "a refusal changes nothing of it"
        for kind, fields in (
            ("tool.approval.response", {"toolCallId": "x", "approved": True}),
            ("preflight.approval", {"requestId": "x", "approved": True}),
        ):
            with pytest.raises(Refused, match="answer"):
                await writer.ask(kind, **fields)
    assert (await refused(gateway, "wrong"), await refused(gateway, f"{look}x")) == (401, 401)


async def test_an_agents_key_opens_what_is_for_agents(gateway):
    key = gateway.new_key("--agent", name="my agent")
    assert await refused(gateway, key) == 403
    headers = {"Authorization": f"Bearer {key}"}
    async with httpx2.AsyncClient(base_url=gateway.address, headers=headers, verify=False) as client:
        hook = await client.post("/hooks/claude", json={"session_id": "x", "hook_event_name": "SessionStart"})
        assert hook.status_code == 200
    assert listed(gateway)["my agent"]["kind"] == "agent"


async def test_more_than_edit_waits_until_it_is_confirmed(gateway):
    secret = gateway.new_key("--rights", "answer", name="bot")
    key = listed(gateway)["bot"]
    assert (key["rights"], key["wanted"]) == ("edit", "answer")
    approval = {"toolCallId": "x", "approved": True}
    async with opened(gateway) as person, opened(gateway, token=secret) as bot:
        assert await code_of(bot.ask("tool.approval.response", **approval)) == "UNAUTHORIZED"
        assert await code_of(bot.ask("key.confirm", keyId=key["keyId"], accept=True)) == "UNAUTHORIZED"
        await person.ask("key.confirm", keyId=key["keyId"], accept=True)
        # The connection that is open has them, too.
        assert await code_of(bot.ask("tool.approval.response", **approval)) == "NO_PENDING_APPROVAL"
        assert await code_of(bot.ask("settings.update", terminal="xterm")) == "UNAUTHORIZED"
    said = run(gateway, "key", "new", "boss", "--rights", "administer")
    assert said.code == 0 and "once you confirm it" in said.said


async def test_a_key_that_is_revoked_or_renewed_ends_its_connections(gateway):
    secret = gateway.new_key("--rights", "look", name="script")
    for end in ("renew", "revoke"):
        async with opened(gateway, token=secret) as socket:
            await socket.ask("session.list")
            renewed = succeed(gateway, "key", end, "script").strip()
            assert await socket.end() == 1008
        assert await refused(gateway, secret) == 401
        secret = renewed
    assert "script" not in listed(gateway)


async def test_an_agents_key_that_ends_takes_its_open_stream_along(gateway):
    secret = gateway.new_key("--agent", name="far away")
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "far away", "version": "1"},
        },
    }
    bearer = {"Authorization": f"Bearer {secret}"}
    begun = await post(gateway, hello, **bearer, **{"Mcp-Session-Id": ""})
    of_session = {**bearer, "Mcp-Session-Id": begun.headers["mcp-session-id"], "Accept": "text/event-stream"}
    async with httpx2.AsyncClient(timeout=START_SECONDS, trust_env=False, verify=False) as http:
        async with http.stream("GET", f"{gateway.address}/mcp", headers=of_session) as stream:
            assert stream.status_code == 200
            succeed(gateway, "key", "revoke", "far away")
            async with asyncio.timeout(START_SECONDS):
                try:
                    async for _ in stream.aiter_bytes():
                        pass
                except httpx2.RemoteProtocolError:
                    pass
        again = await http.get(f"{gateway.address}/mcp", headers=of_session)
        assert again.status_code == 401


async def test_all_agents_keys_are_renewed_at_once(gateway):
    before = [gateway.new_key("--agent", name=name) for name in ("one", "two")]
    person = gateway.new_key("--rights", "look", name="person")
    keys = json.loads(succeed(gateway, "--json", "key", "renew", "--all-agents"))["keys"]
    assert {key["name"] for key in keys} == {"one", "two"}
    assert not {key["secret"] for key in keys} & set(before)
    async with opened(gateway, token=person) as socket:
        await socket.ask("session.list")


async def test_a_shell_ends_and_renews_no_key_that_may_more(gateway):
    async with opened(gateway) as person:
        strong = await person.ask("key.new", name="strong", rights="administer")
        for end in ("revoke", "renew"):
            said = run(gateway, "key", end, "strong")
            assert said.code == 1 and "more than you may" in said.said
        async with opened(gateway, token=strong["secret"]) as socket:
            await socket.ask("settings.update", terminal="")


@pytest.mark.parametrize("name", ["", "x" * 101, "a\nb", "a\u202eb", "\u200b", "a\U000e0041"])
async def test_a_name_that_cannot_be_read_is_refused(lasting, name):
    async with opened(lasting) as socket:
        assert await code_of(socket.ask("key.new", name=name, rights="look")) == "INVALID_KEY"


async def test_wrong_requests_are_refused(lasting):
    async with opened(lasting) as socket:
        for kind, fields in (
            ("key.new", {}),
            ("key.new", {"name": 7}),
            ("key.new", {"name": "n", "rights": "all"}),
            ("key.revoke", {}),
            ("key.confirm", {"keyId": "x"}),
            ("audit.list", {"limit": -1}),
            ("key.code", {"rights": 1}),
        ):
            assert await code_of(socket.ask(kind, **fields)) == "INVALID_MESSAGE", (kind, fields)
        name = "twice"
        await socket.ask("key.new", name=name, rights="look")
        assert await code_of(socket.ask("key.new", name=name, rights="look")) == "INVALID_KEY"
        assert await code_of(socket.ask("key.revoke", keyId="nobody")) == "KEY_NOT_FOUND"


async def test_a_key_is_proved_without_being_sent(gateway):
    secret = gateway.new_key("--rights", "edit", name="remote")
    exchange = Exchange(gateway.address, secret.partition(".")[0], secret)
    address = f"ws://127.0.0.1:{gateway.port}/gateway"
    async with connect(address, subprotocols=exchange.subprotocols, proxy=None) as connection:
        assert connection.subprotocol == "sightline"
        assert exchange.is_opened_by(json.loads(await asyncio.wait_for(connection.recv(), START_SECONDS)))
        await connection.send(json.dumps({"type": "hello", "id": "1"}))
        assert json.loads(await asyncio.wait_for(connection.recv(), START_SECONDS))["rights"] == "edit"
    # A proof is of its exchange: not of another nonce, and not of another key.
    other = Exchange(gateway.address, secret.partition(".")[0], secret)
    for wrong in (exchange.subprotocols[1].replace(exchange.parts[2], other.parts[2]), "proof.a.b.c.d", "proof."):
        with pytest.raises(InvalidStatus) as refusal:
            async with connect(address, subprotocols=["sightline", wrong], proxy=None):
                pass
        assert refusal.value.response.status_code == 401


async def test_a_command_proves_the_key_of_the_environment(gateway):
    secret = gateway.new_key("--rights", "look", name="looks only")
    said = await asyncio.create_subprocess_exec(
        *gateway.command("todo", "write", "--session", "api", '[{"content": "Read"}]'),
        env={**environment(gateway.home), "SIGHTLINE_KEY": secret},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    _, error = await asyncio.wait_for(said.communicate(), START_SECONDS)
    assert said.returncode == 1 and b"right to edit" in error


async def test_keys_of_an_earlier_build_open_what_they_may(data_folder):
    data_folder.data_dir.mkdir(parents=True)
    old = data_folder.data_dir / "gateway.json"
    old.write_text(json.dumps({"token": "u" * 40, "agentToken": "a" * 40, "imported": True}))
    data_folder.start()
    assert await refused(data_folder, "u" * 40) == 401, "the user's key has ended"
    assert await refused(data_folder, "a" * 40) == 403, "the agents' key goes on, for agents"
    assert "agents connected before" in listed(data_folder)
    assert json.loads(old.read_text()).keys() <= {"imported", "port"}
    data_folder.stop()
    data_folder.start()
    assert await refused(data_folder, "a" * 40) == 403
    succeed(data_folder, "key", "revoke", "agents connected before")
    assert await refused(data_folder, "a" * 40) == 401
