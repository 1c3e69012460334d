"""Other machines' sessions here: each host is a gateway of its own, reached by a command's pipes, as over ssh."""

import json
import os
import signal
import subprocess
from contextlib import AsyncExitStack

import pytest

from gateway import BINARY, environment, eventually, until
from hosts import SECONDS, answering, bridges, dial, differences, here, silent, steps, write
from socket_client import Refused, opened
from terminal import run

pytestmark = pytest.mark.anyio


# H12
async def test_a_host_that_a_command_leads_to_is_mirrored(gateway, hosts):
    box = hosts("box")
    async with AsyncExitStack() as stack:
        user = await stack.enter_async_context(opened(gateway))
        added = await user.ask("hosts.add", name="box", command=dial(box))
        assert added["state"] == "connecting", "who administers confirms by adding it"
        up = await answering(user, "box")
        assert up["version"] and up.get("problem") is None
        # The command has started a gateway there, as a shim does.
        there = await stack.enter_async_context(opened(box))
        session = await write(there, "api", "Read", "Fix")
        await here(user, session, "Read", "Fix")
        told = await user.ask("session.get", sessionId=session)
        assert (told["session"]["host"], told["session"]["state"]) == ("box", "running")
        listed = (await user.ask("session.list"))["sessions"]
        assert [(one["sessionId"], one.get("host")) for one in listed] == [(session, "box")]
        found = (await user.ask("session.search", query="Fix"))["results"]
        assert found[0]["session"]["host"] == "box"
        # An edit goes there, and comes back.
        await user.ask("todo.add", sessionId=session, content="Mine")
        await here(user, session, "Read", "Fix", "Mine")
        assert await steps(there, session) == ["Read", "Fix", "Mine"]
        # Its folder is not here.
        with pytest.raises(Refused) as refused:
            await user.ask("session.open", sessionId=session, **{"with": "folder"})
        assert refused.value.code == "UNAVAILABLE" and "lives on box" in refused.value.message
        said = run(gateway, "host", "list").out
        assert "box  answers" in said and "1 session ·" not in said and "1 session" in said, said
        await user.ask("hosts.remove", name="box")
        assert (await user.ask("hosts.list"))["hosts"] == []
        assert await steps(user, session) == ["Read", "Fix", "Mine"], "what was fetched stays"
        with pytest.raises(Refused) as refused:
            await user.ask("todo.add", sessionId=session, content="Late")
        assert refused.value.code == "READ_ONLY"
    assert differences(gateway, "box", box) == []


# H7, S33
async def test_a_refusal_by_another_machine_has_its_name(gateway, hosts):
    box = hosts("box").start()
    async with opened(gateway) as user, opened(box) as there:
        await user.ask("hosts.add", name="box", command=dial(box))
        session = await write(there, "api", "Read")
        await here(user, session, "Read")
        sent = await user.ask("todo.add", sessionId=session, content="x" * 5_000)
        assert sent["text"] == {"name": "host_sending", "params": {"host": "box"}}

        async def refused():
            edits = (await user.ask("session.get", sessionId=session))["session"].get("sending", [])
            return next((edit for edit in edits if "problem" in edit), None)

        edit = await eventually(refused, SECONDS, "box refuses it")
        assert edit["problemText"]["name"] == "item_too_long", edit
        assert edit["problemText"]["params"]["length"] == "5000", "so it is shown in the reader's language"


# H11
async def test_a_frozen_pipe_is_noticed_and_its_sessions_are_stale(gateway, hosts):
    box = hosts("box").start()
    async with opened(gateway) as user, opened(box) as there:
        await user.ask("hosts.add", name="box", command=dial(box))
        session = await write(there, "api", "Read")
        await here(user, session, "Read")
        [bridge] = bridges(box)
        os.kill(bridge, signal.SIGSTOP)
        down = await silent(user, "box")
        assert "does not answer" in down["problem"], down
        assert (await user.ask("session.get", sessionId=session))["session"]["state"] == "stale"
        assert bridges(box) != [bridge], "the frozen one was ended"
        await write(there, "api", "Read", "Fix")
        await here(user, session, "Read", "Fix")
        assert (await user.ask("session.get", sessionId=session))["session"]["state"] == "running"


