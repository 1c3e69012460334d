"""Pairing: a code is good once, the gateway proves itself first, and no page gets more than somebody gave it."""

import asyncio
import json
import secrets

import httpx2
import pytest
from websockets.asyncio.client import connect

from gateway import START_SECONDS
from pairing import Exchange, pair, pairing, post
from socket_client import opened
from terminal import succeed

pytestmark = pytest.mark.anyio


def page(gateway, *options: str) -> str:
    """A page's address, as a shell gets it."""
    return json.loads(succeed(gateway, "--json", "open", *options))["page"]


async def own_code(gateway, **fields) -> str:
    """A page's address from somebody who administers."""
    async with opened(gateway) as socket:
        return (await socket.ask("key.code", **fields))["address"]


async def test_the_first_page_is_trusted_and_the_next_one_waits(data_folder):
    data_folder.start()
    first = json.loads(data_folder.output().splitlines()[0])["page"]
    key, secret = pair(first, "Firefox on Linux")
    assert (key["kind"], key["name"], key["rights"]) == ("page", "Firefox on Linux", "administer")
    assert key["expiresAt"]
    async with opened(data_folder, token=secret) as administrator:
        await administrator.ask("settings.update", terminal="xterm")
        waits, other = pair(page(data_folder), "Firefox on Linux")
        assert (waits["name"], waits["rights"], waits["wanted"]) == ("Firefox on Linux 2", "edit", "administer")
        told = await administrator.ask("events.subscribe")
        assert told["sessions"] == []
        async with opened(data_folder, token=other) as second:
            assert (await second.answer("settings.update", terminal=""))["code"] == "UNAUTHORIZED"
            await administrator.ask("key.confirm", keyId=waits["keyId"], accept=True)
            assert (await administrator.event("keys.updated", waiting=0))["waiting"] == 0
            await second.ask("settings.update", terminal="")
    # A restart trusts nobody anew.
    data_folder.stop()
    data_folder.start()
    later, _ = pair(json.loads(data_folder.output().splitlines()[0])["page"])
    assert (later["rights"], later["wanted"]) == ("edit", "administer")


async def test_a_page_may_be_given_less(gateway):
    key, secret = pair(await own_code(gateway, rights="look"))
    assert (key["rights"], key.get("wanted")) == ("look", None)
    async with opened(gateway, token=secret) as socket:
        answer = await socket.answer("todo.write", session="x", todos=[])
        assert answer["code"] == "UNAUTHORIZED"
    key, _ = pair(page(gateway, "--rights", "edit"))
    assert (key["rights"], key.get("wanted")) == ("edit", None)


async def test_a_code_is_good_once(gateway):
    address = await own_code(gateway)
    base, _, code = address.partition("/#pair=")
    body = pairing(base, code, secrets.token_hex(32))
    answers = await asyncio.gather(*(asyncio.to_thread(post, base, body) for _ in range(8)))
    assert sorted(answer.status_code for answer in answers) == [200] + [401] * 7
    with pytest.raises(httpx2.HTTPStatusError):
        pair(address)


async def test_without_the_code_there_is_no_pairing(gateway):
    base, _, code = (await own_code(gateway)).partition("/#pair=")
    good = pairing(base, code, secrets.token_hex(32))
    for field, wrong in (
        ("proof", "0" * 64),
        ("proof", ""),
        ("gatewayNonce", "0" * 64),
        ("clientNonce", "1" * 64),
        ("key", "nobody"),
        ("client", "x"),
        ("gateway", None),
        ("name", ""),
        ("name", "x" * 101),
        ("name", "\u202e"),
    ):
        answer = post(base, {**good, field: wrong})
        assert answer.status_code in (400, 401), (field, wrong, answer.text)
        if field == "name":
            # It was the right code, and is used up.
            base, _, code = (await own_code(gateway)).partition("/#pair=")
            good = pairing(base, code, secrets.token_hex(32))
    assert post(base, good).status_code == 200
    for odd in (b"", b"[]", b"{", b"x" * 5_000):
        answer = httpx2.post(f"{base}/pair", content=odd, verify=False)
        assert answer.status_code in (400, 413)
    evil = httpx2.post(f"{base}/pair", content=b"{}", headers={"Origin": "https://evil.example"}, verify=False)
    assert evil.status_code == 403


async def test_what_is_asked_of_the_proof_is_checked(gateway):
    for query in ("", "key=x", "nonce=x", f"key=x&nonce={'1' * 63}", f"key={'k' * 65}&nonce={'1' * 64}"):
        answer = httpx2.get(f"{gateway.address}/prove?{query}", verify=False)
        assert answer.status_code == 400, query
    answer = httpx2.get(f"{gateway.address}/prove?key=nobody&nonce={'1' * 64}", verify=False)
    assert (answer.status_code, answer.json()["code"]) == (401, "UNAUTHORIZED")


async def test_who_squats_on_the_port_learns_and_relays_nothing(gateway):
    """A program that answers in the place of the gateway is sent no key, and cannot pass on the gateway's own proof."""
    secret = gateway.new_key("--rights", "edit", name="remote")
    heard = []

    async def relay(reader, writer):
        asked = await reader.readuntil(b"\r\n\r\n")
        heard.append(asked)
        real_reader, real_writer = await asyncio.open_connection("127.0.0.1", gateway.port)
        port = writer.get_extra_info("sockname")[1]
        real_writer.write(asked.replace(str(port).encode(), str(gateway.port).encode()))
        writer.write(await real_reader.read())
        writer.close()
        real_writer.close()

    server = await asyncio.start_server(relay, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    with pytest.raises(AssertionError, match="proves that it knows"):
        await asyncio.to_thread(Exchange, f"http://127.0.0.1:{port}", secret.partition(".")[0], secret)
    assert heard and secret.partition(".")[2].encode() not in b"".join(heard)
    server.close()


async def test_a_page_that_is_revoked_is_out_at_once(gateway):
    key, secret = pair(await own_code(gateway))
    exchange = Exchange(gateway.address, key["keyId"], secret)
    address = f"ws://127.0.0.1:{gateway.port}/gateway"
    async with connect(address, subprotocols=exchange.subprotocols, proxy=None) as connection:
        assert exchange.is_opened_by(json.loads(await asyncio.wait_for(connection.recv(), START_SECONDS)))
        async with opened(gateway) as socket:
            await socket.ask("key.revoke", keyId=key["keyId"])
        await asyncio.wait_for(connection.wait_closed(), START_SECONDS)
        assert connection.close_code == 1008
    with pytest.raises(httpx2.HTTPStatusError):
        Exchange(gateway.address, key["keyId"], secret)


def test_the_help_of_serve_says_that_its_code_is_trusted(gateway):
    text = " ".join(succeed(gateway, "serve", "--help").split())
    assert "With --json the first line" in text and "The code in that address is trusted" in text
