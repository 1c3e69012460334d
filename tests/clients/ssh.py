"""A machine behind a real `sshd` on loopback, and the client's configuration that leads to it as `box`."""

import getpass
import os
import pwd
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gateway import BINARY, END_SECONDS, START_SECONDS, Gateway, environment, until

SSHD = shutil.which("sshd") or shutil.which("sshd", path="/usr/sbin:/usr/local/sbin")


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def key(path: Path) -> Path:
    subprocess.run(
        ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True, stdin=subprocess.DEVNULL
    )
    return path


class SshBox:
    """A user's own `sshd`, whose sessions have the home of a host. `~/.ssh` of nobody is read or written."""

    def __init__(self, folder: Path, gateway: Gateway, programs: list[str]):
        self.folder, self.gateway = folder, gateway
        environment(gateway.home)
        self.port = free_port()
        host_key, self.key = key(folder / "host_key"), key(folder / "key")
        authorized = folder / "authorized_keys"
        shutil.copy(f"{self.key}.pub", authorized)
        path = ":".join([*programs, "/usr/bin", "/bin"])
        self.server = folder / "sshd_config"
        self.server.write_text(f"""Port {self.port}
ListenAddress 127.0.0.1
HostKey {host_key}
PidFile none
AuthorizedKeysFile {authorized}
StrictModes no
UsePAM no
PermitRootLogin yes
PasswordAuthentication yes
SetEnv HOME={gateway.home} PATH={path} SHELL=/bin/sh
""")
        known = folder / "known_hosts"
        known.write_text(f"[127.0.0.1]:{self.port} {Path(f'{host_key}.pub').read_text()}")
        self.config = self.client("ssh_config", self.key, known)
        self.daemon: subprocess.Popen | None = None

    def client(self, name: str, key: Path, known: Path) -> Path:
        """A configuration of the client's."""
        config = self.folder / name
        config.write_text(f"""Host box
    HostName 127.0.0.1
    Port {self.port}
    User {getpass.getuser()}
    IdentityFile {key}
    IdentitiesOnly yes
    IdentityAgent none
    UserKnownHostsFile {known}
    GlobalKnownHostsFile /dev/null
    StrictHostKeyChecking ask
    ControlPath none
""")
        return config

    def start(self) -> None:
        if os.geteuid() == 0:
            # It insists on this folder as root, where no service has made it.
            Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
        # Its name is absolute: it starts itself again for each connection.
        with (self.folder / "sshd.log").open("ab") as log:
            self.daemon = subprocess.Popen(
                [SSHD, "-D", "-e", "-f", str(self.server)], stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

        def listens() -> bool:
            assert self.daemon.poll() is None, (self.folder / "sshd.log").read_text()
            with socket.socket() as one:
                return one.connect_ex(("127.0.0.1", self.port)) == 0

        until(listens, START_SECONDS, "sshd listens")

    def stop(self) -> None:
        """Ends it, and the sessions that it has."""
        daemon, self.daemon = self.daemon, None
        if daemon is not None:
            subprocess.run(["pkill", "-KILL", "-P", str(daemon.pid)], check=False)
            daemon.kill()
            daemon.wait(END_SECONDS)

    def ssh(self, *command: str) -> list[str]:
        """The words that run a command there."""
        return ["ssh", "-F", str(self.config), "box", *command]


@contextmanager
def ssh_box(
    folder: Path, gateway: Gateway, programs: tuple[str, ...] = (str(Path(BINARY).parent),)
) -> Iterator[SshBox]:
    """A running `sshd`; whoever has none leaves the test out."""
    if SSHD is None or shutil.which("ssh") is None:
        pytest.skip("no sshd here: apt-get install openssh-server")
    folder.mkdir()
    box = SshBox(folder, gateway, list(programs))
    box.start()
    try:
        tried = subprocess.run(box.ssh("true"), capture_output=True, text=True, timeout=START_SECONDS, check=False)
        shell = pwd.getpwuid(os.geteuid()).pw_shell
        if tried.returncode and ("locked" in (folder / "sshd.log").read_text() or shell.endswith(("nologin", "false"))):
            pytest.skip(f"this user may not log in by ssh: {tried.stderr}")
        assert tried.returncode == 0, tried.stderr + (folder / "sshd.log").read_text()
        yield box
    finally:
        box.stop()
