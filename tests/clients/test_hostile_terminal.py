"""Failures in a terminal: a clear error, an exit code, and no raw text that reaches the terminal."""

import json
import subprocess
import unicodedata

import pytest

from gateway import BINARY
from socket_client import opened
from terminal import run, succeed

pytestmark = pytest.mark.anyio

EARLIER = json.dumps([{"content": "Read"}, {"content": "Fix"}])

WRITES = {
    "not json": ("not json", "JSON"),
    "an object": ('{"content": "x"}', "array"),
    "an item without content": ('[{"status": "pending"}]', "content"),
    "content of a wrong type": ('[{"content": 7}]', "content"),
    "10,000 characters": (json.dumps([{"content": "x" * 10_000}]), "2000"),
    "a thousand items": (json.dumps([{"content": f"Step {i}"} for i in range(1000)]), "256"),
}

COMMANDS = {
    "an unknown command": (("frobnicate",), "frobnicate"),
    "an unknown flag": (("todo", "show", "--frobnicate"), "--frobnicate"),
    "no such session": (("todo", "show", "--session", "nobody"), "nobody"),
    "no content": (("todo", "add", "--session", "kept", "1", ""), "Usage: /todo add <position> <description>"),
    "10,000 characters": (("todo", "add", "--session", "kept", "1", "x" * 10_000), "2000"),
    "nothing to undo": (("todo", "undo", "--session", "kept"), "undo"),
    "a port that is none": (("serve", "--port", "99999"), "99999"),
}


# G1, P5, P6
async def test_each_mistake_is_said(gateway):
    succeed(gateway, "todo", "write", "--session", "kept", EARLIER)
    before = succeed(gateway, "todo", "show", "--session", "kept", "--json")
    for name, (todos, word) in WRITES.items():
        ran = run(gateway, "todo", "write", "--session", "kept", todos)
        assert ran.code != 0 and word in ran.said, f"{name}: {ran}"
    for name, (arguments, word) in COMMANDS.items():
        ran = run(gateway, *arguments)
        assert ran.code != 0 and word in ran.said, f"{name}: {ran}"
        assert "panicked" not in ran.said, name
    after = succeed(gateway, "todo", "show", "--session", "kept", "--json")
    assert json.loads(after)["todos"] == json.loads(before)["todos"]


# D2, P9
async def test_without_a_gateway_it_works_on_the_folder(data_folder):
    succeed(data_folder, "todo", "write", "--session", "kept", EARLIER)
    assert 'Added TODO at position 1: "Words"' in succeed(data_folder, "todo", "add", "--session", "kept", "1", "Words")
    assert "1. [PENDING] (MEDIUM) Words" in succeed(data_folder, "todo", "show", "--session", "kept")


# D4, P4
async def test_nothing_reaches_the_terminal_raw(gateway):
    nasty = "\u001b[2J\u001b]0;owned\u0007 \u009b31m red \r\n second line"
    async with opened(gateway) as socket:
        answer = await socket.answer("todo.write", session="kept", todos=[{"content": nasty, "status": nasty[:20]}])
    if answer["type"] == "error":
        assert answer["code"] in ("INVALID_TODOS", "INVALID_MESSAGE")
        return
    for arguments in (("todo", "show", "--session", "kept"), ("todo", "list"), ("todo", "show")):
        out = succeed(gateway, *arguments)
        raw = [c for c in out if unicodedata.category(c) == "Cc" and c != "\n"]
        assert raw == [], f"{arguments}: {out!r}"
        assert "red" in out


# P9
async def test_a_closed_pipe_is_no_crash(gateway):
    succeed(gateway, "todo", "write", "--session", "kept", EARLIER)
    line = f"'{BINARY}' todo show --session kept --data-dir '{gateway.data_dir}' | true"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False, timeout=30)
    assert "panicked" not in done.stderr
