"""Old transcripts go into the history: whole, dated as they were, once, and without disturbing anything live."""

import asyncio
import json
import os
import signal
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from gateway import START_SECONDS, Gateway, environment, eventually
from old_runs import LLXPRT, aged, imported, llxprt, old_run, past_its_first_start, sessions, short_run
from own_files import AGENTS, PLACES, PROMPT, RECORDINGS, FileRun, all_told, at, history, make_folders, said, told
from socket_client import Refused, opened
from terminal import run, succeed

pytestmark = pytest.mark.anyio

TODOS = [
    {"id": "1", "content": "Read", "status": "completed", "subtasks": [{"id": "1-1", "content": "Aloud"}]},
    {"id": "2", "content": "Write", "status": "in_progress"},
]


def ask_import(gateway: Gateway, *agents: str) -> dict:
    """`sightline import`."""
    return json.loads(succeed(gateway, "--json", "import", *agents))


def close(text: str, wanted: datetime, seconds: float = 10) -> bool:
    return abs(at(text) - wanted) < timedelta(seconds=seconds)


# D2, P12
async def test_on_the_first_start_old_lists_are_history(data_folder):
    home = data_folder.home
    make_folders(home)
    runs = {agent: old_run(home, agent, days=number + 2) for number, agent in enumerate(AGENTS)}
    data_folder.start()
    async with opened(data_folder) as user:
        done = await imported(user)
        assert (done["read"], done["total"], done["runs"], done["lists"]) == (5, 5, 5, 30)
        assert done["unreadable"] == [] and not done["cancelled"]
        snapshot = await user.ask("events.subscribe")
        assert snapshot["sessions"] == [], "nothing of it is current"
        page = {session["agent"]["name"]: session for session in await sessions(user)}
        assert list(page) == list(runs), "the newest first"
        for number, (agent, old) in enumerate(runs.items()):
            session = page[agent]
            end = datetime.now(UTC) - timedelta(days=number + 2)
            assert (session["ownTool"], session["readOnly"], session["current"]) == (old.tool, True, False)
            titled = "Release checklist" if agent == "opencode" else PROMPT
            assert (session["title"], session["state"], session["folder"]) == (titled, "stale", "/home/user/project")
            assert close(session["createdAt"], end, 120) and close(session["lastActivityAt"], end, 120)
            assert await history(user, session["sessionId"]) == old.story
            revisions = (await user.ask("session.revisions", sessionId=session["sessionId"]))["revisions"]
            times = [at(revision["at"]) for revision in revisions]
            assert times == sorted(times, reverse=True) and len(times) == 6
            assert times[0] == at(session["lastActivityAt"]) and times[-1] == at(session["createdAt"])
            gaps = [(newer - older).total_seconds() for newer, older in zip(times, times[1:], strict=False)]
            assert all(0.2 < gap < 2 for gap in gaps), "as far from each other as they were"
        assert not any(message["type"].startswith(("todo.", "session.created")) for message in user.seen)
    for agent in AGENTS:
        again = ask_import(data_folder, agent)
        assert (again["read"], again["runs"], again["lists"], again["done"]) == (1, 1, 0, True)
    data_folder.stop()
    assert ask_import(data_folder)["lists"] == 0, "nor without a gateway"
    data_folder.start()
    async with opened(data_folder) as user:
        assert "import" not in await user.ask("agents.list"), "it is made once"


async def test_without_a_gateway_the_command_does_it(data_folder):
    make_folders(data_folder.home)
    old = old_run(data_folder.home, "codex", 9)
    old_run(data_folder.home, "gemini", 8)
    assert (
        run(data_folder, "import", "codex").out
        == "Read 1 of 1 transcripts: 1 runs with a list, 6 lists that were new.\n"
    )
    assert ask_import(data_folder, "gemini", "codex")["lists"] == 6
    data_folder.start()
    async with opened(data_folder) as user:
        assert (await imported(user))["lists"] == 0
        page = await sessions(user)
        assert [session["agent"]["name"] for session in page] == ["gemini", "codex"]
        assert await history(user, page[1]["sessionId"]) == old.story


async def test_names_that_are_not_known_are_said(lasting):
    ran = run(lasting, "import", "codex", "heron")
    known = "claude, copilot, codex, opencode, cline, kilo, kimi, vibe, continue, gemini, qwen, llxprt"
    said = f'nothing is known of transcripts of "heron"; there are {known}'
    assert ran.code == 1 and said in ran.err
    async with opened(lasting) as user:
        for agents in (["heron"], ["codex", ""], ["Codex"], ["x" * 10_000], ["co\ndex"]):
            with pytest.raises(Refused) as refused:
                await user.ask("import.start", agents=agents)
            assert refused.value.code == "INVALID_MESSAGE" and known in refused.value.message
            assert len(refused.value.message) < 400 and "\n" not in refused.value.message
        for agents in ("codex", [1], [None]):
            with pytest.raises(Refused) as refused:
                await user.ask("import.start", agents=agents)
            assert refused.value.code == "INVALID_MESSAGE"


