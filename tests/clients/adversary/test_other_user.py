"""Another user of the same machine. The tests make one, which only root can."""

import fcntl
import json
import os
import secrets
import shutil
import socket as sockets
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from adversary.squatter import Squatter
from gateway import Gateway, until
from hooks import CLAUDE, by_command
from terminal import run, succeed

COMMAND_SECONDS = 30


@dataclass(frozen=True)
class User:
    """Another user, who runs programs."""

    number: int

    def python(self, code: str, *arguments: str) -> str:
        """The output of a program of theirs; the last line is the error where there was one."""
        python = shutil.which("python3", path="/usr/bin:/bin:/usr/local/bin")
        ran = subprocess.run(
            [python, "-I", "-c", code, *arguments],
            user=self.number,
            group=self.number,
            extra_groups=[],
            cwd="/",
            env={},
            capture_output=True,
            text=True,
            timeout=COMMAND_SECONDS,
            check=False,
        )
        return (ran.stdout + ran.stderr).strip()


@pytest.fixture(scope="module")
def stranger() -> Iterator[User]:
    useradd = shutil.which("useradd")
    if os.geteuid() != 0 or useradd is None:
        pytest.skip("only root can make another user, with useradd")
    name = f"sightline-{secrets.token_hex(4)}"
    subprocess.run([useradd, "--system", "--user-group", "--no-create-home", name], check=True)
    try:
        number = subprocess.run(["id", "-u", name], check=True, capture_output=True, text=True).stdout
        yield User(int(number))
    finally:
        subprocess.run(["userdel", name], check=True)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that everybody can enter, as a home often is."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


@pytest.fixture
def served(open_folder: Path) -> Iterator[Gateway]:
    """A gateway on a data folder that was there before, and open to all."""
    gateway = Gateway(open_folder)
    gateway.data_dir.mkdir(mode=0o755)
    (gateway.data_dir / "lock").touch(mode=0o644)
    yield gateway.start()
    gateway.leave_nothing()


READ = "import sys; print(open(sys.argv[1]).read())"
LOCK = "import fcntl, sys; fcntl.flock(open(sys.argv[1]), fcntl.LOCK_EX | fcntl.LOCK_NB); print('locked')"
# Whatever a program of another user hears at a socket, which ought to be nothing.
ASK = """
import socket, sys
plug = socket.socket(socket.AF_UNIX)
plug.connect(sys.argv[1])
try:
    plug.sendall(b"GET /health HTTP/1.0\\r\\n\\r\\n")
    print("heard:", plug.recv(4096))
except OSError as error:
    print("heard:", b"", error)
"""


def test_nothing_in_the_data_folder_can_be_read_or_held(served, stranger):
    assert stat.S_IMODE(served.data_dir.stat().st_mode) == 0o700
    assert stat.S_IMODE((served.data_dir / "lock").stat().st_mode) == 0o600
    for name in ("runtime.json", "gateway.json", "sightline.db", "lock"):
        assert "PermissionError" in stranger.python(READ, str(served.data_dir / name)), name
    assert "PermissionError" in stranger.python(LOCK, str(served.data_dir / "lock"))


def test_the_private_socket_cannot_be_reached(served, stranger):
    path = served.data_dir / "gateway.sock"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "PermissionError" in stranger.python(ASK, str(path))


def test_the_private_socket_says_nothing_even_where_the_folder_is_opened_again(served, stranger):
    path = served.data_dir / "gateway.sock"
    served.data_dir.chmod(0o755)
    path.chmod(0o666)
    assert stranger.python(ASK, str(path)).startswith("heard: b''")
    logs = served.data_dir / "logs"
    until(lambda: any("another user" in log.read_text() for log in logs.iterdir()), COMMAND_SECONDS, "it is in the log")
    assert succeed(served, "status", "--json"), "its own user is answered"


@pytest.mark.anyio
async def test_a_socket_of_theirs_hears_nothing(open_folder, stranger):
    """The folder of a socket under /tmp went after a crash, and the other user has made it anew."""
    gateway = Gateway(open_folder)
    gateway.data_dir.mkdir(mode=0o700)
    theirs = open_folder / "sightline-taken" / "gateway.sock"
    theirs.parent.mkdir()
    os.chown(theirs.parent, stranger.number, stranger.number)
    stale = {"pid": 1, "port": 1, "startedAt": "2026-01-01T00:00:00Z", "token": "t" * 40, "agentToken": "a" * 40}
    gateway.runtime_file.write_text(json.dumps({**stale, "socket": str(theirs)}))
    listener = sockets.socket(sockets.AF_UNIX)
    # The system notes who listens, and with the rights of that moment.
    os.seteuid(stranger.number)
    try:
        listener.bind(str(theirs))
        listener.listen()
    finally:
        os.seteuid(0)
    with Squatter(listener, 1) as squatter, (gateway.data_dir / "lock").open("w") as lock:
        # A process that has the lock, and serves nothing.
        fcntl.flock(lock, fcntl.LOCK_EX)
        gateway.home.mkdir()
        assert await by_command(gateway, CLAUDE, CLAUDE.prompt("own-1", "Pay the invoices.")) == ""
        assert (squatter.connections, bytes(squatter.received)) == (1, b"")


def test_a_folder_of_theirs_is_refused(open_folder, stranger):
    gateway = Gateway(open_folder)
    gateway.data_dir.mkdir(mode=0o755)
    os.chown(gateway.data_dir, stranger.number, stranger.number)
    for words in (("status",), ("serve", "--port", "0")):
        ran = run(gateway, *words)
        assert ran.code == 1 and "belongs to another user" in ran.said, ran.said
    assert list(gateway.data_dir.glob("*.db")) == []
