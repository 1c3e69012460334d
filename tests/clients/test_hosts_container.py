"""A machine of other namespaces, as a container is one: without our files, our processes and any network."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from gateway import BINARY, END_SECONDS, START_SECONDS
from hosts import here, mirrored
from socket_client import opened
from torture.mount import STAY

pytestmark = pytest.mark.anyio

# As root, and as everybody else where the system lets a user be root of a namespace.
NAMESPACES = ("--mount", "--net", "--pid", "--uts", "--ipc")
WAYS = ((), ("--user", "--map-root-user"))


class Container:
    """Namespaces that last while its keeper does. Its home is a file system of its own."""

    def __init__(self, folder: Path):
        self.home = folder / "home"
        self.home.mkdir(parents=True)
        inside = f'mount -t tmpfs sightline-test "{self.home}" && mount -t proc proc /proc && {STAY}'
        refused = []
        for user in WAYS:
            words = ["unshare", *NAMESPACES, *user, "--fork", "--kill-child", "sh", "-ec", inside]
            self.keeper = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            if self.keeper.stdout.readline() == b"there\n":
                children = Path(f"/proc/{self.keeper.pid}/task/{self.keeper.pid}/children").read_text().split()
                joined = [*NAMESPACES, *(("--user", "--preserve-credentials") if user else ())]
                home = f"HOME={self.home}"
                self.enter = ["nsenter", "--target", children[0], *joined, "env", "-i", home, "PATH=/usr/bin:/bin"]
                return
            refused.append(self.keeper.communicate()[1].decode().strip())
        raise AssertionError(f"no namespaces can be made here, as root or in a user namespace: {refused}")

    def run(self, *command: str) -> str:
        done = subprocess.run(
            [*self.enter, *command], capture_output=True, text=True, timeout=START_SECONDS, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def end(self) -> None:
        # Its processes go with the first of them.
        self.keeper.kill()
        self.keeper.communicate(timeout=END_SECONDS)


@pytest.fixture
def container(tmp_path) -> Iterator[Container]:
    made = Container(tmp_path / "container")
    yield made
    made.end()


# H12
async def test_a_container_without_a_network_is_mirrored(gateway, container):
    async with opened(gateway) as user:
        await mirrored(user, "pod", [*container.enter, BINARY, "dial-stdio"])
        # But for the line of titles, where there is one.
        assert container.run("cat", "/proc/net/route").splitlines()[1:] == [], "no network"
        written = container.run(BINARY, "todo", "add", "--json", "--session", "api", "last", "Read")
        session = json.loads(written)["sessionId"]
        await here(user, session, "Read")
        assert (await user.ask("session.get", sessionId=session))["session"]["host"] == "pod"
        await user.ask("todo.add", sessionId=session, content="Mine")
        await here(user, session, "Read", "Mine")
        assert "Mine" in container.run(BINARY, "todo", "show", "--session", session)
    assert not list(container.home.iterdir()), "its files are nowhere here"
