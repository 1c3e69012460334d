"""Agents that open an MCP session for each call: the process at the other end of the connection is the run."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from agent import contents
from gateway import Gateway, environment
from socket_client import opened

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the process is not known"),
]

VIBE = "MistralAI-VibeCLI/3.0.2"
STEPS = ["Read the format page", "Fix the parser", "Add the tests"]


class Program:
    """A running client_program.py."""

    def __init__(self, process: asyncio.subprocess.Process):
        self.process = process

    async def write(self, *steps: str) -> dict:
        """Sends a list of these steps; the structured part of the answer."""
        todos = [{"content": step} for step in steps]
        self.process.stdin.write(json.dumps(todos).encode() + b"\n")
        line = await asyncio.wait_for(self.process.stdout.readline(), 60)
        return json.loads(line)


@asynccontextmanager
async def running(
    gateway: Gateway, folder: Path, name: str = "vibe-app-server", user_agent: str = VIBE
) -> AsyncIterator[Program]:
    """The program under a name, in a folder in which its launcher works, too."""
    folder.mkdir(exist_ok=True)
    words = [sys.executable, str(Path(__file__).with_name("client_program.py"))]
    arguments = [f"{gateway.address}/mcp", gateway.agent_token, user_agent]
    process = await asyncio.create_subprocess_exec(
        "bash",
        "-c",
        'name=$1; shift; (exec -a "$name" "$@"); true',
        "bash",
        name,
        *words,
        *arguments,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={**environment(gateway.home), "PYTHONPATH": ":".join(sys.path)},
        cwd=folder,
    )
    try:
        yield Program(process)
    finally:
        process.stdin.close()
        await process.wait()


# D2, D5
async def test_one_process_is_one_session_and_hears_of_edits(gateway, tmp_path):
    async with running(gateway, tmp_path / "billing") as program, opened(gateway) as user:
        first = await program.write(*STEPS)
        about = (await user.ask("session.get", sessionId=first["sessionId"]))["session"]
        assert about["agent"] == {"name": "vibe", "version": "3.0.2"}
        assert (about["folder"], about["project"]) == (str(tmp_path / "billing"), "billing")
        await user.ask("todo.add", sessionId=first["sessionId"], content="Ask the customer")
        second = await program.write(*STEPS)
        assert second["sessionId"] == first["sessionId"]
        assert contents(second["todos"]) == [*STEPS, "Ask the customer"]
        assert "Ask the customer" in second["news"]
        third = await program.write(*STEPS, "Ask the customer")
        assert third["sessionId"] == first["sessionId"]
        assert "news" not in third
        assert len((await user.ask("session.list"))["sessions"]) == 1


# D2: side by side and in one folder, so that nothing but the process tells them apart.
async def test_two_processes_are_two_sessions(gateway, tmp_path):
    async with running(gateway, tmp_path / "billing") as one, running(gateway, tmp_path / "billing") as two:
        answers = [await program.write(step) for step in STEPS for program in (one, two)]
        sessions = [answer["sessionId"] for answer in answers]
        assert sessions == sessions[:2] * 3
        assert sessions[0] != sessions[1]


# D3
async def test_a_process_goes_on_with_its_session_after_a_restart(gateway, tmp_path):
    async with running(gateway, tmp_path / "billing") as program:
        first = await program.write(*STEPS)
        port = gateway.port
        await asyncio.to_thread(gateway.stop)
        await asyncio.to_thread(gateway.start, port)
        assert (await program.write(*STEPS, "Ship"))["sessionId"] == first["sessionId"]


# D2: one process of these may have several runs, and nobody knows which of them calls.
@pytest.mark.parametrize(
    ("name", "user_agent"), [("vibe-acp", VIBE), ("ssh", VIBE), ("vibe-app-server", "python-httpx2/2.16")]
)
async def test_nothing_is_guessed_of_another_process(gateway, tmp_path, name, user_agent):
    async with running(gateway, tmp_path / "billing", name, user_agent) as program, opened(gateway) as user:
        first, second = await program.write(*STEPS), await program.write(*STEPS)
        assert first["sessionId"] != second["sessionId"]
        about = (await user.ask("session.get", sessionId=first["sessionId"]))["session"]
        assert about.get("folder") is None


# S8
@pytest.mark.parametrize(("user_agent", "name"), [("release-agent/1.0", "release-agent"), ("python-httpx2/2.16", "mcp")])
async def test_a_program_with_the_librarys_name_is_called_as_its_requests_say(gateway, tmp_path, user_agent, name):
    async with running(gateway, tmp_path / "billing", "ssh", user_agent) as program, opened(gateway) as user:
        written = await program.write(*STEPS)
        session = (await user.ask("session.get", sessionId=written["sessionId"]))["session"]
        assert session["agent"]["name"] == name
