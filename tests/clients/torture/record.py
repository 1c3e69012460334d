"""The acknowledged changes, and the check that all of them are there."""

import asyncio
import shutil
import sqlite3
from collections.abc import Awaitable
from contextlib import closing, suppress
from pathlib import Path

from gateway import Gateway
from socket_client import Refused, Socket

# The text of an item, in every form of an answer.
SAID = ("uid", "id", "content", "status", "activeForm", "priority")


def said(todos: list[dict]) -> list[dict]:
    """The items without what passes with time."""
    parts = [{key: item[key] for key in SAID if key in item} for item in todos]
    return [{**part, "subtasks": said(item.get("subtasks", []))} for part, item in zip(parts, todos, strict=True)]


class Record:
    """Every revision that was acknowledged, as it was, and what was asked for and never answered."""

    def __init__(self):
        self.revisions: dict[str, dict[int, list[dict]]] = {}
        self.count = 0
        # Asked for and not answered: each may have been done, once.
        self.in_doubt = 0
        # Changes that are refused without a fault, because another one came first.
        self.missed: list[str] = []
        self._checked: set[tuple[str, int]] = set()

    def acknowledge(self, answer: dict) -> dict:
        known = self.revisions.setdefault(answer["sessionId"], {})
        todos = said(answer["todos"])
        # A change without an effect is answered with the current revision. An agent's answer has fewer fields.
        before = known.get(answer["revision"], todos)
        fewer, more = sorted([before, todos], key=lambda items: len(items[0]) if items else 0)
        assert_same(more, fewer, f"revision {answer['revision']} is two lists")
        known[answer["revision"]] = more
        self.count += 1
        return answer

    async def of(self, asked: Awaitable[dict]) -> dict:
        """Waits for the answer to a change and keeps it."""
        self.in_doubt += 1
        try:
            answer = await asked
        except Refused as refused:
            self.in_doubt -= 1
            self.missed.append(refused.code)
            raise
        self.in_doubt -= 1
        return self.acknowledge(answer)

    def forget(self, session: str) -> None:
        """The session was deleted."""
        self.revisions.pop(session, None)

    async def check(self, socket: Socket, again: bool = False) -> None:
        """All of it is there: what no earlier check has seen, or everything `again`."""
        more = 0
        for session, acknowledged in self.revisions.items():
            there = await history(socket, session)
            numbers = [revision["revision"] for revision in there]
            assert numbers == list(range(1, len(numbers) + 1)), f"{session} is not gap-free from 1: {numbers}"
            assert len(there) >= max(acknowledged), (
                f"{session}: {max(acknowledged)} was acknowledged, {len(there)} there"
            )
            # A prompt that a hook reports puts a finished list into the history.
            by_prompts = {
                revision["revision"]
                for revision in there
                if revision["actor"]["transport"] == "hook" and revision["cause"] == "todo.archive"
            }
            more += len(set(numbers) - acknowledged.keys() - by_prompts)
            for revision, todos in acknowledged.items():
                if again or (session, revision) not in self._checked:
                    then = await asked(socket, "session.get", sessionId=session, revision=revision)
                    assert_same(then["todos"], todos, f"revision {revision} of {session}")
                    self._checked.add((session, revision))
            now = await asked(socket, "session.get", sessionId=session)
            assert now["revision"] == len(there)
            if now["revision"] in acknowledged:
                assert_same(now["todos"], acknowledged[now["revision"]], f"{session} as it is now")
        assert more <= self.in_doubt, f"{more} revisions were made that nobody has asked for"


def assert_same(there: list[dict], acknowledged: list[dict], what: str) -> None:
    """The items are those of an answer, which may have left out fields."""
    assert len(there) == len(acknowledged), what
    for item, known in zip(said(there), acknowledged, strict=True):
        got = {key: item.get(key) for key in known if key != "subtasks"}
        assert got == {key: value for key, value in known.items() if key != "subtasks"}, what
        assert_same(item["subtasks"], known["subtasks"], what)


async def asked(socket: Socket, kind: str, **fields) -> dict:
    """A question among very many: where they come too fast it waits."""
    while True:
        try:
            return await socket.ask(kind, **fields)
        except Refused as refused:
            if refused.code != "RATE_LIMITED":
                raise
            await asyncio.sleep(0.1)


async def history(socket: Socket, session: str) -> list[dict]:
    """Every revision of a session, the oldest first."""
    found, cursor = [], {}
    while True:
        page = await asked(socket, "session.revisions", sessionId=session, limit=500, **cursor)
        found += page["revisions"]
        if "nextCursor" not in page:
            return found[::-1]
        cursor = {"cursor": page["nextCursor"]}


# Every revision that a session has is there, no item is without its words, and no cursor is ahead of the newest.
WHOLE = {
    "a session whose revisions have gaps": (
        "SELECT s.session_id, s.first_revision, s.revision, count(r.revision) FROM sessions s "
        "LEFT JOIN revisions r ON r.session_pk = s.pk AND r.revision BETWEEN s.first_revision AND s.revision "
        "WHERE s.deleted_at IS NOT 0 GROUP BY s.pk HAVING count(r.revision) <> s.revision - s.first_revision + 1"
    ),
    "a revision after the newest": (
        "SELECT s.session_id, r.revision FROM sessions s JOIN revisions r ON r.session_pk = s.pk "
        "WHERE r.revision > s.revision"
    ),
    "an item without its words": (
        "SELECT i.pk FROM items i JOIN sessions s ON s.pk = i.session_pk "
        "WHERE s.deleted_at IS NOT 0 AND i.text_pk NOT IN (SELECT pk FROM texts)"
    ),
    "a cursor ahead of the newest": (
        "SELECT session_id, s.cursor, h.cursor FROM sessions s, hub h WHERE s.cursor > h.cursor"
    ),
}


def copied(gateway: Gateway, name: str = "copy") -> Path:
    """A copy of what lies on the disk, as the next program to open it will find it."""
    folder = gateway.folder / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for part in ("sightline.db", "sightline.db-wal"):
        with suppress(FileNotFoundError):
            shutil.copy(gateway.data_dir / part, folder)
    return folder / "sightline.db"


def check_file(gateway: Gateway) -> None:
    """Looks at a copy of the database while nobody has it open."""
    with closing(sqlite3.connect(copied(gateway))) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
        for what, sql in WHOLE.items():
            assert database.execute(sql).fetchall() == [], what
        # Raises where the index of words and the words do not fit together.
        for index in ("text_search", "session_search"):
            database.execute(f"INSERT INTO {index} ({index}, rank) VALUES ('integrity-check', 1)")
