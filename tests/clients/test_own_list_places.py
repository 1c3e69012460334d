"""Agents' own lists wherever their files are and whatever forms they have: folders, logs, tasks, lists, subagents."""

import asyncio
import contextlib
import json
import shutil
from uuid import uuid4

import pytest

from gateway import Gateway
from own_files import (
    AGENTS,
    PROMPT,
    RECORDINGS,
    FileRun,
    Witness,
    all_told,
    history,
    make_folders,
    run_of,
    run_session,
    said,
    told,
)
from socket_client import Socket, opened

pytestmark = pytest.mark.anyio


@pytest.fixture
def gateway(data_folder: Gateway) -> Gateway:
    """A gateway in the home of somebody whose agents have run before."""
    make_folders(data_folder.home)
    return data_folder.start()


def updates(user: Socket, run: FileRun) -> list[dict]:
    """The updates of that agent's lists so far, without those of the witness."""
    seen = [message for message in user.seen if message["type"] == "todo.update"]
    return [one for one in seen if one["session"]["agent"]["name"] == run.agent and "witness" not in str(one["todos"])]


# It looks for folders that were not there from time to time.
async def test_agents_that_run_for_the_first_time_are_seen(data_folder):
    gateway = data_folder.start()
    runs = [run_of(gateway.home, agent) for agent in AGENTS]
    async with opened(gateway) as user:
        await user.ask("events.subscribe")
        for run in runs:
            run.write(*run.steps[:-1])
        for run in runs:
            own = (await told(user, run.story[-1], tool=run.tool))["sessionId"]
            assert await history(user, own) == run.story, run.agent
            run.write(run.steps[-1])
            run.close()


# A first record may be all of it: nothing comes after it that would tell of the file.
async def test_what_is_written_at_once_into_new_folders_is_seen(gateway):
    runs = []
    async with opened(gateway) as user:
        await user.ask("events.subscribe")
        for day in range(1, 10):
            run = FileRun(gateway.home, "codex", str(uuid4()))
            run.path = gateway.home / f".codex/sessions/2026/12/{day:02}" / run.path.name
            run.write(*run.steps)
            runs.append(run)
        await all_told(user, "codex", len(runs))


async def test_a_file_that_never_rests_is_read_meanwhile(gateway):
    run = FileRun(gateway.home, "codex")
    place = [at for at, step in enumerate(run.steps) if run.says_list(step)][0]
    work = run.steps[1]
    async with opened(gateway) as user:
        await user.ask("events.subscribe")
        run.write(*run.steps[: place + 1])
        writes = 0
        while not updates(user, run):
            # Each write within the time in which changes are one.
            run.write(work)
            writes += 1
            assert writes < 500, "it is read at last when it rests"
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(0.02):
                    await user.event("todo.update")
        assert said(updates(user, run)[0]["todos"]) == run.story[0]


async def test_a_folder_that_was_put_away_and_made_anew_is_followed(gateway):
    first = FileRun(gateway.home, "codex", str(uuid4()))
    second = FileRun(gateway.home, "codex", str(uuid4()))
    async with opened(gateway) as user:
        await user.ask("events.subscribe")
        first.write(*first.steps)
        await told(user, first.story[-1], tool=first.tool)
        sessions = gateway.home / ".codex" / "sessions"
        shutil.move(sessions, gateway.home / ".codex" / "kept")
        since = len(user.seen)
        second.write(*second.steps)
        await told(user, second.story[-1], since, tool=second.tool)


async def test_opencodes_database_is_read_whatever_becomes_of_its_log(gateway):
    run = run_of(gateway.home, "opencode")
    places = [at for at, step in enumerate(run.steps) if run.says_list(step)]
    async with opened(gateway) as user:
        await user.ask("events.subscribe")
        begin = 0
        for number, place in enumerate(places):
            run.write(*run.steps[begin : place + 1])
            begin = place + 1
            update = await told(user, run.story[number], tool=run.tool)
            assert update["revision"] == number + 1
            if number == 1:
                run.sql("PRAGMA wal_checkpoint(TRUNCATE);")
            if number == 2:
                run.sql("VACUUM;")
            if number == 3:
                # The last to close it takes the log away.
                run.close()
        priorities = [item.get("priority") for item in update["todos"]]
        assert priorities == ["medium", "high", "low", "high"]
        assert await history(user, update["sessionId"]) == run.story
        run.close()


