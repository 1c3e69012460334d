"""`kill -9` while an earlier database is backed up and brought up to date, again and again: everything is there."""

import shutil
import sqlite3
import time
from contextlib import closing

import pytest

from gateway import END_SECONDS, START_SECONDS, Gateway, until
from socket_client import opened
from torture.earlier import Earlier, all_versions, versions
from torture.record import check_file, copied

pytestmark = pytest.mark.anyio

ROUNDS = 4
SESSIONS, REVISIONS = 100, 60
READ = 30


def words_of(file) -> list[tuple]:
    """The text and time of every item, by the tables of either version."""
    with closing(sqlite3.connect(file)) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)], file
        has_texts = database.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'texts'").fetchone()[0]
        said = "JOIN texts t ON t.pk = i.text_pk" if has_texts else ""
        return database.execute(
            f"SELECT s.session_id, hex(i.uid), i.from_rev, i.to_rev, i.rank, i.status, {'t' if said else 'i'}.content "
            f"FROM items i JOIN sessions s ON s.pk = i.session_pk {said} ORDER BY 1, 2, 3"
        ).fetchall()


def put_back(gateway: Gateway, earlier: Gateway) -> None:
    """The folder as it was before anything was brought up to date."""
    shutil.rmtree(gateway.data_dir, ignore_errors=True)
    shutil.copytree(earlier.data_dir, gateway.data_dir)


def is_up(gateway: Gateway) -> bool:
    return "listening on" in gateway.output()


def started(gateway: Gateway) -> float:
    """Starts it and gives how long that takes."""
    began = time.monotonic()
    process, log = gateway.spawn("--port", "0")
    until(lambda: is_up(gateway) or process.poll() is not None, START_SECONDS, "it serves")
    assert process.poll() is None, log.read_text()
    gateway.process = process
    return time.monotonic() - began


# D3
async def test_everything_is_there_whenever_it_is_cut_off(data_folder, tmp_path, rounds, chance):
    version = chance.choice(versions())
    earlier = Gateway(tmp_path / "earlier")
    earlier.data_dir.mkdir(parents=True, mode=0o700)
    known = Earlier(earlier.data_dir / "sightline.db", version, chance, SESSIONS, REVISIONS)
    words = words_of(copied(earlier))
    assert len(words) == known.in_items > 5_000
    # It may be cut off between two versions, too, and be backed up again as the one between.
    named = {f"sightline.db.before-{later}" for later in all_versions()[:-1] if later >= version}

    # The data that has to be there, in whatever state the folder is left.
    def check() -> bool:
        assert words_of(copied(data_folder)) == words
        backups = sorted(path.name for path in data_folder.data_dir.glob("sightline.db.before-*"))
        assert set(backups) <= named, "what is half written does not count as one"
        for name in backups:
            assert words_of(data_folder.data_dir / name) == words
        return bool(backups)

    # Duration of the whole migration here: the kill comes anywhere in it.
    put_back(data_folder, earlier)
    whole = started(data_folder)
    data_folder.kill()
    assert check()
    put_back(data_folder, earlier)
    cut = 0
    for _ in rounds(ROUNDS):
        process, log = data_folder.spawn("--port", "0")
        # The moment of the fault, not a condition.
        time.sleep(chance.random() * whole)
        process.kill()
        process.wait(END_SECONDS)
        check()
        if is_up(data_folder):
            put_back(data_folder, earlier)
        else:
            assert log.read_text() == "", "it says nothing, and so nothing is wrong"
            cut += 1
    assert cut > 0, "it was cut off before it served"
    data_folder.start()
    async with opened(data_folder) as socket:
        assert "notice" not in await socket.ask("gateway.status"), "nothing of it was damaged"
        await known.some(READ).check(socket)
        found, cursor = set(), {}
        while cursor is not None:
            page = await socket.ask("session.search", query="belongs", limit=200, **cursor)
            found |= {hit["sessionId"] for hit in page["results"]}
            cursor = {"cursor": page["nextCursor"]} if "nextCursor" in page else None
        assert found == known.record.revisions.keys(), "what was there before is searched, too"
    data_folder.stop()
    assert check(), "there is a backup"
    check_file(data_folder)
    assert not (data_folder.data_dir / "sightline.db.backup-part").exists()
