"""The log: who did what, without secrets, page by page."""

import json

import pytest

from pairing import pair
from socket_client import opened
from terminal import run, succeed

pytestmark = pytest.mark.anyio


async def entries(gateway, **fields) -> list[dict]:
    async with opened(gateway) as socket:
        return (await socket.ask("audit.list", **fields))["entries"]


async def test_settings_keys_pages_and_connections_are_written_down(gateway):
    secret = gateway.new_key("--rights", "edit", name="script")
    async with opened(gateway, token=secret) as script:
        await script.ask("settings.update", keepDays=3)
        await script.answer("settings.update", terminal="xterm")
    async with opened(gateway) as person:
        await person.ask("settings.update", terminal="xterm -e")
        address = (await person.ask("key.code"))["address"]
        pair(address, "Firefox on Linux")
        await person.ask("key.revoke", keyId="script")
    log = await entries(gateway)
    found = [(entry["deed"], entry.get("who"), entry["subject"]) for entry in reversed(log)]
    assert ("settings", "script", "keepDays") in found
    assert ("settings", "test", "terminal") in found, "by the page that the test paired"
    assert ("connect", "script", "/gateway") in found
    assert any(deed == "pair" and "Firefox on Linux" in subject for deed, _, subject in found)
    assert [deed for deed, _, subject in found if subject.startswith("script (")] == ["keyNew", "keyRevoke"]
    text = json.dumps(log)
    assert "xterm" not in text and secret.partition(".")[2] not in text and gateway.token not in text
    assert log == sorted(log, key=lambda entry: -entry["number"])


async def test_those_who_are_refused_are_written_down_once(gateway):
    for _ in range(50):
        with pytest.raises(Exception, match="401"):
            async with opened(gateway, token="wrong"):
                pass
    refusals = [entry for entry in await entries(gateway) if entry["deed"] == "refuse"]
    assert len(refusals) == 1 and "/gateway" in refusals[0]["subject"]


async def test_changes_by_commands_are_written_down(gateway, tmp_path):
    """Commands write an agent's configuration and delete lists by themselves, and the log has it all the same."""
    home = tmp_path / "somebody"
    home.mkdir()
    config = str(home / ".codex" / "config.toml")
    for words in (("connect", "codex", "--no-hooks", "--no-test"), ("disconnect", "codex")):
        assert run(gateway, *words, "--yes", home=home).code == 0
        assert run(gateway, *words, "--yes", home=home).code == 0, "with nothing to change"
        dry = run(gateway, *words, "--dry-run", home=home)
        assert dry.code == 0
    succeed(gateway, "--json", "open", "--rights", "look")
    # The newest comes first; a gateway that has ended has them as well.
    gateway.stop()
    assert run(gateway, "connect", "codex", "--no-hooks", "--no-test", "--yes", home=home).code == 0
    gateway.start()
    found = [(entry["deed"], entry["way"], entry["subject"]) for entry in reversed(await entries(gateway))]
    changed = [found for found in found if found[0] in ("agents", "keyCode")]
    written = ("agents", "cli", config)
    assert changed == [written, written, ("keyCode", "cli", "look"), written]


async def test_what_a_key_may_not_is_written_down_once_for_each_key(gateway):
    secrets = {name: gateway.new_key("--rights", "look", name=name) for name in ("one", "two")}
    for secret in secrets.values():
        async with opened(gateway, token=secret) as socket:
            for days in range(20):
                assert (await socket.answer("settings.update", keepDays=days))["code"] == "UNAUTHORIZED"
    for _ in range(20):
        with pytest.raises(Exception, match="401"):
            async with opened(gateway, token="wrong"):
                pass
    refusals = [entry for entry in reversed(await entries(gateway)) if entry["deed"] == "refuse"]
    assert [(entry.get("who"), entry["subject"]) for entry in refusals] == [
        ("one", "settings.update: edit"),
        ("two", "settings.update: edit"),
        (None, "/gateway: no key, or one that is not valid"),
    ]


async def test_the_log_is_read_in_pages_and_as_a_whole(gateway):
    async with opened(gateway) as socket:
        for days in range(1, 31):
            await socket.ask("settings.update", keepDays=days)
        whole = (await socket.ask("audit.list", limit=1_000))["entries"]
        pages, before = [], None
        while True:
            fields = {} if before is None else {"before": before}
            page = await socket.ask("audit.list", limit=7, **fields)
            assert len(page["entries"]) <= 7
            pages += page["entries"]
            before = page.get("nextBefore")
            if before is None:
                break
    assert pages == whole
    exported = json.loads(succeed(gateway, "--json", "audit"))["entries"]
    assert exported == whole
    assert len(succeed(gateway, "audit").splitlines()) == len(whole)
    gateway.stop()
    gateway.start()
    assert [entry["number"] for entry in await entries(gateway, limit=1_000)][-len(whole) :] == [
        entry["number"] for entry in whole
    ]
