"""Files that somebody sent, to be taken into the history."""

import json
from pathlib import Path
from uuid import uuid4

import pytest

from adversary.test_hostile_hook import MIB, Peak
from gateway import Gateway
from socket_client import Refused, opened
from terminal import run, succeed

pytestmark = pytest.mark.anyio


async def exported(gateway: Gateway) -> dict:
    """The export of one session with a list."""
    async with opened(gateway) as socket:
        todos = [{"content": "Read", "status": "completed"}, {"content": "Write", "subtasks": [{"content": "Aloud"}]}]
        await socket.ask("todo.write", session=f"seed {uuid4()}", todos=todos)
        await socket.ask("todo.write", todos=todos[:1], session="seed")
    return json.loads(succeed(gateway, "export"))


def refused(gateway: Gateway, tmp_path: Path, text: str | bytes) -> str:
    file = tmp_path / "sent.json"
    file.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    ran = run(gateway, "import", "--file", str(file))
    assert ran.code != 0, ran
    assert len(ran.err) < 2_000 and "\x1b" not in ran.said and "panicked" not in ran.said, ran.err
    return ran.err


def small(value: str, size: int) -> str:
    return "[" + ",".join([value] * (size // (len(value) + 1))) + "]"


TEXTS = {
    "deep": '{"sightline":1,"sessions":' + "[" * 100_000 + "]" * 100_000 + "}",
    "deep in a session": '{"sightline":1,"sessions":[{"sessionId":' + "[" * 100_000 + "]" * 100_000 + "}]}",
    "small values": '{"sightline":1,"sessions":' + small("{}", 6 * MIB) + "}",
    "small values in a session": '{"sightline":1,"sessions":[{"more":' + small("0", 6 * MIB) + "}]}",
    "twice": '{"sightline":1,"sessions":[],"sessions":[{}]}',
    "a form that is no number": '{"sightline":{},"sessions":[]}',
    "half": '{"sightline":1,"sessions":[{"sessionId":"',
    "no UTF-8": b'{"sightline":1,"sessions":["\xff"]}',
    "zeros": b"\0" * MIB,
    "escapes": '{"sightline":1,"sessions":[{"sessionId":"\\u001b[31m\\u202e"}]}',
}


@pytest.mark.parametrize("text", TEXTS)
async def test_what_is_no_export_is_refused_and_costs_little(gateway, tmp_path, text):
    peak = Peak(gateway)
    refused(gateway, tmp_path, TEXTS[text])
    assert peak.grown() < 300 * MIB, f"{peak.grown() // MIB} MiB"
    async with opened(gateway) as socket:
        assert (await socket.ask("session.list"))["sessions"] == []


def every_place(value, path=()):
    """Each place in an export, by its path."""
    yield path
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, inner in members:
        yield from every_place(inner, (*path, name))


def changed(export: dict, path: tuple, to) -> str:
    copy = json.loads(json.dumps(export))
    place = copy
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = to
    return json.dumps(copy)


ODD = (None, -1, 2**63, 1e308, "", "\u001b[31m\u202e\u0000", "x" * 5_000, [], {}, [[]], True)


async def test_an_export_with_any_value_changed_is_taken_or_refused_and_nothing_else(gateway, tmp_path):
    """Whatever is taken in can be listed, shown and exported again; a refusal leaves nothing."""
    export = await exported(gateway)
    (tmp_path / "other").mkdir()
    other = Gateway(tmp_path / "other")
    try:
        other.start()
        async with opened(other) as socket:
            paths = [path for path in every_place(export) if path]
            for number, path in enumerate(paths):
                text = changed(export, path, ODD[number % len(ODD)])
                try:
                    taken = await socket.ask("session.import", text=text)
                except Refused as error:
                    assert error.code == "INVALID_MESSAGE", f"{path}: {error}"
                    assert "\u001b" not in error.message and len(error.message) < 2_000, f"{path}: {error}"
                    continue
                for session in taken["sessions"]:
                    await socket.ask("session.get", sessionId=session)
                    await socket.ask("session.delete", sessionId=session, forGood=True)
            # Those that were taken in and deleted stay deleted.
            whole = await socket.ask("session.import", text=json.dumps(export))
            assert len(whole["sessions"]) + whole["known"] == len(export["sessions"])
            assert len((await socket.ask("session.list"))["sessions"]) == len(whole["sessions"])
        assert "panicked" not in other.output() and "panicked" not in logs(other)
    finally:
        other.leave_nothing()


def logs(gateway: Gateway) -> str:
    return "".join(log.read_text() for log in (gateway.data_dir / "logs").iterdir())
