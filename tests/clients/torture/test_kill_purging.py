"""`kill -9` while the archive is swept: what should stay stays, what was deleted for good does not come back, and the
work is done to its end afterwards."""

import asyncio
import random
import shutil
import sqlite3
from contextlib import closing

import pytest

from gateway import Gateway, eventually
from socket_client import Socket, opened
from torture.earlier import BEFORE_THE_ARCHIVE, Earlier
from torture.mixed import is_cut
from torture.record import Record, assert_same, check_file

pytestmark = pytest.mark.anyio

ROUNDS = 1
KILLS = 3
SESSIONS, REVISIONS = 80, 60
KEPT_REVISIONS = 5
# A sweep of all of it, in a debug build.
END_SECONDS = 60
RULES = {"keepDays": 30, "keepProjects": {"project-0": 0}, "keepRevisions": KEPT_REVISIONS}
TABLES = ("items", "texts", "revisions", "lists")


class Swept:
    """The fate of each session, by its project."""

    def __init__(self, known: Earlier):
        self.known = known.record.revisions
        # Kept for ever, though of each only the newest revisions; pinned and so kept whole; deleted for good; too old.
        self.kept, self.pinned, self.gone, self.old = known.projects

    async def ask(self, socket: Socket, chance: random.Random, acknowledged: set[str]) -> None:
        """All of it at once; those whose deletion was acknowledged are noted."""
        await socket.ask("settings.update", **RULES)
        for session in chance.sample(self.gone, len(self.gone)):
            answer = await socket.answer("session.delete", sessionId=session, forGood=True)
            assert answer["type"] != "error" or answer["code"] == "SESSION_NOT_FOUND", answer
            acknowledged.add(session)

    async def check_stays(self, socket: Socket, chance: random.Random) -> None:
        """At any moment of it."""
        for session in self.pinned:
            whole = await socket.ask("session.revisions", sessionId=session, limit=500)
            assert len(whole["revisions"]) == REVISIONS, "a pinned session is kept whole"
            await self.check_list(socket, session, chance.randint(1, REVISIONS))
        for session in self.kept:
            await self.check_list(socket, session, chance.randint(REVISIONS - KEPT_REVISIONS + 1, REVISIONS))

    async def check_list(self, socket: Socket, session: str, revision: int) -> None:
        then = await socket.ask("session.get", sessionId=session, revision=revision)
        assert_same(then["todos"], self.known[session][revision], f"revision {revision} of {session}")

    async def check_gone(self, socket: Socket, sessions: set[str]) -> None:
        for session in sessions:
            for kind in ("session.get", "session.undelete"):
                answer = await socket.answer(kind, sessionId=session)
                assert answer.get("code") == "SESSION_NOT_FOUND", f"{kind}: {answer}"


def counted(gateway: Gateway, sessions: list[str], *tables: str) -> int:
    """Number of rows of these sessions in the file."""
    marks = ", ".join("?" * len(sessions))
    of = f"FROM sessions WHERE session_id IN ({marks})"
    rows = [f"(SELECT count(*) FROM {table} WHERE session_pk IN (SELECT pk {of}))" for table in tables]
    path = gateway.data_dir / "sightline.db"
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        sql = f"SELECT {' + '.join([*rows, f'(SELECT count(*) {of})'])}"
        return database.execute(sql, sessions * (len(tables) + 1)).fetchone()[0]


def left(gateway: Gateway, swept: Swept) -> int:
    """Number of rows that are still to be removed."""
    kept = counted(gateway, swept.kept, "revisions") - (KEPT_REVISIONS + 1) * len(swept.kept)
    return counted(gateway, swept.gone, *TABLES) + kept


async def killed_in_it(gateway: Gateway, swept: Swept, chance: random.Random, acknowledged: set[str]) -> bool:
    """Kills it when some of the rows have gone; whether there were others left."""
    until = left(gateway, swept) * chance.uniform(0.5, 0.95)
    async with opened(gateway) as socket:
        asking = asyncio.create_task(swept.ask(socket, chance, acknowledged))
        async with asyncio.timeout(END_SECONDS):
            # Looked at without a pause: it is over soon.
            while left(gateway, swept) > until:
                await asyncio.sleep(0)
        gateway.kill()
        [error] = await asyncio.gather(asking, return_exceptions=True)
    assert error is None or is_cut(error), error
    return left(gateway, swept) > 0


# D3
async def test_a_sweep_that_is_cut_off_is_ended_later(data_folder, tmp_path, rounds, chance):
    full = Gateway(tmp_path / "full")
    full.data_dir.mkdir(parents=True, mode=0o700)
    known = Earlier(full.data_dir / "sightline.db", BEFORE_THE_ARCHIVE, chance, SESSIONS, REVISIONS)
    swept = Swept(known)
    full.start()
    async with opened(full) as socket:
        for session in swept.pinned:
            await socket.ask("session.mark", sessionId=session, pinned=True)
    full.stop()
    size = (full.data_dir / "sightline.db").stat().st_size
    cut = 0
    for _ in rounds(ROUNDS):
        shutil.rmtree(data_folder.data_dir, ignore_errors=True)
        shutil.copytree(full.data_dir, data_folder.data_dir)
        acknowledged: set[str] = set()
        live = Record()
        for turn in range(KILLS):
            data_folder.start()
            async with opened(data_folder) as socket:
                todos = [{"content": f"Written while it is swept, {turn}"}]
                await live.of(socket.ask("todo.write", session="live", todos=todos))
            cut += await killed_in_it(data_folder, swept, chance, acknowledged)
            check_file(data_folder)
            data_folder.start()
            async with opened(data_folder) as socket:
                await swept.check_stays(socket, chance)
                await swept.check_gone(socket, acknowledged)
            data_folder.kill()
        data_folder.start()
        async with opened(data_folder) as socket:
            await swept.ask(socket, chance, acknowledged)

            async def is_done() -> bool:
                status = await socket.ask("archive.status")
                free = status["freeBytes"] == 0 and status["deleted"] == len(swept.old)
                return free and left(data_folder, swept) == 0

            await eventually(is_done, END_SECONDS, "it is swept to the end, and the space is given back")
            await swept.check_stays(socket, chance)
            await swept.check_gone(socket, set(swept.gone))
            await live.check(socket, again=True)
            # Sessions that were too old can be brought back for a day.
            back = chance.choice(swept.old)
            await socket.ask("settings.update", keepDays=0)
            await socket.ask("session.undelete", sessionId=back)
            await swept.check_list(socket, back, REVISIONS)
        data_folder.stop()
        check_file(data_folder)
        assert (data_folder.data_dir / "sightline.db").stat().st_size < size
    assert cut > 0, "it was cut off in the middle"
