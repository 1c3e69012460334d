"""`sightline chat`: a task from a terminal."""

import asyncio
import json
import re
import shlex
import subprocess
from contextlib import ExitStack

import pytest

from chat.files import WRITE, files, writes
from chat.model import COMPLEX, DONE, SIMPLE, calls, plan, says
from gateway import END_SECONDS
from terminal import Terminal

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


async def test_the_list_is_beside_it(gateway, chat, model):
    skip = calls(("todo_manager", {"action": "skip", "ids": [2], "reason": "No disk\x1b[2J"}))
    complete = calls(("todo_manager", {"action": "complete_multiple", "ids": [1]}))
    model.start(COMPLEX, plan("One", "Two"), complete, skip, DONE)
    done = await chat_in_terminal(gateway, "Do one and two")
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stdout.splitlines() if line.startswith("  ")]
    assert lines == ["  ○ 1 One", "  ○ 2 Two", "  ◐ 1 One", "  ✓ 1 One", "  ◐ 2 Two", "  ⤼ 2 Two: No disk [2J"]


async def test_what_fails_is_said_and_is_the_exit_code(gateway, chat, model):
    model.start(COMPLEX, says("no plan"))
    done = await chat_in_terminal(gateway, "Plan it")
    assert done.returncode == 1 and "Planning failed" in done.stderr
    done = await chat_in_terminal(gateway, "--model", "nobody:x", "Plan it")
    assert done.returncode == 1 and "There is no provider" in done.stderr


async def test_without_a_model_it_says_how_to_name_one(gateway, chat):
    await chat.socket.ask("settings.update", chatModel="")
    failed = await chat_in_terminal(gateway, "What is two and two?")
    assert failed.returncode == 1 and "--model ollama:llama3.2" in failed.stderr


async def test_what_came_to_nothing_says_how_to_go_on(gateway, chat, model):
    failed = await chat_in_terminal(gateway, "What is two and two?")
    assert failed.returncode == 1
    [said] = re.findall(r"`sightline (chat .* --resume)`", failed.stderr)
    model.start(SIMPLE, says("It is four."))
    _, option, folder, *rest = shlex.split(said)
    assert (option, folder) == ("--data-dir", str(gateway.data_dir))
    done = await chat_in_terminal(gateway, *rest)
    assert done.returncode == 0 and "It is four." in done.stdout, done.stderr


@pytest.fixture
async def begin(gateway, chat, model, folder):
    """Has a model with these answers, and somebody before a terminal who gives it a task."""
    await chat.socket.ask("settings.update", **files(folder))
    key = (await chat.socket.ask("key.new", name="terminal", rights="answer"))["secret"]
    with ExitStack() as open_terminals:

        def begin(*answers: dict, key: str | None = key) -> Terminal:
            model.start(*answers)
            words = ("chat", "Write it, and look at it, and again")
            return open_terminals.enter_context(Terminal(gateway, *words, key=key))

        yield begin


async def test_a_call_cannot_be_shown_as_another_one(begin, folder):
    attack = "echo done \u2067\u2066# \u2069\u2066rm -rf ~\u2069\u2069\u200b\u202e\u2028\x9b2J"
    terminal = begin(SIMPLE, writes(folder, attack), says("That is all."))
    await terminal.until("May files__write_file be called?")
    shown = "echo done <U+2067><U+2066># <U+2069><U+2066>rm -rf ~<U+2069><U+2069><U+200B><U+202E><U+2028><U+009B>2J"
    await terminal.until(shown)
    await terminal.type("y")
    await terminal.until("That is all.")
    assert (folder / "out.txt").read_text() == attack
    assert not set(terminal.seen) & set(attack[10:]) - set(map(chr, range(128)))


async def test_a_plan_cannot_be_shown_as_another_one(begin, folder):
    steps = [{"content": "Tidy \u202eup\u200b", "tool": WRITE}]
    terminal = begin(COMPLEX, plan(*steps), says("no"))
    await terminal.until("1. Tidy <U+202E>up<U+200B> (files__write_file)")
    await terminal.type("n")
    await terminal.end()


async def asked(chat) -> dict:
    return await chat.socket.event("tool.approval.request", toolName=WRITE)


