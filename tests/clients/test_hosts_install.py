"""`sightline host install`: this program copied through the words of a host's command, over `sh -c` and over ssh."""

import asyncio
from pathlib import Path

import pytest

from gateway import BINARY, environment
from hosts import here, silent, write
from socket_client import opened
from ssh import ssh_box
from terminal import Terminal, run

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300)]


def at_home(box) -> None:
    """Its data folder is where it is without being named."""
    environment(box.home)
    box.data_dir = box.home / ".local" / "share" / "dev.sightline.desktop"


@pytest.fixture
def machine(hosts, tmp_path):
    """A machine without the program, and the words that run something there."""
    box = hosts("box")
    at_home(box)
    words = ["sh", "-c", f'HOME={box.home} PATH=/usr/bin:/bin exec "$@"', "sh"]
    return box, words


def target(box) -> Path:
    return box.home / ".local" / "bin" / "sightline"


# A debug build is large, and slow at its own digest.
COPY_SECONDS = 120
BRIDGE = ("sightline", "dial-stdio")


# H13
async def test_it_is_copied_checked_and_started_by_its_path(gateway, machine):
    box, words = machine
    async with opened(gateway) as user:
        await user.ask("hosts.add", name="box", command=[*words, *BRIDGE])
        assert "not found" in (await silent(user, "box"))["problem"]
        # Nobody is at a terminal to be asked.
        asked = run(gateway, "host", "install", "box")
        assert asked.code == 0 and "--yes" in asked.err and not target(box).exists(), asked
        done = run(gateway, "host", "install", "--yes", "box", seconds=COPY_SECONDS)
        assert done.code == 0 and str(target(box)) in done.out, done
        assert target(box).read_bytes() == Path(BINARY).read_bytes()
        assert target(box).stat().st_mode & 0o777 == 0o755 and not target(box).with_name("sightline.new").exists()
        # Its way is another command now, which somebody who administers has to see.
        [host] = (await user.ask("hosts.list"))["hosts"]
        assert (host["state"], host["command"]) == ("unconfirmed", [*words, str(target(box)), "dial-stdio"])
        assert "confirm it in Settings" in done.err
        await user.ask("hosts.confirm", name="box", command=host["command"], accept=True)
        again = run(gateway, "host", "install", "box")
        assert again.code == 0 and "already" in again.out, again
        assert run(gateway, "host", "test", "box").code == 0


# H13
async def test_somebody_is_asked_at_a_terminal(gateway, machine):
    box, words = machine
    added = run(gateway, "host", "add", "box", *words, *BRIDGE)
    assert added.code == 0, added
    with Terminal(gateway, "host", "install", "box") as screen:
        await screen.until("[y/N]")
        assert str(target(box)) in screen.seen.replace("\r\n", "")
        await screen.type("n")
        assert await screen.end() == 0 and not target(box).exists()
    with Terminal(gateway, "host", "install", "box") as screen:
        await screen.until("[y/N]")
        await screen.type("y")
        assert await asyncio.to_thread(screen.process.wait, COPY_SECONDS) == 0, screen.seen
    assert target(box).exists()


def fake(folder: Path, name: str, script: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


# H13
@pytest.mark.parametrize(
    ("name", "script", "problem"),
    [
        ("uname", "echo Plan9 mips", "Plan9 mips"),
        ("printenv", "echo '/home/a b; rm -rf'", "by hand"),
        ("sha256sum", "echo 0000 x", "differs"),
        ("dd", "cat >/dev/null; echo 'no space left' >&2; exit 1", "no space left"),
        ("mkdir", "exit 3", "failed there"),
        ("mv", "echo 'read-only file system' >&2; exit 1", "read-only file system"),
    ],
)
def test_what_goes_wrong_there_is_said_and_leaves_nothing(gateway, machine, tmp_path, name, script, problem):
    box, _ = machine
    fake(tmp_path / "fakes", name, script)
    words = ["sh", "-c", f'HOME={box.home} PATH={tmp_path}/fakes:/usr/bin:/bin exec "$@"', "sh"]
    assert run(gateway, "host", "add", "box", *words, *BRIDGE).code == 0
    before = run(gateway, "--json", "host", "list").json
    done = run(gateway, "host", "install", "--yes", "box", seconds=COPY_SECONDS)
    assert done.code == 1 and problem in done.said, done
    assert not target(box).exists() and not target(box).with_name("sightline.new").exists()
    assert run(gateway, "--json", "host", "list").json == before, "its command is as it was"


# H13
def test_a_command_of_another_form_is_refused(gateway):
    assert run(gateway, "host", "add", "box", "sh", "-c", "exec sightline dial-stdio").code == 0
    done = run(gateway, "host", "install", "--yes", "box", seconds=COPY_SECONDS)
    assert done.code == 1 and "PROGRAM dial-stdio" in done.said, done
    assert "no host" in run(gateway, "host", "install", "--yes", "nobody").said


# H13
async def test_over_ssh_it_is_copied_and_mirrored(gateway, hosts, tmp_path):
    host = hosts("box")
    at_home(host)
    with ssh_box(tmp_path / "ssh", host, programs=()) as box:
        async with opened(gateway) as user:
            command = box.ssh("sightline", "dial-stdio")
            await user.ask("hosts.add", name="box", command=command)
            assert "not found" in (await silent(user, "box"))["problem"]
            done = run(gateway, "host", "install", "--yes", "box", seconds=COPY_SECONDS)
            assert done.code == 0, done
            [there] = (await user.ask("hosts.list"))["hosts"]
            await user.ask("hosts.confirm", name="box", command=there["command"], accept=True)
            assert run(gateway, "host", "test", "box").code == 0
            async with opened(host) as at_work:
                session = await write(at_work, "api", "Read")
                await here(user, session, "Read")