# P12
async def test_llxprts_lists_are_dated_by_their_files(data_folder):
    home, own = data_folder.home, str(uuid4())
    main = llxprt(home, own, {"todos": TODOS, "paused": True}, days=20)
    sub = llxprt(home, f"{own}-reviewer", {"todos": [TODOS[1]]}, days=21)
    old = llxprt(home, str(uuid4()), [{**TODOS[1], "priority": "high"}], days=300, folder=LLXPRT[1])
    empty = str(uuid4())
    llxprt(home, empty, {"todos": [], "paused": False}, days=10)
    llxprt(home, str(uuid4()), '{"todos": [{"id": "1", "con', days=5)
    llxprt(home, str(uuid4()), {"other": 1}, days=5)
    (home / LLXPRT[0] / "settings.json").write_text("{}")
    data_folder.start()
    async with opened(data_folder) as user:
        done = await imported(user)
        assert (done["read"], len(done["unreadable"])) == (6, 2)
        assert any("not JSON" in text for text in done["unreadable"])
        assert any('no list "todos"' in text for text in done["unreadable"])
        page = {at(session["createdAt"]): session for session in await sessions(user)}
        assert {main, sub, old} <= set(page)
        assert all(session["agent"]["name"] == "llxprt" and session["ownTool"] for session in page.values())
        items = (await user.ask("session.get", sessionId=page[main]["sessionId"]))["todos"]
        assert said(items) == [("Read", "completed"), ("Write", "in_progress")]
        assert [item["content"] for item in items[0]["subtasks"]] == ["Aloud"]
        (item,) = (await user.ask("session.get", sessionId=page[old]["sessionId"]))["todos"]
        assert (item["content"], item["priority"]) == ("Write", "high")
        child = (await user.ask("session.get", sessionId=page[sub]["parentSessionId"]))["session"]
        assert child["parentSessionId"] == page[main]["parentSessionId"]
        assert page[main]["title"] == "Read"


def hostile(gateway: Gateway) -> dict[str, str]:
    """Files of every bad kind where transcripts are looked for; those that are named, with what is said of them."""
    home = gateway.home
    folder = (home / PLACES["codex"]).parent

    def make(name: str, content: bytes = b"", days: float = 40):
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        aged(path, days)
        return path

    no_lines = "none of its lines is a JSON object"
    named = {
        str(make(f"{folder.relative_to(home)}/rollout-text.jsonl", b"hello\nworld\n")): no_lines,
        str(make(f"{folder.relative_to(home)}/rollout-binary.jsonl", bytes(range(256)) * 64 + b"\n")): no_lines,
        str(make(f"{folder.relative_to(home)}/rollout-long.jsonl", b'{"a":"' + b"x" * 20_000_000 + b'"}\n')): no_lines,
        str(make(f"{folder.relative_to(home)}/rollout-array.jsonl", b"[]\n[1]\nnull\n")): no_lines,
        str(make(".gemini/tmp/project/chats/session-odd.json", b"\x00\xff")): "not JSON",
        str(make(".local/share/opencode/opencode.db", b"no database" * 100)): "not a database",
        str(make(".qwen/todos/odd.json", b'{"todos": "none"}')): "no list",
    }
    make(f"{folder.relative_to(home)}/rollout-empty.jsonl")
    (folder / "rollout-folder.jsonl").mkdir()
    loop = folder / "rollout-loop.jsonl"
    loop.symlink_to(loop)
    (folder / "rollout-gone.jsonl").symlink_to(folder / "nowhere")
    (folder / "around").symlink_to(home / ".codex")
    deep = folder
    for _ in range(50):
        deep = deep / "d"
    deep.mkdir(parents=True)
    return named


async def test_what_cannot_be_read_is_named_and_stops_nothing(data_folder):
    home = data_folder.home
    make_folders(home)
    named = hostile(data_folder)
    good = old_run(home, "codex", 3)
    # A line that is too long, between good ones.
    mixed = FileRun(home, "codex", str(uuid4()), lambda recorded: recorded - timedelta(days=9))
    mixed.write(*mixed.steps[:10])
    mixed.add(b'{"a":"' + b"x" * 20_000_000 + b'"}\n\x00\xff\n{"half": \n')
    mixed.write(*mixed.steps[10:])
    aged(mixed.path, 9)
    data_folder.start()
    async with opened(data_folder) as user:
        done = await imported(user)
        assert (done["runs"], done["lists"], done["cancelled"]) == (2, 12, False)
        for path, why in named.items():
            (line,) = [text for text in done["unreadable"] if text.startswith(f"{path}: ")]
            assert why in line
        assert len(done["unreadable"]) == len(named)
        assert [text["name"] for text in done["unreadableTexts"]] == ["import_unread"] * len(named)
        for session in await sessions(user):
            assert await history(user, session["sessionId"]) == good.story
    shown = run(data_folder, "import")
    assert shown.code == 0 and shown.out.count("Not read: ") == len(named)
    german = run(data_folder, "import", variables={"LANG": "de_DE.UTF-8"})
    assert german.out.count("Nicht gelesen: ") == len(named), german
    assert "none of its lines" not in german.out and "keine ihrer Zeilen ist ein JSON-Objekt" in german.out