# G3
@pytest.mark.parametrize(("answer", "is_made"), [("y", True), ("s", True), ("n", False), ("perhaps", False)])
async def test_a_call_is_approved_at_the_terminal(chat, begin, folder, answer, is_made):
    terminal = begin(SIMPLE, writes(folder), writes(folder, "4"), says("That is all."))
    await terminal.until("May files__write_file be called?")
    assert not (folder / "out.txt").exists()
    await terminal.type(answer)
    if answer != "s":
        await terminal.until("May files__write_file be called?", times=2)
        await terminal.type("n")
    await terminal.until("That is all.")
    assert await terminal.end() == 0
    assert "tokens read" in terminal.seen
    written = {"y": "3", "s": "4"}.get(answer)
    assert ((folder / "out.txt").read_text() if is_made else None) == written


async def test_without_a_key_a_terminal_approves_nothing(chat, begin, folder):
    """An agent's shell has terminals, too."""
    terminal = begin(SIMPLE, writes(folder), says("That is all."), key=None)
    first = await asked(chat)
    await terminal.until("May files__write_file be called?")
    await terminal.type("y")
    await terminal.until("needs the right to answer")
    assert not (folder / "out.txt").exists()
    await chat.socket.ask("tool.approval.response", toolCallId=first["toolCallId"], approved=True)
    assert await terminal.end() == 0
    assert (folder / "out.txt").read_text() == "3"


async def test_what_is_answered_in_the_window_is_not_asked_at_the_terminal_any_more(chat, begin, folder):
    terminal = begin(SIMPLE, writes(folder), writes(folder, "4"), says("That is all."))
    first = await asked(chat)
    await terminal.until("May files__write_file be called?")
    await chat.socket.ask("tool.approval.response", toolCallId=first["toolCallId"], approved=True)
    await terminal.until("It was answered elsewhere")
    await terminal.until("May files__write_file be called?", times=2)
    await terminal.type("n")
    assert await terminal.end() == 0
    assert (folder / "out.txt").read_text() == "3"


async def test_a_plan_without_some_of_its_steps(chat, begin):
    steps = [{"content": f"Write it {how}", "tool": WRITE} for how in ("once", "twice", "again")]
    done = calls(("todo_manager", {"action": "complete_multiple", "ids": [2]}))
    terminal = begin(COMPLEX, plan(*steps), done, DONE)
    await terminal.until("3. Write it again (files__write_file)")
    await terminal.type("1, 3")
    assert await terminal.end() == 0
    [session] = (await chat.socket.ask("session.list"))["sessions"]
    todos = (await chat.socket.ask("session.get", sessionId=session["sessionId"]))["todos"]
    assert [(todo["content"], todo["status"]) for todo in todos] == [
        ("Write it once", "skipped"),
        ("Write it twice", "completed"),
        ("Write it again", "skipped"),
    ]


# T12
async def test_ctrl_c_stops_the_run_while_a_question_waits(chat, begin, folder):
    terminal = begin(SIMPLE, writes(folder), says("Not reached."))
    await terminal.until("May files__write_file be called?")
    await terminal.type("\x03", enter=False)
    assert await terminal.end() == 1
    [session] = (await chat.socket.ask("session.list"))["sessions"]
    messages = (await chat.socket.ask("chat.get", sessionId=session["sessionId"]))["messages"]
    assert messages[-1]["outcome"] == "aborted" and not (folder / "out.txt").exists()


async def test_a_gateway_that_is_killed_ends_the_command_which_says_how_to_go_on(gateway, chat, model):
    model.start(SIMPLE, {**says("A long answer, with many words in it. " * 20), "latency": 500}, SIMPLE, says("Short."))
    with subprocess.Popen(
        gateway.command("chat", "Tell me all"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as terminal:
        await chat.socket.first(lambda m: m["type"] == "chat.stream.delta")
        gateway.kill()
        _, problem = await asyncio.to_thread(terminal.communicate, timeout=4 * END_SECONDS)
    assert terminal.returncode == 1 and "the gateway has ended" in problem
    [said] = re.findall(r"`sightline (chat .*? --resume)`", problem)
    gateway.start()
    _, _, _, *rest = shlex.split(said)
    done = await chat_in_terminal(gateway, *rest)
    assert done.returncode == 0 and "Short." in done.stdout, done.stderr
