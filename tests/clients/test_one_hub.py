"""One hub per data folder: whoever comes second finds the first."""

import json
import os
import re
import socket as sockets
import stat
import subprocess
import time
from pathlib import Path

import pytest

from gateway import END_SECONDS, START_SECONDS, until
from socket_client import opened
from terminal import Terminal, run, succeed

pytestmark = pytest.mark.anyio

TODOS = json.dumps([{"content": "Read", "status": "in_progress", "activeForm": "Reading"}])


# D2
async def test_serve_says_where_it_is(gateway):
    said = json.loads(gateway.output().splitlines()[0])
    assert said["listening"] == f"http://127.0.0.1:{gateway.port}"
    assert re.fullmatch(rf"{said['listening']}/#pair=[0-9a-f]{{32}}\.[0-9A-Za-z]{{40,}}", said["page"]), "a code"
    runtime = gateway.runtime
    assert runtime["pid"] == gateway.process.pid
    assert runtime["startedAt"] and not {"token", "agentToken"} & runtime.keys(), "no key lies in a file"
    assert stat.S_IMODE(os.stat(gateway.runtime_file).st_mode) == 0o600


# D2
async def test_at_a_terminal_serve_prints_the_whole_address_of_the_page(data_folder):
    data_folder.home.mkdir()
    with Terminal(data_folder, "serve", "--port", "0") as serve:
        await serve.until("#pair=")
        assert f"http://127.0.0.1:{data_folder.port}/#pair=" in serve.seen


# D2
async def test_a_log_of_serve_has_no_code(data_folder):
    data_folder.process, log = data_folder.spawn("--port", "0")
    until(lambda: "listening on" in log.read_text(), START_SECONDS, "it serves")
    assert "sightline open" in log.read_text() and "#" not in log.read_text()


# D2
async def test_the_keys_and_the_port_last(gateway):
    before = (gateway.token, gateway.agent_token)
    gateway.stop()
    gateway.start()
    assert (gateway.token, gateway.agent_token) == before


# D2
async def test_a_second_serve_names_the_first_and_ends(gateway):
    began = time.monotonic()
    second = run(gateway, "serve", "--port", "0")
    assert second.code == 0, second.said
    assert re.search(rf"already running at {re.escape(gateway.address)}", second.said)
    assert time.monotonic() - began < 15
    assert gateway.process.poll() is None, "the first goes on"
    assert gateway.runtime["pid"] == gateway.process.pid


# D2
async def test_of_two_that_start_at_once_one_serves(data_folder):
    one, first_log = data_folder.spawn("--port", "0")
    two, second_log = data_folder.spawn("--port", "0")
    until(lambda: one.poll() is not None or two.poll() is not None, START_SECONDS, "one of them gives way")
    stays, gone, log = (two, one, first_log) if one.poll() is not None else (one, two, second_log)
    data_folder.process = stays
    assert gone.returncode == 0, log.read_text()
    assert f"already running at {data_folder.address}" in log.read_text()
    assert data_folder.runtime["pid"] == stays.pid


# D2
async def test_a_stale_runtime_file_is_replaced(data_folder):
    dead = subprocess.Popen(["true"])
    dead.wait(END_SECONDS)
    data_folder.data_dir.mkdir()
    stale = {"pid": dead.pid, "port": 1, "startedAt": "2026-01-01T00:00:00Z", "token": "t", "agentToken": "a"}
    data_folder.runtime_file.write_text(json.dumps(stale))
    data_folder.start()
    assert data_folder.runtime["pid"] == data_folder.process.pid and data_folder.port != 1


# D2
async def test_a_folder_with_a_long_name_has_its_socket_elsewhere(data_folder):
    data_folder.data_dir = data_folder.folder / ("n" * 120)
    data_folder.start()
    first = Path(data_folder.runtime["socket"])
    assert first.is_socket() and stat.S_IMODE(first.parent.stat().st_mode) == 0o700
    assert json.loads(succeed(data_folder, "status", "--json")) is not None
    data_folder.kill()
    assert first.exists(), "nobody was left to remove it"
    data_folder.start()
    second = Path(data_folder.runtime["socket"])
    assert second.is_socket() and not first.parent.exists()
    data_folder.stop()
    assert not second.parent.exists()


# D2
async def test_after_kill_the_next_one_takes_over(gateway):
    async with opened(gateway) as socket:
        await socket.ask("todo.write", session="label", todos=[{"content": "Read"}])
    gateway.kill()
    assert gateway.runtime_file.exists(), "nobody was left to remove it"
    gateway.start()
    async with opened(gateway) as socket:
        assert len((await socket.ask("session.get", sessionId="label"))["todos"]) == 1


# D2
async def test_a_port_that_is_taken_leads_to_the_next_of_ten(data_folder):
    with sockets.socket() as taken:
        taken.setsockopt(sockets.SOL_SOCKET, sockets.SO_REUSEADDR, 1)
        try:
            taken.bind(("127.0.0.1", 3271))
            taken.listen()
        except OSError:
            pass  # Somebody else has it, which serves as well.
        data_folder.process, log = data_folder.spawn()
        until(lambda: "listening on" in log.read_text(), START_SECONDS, "it finds a free one")
        port = data_folder.port
        assert 3272 <= port <= 3280
    data_folder.stop()
    data_folder.process, log = data_folder.spawn()
    until(lambda: "listening on" in log.read_text(), START_SECONDS, "it listens again")
    assert data_folder.port == port, "the last port is tried first, so that configured addresses keep working"