# Whoever opens a pipe waits for its writer, and a device never ends.
async def test_a_pipe_or_a_device_among_the_transcripts_holds_up_nothing(data_folder):
    home = data_folder.home
    make_folders(home)
    folder = (home / PLACES["codex"]).parent
    os.mkfifo(folder / "rollout-pipe.jsonl")
    os.mkfifo(home / ".qwen" / "todos" / "pipe.json")
    (folder / "rollout-zero.jsonl").symlink_to("/dev/zero")
    old_run(home, "claude", 5)
    old_run(home, "qwen", 5)
    old_run(home, "codex", 4)
    data_folder.start()
    live = FileRun(home, "codex", str(uuid4()))
    async with opened(data_folder) as user:
        await user.ask("events.subscribe")
        live.write(*live.steps)
        await told(user, live.story[-1], tool="update_plan")
        done = await imported(user)
        assert len(await sessions(user)) == 4 and done["runs"] >= 3


RUNS = 200


@pytest.fixture
def many(data_folder: Gateway) -> Gateway:
    """A gateway that has imported before, and then came hundreds of transcripts from elsewhere."""
    make_folders(data_folder.home)
    past_its_first_start(data_folder)
    for number in range(RUNS):
        short_run(data_folder.home, f"Step of run {number}", days=30 + number / 100)
    return data_folder.start()


async def test_an_import_can_be_watched_ended_and_made_again(many):
    async with opened(many) as user, opened(many) as other:
        for one in (user, other):
            assert (await one.ask("events.subscribe"))["sessions"] == []
        assert await sessions(user) == [], "nothing is taken before it is asked for"
        none = await user.ask("import.cancel")
        assert none["done"] and none["total"] == 0
        begun = await user.ask("import.start")
        assert (begun["read"], begun["done"], begun["cancelled"]) == (0, False, False)
        going = await other.first(lambda m: m["type"] == "import.progress" and m["read"] > 0)
        assert (going["total"], going["agent"]) == (RUNS, "codex")
        # Another that asks meanwhile is told of the one that runs.
        same = await other.ask("import.start", agents=["gemini"])
        assert same["total"] == RUNS and same["read"] >= going["read"]
        await user.ask("import.cancel")
        for one in (user, other):
            ended = await one.event("import.progress", done=True)
            assert ended["cancelled"] and 0 < ended["read"] < RUNS and "agent" not in ended
        # Of the one that it was at the list may have been taken.
        assert len(await sessions(user)) == ended["lists"], "what was taken stays"
        assert ended["lists"] - ended["read"] in (0, 1)

        since = len(user.seen)
        await user.ask("import.start", agents=["codex"])
        done = await user.event("import.progress", since, done=True)
        assert (done["read"], done["cancelled"], done["runs"]) == (RUNS, False, RUNS)
        assert done["lists"] == RUNS - ended["lists"]
        page = await sessions(user)
        assert len(page) == RUNS == len({session["sessionId"] for session in page})
        assert {session["revision"] for session in page} == {1}
        steps = [one for one in user.seen if one["type"] == "import.progress"]
        reads = [one["read"] for one in steps if one in steps[steps.index(ended) + 1 :]]
        assert reads == sorted(reads) and len(reads) > 1
        events = {one["type"] for one in user.seen + other.seen if not one["type"].endswith(".result")}
        assert events - {"session.list"} == {"import.progress"}, "nobody is told of the old lists"
        times = [at(session["lastActivityAt"]) for session in page]
        assert times == sorted(times, reverse=True)


async def test_the_command_is_ended_in_good_order(many):
    process = await asyncio.create_subprocess_exec(
        *many.command("--json", "import"),
        stdout=asyncio.subprocess.PIPE,
        env=environment(many.home),
        cwd=many.home,
    )
    async with opened(many) as user:

        async def has_begun() -> bool:
            return bool(await sessions(user))

        await eventually(has_begun, START_SECONDS, "some lists are taken")
        process.send_signal(signal.SIGINT)
        async with asyncio.timeout(START_SECONDS):
            out, _ = await process.communicate()
        ended = json.loads(out)
        assert process.returncode == 0 and ended["cancelled"] and ended["read"] < RUNS
        assert len(await sessions(user)) == ended["lists"]
        assert ask_import(many)["lists"] == RUNS - ended["lists"]


