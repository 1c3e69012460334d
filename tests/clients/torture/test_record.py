"""The record notices what is lost: all the other tests here lean on that."""

import copy
import sqlite3
from contextlib import closing

import pytest

from socket_client import opened
from torture.record import Record, check_file

pytestmark = pytest.mark.anyio


def another_word(known: dict) -> None:
    known[2][0]["content"] = "Nobody wrote this"


def another_status(known: dict) -> None:
    known[1][0]["status"] = "completed"


def one_item_more(known: dict) -> None:
    known[3].append({"content": "Lost", "status": "pending", "subtasks": []})


def one_subtask_more(known: dict) -> None:
    known[2][0]["subtasks"].append({"content": "Lost", "status": "pending", "subtasks": []})


def another_order(known: dict) -> None:
    known[2].reverse()


def one_revision_more(known: dict) -> None:
    known[4] = known[3]


def one_revision_less(known: dict) -> None:
    del known[2]


@pytest.mark.parametrize(
    "loss",
    [
        another_word,
        another_status,
        one_item_more,
        one_subtask_more,
        another_order,
        one_revision_more,
        one_revision_less,
    ],
)
async def test_what_differs_is_noticed(lasting, loss):
    record = Record()
    async with opened(lasting) as socket:
        for turn in range(3):
            todos = [{"content": f"{loss.__name__} {turn}"}, {"content": f"{loss.__name__} and more {turn}"}]
            await record.of(socket.ask("todo.write", session=loss.__name__, todos=todos))
        await record.check(socket)
        lost = Record()
        lost.revisions = copy.deepcopy(record.revisions)
        [known] = lost.revisions.values()
        loss(known)
        with pytest.raises(AssertionError):
            await lost.check(socket, again=True)


@pytest.mark.parametrize(
    "loss",
    [
        "DELETE FROM revisions WHERE revision = 2",
        "DELETE FROM revisions WHERE revision = 3",
        "DELETE FROM texts WHERE pk = (SELECT min(pk) FROM texts)",
        "UPDATE sessions SET revision = 2",
        "UPDATE sessions SET cursor = cursor + 1000",
        "INSERT INTO text_search (rowid, content) VALUES (9, 'nowhere')",
    ],
)
async def test_a_file_that_does_not_fit_together_is_noticed(data_folder, loss):
    data_folder.start()
    async with opened(data_folder) as socket:
        for turn in range(3):
            await socket.ask("todo.write", session="one", todos=[{"content": f"Read {turn}"}])
    data_folder.stop()
    check_file(data_folder)
    with closing(sqlite3.connect(data_folder.data_dir / "sightline.db")) as database:
        database.execute(loss)
        database.commit()
    with pytest.raises((AssertionError, sqlite3.DatabaseError)):
        check_file(data_folder)
