"""A data folder whose path has whatever a path can have: every way in works, also what is pasted or configured."""

import asyncio
import json
import subprocess
import tomllib

import pytest
from mcp import Client, StdioServerParameters
from mcp_types import Implementation

from agent import CALL_SECONDS, connected, contents, text_of, write
from gateway import END_SECONDS, Gateway, environment
from hooks import CODEX
from socket_client import opened
from terminal import COMMAND_SECONDS, run, succeed
from torture.processes import kill_all
from torture.record import Record, check_file, copied

pytestmark = pytest.mark.anyio

ODD = 'Ada\'s dåta ☃ 100% "new" $HOME'
NAMES = {
    "quotes, spaces and more": ODD,
    "a letter in two parts": "re\u0301sume\u0301 \u202eback",
    "what options and globs begin with": "-*[a]?;&|<>#!~`x`",
    "a line's end": "two\nlines",
    "long": "x" * 200,
}


@pytest.fixture(params=NAMES.values(), ids=NAMES.keys())
def odd(request, data_folder) -> Gateway:
    """A gateway whose folder and home are called so."""
    base = data_folder.folder / request.param
    data_folder.data_dir, data_folder.home = base / "data", base / "home"
    return data_folder


# D2
async def test_every_way_in_works(odd):
    odd.start()
    record = Record()
    async with opened(odd) as socket, connected(odd, "stdio", label="shim") as client:
        assert (await socket.ask("gateway.status"))["dataDir"] == str(odd.data_dir)
        record.acknowledge(await write(client, [{"content": "Read"}]))
        added = run(odd, "todo", "add", "--json", "--session", "shim", "last", "Typed").json
        record.acknowledge(added)
        status = await socket.ask("gateway.status")
        pasted = subprocess.run(
            ["sh", "-c", status["firstListCommand"]],
            capture_output=True,
            text=True,
            timeout=COMMAND_SECONDS,
            env=environment(odd.home),
        )
        assert pasted.returncode == 0, pasted.stderr
        assert len((await socket.ask("session.get", sessionId="hello"))["todos"]) == 3
        await record.check(socket)
    file = odd.home / f"{odd.home.parent.name}.json"
    succeed(odd, "export", "-o", str(file))
    assert succeed(odd, "import", "--file", str(file)) == "Imported 0 sessions; 2 were here already\n"
    # The shim and a command without a gateway: the one starts it, the other does its work by itself.
    odd.kill()
    record.acknowledge(run(odd, "todo", "add", "--json", "--session", "shim", "last", "Alone").json)
    async with connected(odd, "stdio", label="another") as client:
        record.acknowledge(await write(client, [{"content": "Start it"}]))
    kill_all(odd)
    check_file(odd)
    odd.start()
    async with opened(odd) as socket:
        await record.check(socket, again=True)


# D2, G1: what `connect` has written is what the agent starts, without another word.
async def test_what_is_configured_works(odd):
    odd.start()
    connecting = await asyncio.to_thread(run, odd, "connect", "codex", "--yes")
    assert connecting.code == 0, connecting
    config = tomllib.loads((odd.home / ".codex" / "config.toml").read_text())["mcp_servers"]["sightline"]
    hooks = json.loads((odd.home / ".codex" / "hooks.json").read_text())["hooks"]
    [command] = [hook["command"] for group in hooks[CODEX.tool_event] for hook in group["hooks"]]
    server = StdioServerParameters(
        command=config["command"], args=config["args"], env=environment(odd.home), cwd=odd.home
    )

    async def heard(payload: dict) -> str:
        done = await asyncio.to_thread(
            subprocess.run,
            ["sh", "-c", command],
            input=json.dumps(payload),
            capture_output=True,
            text=True,
            timeout=END_SECONDS,
            env=environment(odd.home),
        )
        assert (done.returncode, done.stderr) == (0, ""), done
        return done.stdout

    info = Implementation(name=CODEX.client, version="1")
    async with (
        opened(odd) as socket,
        Client(server, mode="auto", client_info=info, read_timeout_seconds=CALL_SECONDS) as client,
    ):
        todos = [{"content": "Read"}]
        result = await client.call_tool("todo_write", {"todos": todos})
        assert not result.is_error, text_of(result)
        session = result.structured_content["sessionId"]
        assert await heard(CODEX.wrote("own", todos, result)) == ""
        await socket.ask("todo.add", sessionId=session, content="By hand", position="last")
        assert "By hand" in json.loads(await heard(CODEX.tool("own")))["hookSpecificOutput"]["additionalContext"]
    gone = run(odd, "disconnect", "codex", "--yes")
    assert gone.code == 0, gone


# D3: what is said of a damaged file names it, whatever it is called.
async def test_what_is_damaged_is_set_aside_beside_it(odd):
    odd.start()
    async with opened(odd) as socket:
        await socket.ask("todo.write", session="one", todos=[{"content": "Read"}])
    odd.stop()
    (odd.data_dir / "sightline.db").write_text("no database" * 1_000)
    odd.start()
    async with opened(odd) as socket:
        assert str(odd.data_dir / "sightline.db.damaged-1") in (await socket.ask("gateway.status"))["notice"]
        written = await socket.ask("todo.write", session="one", todos=[{"content": "Go on"}])
        assert contents(written["todos"]) == ["Go on"]
    odd.stop()
    assert copied(odd).exists()
    check_file(odd)
