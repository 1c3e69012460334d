"""Hosts for tests: gateways of other machines, whose sessions are mirrored by a command's pipes."""

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path

from gateway import BINARY, Gateway, eventually
from socket_client import Refused, Socket
from torture.record import copied

# A host answers, or is given up, within this time on a busy machine.
SECONDS = 60


def dial(host: Gateway) -> list[str]:
    """The command whose pipes lead to a host, as `ssh HOST sightline dial-stdio` would."""
    return ["sh", "-c", f"HOME={host.home} exec {BINARY} --data-dir {host.data_dir} dial-stdio"]


async def state(user: Socket, name: str) -> dict:
    hosts = (await user.ask("hosts.list"))["hosts"]
    return next(host for host in hosts if host["name"] == name)


async def answering(user: Socket, name: str) -> dict:
    async def met():
        found = await state(user, name)
        return found if found["state"] == "up" else None

    return await eventually(met, SECONDS, f"{name} answers")


async def silent(user: Socket, name: str) -> dict:
    async def met():
        found = await state(user, name)
        return found if found["state"] == "down" else None

    return await eventually(met, SECONDS, f"{name} does not answer")


async def mirrored(user: Socket, name: str, command: list[str], days: int = 30) -> dict:
    """Adds a host and waits until it answers."""
    await user.ask("hosts.add", name=name, command=command, days=days)
    return await answering(user, name)


async def write(user: Socket, label: str, *steps: str) -> str:
    todos = [{"content": step} for step in steps]
    return (await user.ask("todo.write", session=label, todos=todos))["sessionId"]


async def steps(user: Socket, session: str) -> list[str] | None:
    try:
        return [step["content"] for step in (await user.ask("session.get", sessionId=session))["todos"]]
    except Refused as refused:
        assert refused.code == "SESSION_NOT_FOUND", refused
        return None


async def here(user: Socket, session: str, *wanted: str) -> None:
    async def met():
        return await steps(user, session) == list(wanted)

    await eventually(met, SECONDS, f"{session} has {wanted}")


def bridges(box: Gateway) -> list[int]:
    """The processes that bridge to a host."""
    wanted = f"{box.data_dir}\0dial-stdio".encode()
    found = []
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = line.read_bytes()
            # Over ssh it is found on the search path there.
            if Path(words.split(b"\0")[0].decode()).name == Path(BINARY).name and wanted in words:
                found.append(int(line.parent.name))
        except OSError:
            continue
    return found


REVISIONS = (
    "SELECT revision, at, actor_kind, actor_name, transport, cause FROM revisions WHERE session_pk = ? ORDER BY 1"
)
ITEMS = """SELECT i.uid, i.parent, i.from_rev, i.to_rev, i.rank, i.status, i.status_at, i.more, t.id, t.created_at,
    t.content, t.active_form, t.notes, t.description
    FROM items AS i JOIN texts AS t ON t.pk = i.text_pk WHERE i.session_pk = ? ORDER BY i.from_rev, i.uid"""
# The ids of lists and edits are made over.
LISTS = """SELECT from_rev, to_rev, created_at, archived_at, title, completed, total, unfinished
    FROM lists WHERE session_pk = ? ORDER BY from_rev"""
EDITS = "SELECT revision, state, forgotten, body FROM edits WHERE session_pk = ?"


def read(gateway: Gateway) -> sqlite3.Connection:
    if gateway.data_dir.is_relative_to("/proc"):
        # A mount of its own: SQLite would look for its log elsewhere.
        return sqlite3.connect(copied(gateway))
    return sqlite3.connect(f"file:{gateway.data_dir}/sightline.db?mode=ro", uri=True)


def history(database: sqlite3.Connection, session: str) -> dict | None:
    """A session's rows in a database: its revisions, every state of its items, its lists and its edits."""
    row = database.execute("SELECT pk FROM sessions WHERE session_id = ? AND deleted_at IS NULL", (session,)).fetchone()
    if row is None:
        return None
    edits = []
    for *facts, body in database.execute(EDITS, row):
        said = json.loads(body)
        del said["id"]
        edits.append((*facts, json.dumps(said, sort_keys=True)))
    rows = {
        name: database.execute(ask, row).fetchall()
        for name, ask in (("revisions", REVISIONS), ("items", ITEMS), ("lists", LISTS))
    }
    return {**rows, "edits": sorted(edits)}


def owned(gateway: Gateway) -> dict[str, dict]:
    """The sessions that live on a machine, with their rows."""
    with closing(read(gateway)) as database:
        ids = database.execute("SELECT session_id FROM sessions WHERE host IS NULL AND deleted_at IS NULL").fetchall()
        return {session: history(database, session) for (session,) in ids}


def differences(gateway: Gateway, name: str, box: Gateway) -> list[str]:
    """The differences between the sessions of a host and the same here, row by row."""
    found = []
    with closing(read(gateway)) as database:
        ids = dict(database.execute("SELECT owner_id, session_id FROM mirrored WHERE host = ?", (name,)).fetchall())
        there = owned(box)
        for session, rows in there.items():
            ours = history(database, ids[session]) if session in ids else None
            if ours is None:
                found.append(f"{session} is not here")
                continue
            found += [
                f"{session}: {kind}: {ours[kind]} here, {rows[kind]} there" for kind in rows if ours[kind] != rows[kind]
            ]
        more = "SELECT session_id FROM sessions WHERE host = ? AND deleted_at IS NULL"
        alone = {session for (session,) in database.execute(more, (name,))} - {ids.get(session) for session in there}
        found += [f"{session} is only here" for session in alone]
    return found


async def same(gateway: Gateway, name: str, box: Gateway, seconds: float = 2 * SECONDS) -> None:
    """Waits until every session of a host is here, row by row."""

    async def met() -> bool:
        return not await asyncio.to_thread(differences, gateway, name, box)

    await eventually(met, seconds, f"all of {name} is here")
