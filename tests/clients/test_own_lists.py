"""Agents' own lists out of their files while they work: told live, each once, whatever happens to the file."""

import asyncio
import contextlib
import json
import shutil
from uuid import uuid4

import pytest

from gateway import Gateway
from own_files import (
    AGENTS,
    LINES,
    PROMPT,
    RECORDINGS,
    FileRun,
    Witness,
    all_told,
    claude_call,
    claude_record,
    history,
    make_folders,
    run_of,
    said,
    told,
)
from socket_client import Refused, Socket, opened

pytestmark = pytest.mark.anyio

each_agent = pytest.mark.parametrize("agent", AGENTS)
each_with_lines = pytest.mark.parametrize("agent", LINES)


@pytest.fixture
def gateway(data_folder: Gateway) -> Gateway:
    """A gateway in the home of somebody whose agents have run before."""
    make_folders(data_folder.home)
    return data_folder.start()


async def run_session(user: Socket, own: str) -> dict:
    """The session of the run whose own list this is."""
    parent = (await user.ask("session.get", sessionId=own))["session"]["parentSessionId"]
    return (await user.ask("session.get", sessionId=parent))["session"]


# D2, G5
@each_agent
async def test_each_list_is_told_as_it_is_written(gateway, agent):
    run = run_of(gateway.home, agent)
    async with opened(gateway) as user:
        await user.ask("events.subscribe")
        lists, ids = 0, set()
        for step in run.steps:
            run.write(step)
            if run.says_list(step):
                update = await told(user, run.story[lists], tool=run.tool)
                lists += 1
                session = update["session"]
                assert (update["revision"], session["readOnly"]) == (lists, True)
                assert (session["agent"]["name"], session["folder"]) == (agent, "/home/user/project")
                assert (update["actor"]["kind"], update["actor"]["transport"]) == ("agent", "file")
                ids.add((session["sessionId"], session["parentSessionId"]))
        run.close()
        ((own, parent),) = ids
        assert lists == len(run.story) == 6
        assert await history(user, own) == run.story
        seen = (await user.ask("session.get", sessionId=parent))["session"]
        # opencode keeps the quotes of the command line.
        assert (seen["title"].strip('"'), seen.get("ownTool"), seen["revision"]) == (PROMPT, None, 0)
        page = (await user.ask("session.list"))["sessions"]
        assert {session["sessionId"] for session in page} <= {own, parent}, "one run"


EDITS = {
    "todo.add": {"content": "Ask the customer"},
    "todo.delete": {"position": "1"},
    "todo.clear": {},
    "todo.setStatus": {"position": "1", "status": "completed"},
    "todo.edit": {"position": "1", "content": "Read them twice"},
    "todo.move": {"position": "1", "to": "2"},
    "note.send": {"text": "Use the staging database"},
    "todo.command": {"line": "/todo add last Ask the customer"},
}


@each_agent
async def test_a_list_whose_agent_cannot_be_told_is_not_edited(gateway, agent):
    run = run_of(gateway.home, agent)
    async with opened(gateway) as user:
        await user.ask("events.subscribe")
        run.write(*run.steps)
        run.close()
        own = (await told(user, run.story[-1]))["sessionId"]
        for kind, fields in EDITS.items():
            with pytest.raises(Refused) as refused:
                await user.ask(kind, sessionId=own, **fields)
            assert refused.value.code == "READ_ONLY", kind
            assert run.tool in refused.value.message and agent in refused.value.message
        seen = await user.ask("session.get", sessionId=own)
        assert (seen["edits"], said(seen["todos"])) == ([], run.story[-1])


@each_with_lines
async def test_a_record_that_is_half_written_is_told_once_it_is_whole(gateway, agent):
    run, witness = FileRun(gateway.home, agent), Witness(gateway.home)
    # Of several bytes, so that a character can be cut in two as well.
    words, odd = "Read the release notes", "Notizen ✓ lesen 🚀"
    run.story = [[(content.replace(words, odd), status) for content, status in items] for items in run.story]
    async with opened(gateway) as user:
        await user.ask("events.subscribe")
        lists = 0
        for step in run.steps:
            record = f"{run.dated(step.replace(words, odd))}\n".encode()
            if not run.says_list(step):
                run.add(record)
                continue
            rocket = record.rfind("🚀".encode())
            cut = rocket + 2 if rocket >= 0 else len(record) // 2
            run.add(record[:cut])
            if lists == 0:
                await witness.seen(user)
                assert not any(message.get("session", {}).get("ownTool") == run.tool for message in updates(user, run))
            run.add(record[cut:-1])
            run.add(record[-1:])
            update = await told(user, run.story[lists], tool=run.tool)
            lists += 1
            assert update["revision"] == lists
        assert await history(user, update["sessionId"]) == run.story


def updates(user: Socket, run: FileRun) -> list[dict]:
    """The updates of that agent's lists so far, without those of the witness."""
    seen = [message for message in user.seen if message["type"] == "todo.update"]
    return [one for one in seen if one["session"]["agent"]["name"] == run.agent and "witness" not in str(one["todos"])]


