"""The folder of a session that lives elsewhere: opened there over ssh, and never at the same path here."""

import asyncio
import os
from pathlib import Path
from uuid import uuid4

import pytest

from gateway import eventually
from hosts import SECONDS, here, mirrored
from socket_client import Refused, Socket, opened
from ssh import ssh_box

pytestmark = pytest.mark.anyio


async def at_work(there: Socket, folder: Path) -> str:
    """The session of an agent at work in a folder."""
    agent = {"agent": {"name": "codex"}, "folder": str(folder), "connection": str(uuid4())}
    await there.ask("hello", agent=agent)
    return (await there.ask("todo.write", todos=[{"content": "A"}]))["sessionId"]


def noting(path: Path) -> Path:
    """A program that writes down how it was called."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(
        f'#!/bin/sh\n{{ printf "%s\\n" "$@"; echo .; }} >"{path}.called.new"\nmv "{path}.called.new" "{path}.called"\n'
    )
    path.chmod(0o755)
    return path


async def called(program: Path) -> list[str]:
    told = Path(f"{program}.called")

    async def whole() -> bool:
        return told.exists()

    await eventually(whole, SECONDS, f"{program} is started")
    return told.read_text().splitlines()[:-1]


# H8
async def test_over_ssh_the_terminal_and_the_editor_open_there(gateway, hosts, tmp_path):
    host = hosts("box")
    folder = tmp_path / "it's a $(folder)"
    folder.mkdir()
    with ssh_box(tmp_path / "ssh", host) as box:
        async with opened(gateway) as user:
            # A terminal that runs what it is given, and writes down what that says.
            terminal = tmp_path / "xterm"
            terminal.write_text(f'#!/bin/sh\nshift\n(echo pwd; echo exit) | "$@" >"{tmp_path}/shown" 2>&1\n')
            terminal.chmod(0o755)
            editor = noting(tmp_path / "editors" / "code")
            await user.ask("settings.update", terminal=f"'{terminal}'", editor=f"'{editor}' --wait")
            await mirrored(user, "box", box.ssh("sightline", "--data-dir", str(host.data_dir), "dial-stdio"))
            async with opened(host) as there:
                session = await at_work(there, folder)
                await here(user, session, "A")
                told = (await user.ask("session.get", sessionId=session))["session"]
                assert (told["host"], told["opens"]) == ("box", ["terminal"]), (
                    "its way has options that no editor knows"
                )
                await user.ask("session.open", sessionId=session, **{"with": "terminal"})

                async def shown() -> bool:
                    path = tmp_path / "shown"
                    return path.exists() and str(folder) in path.read_text()

                await eventually(shown, SECONDS, "a shell there is in the folder")
                for way in ("editor", "folder"):
                    with pytest.raises(Refused) as refused:
                        await user.ask("session.open", sessionId=session, **{"with": way})
                    assert refused.value.code == "UNAVAILABLE", refused.value
                assert not Path(f"{editor}.called").exists(), "nothing is opened here"


# H8
async def test_an_editor_opens_a_machine_by_its_name(data_folder, hosts, tmp_path):
    # An ssh of the test's, so that the host's name says all of the way.
    box = hosts("box").start()
    ssh = tmp_path / "bin" / "ssh"
    ssh.parent.mkdir()
    ssh.write_text('#!/bin/sh\n# Past -o, its value and the destination.\nshift 3\nexec "$@"\n')
    ssh.chmod(0o755)
    os.environ["PATH"], before = f"{ssh.parent}:{os.environ['PATH']}", os.environ["PATH"]
    try:
        gateway = await asyncio.to_thread(data_folder.start)
    finally:
        os.environ["PATH"] = before
    folder = tmp_path / "api"
    folder.mkdir()
    async with opened(gateway) as user, opened(box) as there:
        command = ["ssh", "me@box", *box.command("dial-stdio")]
        await mirrored(user, "box", command)
        session = await at_work(there, folder)
        await here(user, session, "A")
        assert (await user.ask("session.get", sessionId=session))["session"]["opens"] == ["terminal", "editor"]
        for name, words in (
            ("code", ["--remote", "ssh-remote+me@box", str(folder)]),
            ("zed", [f"ssh://me@box{folder}"]),
        ):
            program = noting(tmp_path / "editors" / name)
            await user.ask("settings.update", editor=f"'{program}'")
            await user.ask("session.open", sessionId=session, **{"with": "editor"})
            assert await called(program) == words
