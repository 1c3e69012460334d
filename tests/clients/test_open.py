"""Opening an agent's folder in an editor or a terminal, and the command that continues its run."""

import subprocess
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import uuid4

import pytest

from gateway import Gateway, eventually
from socket_client import Refused, Socket, opened

pytestmark = pytest.mark.anyio


@pytest.fixture
def program(tmp_path) -> Path:
    """Writes down how it was called: its arguments, and the folder that it was started in."""
    path = tmp_path / "a program"
    path.write_text(f'#!/bin/sh\n{{ printf "%s\\n" "$PWD" "$@"; echo .; }} >"{tmp_path}/called"\n')
    path.chmod(0o755)
    return path


async def called(program: Path) -> list[str]:
    told = program.parent / "called"

    async def whole() -> bool:
        return told.exists() and told.read_text().endswith(".\n")

    await eventually(whole, 20, "the program is started")
    lines = told.read_text().splitlines()[:-1]
    told.unlink()
    return lines


@asynccontextmanager
async def working(gateway: Gateway, folder: str | None, own: str | None = None, name: str = "codex"):
    """A user, and the session of an agent at work in a folder."""
    agent = {"agent": {"name": name}, "folder": folder, "ownSession": own, "connection": str(uuid4())}
    async with opened(gateway) as at_work, opened(gateway) as user:
        await at_work.ask("hello", agent={key: value for key, value in agent.items() if value is not None})
        written = await at_work.ask("todo.write", todos=[{"content": "A"}])
        yield user, written["sessionId"]


async def refused(user: Socket, kind: str, **fields) -> Refused:
    with pytest.raises(Refused) as caught:
        await user.ask(kind, **fields)
    return caught.value


async def test_a_folder_opens_in_what_the_user_has_set(lasting, program, tmp_path):
    folder = tmp_path / "it's a $(folder)"
    folder.mkdir()
    async with working(lasting, str(folder)) as (user, session):
        await user.ask("settings.update", editor=f"'{program}' --new", terminal=f"'{program}' --at={{folder}}")
        await user.ask("session.open", sessionId=session, **{"with": "editor"})
        assert await called(program) == [str(folder), "--new", str(folder)], "as one word, read by nobody"
        await user.ask("session.open", sessionId=session, **{"with": "terminal"})
        assert await called(program) == [str(folder), f"--at={folder}"]
        await user.ask("settings.update", terminal=f"'{program}'")
        await user.ask("session.open", sessionId=session, **{"with": "terminal"})
        assert await called(program) == [str(folder)], "a terminal is started in the folder"


@pytest.mark.parametrize(
    ("editor", "word"),
    [
        ("/nowhere/to/be/found", "/nowhere/to/be/found"),
        ("sh -c 'cd {folder} && exec bash'", "a word of its own"),
        ("false", "ended with"),
    ],
)
async def test_what_cannot_be_started_is_said(lasting, tmp_path, editor, word):
    async with working(lasting, str(tmp_path)) as (user, session):
        await user.ask("settings.update", editor=editor)
        error = await refused(user, "session.open", sessionId=session, **{"with": "editor"})
        assert error.code == "CONFIGURATION" and word in error.message and "settings" in error.message


@pytest.mark.parametrize("setting", ["editor", "terminal"])
async def test_a_command_with_an_open_quote_is_refused_when_it_is_set(lasting, tmp_path, setting):
    async with working(lasting, str(tmp_path)) as (user, _session):
        error = await refused(user, "settings.update", **{setting: "code 'unclosed"})
        assert error.code == "INVALID_SETTING" and setting in error.message and "quotes" in error.message


@pytest.mark.parametrize("folder", [None, "/not/there", "relative", "../..", "/etc/passwd"])
async def test_a_folder_that_is_none_is_not_opened(lasting, program, folder):
    async with working(lasting, folder) as (user, session):
        await user.ask("settings.update", editor=f"'{program}'")
        error = await refused(user, "session.open", sessionId=session, **{"with": "editor"})
        assert error.code == "UNAVAILABLE"
        assert not (program.parent / "called").exists()