async def test_claude_codes_tasks_are_one_list(gateway):
    run = FileRun(gateway.home, "claude")
    run.steps = (RECORDINGS / "claude" / "transcript.jsonl").read_text().splitlines()
    async with opened(gateway) as user:
        await user.ask("events.subscribe")
        run.write(*run.steps[:31])
        names = ["Read the release notes", "Bump the version number", "Run the unit and integration tests"]
        now = [
            *zip(names, ["completed", "completed", "pending"], strict=True),
            ("Write the changelog entry", "pending"),
        ]
        update = await told(user, now)
        assert update["session"]["ownTool"] == "TaskUpdate"
        own = update["sessionId"]
        assert (await run_session(user, own))["title"] == PROMPT
        lists = await history(user, own)
        assert [len(items) for items in lists[:4]] == [1, 2, 3, 4] and lists[4][0][1] == "in_progress"
        assert any(("Publish the package", "pending") in items for items in lists[-4:]), "deleted at the end"
        first = update["todos"][0]
        assert (first["id"], first["owner"], first["activeForm"]) == ("1", "me", "Reading the release notes")


async def test_tasks_of_a_run_without_a_transcript_are_read_in_their_folder(gateway):
    own = str(uuid4())
    folder = gateway.home / ".claude" / "tasks" / own

    def task(number: int, status: str, **more) -> None:
        folder.mkdir(exist_ok=True)
        text = json.dumps({"id": str(number), "subject": f"Task {number}", "status": status, "blocks": [], **more})
        (folder / f"{number}.json").write_text(text)

    async with opened(gateway) as user:
        await user.ask("events.subscribe")
        task(1, "in_progress", blockedBy=[])
        await told(user, [("Task 1", "in_progress")])
        task(10, "pending", blockedBy=["2"])
        await told(user, [("Task 1", "in_progress"), ("Task 10", "pending")])
        task(2, "pending", owner="me")
        update = await told(user, [("Task 1", "in_progress"), ("Task 2", "pending"), ("Task 10", "pending")])
        assert update["todos"][2]["dependsOnUids"] == [update["todos"][1]["uid"]]
        # It empties the folder when all is done.
        for number in (1, 2, 10):
            task(number, "completed")
        await told(user, [(f"Task {number}", "completed") for number in (1, 2, 10)])
        shutil.rmtree(folder)
        await Witness(gateway.home).seen(user)
        seen = await user.ask("session.get", sessionId=update["sessionId"])
        assert [item["status"] for item in seen["todos"]] == ["completed"] * 3


async def test_a_subagents_transcript_is_under_its_agents(gateway):
    run = FileRun(gateway.home, "claude")
    recorded = (RECORDINGS / "claude" / "agent-a1b2c3d.jsonl").read_text().splitlines()
    async with opened(gateway) as user:
        await user.ask("events.subscribe")
        run.write(*run.steps[:3])
        mine = (await told(user, run.story[0]))["session"]
        sub = FileRun(gateway.home, "claude")
        sub.path = run.path.parent / run.own / "subagents" / "agent-a1b2c3d.jsonl"
        sub.write(*recorded)
        update = await told(user, [("Find the tests", "in_progress"), ("Count them", "pending")])
        child = await run_session(user, update["sessionId"])
        assert child["parentSessionId"] == mine["parentSessionId"] and "ownTool" not in child
        assert update["actor"]["kind"] == "subagent"


# Qwen has its list in two places, and they never disagree.
async def test_qwens_two_files_are_one_list(gateway):
    run, witness = FileRun(gateway.home, "qwen"), Witness(gateway.home)
    recorded = (RECORDINGS / "qwen" / "todos.jsonl").read_text().splitlines()
    lists = [text for at, text in enumerate(recorded) if text not in recorded[:at]]
    assert len(lists) == len(run.story)
    async with opened(gateway) as user:
        await user.ask("events.subscribe")

        def replace(own: str, text: str) -> None:
            place = gateway.home / ".qwen" / "todos" / f"{own}.json"
            beside = place.with_suffix(".tmp")
            beside.write_text(text.replace(run.own, own))
            beside.rename(place)

        number = 0
        for step in run.steps:
            if run.says_list(step):
                replace(run.own, lists[number])
            run.write(step)
            if run.says_list(step):
                update = await told(user, run.story[number])
                number += 1
        await witness.seen(user)
        assert await history(user, update["sessionId"]) == run.story
        assert update["todos"][0]["id"] == "1"
        # Of a run that is not recorded the list's file is all there is: a new inode each time.
        other = str(uuid4())
        for number, text in enumerate(lists):
            since = len(user.seen)
            replace(other, text)
            update = await told(user, run.story[number], since)
            assert update["revision"] == number + 1
        assert await history(user, update["sessionId"]) == run.story
