"""An agent with a shell as the same user: its commands, the files and the socket give it no *answer* and no *administer*.

It is a hurdle and not a wall: a program of the same user could change the database while no gateway runs, or the programs
themselves.
"""

import asyncio
import hashlib
import hmac
import json
import sqlite3
from contextlib import closing

import pytest
from websockets.asyncio.client import connect, unix_connect
from websockets.exceptions import InvalidStatus

from pairing import Exchange, pair
from socket_client import Socket, opened
from terminal import run, succeed

pytestmark = pytest.mark.anyio

BEYOND = (
    ("tool.approval.response", {"toolCallId": "x", "approved": True}),
    ("preflight.approval", {"requestId": "x", "approved": True}),
    ("settings.update", {"terminal": "sh -c 'id > /tmp/own'"}),
    ("settings.update", {"editor": "sh"}),
    ("settings.update", {"chatServers": [{"name": "own", "command": "sh", "args": ["-c", "id"]}]}),
    ("settings.update", {"chatProviders": []}),
    ("settings.update", {"chatOtherTools": "auto"}),
    ("vault.keys.set", {"provider": "openai", "key": "k"}),
)


@pytest.fixture
def home_gateway(gateway):
    """A gateway whose user has paired a browser, as the first one."""
    assert gateway.token
    return gateway


async def is_held_back(socket: Socket) -> None:
    """Asks for everything that needs more than *edit*."""
    confirmable = [key["keyId"] for key in (await socket.ask("key.list"))["keys"]]
    own = [("key.confirm", {"keyId": key, "accept": True}) for key in confirmable]
    for kind, fields in (*BEYOND, *own):
        answer = await socket.answer(kind, **fields)
        assert answer.get("code") in ("UNAUTHORIZED", "INVALID_MESSAGE"), (kind, answer)
        assert answer["code"] == "UNAUTHORIZED" or kind == "settings.update", (kind, answer)


async def secrets_of_commands(gateway) -> list[str]:
    """The keys that commands make, and those of the pages that they pair."""
    made = []
    for number, rights in enumerate(("look", "edit", "answer", "administer")):
        made.append(gateway.new_key("--rights", rights, name=f"mine {number}"))
        page = json.loads(succeed(gateway, "--json", "open", "--rights", rights))["page"]
        made.append(pair(page)[1])
    return made


async def test_commands_give_no_more_than_edit(home_gateway):
    for secret in await secrets_of_commands(home_gateway):
        async with opened(home_gateway, token=secret) as socket:
            assert (await socket.ask("hello"))["rights"] in ("look", "edit")
            await is_held_back(socket)


async def test_the_socket_gives_no_more_than_edit(home_gateway):
    path = str(home_gateway.data_dir / "gateway.sock")
    for name in ("page", "window"):
        async with unix_connect(path, uri="ws://localhost/gateway") as connection:
            socket = Socket(connection)
            reading = asyncio.create_task(socket.read())
            # Whatever it says of itself.
            hello = await socket.ask("hello", client={"name": name, "transport": name})
            assert hello["rights"] == "edit" and "key" not in hello
            await is_held_back(socket)
            await connection.close()
            await reading


async def test_nothing_in_the_files_opens_more(home_gateway):
    found: set[str] = set()
    for path in home_gateway.data_dir.rglob("*"):
        if path.is_file():
            text = path.read_bytes().decode("latin-1")
            found |= {word for word in "".join(c if c.isalnum() or c == "." else " " for c in text).split() if len(word) > 30}
    with closing(sqlite3.connect(home_gateway.data_dir / "sightline.db")) as database:
        rows = database.execute("SELECT key_id, verifier, gateway_key FROM keys").fetchall()
    assert rows
    assert home_gateway.token not in found
    for key, verifier, gateway_key in rows:
        for stolen in (verifier.hex(), gateway_key.hex(), f"{key}.{verifier.hex()}"):
            with pytest.raises(InvalidStatus) as refusal:
                async with opened(home_gateway, token=stolen):
                    pass
            assert refusal.value.response.status_code == 401
    for word in sorted(found)[:200]:
        with pytest.raises(InvalidStatus):
            async with opened(home_gateway, token=word):
                pass