async def test_a_changed_file_opens_in_the_editor_and_as_a_diff(lasting, program, tmp_path):
    folder = tmp_path / "it's a $(project)"
    folder.mkdir()
    file = folder / "-a b.rs"
    file.write_text("before\n")
    git = ["git", "-C", str(folder), "-c", "user.name=me", "-c", "user.email=me@here"]
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"]):
        subprocess.run([*git, *arguments], check=True)
    file.write_text("after\n")
    # The repository would run programs of its own.
    trap = tmp_path / "trap"
    trap.write_text(f'#!/bin/sh\ntouch "{tmp_path}/caught"\n')
    trap.chmod(0o755)
    (folder / ".gitattributes").write_text("* diff=trap\n")
    for name in ("diff.external", "diff.trap.command", "diff.trap.textconv", "core.fsmonitor", "core.pager"):
        subprocess.run([*git, "config", name, f"'{trap}'"], check=True)
    async with working(lasting, str(folder)) as (user, session):
        await user.ask("settings.update", editor=f"'{program}' --new", terminal=f"'{program}'")
        ask = {"sessionId": session, "file": str(file)}
        await user.ask("session.open", **ask, **{"with": "editor"})
        assert await called(program) == [str(folder), "--new", str(file)]
        await user.ask("session.open", **ask, **{"with": "diff"})
        [at, *words] = await called(program)
        shown = subprocess.run(words[words.index("-e") + 1 :], cwd=at, capture_output=True, text=True, check=True)
        assert (at, "-before\n+after\n" in shown.stdout) == (str(folder), True), shown
        assert not (tmp_path / "caught").exists()


@pytest.mark.parametrize("how", ["editor", "diff"])
async def test_a_file_that_is_not_the_sessions_is_not_opened(lasting, program, tmp_path, how):
    folder = tmp_path / "project"
    folder.mkdir()
    (tmp_path / "secret").write_text("")
    (folder / "link").symlink_to(tmp_path / "secret")
    async with working(lasting, str(folder)) as (user, session):
        await user.ask("settings.update", editor=f"'{program}'", terminal=f"'{program}'")
        for file in ("/etc/passwd", f"{folder}/link", f"{folder}/../secret", f"{folder}", "link", "--help", "", "a\nb"):
            error = await refused(user, "session.open", sessionId=session, file=file, **{"with": how})
            assert (error.code, "not opened" in error.message) == ("UNAVAILABLE", True), file
        error = await refused(user, "session.open", sessionId=session, file=f"{folder}/a", **{"with": "folder"})
        assert error.code == "INVALID_MESSAGE"
    assert not (program.parent / "called").exists()


async def test_only_the_user_opens_anything(lasting, program, tmp_path):
    async with working(lasting, str(tmp_path)) as (user, session):
        await user.ask("settings.update", editor=f"'{program}'")
        with pytest.raises(Exception, match="401|403|Unauthorized|rejected"):
            async with opened(lasting, token=lasting.agent_token):
                pass
        error = await refused(user, "session.open", sessionId="nobody", **{"with": "editor"})
        assert error.code == "SESSION_NOT_FOUND"
        error = await refused(user, "session.open", sessionId=session, **{"with": "sudo"})
        assert error.code == "INVALID_MESSAGE"


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("claude", "claude --resume"),
        ("codex", "codex resume"),
        ("gemini", "gemini --resume"),
        ("opencode", "opencode --session"),
        ("qwen", "qwen --resume"),
    ],
)
async def test_a_run_is_gone_on_with_by_its_agents_own_command(lasting, tmp_path, name, command):
    own = str(uuid4())
    folder = tmp_path / "my project"
    folder.mkdir()
    async with working(lasting, str(folder), own, name) as (user, session):
        answer = await user.ask("session.resume", sessionId=session)
        assert answer["command"] == f"cd '{folder}' && {command} {own}"


@pytest.mark.parametrize("own", ["--dangerously-skip-permissions", "-c"])
async def test_an_agents_id_is_no_option(lasting, own):
    async with working(lasting, "/tmp", f"{own}") as (user, session):
        error = await refused(user, "session.resume", sessionId=session)
        assert error.code == "UNAVAILABLE" and "cannot be put into a command" in error.message


async def test_what_is_not_known_of_a_run_is_said(lasting):
    async with working(lasting, "/tmp") as (user, session):
        error = await refused(user, "session.resume", sessionId=session)
        assert "sightline connect codex" in error.message
    async with working(lasting, "/tmp", str(uuid4()), "somebody") as (user, session):
        error = await refused(user, "session.resume", sessionId=session)
        assert error.code == "UNAVAILABLE" and "somebody" in error.message


async def test_a_list_is_exported_with_its_title(lasting):
    async with working(lasting, "/tmp/billing") as (user, session):
        text = (await user.ask("session.export", sessionId=session))["text"]
        assert text.splitlines()[-1] == "- [ ] A" and text.startswith("# ")