# H10, H11
@pytest.mark.parametrize(
    ("command", "problem"),
    [
        (["/nonexistent/ssh", "box"], "cannot be started"),
        (["sh", "-c", "echo 'Permission denied (publickey).' >&2; exit 255"], "Permission denied (publickey)"),
        (["sh", "-c", "echo hello"], "`sh -c echo hello` does not lead to a gateway"),
        (["sh", "-c", f"exec {BINARY} dial-stdio --data-dir /dev/null/x"], "/dev/null"),
    ],
)
async def test_a_command_that_leads_nowhere_says_why(gateway, command, problem):
    async with opened(gateway) as user:
        await user.ask("hosts.add", name="box", command=command)
        down = await silent(user, "box")
        assert problem in down["problem"], down
    said = run(gateway, "host", "test", "box")
    assert said.code == 1 and problem in said.said, said


# H10, S33
async def test_the_words_of_the_command_come_first_and_ours_in_the_language_of_the_reader(gateway):
    command = ["sh", "-c", "echo 'Permission denied (publickey).' >&2; exit 255"]
    shown = "sh -c echo 'Permission denied (publickey).' >&2; exit 255"
    async with opened(gateway) as user:
        await user.ask("hosts.add", name="box", command=command)
        down = await silent(user, "box")
    ours = f"`{shown}` does not lead to a gateway; run it by hand to see why"
    assert down["problem"] == f"Permission denied (publickey). — {ours}"
    german = run(gateway, "host", "test", "box", variables={"LANG": "de_DE.UTF-8"})
    assert f": Permission denied (publickey). — `{shown}` führt zu keinem Gateway;" in german.out, german


# H10
async def test_a_host_that_a_shell_adds_runs_nothing_before_it_is_confirmed(gateway, tmp_path):
    made = tmp_path / "made"
    command = ["sh", "-c", f"touch {made}"]
    added = run(gateway, "host", "add", "box", *command)
    assert added.code == 0 and "waits to be confirmed" in added.out and "confirm it in Settings" in added.err, added
    tested = run(gateway, "host", "test", "box")
    assert tested.code == 1 and "waits to be confirmed" in tested.said
    async with opened(gateway) as user:
        [waiting] = (await user.ask("hosts.list"))["hosts"]
        assert (waiting["state"], waiting["command"]) == ("unconfirmed", command) and not made.exists()
        await user.ask("hosts.confirm", name="box", command=command, accept=True)
        until(made.exists, SECONDS, "its command runs")
        log = (await user.ask("audit.list"))["entries"]
        told = [entry for entry in log if entry["deed"] == "host"]
        deeds = [(entry["way"], entry["subject"].split(":")[0]) for entry in told]
    assert [deed[1] for deed in deeds] == ["confirmed box", "added box"] and deeds[1][0] == "cli", deeds


# H12
async def test_a_command_that_leads_to_its_own_gateway_is_no_host(gateway):
    async with opened(gateway) as user:
        await user.ask("hosts.add", name="me", command=dial(gateway))
        assert "this folder itself" in (await silent(user, "me"))["problem"]


# H12
def test_dial_stdio_leads_to_the_gateway_beside_it_and_ends_with_its_pipe(hosts):
    box = hosts("box")
    command = [BINARY, "--data-dir", str(box.data_dir), "dial-stdio"]
    bridge = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(box.home)
    )
    # Closed only once it is answered: a server may take the end of its input for that of the connection.
    bridge.stdin.write(b"GET /health HTTP/1.0\r\nHost: localhost\r\n\r\n")
    bridge.stdin.flush()
    answer = bridge.stdout.read()
    assert json.loads(answer.split(b"\r\n\r\n", 1)[1])["status"] == "ok", answer
    assert bridge.wait(SECONDS) == 0, "it ends when the gateway does"
    bridge = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(box.home))
    bridge.stdin.close()
    assert bridge.wait(SECONDS) == 0, "and when its input does"
