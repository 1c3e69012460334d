"""`sightline chat`: a task from a terminal."""

import asyncio
import json
import subprocess

import pytest

from chat.model import COMPLEX, DONE, SIMPLE, calls, plan, says
from gateway import END_SECONDS

pytestmark = pytest.mark.anyio


async def chat_in_terminal(gateway, *words: str) -> subprocess.CompletedProcess:
    command = gateway.command("chat", *words)
    return await asyncio.to_thread(
        subprocess.run, command, capture_output=True, text=True, timeout=4 * END_SECONDS, stdin=subprocess.DEVNULL
    )


async def test_an_answer_streams_and_ends_the_command(gateway, chat, model):
    model.start(SIMPLE, says("Two lines:\nand \x1b[31mthis one."))
    done = await chat_in_terminal(gateway, "Say", "two", "lines")
    assert done.returncode == 0, done.stderr
    assert "Two lines:\nand  [31mthis one." in done.stdout and "\x1b[31mthis" not in done.stdout


async def test_its_tool_calls_are_shown_and_its_session_goes_on(gateway, chat, model):
    complete = calls(("todo_manager", {"action": "complete_multiple", "ids": [1]}))
    model.start(COMPLEX, plan("One"), complete, DONE, SIMPLE, says("Nothing more."))
    done = await chat_in_terminal(gateway, "Do one, and then look at it")
    assert done.returncode == 0 and "todo_manager" in done.stdout, done.stderr
    [session] = (await chat.socket.ask("session.list"))["sessions"]
    assert session["title"] == "Do one, and then look at it" and session["agent"]["name"] == "sightline"
    done = await chat_in_terminal(gateway, "--session", session["sessionId"], "--json", "And now?")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert events[-1]["type"] == "chat.stream.end" and events[-1]["outcome"] == "completed"


async def test_what_fails_is_said_and_is_the_exit_code(gateway, chat, model):
    model.start(COMPLEX, says("no plan"))
    done = await chat_in_terminal(gateway, "Plan it")
    assert done.returncode == 1 and "Planning failed" in done.stderr
    done = await chat_in_terminal(gateway, "--model", "nobody:x", "Plan it")
    assert done.returncode == 1 and "There is no provider" in done.stderr
