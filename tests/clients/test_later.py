"""Steps and messages that are kept until an agent is idle, and agents that are started with a prompt in a terminal."""

import json
from pathlib import Path
from uuid import uuid4

import pytest

from gateway import eventually
from hooked_run import running
from hooks import CLAUDE, FOLDER, by_command
from socket_client import Refused, opened
from terminal import run as ran

pytestmark = pytest.mark.anyio

QUEUE = [("Bump the version", True), ("Ask before you push", False), ("Write the changelog", True)]

HOSTILE = [
    "Fix it, then say 'done'",
    'a "quoted" $(touch made) `touch made` ; touch made | $HOME \\ *',
    "two\nlines\n\n--and a third",
    "--dangerously-skip-permissions",
    "-p",
    "exec",
    "@made",
    "naïve – 日本語 %s {folder}",
]


# S25
async def test_what_is_kept_is_delivered_when_the_turn_ends_or_with_the_next_prompt(gateway):
    async with running(gateway, CLAUDE, way="command") as run:
        for text, step in QUEUE:
            await run.user.ask("later.add", sessionId=run.session, text=text, step=step)
        items = (await run.user.ask("later.list", sessionId=run.session))["items"]
        await run.user.ask("later.edit", laterId=items[2]["laterId"], to=1)
        assert await run.works() is None, "it works"
        gateway.kill()
        gateway.start()
    rests = CLAUDE.payload(run.own, "Stop", stop_hook_active=False, last_assistant_message="Done.")
    told = json.loads(await by_command(gateway, CLAUDE, rests))["hookSpecificOutput"]["additionalContext"]
    places = [told.index(text) for text in ("Ask before you push", "Write the changelog", "Bump the version")]
    assert places == sorted(places), "messages first, then the steps in the user's order"
    assert await by_command(gateway, CLAUDE, rests) == "", "once"
    async with opened(gateway) as user:
        await user.ask("later.add", folder=FOLDER, text="For whoever comes next")
        got = await user.ask("session.get", sessionId=run.session)
        assert [step["content"] for step in got["todos"]][-2:] == ["Write the changelog", "Bump the version"]
        assert {edit["state"] for edit in got["edits"]} == {"delivered"}
    prompt = CLAUDE.prompt(str(uuid4()))
    assert "For whoever comes next" in await by_command(gateway, CLAUDE, prompt)
    assert await by_command(gateway, CLAUDE, CLAUDE.prompt(str(uuid4()))) == "", "one session of the folder, once"
    # The same in a terminal.
    assert "Kept until the agent is idle: [message] Later" in ran(
        gateway, "note", "--later", "--session", run.session, "Later"
    ).out
    assert "1. [message] Later" in ran(gateway, "later", "list", "--session", run.session).out
    assert ran(gateway, "later", "delete", "1", "--session", run.session).code == 0
    assert "Nothing is kept" in ran(gateway, "later", "list", "--session", run.session).out


@pytest.fixture
def called(monkeypatch, tmp_path) -> Path:
    """The program `codex`, which writes down its arguments and its folder; and a terminal that does what the worst one
    does: it hands its command line to a shell as text."""
    programs, told = tmp_path / "programs", tmp_path / "called"
    programs.mkdir()
    codex = programs / "codex"
    codex.write_text(
        f"#!/usr/bin/env python3\nimport json, os, sys\n"
        f"open({str(told)!r} + '.new', 'w').write(json.dumps([os.getcwd(), *sys.argv[1:]]))\n"
        f"os.rename({str(told)!r} + '.new', {str(told)!r})\n"
    )
    terminal = programs / "a-terminal"
    terminal.write_text('#!/bin/sh\n[ "$1" = -e ] || exit 3\nshift\nexec sh -c "$*"\n')
    for program in (codex, terminal):
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(programs), prepend=":")
    return told


async def words(told: Path) -> list[str]:
    async def there() -> bool:
        return told.exists()

    await eventually(there, 20, "the agent is started")
    found = json.loads(told.read_text())
    told.unlink()
    return found


# S25
async def test_an_agent_is_started_with_any_task_as_one_argument(called, gateway, tmp_path):
    folder = tmp_path / "it's a $(folder)"
    folder.mkdir()
    async with opened(gateway) as user:
        await user.ask("settings.update", terminal=str(called.parent / "programs" / "a-terminal"))
        for task in HOSTILE:
            started = await user.ask("agents.start", agent="codex", folder=str(folder), task=task)
            assert started["by"] == "terminal"
            where, argument = await words(called)
            assert (where, argument.strip()) == (str(folder), task)
            assert not argument.startswith(("-", "@")) and argument != "exec", "no option, file or command of Codex's"
        assert not list(tmp_path.rglob("made"))
        assert list((gateway.data_dir / "starts").iterdir()) == [], "each file is good once"
        for wrong in ({"agent": "kimi"}, {"agent": "nobody"}, {"folder": "/nowhere/at/all"}, {"task": " "}):
            with pytest.raises(Refused):
                await user.ask("agents.start", **{"agent": "codex", "folder": str(folder), "task": "x"} | wrong)


# S25
async def test_an_agent_goes_on_with_its_open_steps_and_what_was_kept(called, gateway, tmp_path):
    own = str(uuid4())
    async with opened(gateway) as agent, opened(gateway) as user:
        await user.ask("settings.update", terminal=str(called.parent / "programs" / "a-terminal"))
        about = {"agent": {"name": "codex"}, "folder": str(tmp_path), "ownSession": own, "connection": str(uuid4())}
        await agent.ask("hello", agent=about)
        todos = [{"content": "Read", "status": "completed"}, {"content": "Fix"}]
        session = (await agent.ask("todo.write", todos=todos))["sessionId"]
        await user.ask("later.add", sessionId=session, text="Ship; touch made")
        with pytest.raises(Refused):
            await user.ask("session.continue", sessionId=session)
        await agent.ask("session.report", happened="rests")
        assert (await user.ask("session.continue", sessionId=session))["by"] == "terminal"
        where, resume, run, prompt = await words(called)
        assert (where, resume, run) == (str(tmp_path), "resume", own)
        assert "- Fix" in prompt and "Ship; touch made" in prompt and "Read" not in prompt
        [edit] = (await user.ask("session.get", sessionId=session))["edits"]
        assert (edit["state"], edit["toolCall"]) == ("delivered", "prompt")
        assert not list(tmp_path.rglob("made"))