async def test_while_an_import_runs_agents_are_answered_and_told(many):
    live = FileRun(many.home, "codex", str(uuid4()))
    async with opened(many) as user, opened(many) as agent:
        await user.ask("events.subscribe")
        await agent.ask("import.start")
        written = 0
        while not any(m["type"] == "import.progress" and m["done"] for m in user.seen):
            content = f"Now {written}"
            async with asyncio.timeout(5):
                answer = await agent.ask("todo.write", session="live", todos=[{"content": content}])
                written += 1
                assert answer["revision"] == written
                update = await user.event("todo.update", sessionId=answer["sessionId"], revision=written)
            assert said(update["todos"]) == [(content, "pending")]
            if written == 3:
                live.write(*live.steps)
        assert written > 5, "they came in between"
        await all_told(user, "codex", 1)
        # The import may have found the live run, too.
        assert len([s for s in await sessions(user) if s["agent"]["name"] == "codex"]) == RUNS + 1
        updates = {m["session"]["agent"]["name"] for m in user.seen if m["type"] == "todo.update"}
        folders = {m["sessionId"] for m in user.seen if m["type"] == "todo.update"}
        assert len(folders) == 2 and "codex" in updates


async def test_an_import_that_was_killed_is_made_again(data_folder):
    runs = 100
    make_folders(data_folder.home)
    for number in range(runs):
        short_run(data_folder.home, f"Step of run {number}", days=30 + number / 100)
    data_folder.start()
    async with opened(data_folder) as user:
        await user.ask("events.subscribe")
        await user.first(lambda m: m["type"] == "import.progress" and m["read"] > 0)
    data_folder.kill()
    data_folder.start()
    async with opened(data_folder) as user:
        done = await imported(user)
        assert (done["read"], done["cancelled"]) == (runs, False)
        page = await sessions(user)
        assert len(page) == runs and {session["revision"] for session in page} == {1}
    # Ended in good order in the middle of one, too.
    for number in range(20):
        short_run(data_folder.home, f"More {number}")
    async with opened(data_folder) as user:
        await user.ask("import.start")
    data_folder.stop()
    data_folder.start()
    ask_import(data_folder)
    async with opened(data_folder) as user:
        assert len(await sessions(user)) == runs + 20


async def test_an_old_run_that_goes_on_today_goes_on(data_folder):
    home = data_folder.home
    make_folders(home)
    old = FileRun(home, "codex", moment=lambda recorded: recorded - timedelta(days=3))
    half = [number for number, step in enumerate(old.steps) if old.says_list(step)][2] + 1
    old.write(*old.steps[:half])
    aged(old.path, 3)
    data_folder.start()
    async with opened(data_folder) as user:
        assert (await imported(user))["lists"] == 3
        (session,) = await sessions(user)
        assert (await user.ask("events.subscribe"))["sessions"] == []
        today = FileRun(home, "codex")
        today.write(*today.steps[half:])
        update = await told(user, old.story[-1])
        assert (update["sessionId"], update["revision"]) == (session["sessionId"], 6)
        # What comes at once may be told as its newest list alone.
        first = await user.event("todo.update", sessionId=session["sessionId"])
        assert first["revision"] >= 4, "what was old is not told again"
        assert await history(user, session["sessionId"]) == old.story
        assert (await user.ask("session.get", sessionId=session["sessionId"]))["session"]["current"]


async def test_a_subagents_old_list_is_under_its_agents(data_folder):
    home = data_folder.home
    make_folders(home)
    old = old_run(home, "claude", 6)
    sub = FileRun(home, "claude", moment=lambda recorded: recorded - timedelta(days=6))
    sub.path = old.path.parent / old.own / "subagents" / "agent-a1b2c3d.jsonl"
    recorded = [line.replace("5d0c7a3e-1f44-4f0e-9a55-2b7d6f1c0a11", old.own) for line in sub_lines()]
    sub.write(*recorded)
    # Its file is older than its agent's.
    aged(sub.path, 7)
    data_folder.start()
    async with opened(data_folder) as user:
        assert (await imported(user))["runs"] == 2
        page = {session["revision"]: session for session in await sessions(user)}
        child = (await user.ask("session.get", sessionId=page[1]["parentSessionId"]))["session"]
        assert child["parentSessionId"] == page[6]["parentSessionId"]


def sub_lines() -> list[str]:
    return (RECORDINGS / "claude" / "agent-a1b2c3d.jsonl").read_text(encoding="utf-8").splitlines()