async def test_what_is_stored_of_a_key_proves_nothing(home_gateway):
    """The proof needs what the verifier is a hash of: with the database alone, it cannot be made."""
    with closing(sqlite3.connect(home_gateway.data_dir / "sightline.db")) as database:
        (row,) = database.execute("SELECT key_id, verifier, gateway_key FROM keys WHERE kind = 'page'").fetchall()
    key, verifier, gateway_key = row
    exchange = Exchange(home_gateway.address, key, home_gateway.token)
    words = " ".join(map(str, ("sightline", "client", *exchange.parts))).encode()
    for guess in (verifier, gateway_key, hashlib.sha256(verifier).digest()):
        mask = hmac.digest(verifier, words, "sha256")
        proof = bytes(one ^ other for one, other in zip(guess, mask, strict=True)).hex()
        offer = exchange.subprotocols[1].rpartition(".")[0] + f".{proof}"
        address = f"ws://127.0.0.1:{home_gateway.port}/gateway"
        with pytest.raises(InvalidStatus) as refusal:
            async with connect(address, subprotocols=["sightline", offer], proxy=None):
                pass
        assert refusal.value.response.status_code == 401


async def test_a_gateway_that_it_starts_itself_trusts_it_no_more(home_gateway):
    home_gateway.stop()
    home_gateway.start()
    page = json.loads(home_gateway.output().splitlines()[0])["page"]
    key, secret = pair(page, "mine")
    assert (key["rights"], key["wanted"]) == ("edit", "administer")
    async with opened(home_gateway, token=secret) as socket:
        await is_held_back(socket)


async def test_without_a_gateway_a_command_may_no_more(home_gateway):
    home_gateway.stop()
    said = json.loads(succeed(home_gateway, "--json", "key", "new", "alone", "--rights", "administer"))
    assert (said["rights"], said["wanted"]) == ("edit", "administer")
    assert run(home_gateway, "key", "revoke", "test").code == 1, "the page that administers"


async def test_a_key_that_waits_is_not_taken_before_it_is_confirmed(home_gateway):
    secret = home_gateway.new_key("--rights", "administer", name="ci")
    for words in (("renew", "ci"), ("revoke", "ci")):
        said = run(home_gateway, "key", *words)
        assert said.code == 1 and "may administer once it is confirmed" in said.said, said.said
    assert run(home_gateway, "key", "new", "ci", "--rights", "administer").code == 1
    async with opened(home_gateway) as person:
        (waits,) = [key for key in (await person.ask("key.list"))["keys"] if key["name"] == "ci"]
        await person.ask("key.confirm", keyId=waits["keyId"], accept=True)
    async with opened(home_gateway, token=secret) as socket:
        assert (await socket.ask("hello"))["rights"] == "administer", "whoever made it has it"


async def test_the_log_does_not_believe_what_it_says_of_itself(home_gateway):
    """Whatever a program at the private socket calls itself, its deeds are those of a program."""
    path = str(home_gateway.data_dir / "gateway.sock")
    home_gateway.new_key("--rights", "edit", name="You, in the window")
    for days, way in enumerate(("window", "page", "builtin", "mcp"), start=3):
        async with unix_connect(path, uri="ws://localhost/gateway") as connection:
            socket = Socket(connection)
            reading = asyncio.create_task(socket.read())
            agent = {"agent": {"name": "Firefox on Linux"}}
            await socket.ask("hello", client={"name": "You", "transport": way}, agent=agent)
            await socket.ask("settings.update", keepDays=days)
            await connection.close()
            await reading
    async with opened(home_gateway) as person:
        log = (await person.ask("audit.list"))["entries"]
    said = [(entry.get("who"), entry["way"]) for entry in log if entry["deed"] == "settings"]
    assert said == [(None, "cli")] * 4
    shown = succeed(home_gateway, "audit")
    assert shown.count("a program of yours (cli)") >= 5 and "you, in the window" not in shown
