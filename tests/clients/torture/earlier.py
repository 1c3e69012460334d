"""A database as a build of an earlier version left it, and what is in it, made from the migrations of that time."""

import hashlib
import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from uuid import UUID

from torture.record import Record

MIGRATIONS = Path(__file__).parents[3] / "migrations"
# The last version before the archive; a file of it is wholly rewritten when it is brought up to date.
BEFORE_THE_ARCHIVE = "20261121180000"

ALIVE = 2**63 - 1
ITEMS = 8
PROJECTS = 4
BEGAN = 1_734_147_000_000
MINUTE = 60_000

# As `sqlx` keeps what it has applied.
APPLIED = """
CREATE TABLE _sqlx_migrations (
    version BIGINT PRIMARY KEY, description TEXT NOT NULL, installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    success BOOLEAN NOT NULL, checksum BLOB NOT NULL, execution_time BIGINT NOT NULL
)
"""


def all_versions() -> list[str]:
    """Every version there was, today's last."""
    return sorted(path.name.partition("_")[0] for path in MIGRATIONS.glob("*.sql"))


def versions() -> list[str]:
    """Those before the archive, the oldest first: a database of them can be made here."""
    return [version for version in all_versions() if version <= BEFORE_THE_ARCHIVE]


def migrate(database: sqlite3.Connection, version: str) -> None:
    database.execute(APPLIED)
    for path in sorted(MIGRATIONS.glob("*.sql")):
        number, _, words = path.stem.partition("_")
        if number <= version:
            database.executescript(path.read_text())
            checksum = hashlib.sha384(path.read_bytes()).digest()
            row = (int(number), words.replace("_", " "), True, checksum, 0)
            database.execute(
                "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) "
                "VALUES (?, ?, ?, ?, ?)",
                row,
            )


def insert(database: sqlite3.Connection, table: str, **row) -> None:
    names, places = ", ".join(row), ", ".join("?" * len(row))
    database.execute(f"INSERT INTO {table} ({names}) VALUES ({places})", tuple(row.values()))


class Earlier:
    """Many sessions, each with a list whose items change one after another."""

    def __init__(self, file: Path, version: str, chance: random.Random, sessions: int, revisions: int):
        self.version, self.chance = version, chance
        self.record = Record()
        self.in_items = 0
        # The sessions of each project.
        self.projects: list[list[str]] = [[] for _ in range(PROJECTS)]
        making = file.with_name("making.db")
        with closing(sqlite3.connect(making)) as database:
            database.execute("PRAGMA journal_mode = WAL")
            migrate(database, version)
            # Changes from here on stay in the log, as after a kill.
            database.execute("PRAGMA wal_autocheckpoint = 0")
            insert(database, "hub", pk=1, db_id=str(self.uuid()), cursor=sessions * revisions)
            for pk in range(1, sessions + 1):
                self.session(database, pk, revisions)
            database.commit()
            for ending in ("", "-wal"):
                shutil.copy(f"{making}{ending}", f"{file}{ending}")
        making.unlink()

    def uuid(self) -> UUID:
        return UUID(int=self.chance.getrandbits(128), version=4)

    def session(self, database: sqlite3.Connection, pk: int, revisions: int) -> None:
        session, list_id, at = str(self.uuid()), str(self.uuid()), BEGAN + pk * MINUTE
        insert(
            database,
            "sessions",
            **dict(pk=pk, session_id=session, title=f"Run {pk}", agent_name="cursor", agent_version="1.0.0"),
            **dict(folder="/home/ada/code", project=f"project-{pk % PROJECTS}"),
            **dict(state="finished", list_state="active", list_id=list_id),
            **dict(revision=revisions, ids_given=ITEMS, completed=0, total=ITEMS, fraction=0.0, unfinished=ITEMS),
            **dict(created_at=at, last_activity_at=at + revisions, cursor=pk * revisions),
        )
        insert(database, "lists", list_id=list_id, session_pk=pk, from_rev=1, created_at=at)
        uids = [self.uuid() for _ in range(ITEMS)]
        since = [1] * ITEMS
        words = [self.words() for _ in range(ITEMS)]
        acknowledged = self.record.revisions.setdefault(session, {})
        self.projects[pk % PROJECTS].append(session)

        def close(place: int, to_rev: int) -> None:
            insert(
                database,
                "items",
                **dict(session_pk=pk, uid=uids[place].bytes, from_rev=since[place], to_rev=to_rev),
                **dict(rank=f"{0x81 + place:02x}80", id=f"t{place + 1}", status="pending", content=words[place]),
                **dict(created_at=at, status_at=at, more=None),
            )
            self.in_items += 1

        for revision in range(1, revisions + 1):
            if revision > 1:
                place = self.chance.randrange(ITEMS)
                close(place, revision)
                words[place], since[place] = self.words(), revision
            insert(
                database,
                "revisions",
                **dict(session_pk=pk, revision=revision, at=at + revision, actor_kind="agent", actor_name="cursor"),
                **dict(transport="mcp", cause="todo.write", request_id=str(self.uuid()), list_id=list_id),
                cursor=(pk - 1) * revisions + revision,
            )
            acknowledged[revision] = [
                {"uid": str(uid), "id": f"t{at + 1}", "content": content, "status": "pending", "subtasks": []}
                for at, (uid, content) in enumerate(zip(uids, words, strict=True))
            ]
        for place in range(ITEMS):
            close(place, ALIVE)

    def words(self) -> str:
        return f"Read {self.chance.getrandbits(64):016x} " + "and what belongs to it, " * self.chance.randint(1, 30)

    def some(self, count: int) -> Record:
        """A few of its revisions, and every session."""
        few = Record()
        for session, known in self.record.revisions.items():
            numbers = {max(known)}
            if self.chance.random() < count / len(self.record.revisions):
                numbers.add(self.chance.choice(sorted(known)))
            few.revisions[session] = {number: known[number] for number in numbers}
            # The others are there as well.
            few.in_doubt += len(known) - len(numbers)
        return few
