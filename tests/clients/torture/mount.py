"""A gateway whose data folder is a mount of its own: small, or read-only. Nobody else sees the mount.

A process of a mount namespace of its own keeps it; `serve` and the commands join that namespace, and the test reaches
the files through `/proc`. It ends with the test, however that ends, and the mount with it.
"""

import errno
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gateway import END_SECONDS, Gateway

# As root, and as everybody else where the system lets a user be root of a namespace.
WAYS = (
    (("unshare", "--mount"), ("--mount",)),
    (("unshare", "--mount", "--user", "--map-root-user"), ("--mount", "--user", "--preserve-credentials")),
)
# Says that it is there and stays until its input ends.
STAY = "echo there && exec cat"


class Mounted(Gateway):
    """A gateway that runs where `mount` was called; `DIR` in it is the data folder."""

    def __init__(self, folder: Path, mount: str):
        super().__init__(folder)
        self.inner = folder / "data"
        self.inner.mkdir(exist_ok=True)
        refused = []
        for unshare, joining in WAYS:
            self.keeper = subprocess.Popen(
                [*unshare, "sh", "-ec", f"{mount} && {STAY}"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**os.environ, "DIR": str(self.inner)},
            )
            if self.keeper.stdout.readline() == b"there\n":
                self.enter = ["nsenter", "--target", str(self.keeper.pid), *joining]
                break
            refused.append(f"{' '.join(unshare)}: {self.keeper.communicate()[1].decode().strip()}")
        else:
            raise AssertionError(f"no mount can be made here, as root or in a user namespace: {'; '.join(refused)}")
        self.data_dir = Path(f"/proc/{self.keeper.pid}/root") / self.inner.relative_to("/")

    def command(self, *arguments: str) -> list[str]:
        [program, option, _, *rest] = super().command(*arguments)
        return [*self.enter, program, option, str(self.inner), *rest]

    def do(self, command: str) -> None:
        """Runs a shell command where the mount is."""
        subprocess.run([*self.enter, "sh", "-ec", command], env={**os.environ, "DIR": str(self.inner)}, check=True)

    def end(self) -> None:
        self.keeper.communicate(timeout=END_SECONDS)


@contextmanager
def mounted(folder: Path, mount: str) -> Iterator[Mounted]:
    gateway = Mounted(folder, mount)
    try:
        yield gateway
        gateway.leave_nothing()
    finally:
        if gateway.process is not None:
            gateway.kill()
        gateway.end()


class Filler:
    """A file of somebody else's that takes all the room there is."""

    def __init__(self, folder: Path):
        self.path = folder / "filler"

    def fill(self) -> None:
        """Takes what is left, to the last byte."""
        with self.path.open("ab", buffering=0) as file:
            for size in (64 * 1024, 4096, 1):
                try:
                    while file.write(b"\0" * size) == size:
                        pass
                except OSError as error:
                    assert error.errno == errno.ENOSPC, error

    def free(self) -> None:
        self.path.unlink()
