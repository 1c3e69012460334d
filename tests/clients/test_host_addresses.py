"""Other machines at an address: a gateway behind a reverse proxy with TLS, reached with a key that is never sent."""

import asyncio
import random
from datetime import timedelta

import pytest
from agent import post
from gateway import eventually, until
from hosts import SECONDS, answering, differences, here, silent, state, steps, write
from socket_client import Refused, Socket, opened
from terminal import run
from tls_proxy import Authority, proxied

pytestmark = pytest.mark.anyio


@pytest.fixture
def authority(tmp_path):
    return Authority(tmp_path / "authority")


@pytest.fixture
def here_trusting(data_folder, authority):
    """The gateway here, which trusts the test's authority and no other."""
    data_folder.variables = {"SSL_CERT_FILE": str(authority.trusted)}
    return data_folder.start()


async def added(user, proxy, key: str, address: str | None = None) -> None:
    await user.ask("hosts.add", name="box", address=address or proxy.address)
    await user.ask("hosts.key", name="box", key=key)


async def refused(user: Socket, kind: str, **fields) -> str:
    with pytest.raises(Refused) as why:
        await user.ask(kind, **fields)
    return why.value.code


async def same(gateway, box) -> None:
    async def met():
        return not differences(gateway, "box", box)

    await eventually(met, SECONDS, "row by row")


async def is_told(user: Socket, problem: str) -> None:
    """Waits until it is tried with what it has now, and that fails with these words."""

    async def met():
        found = await user.ask("hosts.test", name="box")
        return found["state"] == "down" and problem in found["problem"]

    await eventually(met, SECONDS, f"it is told that {problem}")


def behind(hosts, proxy, *named: str):
    """A gateway that the proxy leads to, and that answers to these hosts."""
    box = hosts("box")
    box.options = [option for name in named for option in ("--public-host", name)]
    box.start()
    proxy.upstream = box.port
    return box


# H13
async def test_a_host_behind_a_proxy_is_mirrored_row_by_row(here_trusting, authority, hosts):
    async with proxied(authority.server("localhost")) as proxy:
        box = behind(hosts, proxy, proxy.host)
        key = box.new_key("--rights", "edit")
        async with opened(here_trusting) as user, opened(box) as there:
            await added(user, proxy, key)
            up = await answering(user, "box")
            assert up["address"] == f"{proxy.address}/gateway" and up["command"] == [] and up["version"]
            session = await write(there, "api", "Read", "Fix")
            await here(user, session, "Read", "Fix")
            await user.ask("todo.add", sessionId=session, content="Mine")
            await here(user, session, "Read", "Fix", "Mine")
            assert await steps(there, session) == ["Read", "Fix", "Mine"]
            await same(here_trusting, box)
        # The bytes that went through the proxy have a proof in them, and the key nowhere.
        secret = key.split(".", 1)[1].encode()
        assert b"/prove?key=" in proxy.seen and secret not in proxy.seen
        for log in here_trusting.logs + box.logs:
            assert secret not in log.read_bytes()
        for file in here_trusting.data_dir.rglob("*"):
            if file.is_file() and secret in file.read_bytes():
                assert file.name == "keys.json" and file.stat().st_mode & 0o077 == 0, file


# H13
@pytest.mark.parametrize(
    ("host", "lasts", "address", "trusted", "problem"),
    [
        ("localhost", timedelta(days=1), "localhost", False, "UnknownIssuer"),
        ("elsewhere.example.net", timedelta(days=1), "localhost", True, "not valid for name"),
        ("localhost", timedelta(days=1), "127.0.0.1", True, "not valid for name"),
        ("localhost", timedelta(days=-1), "localhost", True, "expired"),
    ],
)
async def test_a_certificate_that_is_not_trusted_is_refused_before_anything_is_said(
    here_trusting, authority, tmp_path, hosts, host, lasts, address, trusted, problem
):
    issuer = authority if trusted else Authority(tmp_path / "stranger", "Somebody else")
    async with proxied(issuer.server(host, lasts)) as proxy:
        box = behind(hosts, proxy, f"{address}:{proxy.port}")
        async with opened(here_trusting) as user:
            await added(user, proxy, box.new_key("--rights", "edit"), f"wss://{address}:{proxy.port}")
            await is_told(user, problem)
            assert "certificate" in (await state(user, "box"))["problem"]
        assert not proxy.seen, proxy.seen


# H13
async def test_a_key_that_is_wrong_or_revoked_does_not_come_in_and_another_does(here_trusting, authority, hosts):
    async with proxied(authority.server("localhost")) as proxy:
        box = behind(hosts, proxy, proxy.host)
        key = box.new_key("--rights", "edit", name="mirror")
        identity = key.split(".", 1)[0]
        async with opened(here_trusting) as user, opened(box) as there:
            await user.ask("hosts.add", name="box", address=proxy.address)
            assert "no key of box is here" in (await silent(user, "box"))["problem"]
            for wrong, problem in (
                (f"{identity}.wrong", "is not the gateway that this key is of"),
                ("x.y", "no such key"),
            ):
                await user.ask("hosts.key", name="box", key=wrong)
                await is_told(user, problem)
            await user.ask("hosts.key", name="box", key=key)
            await answering(user, "box")
            session = await write(there, "api", "Read")
            await here(user, session, "Read")
            revoked = run(box, "key", "revoke", "mirror")
            assert revoked.code == 0, revoked
            await silent(user, "box")
            assert (await user.ask("session.get", sessionId=session))["session"]["state"] == "stale"
            await is_told(user, "no such key")
            await write(there, "api", "Read", "Fix")
            await user.ask("hosts.key", name="box", key=box.new_key("--rights", "look"))
            await here(user, session, "Read", "Fix")


