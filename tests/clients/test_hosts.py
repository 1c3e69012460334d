"""Other machines' sessions here: each host is a gateway of its own, reached by a command's pipes, as over ssh."""

import json
import os
import random
import signal
import sqlite3
import subprocess
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from gateway import BINARY, Gateway, environment, eventually, until
from socket_client import Refused, Socket, opened
from terminal import run

pytestmark = pytest.mark.anyio

# A host answers, or is given up, within this time on a busy machine.
SECONDS = 60


def dial(host: Gateway) -> list[str]:
    """The command whose pipes lead to a host, as `ssh HOST sightline dial-stdio` would."""
    return ["sh", "-c", f"HOME={host.home} exec {BINARY} --data-dir {host.data_dir} dial-stdio"]


@pytest.fixture
def hosts(request, tmp_path: Path):
    """Gateways of other machines, by their names."""
    made: dict[str, Gateway] = {}

    def host(name: str) -> Gateway:
        folder = tmp_path / name
        folder.mkdir()
        made[name] = Gateway(folder)
        return made[name]

    yield host
    for gateway in made.values():
        gateway.leave_nothing()


async def state(user: Socket, name: str) -> dict:
    hosts = (await user.ask("hosts.list"))["hosts"]
    return next(host for host in hosts if host["name"] == name)


async def answering(user: Socket, name: str) -> dict:
    async def met():
        found = await state(user, name)
        return found if found["state"] == "up" else None

    return await eventually(met, SECONDS, f"{name} answers")


async def silent(user: Socket, name: str) -> dict:
    async def met():
        found = await state(user, name)
        return found if found["state"] == "down" else None

    return await eventually(met, SECONDS, f"{name} does not answer")


async def write(user: Socket, label: str, *steps: str) -> str:
    todos = [{"content": step} for step in steps]
    return (await user.ask("todo.write", session=label, todos=todos))["sessionId"]


async def steps(user: Socket, session: str) -> list[str] | None:
    try:
        return [step["content"] for step in (await user.ask("session.get", sessionId=session))["todos"]]
    except Refused as refused:
        assert refused.code == "SESSION_NOT_FOUND", refused
        return None


async def here(user: Socket, session: str, *wanted: str) -> None:
    async def met():
        return await steps(user, session) == list(wanted)

    await eventually(met, SECONDS, f"{session} has {wanted}")


def rows(gateway: Gateway, session: str) -> dict:
    """A session's history in the database: its revisions, and every state of its items."""
    with sqlite3.connect(f"file:{gateway.data_dir}/sightline.db?mode=ro", uri=True) as database:
        revisions = database.execute(
            "SELECT revision, at, actor_kind, actor_name, transport, cause FROM revisions WHERE session_pk = "
            "(SELECT pk FROM sessions WHERE session_id = ?) ORDER BY revision",
            (session,),
        ).fetchall()
        items = database.execute(
            "SELECT i.uid, i.parent, i.from_rev, i.to_rev, i.rank, i.status, i.status_at, i.more, t.id, t.content "
            "FROM items AS i JOIN texts AS t ON t.pk = i.text_pk WHERE i.session_pk = "
            "(SELECT pk FROM sessions WHERE session_id = ?) ORDER BY i.from_rev, i.uid",
            (session,),
        ).fetchall()
    return {"revisions": revisions, "items": items}


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
    assert rows(gateway, session) == rows(box, session)


def bridges(box: Gateway) -> list[int]:
    """The processes that bridge to a host."""
    wanted = f"{box.data_dir}\0dial-stdio".encode()
    found = []
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if line.read_bytes().startswith(BINARY.encode()) and wanted in line.read_bytes():
                found.append(int(line.parent.name))
        except OSError:
            continue
    return found


# H1, H7
async def test_breaks_at_random_lose_nothing_and_double_nothing(gateway, hosts):
    box = hosts("box").start()
    chance = random.Random(7)
    sessions: set[str] = set()
    notes = breaks = 0
    async with opened(gateway) as user:
        await user.ask("hosts.add", name="box", command=dial(box))
        await answering(user, "box")
        for enough in (1, 2):
            async with opened(box) as there:
                # A bridge has to be there to be killed, and a session to be told something: how soon depends on the machine.
                while breaks < 15 * enough or notes < 3 * enough:
                    steps_now = [f"Step {chance.randrange(9)}" for _ in range(4)]
                    session = await write(there, f"run {chance.randrange(7)}", *steps_now)
                    sessions.add(session)
                    if chance.random() < 0.2 and await steps(user, session):
                        await user.ask("note.send", sessionId=session, text=f"Note {notes}")
                        notes += 1
                    for bridge in bridges(box):
                        os.kill(bridge, signal.SIGKILL)
                        breaks += 1
                    if chance.random() < 0.3:
                        await user.ask("hosts.test", name="box")
            box.kill()
            box.start()
        async with opened(box) as there:
            await user.ask("hosts.test", name="box")

            async def met():
                same = [await steps(user, session) == await steps(there, session) for session in sessions]
                return all(same) and (await state(user, "box"))["sending"] == 0

            await eventually(met, SECONDS, "everything is here")
            made = 0
            for session in sessions:
                edits = (await there.ask("session.get", sessionId=session))["edits"]
                made += sum(edit["kind"] == "note" for edit in edits)
            assert made == notes, "each once"
    until(lambda: all(rows(gateway, one) == rows(box, one) for one in sessions), SECONDS, "row by row")


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
        (["sh", "-c", "echo hello"], "no gateway answers"),
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
