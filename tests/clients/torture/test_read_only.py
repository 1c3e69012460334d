"""A data folder that cannot be written: it is said which, and nothing of it is damaged."""

import asyncio

import pytest

from gateway import START_SECONDS, Gateway
from socket_client import opened
from terminal import run
from torture.mount import mounted
from torture.record import Record, check_file

pytestmark = pytest.mark.anyio

ITSELF = 'mount --bind "$DIR" "$DIR"'
READ_ONLY = 'mount -o remount,bind,ro "$DIR"'
WRITABLE = 'mount -o remount,bind,rw "$DIR"'


def files(gateway: Gateway) -> dict[str, bytes]:
    there = (path for path in gateway.data_dir.rglob("*") if path.is_file())
    return {str(path.relative_to(gateway.data_dir)): path.read_bytes() for path in there}


# D3
@pytest.mark.parametrize("ended", ["killed", "stopped"])
async def test_a_folder_that_cannot_be_written_is_said_and_left(tmp_path, ended):
    with mounted(tmp_path, ITSELF) as gateway:
        gateway.start()
        record = Record()
        async with opened(gateway) as socket:
            for turn in range(5):
                await record.of(socket.ask("todo.write", session="one", todos=[{"content": f"Read {turn}"}]))
        getattr(gateway, "kill" if ended == "killed" else "stop")()
        before = files(gateway)
        gateway.do(READ_ONLY)
        process, log = gateway.spawn("--port", "0")
        code = await asyncio.to_thread(process.wait, START_SECONDS)
        is_told(gateway, code, log.read_text())
        # A command that finds no gateway would do its work by itself.
        for words in (("add", "--session", "one", "last", "Lost?"), ("show", "--session", "one")):
            typed = run(gateway, "todo", *words)
            is_told(gateway, typed.code, typed.err)
        assert files(gateway) == before
        gateway.do(WRITABLE)
        check_file(gateway)
        gateway.start()
        async with opened(gateway) as socket:
            await record.check(socket, again=True)
            await record.of(socket.ask("todo.write", session="one", todos=[{"content": "Go on"}]))


def is_told(gateway: Gateway, code: int, said: str) -> None:
    assert code == 1, said
    assert str(gateway.inner) in said, said
    assert "read-only" in said.lower(), said
    assert "panicked" not in said, said