@each_with_lines
async def test_a_file_that_is_written_anew_tells_nothing_twice(gateway, agent):
    run, witness = FileRun(gateway.home, agent), Witness(gateway.home)
    half = [at for at, step in enumerate(run.steps) if run.says_list(step)][2] + 1
    records = [f"{run.dated(step)}\n" for step in run.steps[:half]]
    async with opened(gateway) as user:
        await user.ask("events.subscribe")
        run.add("".join(records))
        own = (await told(user, run.story[2], tool=run.tool))["sessionId"]
        # Truncated, and the same again.
        run.path.write_text("")
        run.add("".join(records[: half // 2]))
        await witness.seen(user)
        run.add("".join(records[half // 2 :]))
        await witness.seen(user)
        assert await history(user, own) == run.story[:3]
        # Another file in its place, with one list more.
        following = [at for at, step in enumerate(run.steps) if run.says_list(step)][3] + 1
        records += [f"{run.dated(step)}\n" for step in run.steps[half:following]]
        beside = run.path.with_name("beside.tmp")
        beside.write_text("".join(records))
        beside.rename(run.path)
        assert (await told(user, run.story[3]))["sessionId"] == own
        # Away, and there again.
        run.path.rename(beside)
        await witness.seen(user)
        beside.rename(run.path)
        run.write(*run.steps[following:])
        assert (await told(user, run.story[5]))["sessionId"] == own
        assert await history(user, own) == run.story


async def test_a_gateway_that_is_killed_again_and_again_loses_nothing_and_tells_nothing_twice(gateway):
    runs = {agent: run_of(gateway.home, agent) for agent in AGENTS}
    places = {agent: [at for at, step in enumerate(run.steps) if run.says_list(step)] for agent, run in runs.items()}
    ids: dict[str, set] = {agent: set() for agent in AGENTS}
    written = dict.fromkeys(AGENTS, 0)

    def write_to(lists: int) -> None:
        for agent, run in runs.items():
            end = places[agent][lists - 1] + 1
            run.write(*run.steps[written[agent] : end])
            written[agent] = end

    for lists in (2, 4, 6):
        async with opened(gateway) as user:
            await user.ask("events.subscribe")
            write_to(lists - 1)
            if lists == 4:
                # What it was about to read it reads after the next start.
                gateway.kill()
                gateway.start()
                continue
            for agent, run in runs.items():
                snapshot = (await user.ask("session.list", limit=200))["sessions"]
                mine = [s for s in snapshot if s.get("ownTool") == run.tool and s["revision"] >= lists - 1]
                update = mine[0] if mine else await told(user, run.story[lists - 2], tool=run.tool)
                session = mine[0] if mine else update["session"]
                ids[agent].add((session["sessionId"], session["parentSessionId"]))
        gateway.kill()
        write_to(lists)
        gateway.start()
    async with opened(gateway) as user:
        since = await user.ask("events.subscribe")
        for agent, run in runs.items():
            ((own, _),) = ids[agent]
            now = [s for s in since["sessions"] if s["sessionId"] == own]
            if said(now[0]["todos"]) != run.story[-1]:
                await told(user, run.story[-1], tool=run.tool)
            assert await history(user, own) == run.story, agent
            run.close()
        tops = [s for s in (await user.ask("session.list", limit=200))["sessions"] if "ownTool" in s]
        assert sorted(s["agent"]["name"] for s in tops) == sorted(AGENTS)


async def test_after_a_restart_an_item_may_become_what_it_was(gateway):
    run = FileRun(gateway.home, "codex")
    begin, call = run.steps[:4], run.steps[5:7]

    def write(number: int, status: str) -> None:
        plan = json.dumps({"plan": [{"step": "Publish", "status": status}]})
        record = json.loads(call[0])
        record["payload"] |= {"arguments": plan, "call_id": f"call_{number}"}
        run.write(json.dumps(record), call[1].replace("call_step_1", f"call_{number}"))

    async with opened(gateway) as user:
        await user.ask("events.subscribe")
        run.write(*begin)
        write(1, "pending")
        await told(user, [("Publish", "pending")])
    gateway.kill()
    gateway.start()
    async with opened(gateway) as user:
        await user.ask("events.subscribe")
        for number, status in enumerate(["in_progress", "pending", "completed", "pending"], 2):
            write(number, status)
            update = await user.event("todo.update", revision=number)
            assert said(update["todos"]) == [("Publish", status)]


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
        for day in range(1, 21):
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


async def test_two_runs_in_one_folder_are_two(gateway):
    runs = [run_of(gateway.home, agent, own) for agent in LINES for own in (str(uuid4()), str(uuid4()))]
    async with opened(gateway) as user:
        await user.ask("events.subscribe")
        for run in runs:
            run.write(*run.steps)
        for agent in LINES:
            await all_told(user, agent, 2)
        page = (await user.ask("session.list", limit=200))["sessions"]
        parents = {session["parentSessionId"] for session in page if "ownTool" in session}
        assert len(parents) == len(runs)


async def test_what_a_failed_call_would_have_written_is_no_list(gateway):
    run = FileRun(gateway.home, "claude")
    todos = {"todos": [{"content": "Never", "status": "pending", "activeForm": "Never"}]}
    call, answer = claude_call(run.own, 99, "TodoWrite", todos, "Error: no")
    refused = json.loads(answer)
    refused["message"]["content"][0]["is_error"] = True
    async with opened(gateway) as user:
        await user.ask("events.subscribe")
        run.write(claude_record(run.own, "user", {"content": PROMPT}), call, json.dumps(refused))
        run.write(*run.steps[1:3])
        update = await told(user, run.story[0])
        assert update["revision"] == 1
