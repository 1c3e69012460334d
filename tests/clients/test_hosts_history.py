"""The life of a mirrored session: deleted there or here, renamed here, and an owner that was put back from a backup."""

import asyncio
import sqlite3
from contextlib import closing

import pytest

from gateway import eventually, until
from hosts import SECONDS, dial, differences, here, mirrored, steps, write
from socket_client import Refused, Socket, opened

pytestmark = pytest.mark.anyio


async def gone(user: Socket, session: str) -> None:
    async def met() -> bool:
        return await steps(user, session) is None

    await eventually(met, SECONDS, f"{session} is gone")


async def ids(user: Socket) -> list[str]:
    return sorted(one["sessionId"] for one in (await user.ask("session.list"))["sessions"])


# H3
async def test_a_deletion_there_is_one_here_and_can_be_taken_back(gateway, hosts):
    box = hosts("box").start()
    async with opened(gateway) as user, opened(box) as there:
        await mirrored(user, "box", dial(box))
        first, second = await write(there, "one", "A"), await write(there, "two", "B")
        await here(user, second, "B")
        await there.ask("session.delete", sessionId=first)
        await gone(user, first)
        assert await ids(user) == [second]
        # Here as there it can be brought back for a time, and comes back with its owner's.
        deleted = (await user.ask("session.list", filter={"deleted": True}))["sessions"]
        assert [one["sessionId"] for one in deleted] == [first] and deleted[0]["deletedAt"]
        await there.ask("session.undelete", sessionId=first)
        await here(user, first, "A")
    assert differences(gateway, "box", box) == []


# H3
async def test_a_deletion_here_lasts_and_its_owner_keeps_it(gateway, hosts):
    box = hosts("box").start()
    async with opened(gateway) as user, opened(box) as there:
        await mirrored(user, "box", dial(box))
        first, second = await write(there, "one", "A"), await write(there, "two", "B")
        await here(user, first, "A")
        await here(user, second, "B")
        await user.ask("session.delete", sessionId=first)
        await write(there, "one", "A", "More")
        await write(there, "two", "B", "More")
        await here(user, second, "B", "More")
    # Also after a restart, which asks for all that is new.
    gateway.stop()
    gateway.start()
    async with opened(gateway) as user, opened(box) as there:
        await write(there, "one", "A", "Even more")
        await write(there, "two", "B", "Even more")
        await user.ask("hosts.test", name="box")
        await here(user, second, "B", "Even more")
        assert await ids(user) == [second]
        assert await steps(there, first) == ["A", "Even more"], "its owner keeps it"


# H8
async def test_a_name_and_marks_given_here_stay_here(gateway, hosts):
    box = hosts("box").start()
    async with opened(gateway) as user, opened(box) as there:
        await mirrored(user, "box", dial(box))
        session = await write(there, "api", "A")
        await here(user, session, "A")
        await user.ask("session.mark", sessionId=session, title="Mine", pinned=True, addTags=["later"])
        await write(there, "api", "A", "B")
        await here(user, session, "A", "B")
        ours = (await user.ask("session.get", sessionId=session))["session"]
        theirs = (await there.ask("session.get", sessionId=session))["session"]
        assert (ours["title"], ours["pinned"], ours["tags"]) == ("Mine", True, ["later"])
        assert (theirs["title"], theirs.get("pinned"), theirs.get("tags")) != ("Mine", True, ["later"])
        assert theirs["title"] != "Mine"


# H5
async def test_an_owner_from_a_backup_is_fetched_anew_and_the_old_stays(gateway, hosts):
    box = hosts("box").start()
    database = box.data_dir / "sightline.db"
    async with opened(gateway) as user:
        async with opened(box) as there:
            session = await write(there, "api", "A")
            other = await write(there, "other", "X")
        await asyncio.to_thread(box.stop)
        backup = database.read_bytes()
        await asyncio.to_thread(box.start)
        await mirrored(user, "box", dial(box))
        async with opened(box) as there:
            await write(there, "api", "A", "Lost")
            await here(user, session, "A", "Lost")
        await asyncio.to_thread(box.stop)
        for name in ("sightline.db-wal", "sightline.db-shm"):
            (box.data_dir / name).unlink(missing_ok=True)
        database.write_bytes(backup)
        await asyncio.to_thread(box.start)
        async with opened(box) as there:
            await write(there, "api", "A", "Else")
            await write(there, "api", "A", "Else", "More")
            await user.ask("hosts.test", name="box")

            async def is_here() -> bool:
                new = [one for one in await ids(user) if one not in (session, other)]
                return bool(new) and await steps(user, new[0]) == ["A", "Else", "More"]

            await eventually(is_here, SECONDS, "the other history is here")
            assert await steps(user, session) == ["A", "Lost"], "what was here stays"
            assert await steps(user, other) == ["X"], "and what is as it was goes on"
            await write(there, "other", "X", "Y")
            await here(user, other, "X", "Y")
            with pytest.raises(Refused) as refused:
                await user.ask("note.send", sessionId=session, text="Hello")
            assert refused.value.code == "READ_ONLY"
    until(
        lambda: not [one for one in differences(gateway, "box", box) if "only here" not in one], SECONDS, "row by row"
    )
    with closing(sqlite3.connect(f"file:{gateway.data_dir}/sightline.db?mode=ro", uri=True)) as kept:
        assert kept.execute("SELECT count(*) FROM sessions WHERE host = 'box'").fetchone() == (3,)