# H14
async def test_a_gateway_answers_to_named_hosts_only(here_trusting, authority, hosts):
    async with proxied(authority.server("localhost")) as proxy:
        box = behind(hosts, proxy, "elsewhere.example.net")
        async with opened(here_trusting) as user, opened(box) as there:
            await added(user, proxy, box.new_key("--rights", "edit"))
            await is_told(user, "the hosts that Settings or")
            for odd in (["*"], ["https://box"], ["a b"], [f"{n}.net" for n in range(21)]):
                assert await refused(there, "settings.update", publicHosts=odd) == "INVALID_SETTING", odd
            await there.ask("settings.update", publicHosts=[proxy.host])
            await answering(user, "box")


# H14
async def test_an_agent_calls_by_a_named_host(data_folder):
    data_folder.options = ["--public-host", "box.example.net"]
    gateway = data_folder.start()
    tools = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    for host, status in (("box.example.net", 200), ("elsewhere.example.net", 403), (f"127.0.0.1:{gateway.port}", 200)):
        assert (await post(gateway, tools, Host=host)).status_code == status, host


# H1, H13
async def test_a_proxy_that_drops_loses_nothing(here_trusting, authority, hosts):
    chance = random.Random(11)
    async with proxied(authority.server("localhost")) as proxy:
        box = behind(hosts, proxy, proxy.host)
        async with opened(here_trusting) as user, opened(box) as there:
            await added(user, proxy, box.new_key("--rights", "edit"))
            await answering(user, "box")
            drops = 0
            while drops < 20:
                await write(there, f"run {chance.randrange(5)}", *(f"Step {chance.randrange(9)}" for _ in range(4)))
                await asyncio.sleep(chance.random() / 10)
                drops += proxy.drop() > 0
                # It is tried at once; by itself it would wait longer each time.
                await user.ask("hosts.test", name="box")
            await same(here_trusting, box)


# H13
async def test_a_redirect_leads_nowhere(here_trusting, authority, hosts):
    async with proxied(authority.server("localhost")) as proxy, proxied(authority.server("localhost")) as other:
        box = behind(hosts, other, other.host, proxy.host)
        head = f"HTTP/1.1 302 Found\r\nLocation: https://{other.host}/prove\r\nContent-Length: 0\r\n\r\n"
        proxy.answer = head.encode()
        async with opened(here_trusting) as user:
            await added(user, proxy, box.new_key("--rights", "edit"))
            await is_told(user, "is not the gateway that this key is of")
        assert proxy.connections and not other.connections


# H13
async def test_a_host_at_an_address_is_added_by_a_command_without_its_key_in_it(here_trusting, authority, hosts):
    async with proxied(authority.server("localhost")) as proxy:
        box = behind(hosts, proxy, proxy.host)
        key = box.new_key("--rights", "edit")
        for address, problem in (
            ("ws://box.example.net", "only this machine is reached without TLS"),
            ("http://192.0.2.1:3271", "only this machine is reached without TLS"),
            (f"wss://{proxy.host}/#token={key}", "has no key in it"),
        ):
            said = run(here_trusting, "host", "add", "--key-stdin", "box", address, given=key)
            assert said.code == 1 and problem in said.said and key not in said.said, said
        said = run(here_trusting, "host", "add", "box", proxy.address)
        assert said.code == 1 and "--key-stdin" in said.said, said
        said = run(here_trusting, "host", "add", "--key-stdin", "box", proxy.address, given="nonsense")
        assert said.code == 1 and "no key that can be proved" in said.said, said
        assert run(here_trusting, "--json", "host", "list").json["hosts"] == []
        done = run(here_trusting, "host", "add", "--key-stdin", "box", proxy.address, given=f"{key}\n")
        assert done.code == 0 and key not in done.said and "waits to be confirmed" in done.out, done
        async with opened(here_trusting) as user:
            waiting = await state(user, "box")
            assert waiting["state"] == "unconfirmed" and not proxy.connections
            other = {"name": "box", "accept": True}
            evil = "wss://evil.example.net/gateway"
            assert await refused(user, "hosts.confirm", **other, address=evil) == "INVALID_SETTING"
            await user.ask("hosts.confirm", **other, address=waiting["address"])
            await answering(user, "box")
        renewed = run(here_trusting, "host", "key", "--key-stdin", "box", given=key)
        assert renewed.code == 0 and key not in renewed.said, renewed
        kept = here_trusting.data_dir / "keys.json"
        assert key in kept.read_text()
        assert run(here_trusting, "host", "remove", "box").code == 0
        until(lambda: key not in kept.read_text(), SECONDS, "its key is forgotten")
