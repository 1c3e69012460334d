"""A machine that is reached by ssh: the real client, and a real `sshd` on loopback."""

import asyncio
import os
import signal
from pathlib import Path

import pytest

from gateway import BINARY
from hosts import answering, bridges, here, mirrored, same, silent, steps, write
from socket_client import opened
from ssh import key, ssh_box
from terminal import Terminal

pytestmark = pytest.mark.anyio


@pytest.fixture
def host(hosts):
    return hosts("box")


@pytest.fixture
def box(tmp_path, host):
    with ssh_box(tmp_path / "ssh", host) as made:
        yield made


def dial(box) -> list[str]:
    return box.ssh(Path(BINARY).name, "--data-dir", str(box.gateway.data_dir), "dial-stdio")


# H12, H1
async def test_a_host_over_ssh_is_mirrored_and_outlives_its_daemon(gateway, host, box):
    async with opened(gateway) as user:
        await mirrored(user, "box", dial(box))
        async with opened(host) as there:
            session = await write(there, "api", "Read", "Fix")
            await here(user, session, "Read", "Fix")
            await user.ask("todo.add", sessionId=session, content="Mine")
            await here(user, session, "Read", "Fix", "Mine")
            # The connection breaks, and what is to be sent waits.
            await asyncio.to_thread(box.stop)
            await silent(user, "box")
            tried = await user.ask("hosts.test", name="box")
            assert "refused" in tried["problem"].lower(), tried
            await user.ask("todo.add", sessionId=session, content="Later")
            await write(there, "other", "Go on")
            await asyncio.to_thread(box.start)
            await user.ask("hosts.test", name="box")
            await answering(user, "box")
            await here(user, session, "Read", "Fix", "Mine", "Later")
            assert await steps(there, session) == ["Read", "Fix", "Mine", "Later"]
            # A client that is frozen does no harm, and is ended with its link.
            [bridge] = bridges(host)
            os.kill(bridge, signal.SIGKILL)
            await write(there, "other", "Go on", "And on")
        await same(gateway, "box", host)


# H11
@pytest.mark.parametrize("terminal", [False, True], ids=["in the background", "in a terminal"])
@pytest.mark.parametrize(("wrong", "problem"), [("key", "Permission denied"), ("host", "Host key verification failed")])
async def test_nothing_is_asked_and_nothing_hangs(data_folder, box, tmp_path, terminal, wrong, problem):
    config = box.client(
        "wrong_config",
        key(tmp_path / "other_key") if wrong == "key" else box.key,
        Path("/dev/null") if wrong == "host" else tmp_path / "ssh" / "known_hosts",
    )
    command = ["ssh", "-F", str(config), "box", "sightline", "dial-stdio"]

    async def is_refused() -> None:
        async with opened(data_folder) as user:
            await user.ask("hosts.add", name="box", command=command)
            if (await user.ask("hosts.list"))["hosts"][0]["state"] == "unconfirmed":
                pytest.fail("the test's key administers")
            down = await silent(user, "box")
            assert problem in down["problem"], down
            assert "password cannot be answered" not in down["problem"], "it did not wait to be asked"
            log = (tmp_path / "ssh" / "sshd.log").read_text()
            assert "Failed password" not in log, "nor did it offer one, which may lock us out"

    if not terminal:
        data_folder.start()
        await is_refused()
        return
    with Terminal(data_folder, "serve", "--json", "--port", "0") as screen:
        await screen.until('"page"')
        line = next(line for line in screen.seen.splitlines() if '"page"' in line)
        log = data_folder.folder / "terminal.log"
        log.write_text(line)
        data_folder.logs.append(log)
        await is_refused()
        assert "password" not in screen.seen.lower() and "yes/no" not in screen.seen, screen.seen
        os.kill(data_folder.runtime["pid"], signal.SIGTERM)
        assert await screen.end() == 0
