"""The database taken away under a gateway that runs: put back, or left to what stands in its place."""

import sqlite3
from contextlib import closing

import pytest

from agent import connected, text_of, write
from gateway import Gateway
from socket_client import Socket, opened
from terminal import run
from torture.record import Record, check_file

pytestmark = pytest.mark.anyio

PARTS = ("sightline.db", "sightline.db-wal", "sightline.db-shm")
LABELS = ("one", "two", "three")


async def worked(socket: Socket, record: Record, turn: int) -> None:
    """A change of each list, and edits beside it."""
    for label in LABELS:
        written = await record.of(
            socket.ask("todo.write", session=label, todos=[{"content": f"{label} {turn} a"}, {"content": f"{turn} b"}])
        )
        add = {"sessionId": written["sessionId"], "content": f"{label} {turn} by hand", "position": "1"}
        await record.of(socket.ask("todo.add", **add))


def remove(gateway: Gateway, parts: tuple[str, ...]) -> None:
    for part in parts:
        (gateway.data_dir / part).unlink(missing_ok=True)


# D3
@pytest.mark.parametrize("ended", ["killed", "stopped"])
@pytest.mark.parametrize("parts", [PARTS, PARTS[:1], PARTS[1:2], PARTS[1:]], ids=" ".join)
async def test_what_is_deleted_under_a_gateway_is_put_back(data_folder, parts, ended, rounds, chance):
    data_folder.start()
    record = Record()
    async with opened(data_folder) as socket, connected(data_folder, label="one") as client:
        await worked(socket, record, 0)
        for turn in rounds(2):
            remove(data_folder, parts)
            # Reading goes on before anybody has changed anything, and after it.
            if chance.random() < 0.5:
                await record.check(socket)
            record.acknowledge(await write(client, [{"content": f"{turn} by the agent"}]))
            await worked(socket, record, turn)
            await record.check(socket)
        typed = run(data_folder, "todo", "add", "--json", "--session", "two", "last", "Ship")
        record.acknowledge(typed.json)
    getattr(data_folder, "kill" if ended == "killed" else "stop")()
    check_file(data_folder)
    data_folder.start()
    async with opened(data_folder) as socket:
        assert "notice" not in await socket.ask("gateway.status"), "nothing of it was damaged"
        await record.check(socket, again=True)
        await worked(socket, record, 100)


# D3: what was acknowledged before it was taken away, and nothing after that.
async def test_what_is_deleted_is_there_again_after_a_clean_end_without_a_change(data_folder):
    data_folder.start()
    record = Record()
    async with opened(data_folder) as socket:
        await worked(socket, record, 0)
    remove(data_folder, PARTS)
    data_folder.stop()
    check_file(data_folder)
    data_folder.start()
    async with opened(data_folder) as socket:
        await record.check(socket, again=True)


def another_database(path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.executescript("CREATE TABLE theirs (words TEXT); INSERT INTO theirs VALUES ('not ours')")


def another_text(path) -> None:
    path.write_text("no database at all, and somebody's own\n" * 500)


def nothing_in_it(path) -> None:
    path.write_bytes(b"")


def an_older_copy(path) -> None:
    """As somebody puts a backup back without ending the gateway."""
    path.write_bytes(path.with_name("earlier.db").read_bytes())


# D3
@pytest.mark.parametrize("other", [another_database, another_text, nothing_in_it, an_older_copy])
async def test_what_stands_in_its_place_is_left_alone_and_said(data_folder, other, tmp_path):
    file, aside = (data_folder.data_dir / name for name in ("sightline.db", "aside.db"))
    data_folder.start().stop()
    file.with_name("earlier.db").write_bytes(file.read_bytes())
    data_folder.start()
    record = Record()
    async with opened(data_folder) as socket, connected(data_folder) as client:
        await worked(socket, record, 0)
        file.rename(aside)
        other(file)
        before = file.read_bytes()
        session = next(iter(record.revisions))
        for kind, fields in (
            ("todo.write", {"session": "one", "todos": [{"content": "Lost?"}]}),
            ("todo.write", {"session": "new", "todos": [{"content": "Lost?"}]}),
            ("todo.add", {"sessionId": session, "content": "Lost?"}),
            ("session.delete", {"sessionId": session}),
            ("settings.update", {"keepDays": 7}),
        ):
            answer = await socket.answer(kind, **fields)
            assert answer.get("code") == "STORAGE", f"{kind}: {answer}"
            is_told(answer["message"], file)
        result = await client.call_tool("todo_write", {"todos": [{"content": "Lost?"}]})
        assert result.is_error
        is_told(text_of(result), file)
        typed = run(data_folder, "todo", "add", "--session", "one", "last", "Lost?")
        assert typed.code == 1
        is_told(typed.err, file)
        await record.check(socket)
    assert file.read_bytes() == before
    data_folder.stop()
    assert file.read_bytes() == before, "the end of the gateway changes nothing of it either"
    assert [path.name for path in data_folder.data_dir.glob("*.damaged-*")] == []
    # SQLite would read what is left of the log into the other file, whichever that is.
    log = data_folder.data_dir / "sightline.db-wal"
    assert not log.exists() or log.read_bytes() == b"", "nothing of ours is beside it any more"
    # The remedy that the message names.
    aside.rename(file)
    data_folder.start()
    async with opened(data_folder) as socket:
        await record.check(socket, again=True)
        await worked(socket, record, 1)
    data_folder.stop()
    check_file(data_folder)


def is_told(message: str, file) -> None:
    """Checks that a message names the file and the remedy, and says that nothing was changed."""
    assert str(file) in message, message
    assert "nothing was changed" in message.lower(), message
    assert "End Sightline" in message, message
