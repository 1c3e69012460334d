"""Random bytes over random pages of the database: what can be read is served, the rest is said, and it never ends in a
loop."""

import sqlite3
from collections.abc import Collection
from contextlib import closing
from pathlib import Path

import pytest

from gateway import END_SECONDS, START_SECONDS, Gateway, until
from socket_client import Socket, opened
from torture.earlier import BEFORE_THE_ARCHIVE, Earlier
from torture.record import WHOLE, asked, copied

pytestmark = pytest.mark.anyio

ROUNDS = 6
SESSIONS, REVISIONS = 20, 20
PAGE = 4096
GAPS = "a session whose revisions have gaps"
# A start for what is found only while it is used, and one that finds nothing more.
STARTS = 4


def damage(whole: bytes, chance) -> bytes:
    """Some bytes of some pages, or all of them; now and then the first page, where everything begins."""
    damaged = bytearray(whole)
    for _ in range(chance.randint(1, 8)):
        page = chance.choice((0, chance.randrange(len(whole) // PAGE)))
        since, length = chance.choice(((0, PAGE), (0, 100), (chance.randrange(PAGE - 64), chance.randint(1, 64))))
        at = page * PAGE + since
        damaged[at : at + length] = chance.choice((chance.randbytes(length), bytes(length)))
    return bytes(damaged)


def started(gateway: Gateway) -> None:
    """It serves, whatever the file is."""
    process, log = gateway.spawn("--port", "0")
    until(lambda: process.poll() is not None or "listening on" in log.read_text(), START_SECONDS, "it serves")
    assert process.poll() is None, f"it ended with {process.returncode}: {log.read_text()}"
    gateway.process = process


async def used(socket: Socket) -> tuple[int, list[dict]]:
    """Reads everything and writes some; how many sessions there are, and what was refused."""
    refused, sessions = [], []

    async def tried(kind: str, **fields) -> dict:
        try:
            return await asked(socket, kind, **fields)
        except Exception as error:
            refused.append({"kind": kind, "code": getattr(error, "code", None), "message": str(error)})
            return {}

    for words in ("belongs", "Read", "nothing of this"):
        await tried("session.search", query=words)
    await tried("archive.status")
    await tried("settings.get")
    cursor = {}
    while cursor is not None:
        page = await tried("session.list", limit=200, **cursor)
        sessions += [one["sessionId"] for one in page.get("sessions", ())]
        cursor = {"cursor": page["nextCursor"]} if "nextCursor" in page else None
    for session in sessions:
        revisions = (await tried("session.revisions", sessionId=session, limit=500)).get("revisions", ())
        for revision in revisions:
            await tried("session.get", sessionId=session, revision=revision["revision"])
        await tried("todo.add", sessionId=session, content="Go on")
    await tried("todo.write", session="new", todos=[{"content": "Go on"}])
    return len(sessions), refused


def faults(file: Path, torn: Collection[str] = ()) -> list:
    """The faults that SQLite finds in a file, and our inconsistencies, without the gaps of torn sessions."""
    with closing(sqlite3.connect(file)) as database:
        found = [row for row in database.execute("PRAGMA integrity_check").fetchall() if row != ("ok",)]
        found += database.execute("PRAGMA foreign_key_check").fetchall()
        for what, sql in WHOLE.items():
            found += [(what, *row) for row in database.execute(sql).fetchall() if what != GAPS or row[0] not in torn]
    return found


def lost(whole: Path, damaged: Path) -> set[str]:
    """The sessions that may have gaps: they, or revisions of theirs, cannot be read as they were. The revisions of one
    session are taken over together."""
    sessions = "SELECT * FROM sessions WHERE pk = ?"
    revisions = "SELECT * FROM revisions WHERE session_pk = ? AND revision = ?"
    found = set()
    with closing(sqlite3.connect(whole)) as before, closing(sqlite3.connect(damaged)) as after:
        for session, pk, newest in before.execute("SELECT session_id, pk, revision FROM sessions").fetchall():
            rows = [(sessions, (pk,)), *((revisions, (pk, revision)) for revision in range(1, newest + 1))]
            if any(row(before, *asked) != row(after, *asked) for asked in rows):
                found.add(session)
    return found


def row(database: sqlite3.Connection, sql: str, key: tuple) -> tuple | None:
    """The row of a key; none where it cannot be read."""
    try:
        return database.execute(sql, key).fetchone()
    except sqlite3.DatabaseError:
        return None


# D3
async def test_what_is_damaged_is_served_or_set_aside(data_folder, rounds, chance):
    data_folder.data_dir.mkdir(mode=0o700)
    file = data_folder.data_dir / "sightline.db"
    Earlier(file, BEFORE_THE_ARCHIVE, chance, SESSIONS, REVISIONS)
    data_folder.start().stop()
    whole = file.read_bytes()
    kept, broken = data_folder.folder / "kept.db", data_folder.folder / "broken.db"
    kept.write_bytes(whole)
    for _ in rounds(ROUNDS):
        for old in data_folder.data_dir.glob("sightline.db*"):
            old.unlink()
        damaged = damage(whole, chance)
        file.write_bytes(damaged)
        broken.write_bytes(damaged)
        for _ in range(STARTS):
            aside = set(data_folder.data_dir.glob("*.damaged-?"))
            started(data_folder)
            more = set(data_folder.data_dir.glob("*.damaged-?")) - aside
            async with opened(data_folder) as socket:
                notice = (await socket.ask("gateway.status")).get("notice", "")
                assert bool(more) == ("damaged" in notice), (more, notice)
                assert all(path.name in notice for path in more), notice
                sessions, refused = await used(socket)
            log = data_folder.output()
            assert "panicked" not in log, log
            for error in refused:
                assert error["code"] == "STORAGE", error
                assert "damaged" in error["message"] and "Start Sightline anew" in error["message"], error
            data_folder.stop()
            if not refused:
                break
        assert refused == [], f"after {STARTS} starts something is still damaged: {refused}"
        first = data_folder.data_dir / "sightline.db.damaged-1"
        # A page that nothing was read from may be damaged still; what was made anew is whole.
        if first.exists():
            wrong = faults(copied(data_folder), lost(kept, broken))
            assert wrong == [], "what could be read is in a database that is whole"
            assert first.stat().st_size >= len(whole) - PAGE, "the damaged file is kept"
    logs = "".join(path.read_text(errors="replace") for path in (data_folder.data_dir / "logs").iterdir())
    assert "panicked" not in logs


# D3: a file that was cut off, as a copy that did not come to its end.
@pytest.mark.parametrize("length", [0, 1, 100, PAGE, PAGE * 3 + 17])
async def test_what_is_cut_off_is_served_or_set_aside(data_folder, length):
    data_folder.start()
    async with opened(data_folder) as socket:
        await socket.ask("todo.write", session="one", todos=[{"content": "Read"}])
    data_folder.stop()
    file = data_folder.data_dir / "sightline.db"
    file.write_bytes(file.read_bytes()[:length])
    started(data_folder)
    async with opened(data_folder) as socket:
        await used(socket)
    process, data_folder.process = data_folder.process, None
    process.terminate()
    assert process.wait(END_SECONDS) == 0, data_folder.output()
    started(data_folder)
    async with opened(data_folder) as socket:
        _, refused = await used(socket)
        assert refused == []
    data_folder.stop()
    assert faults(copied(data_folder)) == []