# D2
async def test_a_given_port_that_is_taken_is_said_so(data_folder):
    with sockets.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        process, log = data_folder.spawn("--port", str(port))
        until(
            lambda: process.poll() is not None or "listening on" in log.read_text(),
            START_SECONDS,
            "it ends, or takes another",
        )
        if process.poll() is None:
            data_folder.process = process
            assert data_folder.port != port
        else:
            assert process.returncode != 0
            assert str(port) in log.read_text()


# D2, P9
async def test_the_command_line_attaches(gateway):
    succeed(gateway, "todo", "write", "--session", "label", TODOS)
    async with opened(gateway) as socket:
        await socket.ask("events.subscribe")
        known = await socket.ask("session.get", sessionId="label")
        assert known["todos"][0]["content"] == "Read"
        succeed(gateway, "todo", "add", "--session", "label", "last", "Ask the customer")
        update = await socket.event("todo.update")
        assert [item["content"] for item in update["todos"]] == ["Read", "Ask the customer"]
        assert update["actor"] == {**update["actor"], "kind": "user", "transport": "cli"}


# P9
async def test_json_is_for_programs(gateway):
    succeed(gateway, "todo", "write", "--session", "label", TODOS)
    shown = run(gateway, "todo", "show", "--session", "label", "--json").json
    assert shown["session"]["label"] == "label" and shown["todos"][0]["activeForm"] == "Reading"
    added = run(gateway, "todo", "add", "--session", "label", "--json", "1", "Ask").json
    assert added["revision"] == 2 and added["todos"][0]["content"] == "Ask"
    listed = run(gateway, "todo", "list", "--json").json
    assert [s["label"] for s in listed["sessions"]] == ["label"]
    wrong = run(gateway, "todo", "delete", "--session", "label", "--json", "9")
    assert wrong.code != 0
    error = json.loads(wrong.out or wrong.err)
    assert error["code"] == "INVALID_POSITION" and error["message"] == "Position 9 does not exist"


# D4
async def test_watch_shows_changes_as_they_come(gateway):
    succeed(gateway, "todo", "write", "--session", "label", TODOS)
    log = gateway.folder / "watch.jsonl"
    gateway.logs.append(log)
    with log.open("wb") as output:
        watching = subprocess.Popen(
            gateway.command("watch", "--json"), stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL
        )
    try:
        until(lambda: "Read" in log.read_text(), START_SECONDS, "it begins with what there is")
        succeed(gateway, "todo", "add", "--session", "label", "last", "Ask the customer")

        def update() -> dict | None:
            messages = [json.loads(line) for line in log.read_text().splitlines() if line.endswith("}")]
            return next((m for m in messages if m.get("type") == "todo.update"), None)

        came = until(update, START_SECONDS, "the change is a line of JSON")
        assert [item["content"] for item in came["todos"]] == ["Read", "Ask the customer"]
    finally:
        watching.terminate()
        watching.wait(END_SECONDS)


# D4
async def test_watch_is_readable_by_people(gateway):
    succeed(gateway, "todo", "write", "--session", "label", TODOS)
    log = gateway.folder / "watch.txt"
    gateway.logs.append(log)
    with log.open("wb") as output:
        watching = subprocess.Popen(
            gateway.command("watch"), stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL
        )
    try:
        until(lambda: "Reading" in log.read_text(), START_SECONDS, "the step in progress in its activeForm")
        assert re.search(r"0\s*(/|of)\s*1", log.read_text()), "progress as x of y"
    finally:
        watching.terminate()
        watching.wait(END_SECONDS)


# D4: the empty state says how to send the first list.
async def test_the_first_list_command_works_as_it_is_pasted(gateway):
    async with opened(gateway) as socket:
        command = (await socket.ask("gateway.status"))["firstListCommand"]
        await socket.ask("events.subscribe")
        pasted = subprocess.run(
            ["bash", "-c", command], capture_output=True, text=True, timeout=END_SECONDS, cwd=gateway.home, check=False
        )
        assert pasted.returncode == 0, f"{command}: {pasted.stdout}{pasted.stderr}"
        update = await socket.event("todo.update")
        assert len(update["todos"]) >= 2
        assert any("activeForm" in item for item in update["todos"])


# D2: the command that an agent's configuration starts is what the gateway says it is.
async def test_the_mcp_command_works_as_it_is_pasted(gateway):
    async with opened(gateway) as socket:
        command = (await socket.ask("gateway.status"))["mcpCommand"]
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "pasted", "version": "1"},
        },
    }
    pasted = subprocess.run(
        ["bash", "-c", command],
        input=json.dumps(hello) + "\n",
        capture_output=True,
        text=True,
        timeout=END_SECONDS,
        cwd=gateway.home,
        check=False,
    )
    answer = json.loads(pasted.stdout.splitlines()[0])
    assert answer["id"] == 1 and answer["result"]["capabilities"]["tools"] is not None, pasted.stderr
