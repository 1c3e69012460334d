"""A phone: paired by a code for a named host, as a proxy with TLS passes it on, and held to its rights by the gateway."""

import secrets

import httpx2
import pytest

from pairing import pairing, post
from socket_client import opened

pytestmark = pytest.mark.anyio

HOST = "box.example.net"

# One of each class that a page may not send with the right to look.
CHANGES = (
    ("todo.add", {"sessionId": "s", "content": "x"}),
    ("todo.write", {"session": "s", "todos": []}),
    ("todo.command", {"sessionId": "s", "line": "add last x"}),
    ("note.send", {"sessionId": "s", "text": "x"}),
    ("session.mark", {"sessionId": "s", "pinned": True}),
    ("session.delete", {"sessionId": "s"}),
    ("session.open", {"sessionId": "s", "with": "folder"}),
    ("list.delete", {"listId": "s"}),
    ("settings.update", {"staleMinutes": 5}),
    ("settings.update", {"publicHosts": ["evil.example.net"]}),
    ("chat.send", {"content": "x"}),
    ("agents.start", {"agent": "codex", "folder": "/", "task": "x"}),
    ("key.code", {"rights": "look"}),
    ("key.new", {"name": "x", "rights": "look"}),
    ("hosts.add", {"name": "x", "command": ["true"]}),
)


async def named_code(gateway, **fields) -> tuple[str, str]:
    """The id and the secret of a code that leads to the named host."""
    async with opened(gateway) as socket:
        await socket.ask("settings.update", publicHosts=[HOST])
        address = (await socket.ask("key.code", host=HOST, **fields))["address"]
    base, _, code = address.partition("/#pair=")
    assert base == f"https://{HOST}"
    return code.partition(".")[0], code


async def paired(gateway, rights: str) -> tuple[dict, str]:
    _, code = await named_code(gateway, rights=rights)
    own = secrets.token_hex(32)
    answer = post(gateway.address, pairing(gateway.address, code, own, "Chrome on Android", HOST), HOST)
    assert answer.status_code == 200, answer.text
    return answer.json(), own


async def test_a_phone_that_may_look_is_refused_every_change(gateway):
    key, secret = await paired(gateway, "look")
    assert (key["kind"], key["rights"], key.get("wanted")) == ("page", "look", None)
    async with opened(gateway) as socket:
        await socket.ask("todo.add", label="s", content="a step")
        before = (await socket.ask("session.list"))["sessions"]
    session = before[0]["sessionId"]
    async with opened(gateway, token=secret) as phone:
        seen = (await phone.ask("session.list"))["sessions"]
        assert [each["sessionId"] for each in seen] == [session]
        for kind, fields in CHANGES:
            named = {name: session if value == "s" else value for name, value in fields.items()}
            answer = await phone.answer(kind, **named)
            assert answer["code"] == "UNAUTHORIZED", (kind, answer)
    async with opened(gateway) as socket:
        after = (await socket.ask("session.list"))["sessions"]
        assert [each["revision"] for each in after] == [each["revision"] for each in before]
        assert (await socket.ask("settings.get"))["publicHosts"] == [HOST]
        assert key["keyId"] in [each["keyId"] for each in (await socket.ask("key.list"))["keys"]]


async def test_a_proof_is_for_the_place_at_which_the_phone_asks(gateway):
    """Whoever relays a proof from this machine to the named host, or the other way round, gets nowhere."""
    _, code = await named_code(gateway, rights="look")
    here = pairing(gateway.address, code, secrets.token_hex(32))
    there = pairing(gateway.address, code, secrets.token_hex(32), host=HOST)
    assert post(gateway.address, here, HOST).status_code == 401
    assert post(gateway.address, there).status_code == 401
    assert post(gateway.address, there, HOST).status_code == 200


async def test_a_code_is_tried_five_times(gateway):
    id, code = await named_code(gateway, rights="look")
    _, other = await named_code(gateway, rights="look")
    digits = "0" * 64
    wrong = {"key": id, "clientNonce": digits, "gatewayNonce": digits, "proof": digits, "name": "x"}
    good = pairing(gateway.address, code, secrets.token_hex(32), host=HOST)
    for _ in range(5):
        answer = post(gateway.address, {**wrong, "client": digits, "gateway": digits}, HOST)
        assert answer.status_code == 401
    assert post(gateway.address, good, HOST).status_code == 401, "it is worth nothing any more"
    body = pairing(gateway.address, other, secrets.token_hex(32), host=HOST)
    assert post(gateway.address, body, HOST).status_code == 200, "another code is"


async def test_a_code_leads_to_no_host_that_nobody_named(gateway):
    async with opened(gateway) as socket:
        for host in (HOST, "evil.example.net", "user@box.example.net", "box.example.net/x", ""):
            answer = await socket.answer("key.code", rights="look", host=host)
            assert answer["code"] == "INVALID_KEY", (host, answer)


async def test_beyond_this_machine_there_is_no_plain_http(gateway):
    await named_code(gateway, rights="look")
    for host, origin, status in (
        (HOST, f"https://{HOST}", 200),
        (HOST, f"http://{HOST}", 403),
        ("evil.example.net", None, 403),
        ("192.168.0.7:3271", None, 403),
    ):
        headers = {"Host": host, **({"Origin": origin} if origin else {})}
        answer = httpx2.get(f"{gateway.address}/", headers=headers, verify=False)
        assert answer.status_code == status, (host, origin, answer.text)
        if status == 403:
            assert answer.json()["message"], "it says why"


async def test_the_page_may_have_a_manifest_and_a_worker_of_its_own_only(gateway):
    policy = httpx2.get(f"{gateway.address}/", verify=False).headers["content-security-policy"]
    assert "manifest-src 'self'" in policy and "worker-src 'self'" in policy
    worker = httpx2.get(f"{gateway.address}/sw.js", verify=False)
    assert worker.headers["content-type"].startswith("text/javascript")
    assert worker.headers["cache-control"] == "no-cache", "a new build is seen at once"
    manifest = httpx2.get(f"{gateway.address}/manifest.webmanifest", verify=False)
    assert manifest.headers["content-type"].startswith("application/manifest+json")
