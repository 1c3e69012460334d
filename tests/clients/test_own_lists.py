"""Agents' own lists out of their files while they work: told live, each once, whatever happens to the file."""

import json
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from gateway import Gateway
from own_files import (
    AGENTS,
    LINES,
    PROMPT,
    FileRun,
    Witness,
    all_told,
    at,
    claude_call,
    claude_record,
    each_agent,
    each_with_lines,
    history,
    make_folders,
    run_of,
    said,
    told,
)
from socket_client import Refused, Socket, opened

pytestmark = pytest.mark.anyio


@pytest.fixture
def gateway(data_folder: Gateway) -> Gateway:
    """A gateway in the home of somebody whose agents have run before."""
    make_folders(data_folder.home)
    return data_folder.start()


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
                # The part that it had not read yet is read after the next start.
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


# A virtual machine's clock, or one that was set back since.
async def test_an_agent_whose_clock_is_ahead_is_told_once(gateway):
    ahead = datetime.now(UTC) + timedelta(minutes=5) - at("2026-11-21T01:04:20.000Z")
    run = FileRun(gateway.home, "codex", moment=lambda recorded: recorded + ahead)
    async with opened(gateway) as user:
        await user.ask("events.subscribe")
        run.write(*run.steps)
        own = (await told(user, run.story[-1], tool=run.tool))["sessionId"]
        assert await history(user, own) == run.story
    gateway.kill()
    gateway.start()
    async with opened(gateway) as user:
        await user.ask("events.subscribe")
        await Witness(gateway.home).seen(user)
        await user.ask("import.start", agents=["codex"])
        await user.event("import.progress", done=True)
        assert await history(user, own) == run.story
        newest = (await user.ask("session.get", sessionId=own))["session"]["lastActivityAt"]
        assert at(newest) <= datetime.now(UTC), "never in times to come"
