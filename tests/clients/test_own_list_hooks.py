"""Agents' own lists by their hooks: shown, editable, told; beside their files, and beside our list of the same run."""

import json
from uuid import uuid4

import pytest

from gateway import Gateway
from hooks import AGENTS, CLAUDE, CODEX, GEMINI, QWEN, WAYS, Agent, heard
from own_files import (
    PROMPT,
    RECORDED,
    RECORDINGS,
    TOOLS,
    FileRun,
    Witness,
    at,
    history,
    make_folders,
    run_session,
    said,
    story,
    told,
)
from socket_client import Socket, opened

pytestmark = pytest.mark.anyio

RECORDED_HOOKS = [CODEX, GEMINI, QWEN]
each_recorded = pytest.mark.parametrize("agent", RECORDED_HOOKS, ids=lambda agent: agent.name)
ADDED = "Ask the customer"


@pytest.fixture
def gateway(data_folder: Gateway) -> Gateway:
    make_folders(data_folder.home)
    return data_folder.start()


def payloads(agent: Agent, own: str) -> list[dict]:
    """The input of a real run's hooks after each call; the third call is of another tool."""
    text = (RECORDINGS / agent.name / "hooks.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.replace(RECORDED[agent.name], own).splitlines()]


def writes_list(payload: dict) -> bool:
    return payload.get("tool_name") in TOOLS.values()


def with_added(payload: dict) -> dict:
    """The same call, by an agent that heard of the user's addition and keeps it at its end."""
    changed = json.loads(json.dumps(payload))
    given = changed["tool_input"]
    items = given.get("todos") or given["plan"]
    word = next(name for name in ("content", "step", "description") if name in items[0])
    items.append({word: ADDED, "status": "pending", **({"id": "99"} if "id" in items[0] else {})})
    return changed


async def hook(gateway: Gateway, agent: Agent, payload: dict, way: str = "http") -> str | None:
    return await heard(gateway, agent, payload, way)


# D2, G5
@each_recorded
@pytest.mark.parametrize("way", WAYS)
async def test_a_list_comes_by_hooks_and_hears_of_the_users_edits(lasting, agent, way):
    own, tool, lists = str(uuid4()), TOOLS[agent.name], story(agent.name)
    first, second, other, *rest = payloads(agent, own)
    async with opened(lasting) as user:
        await user.ask("events.subscribe")
        assert await hook(lasting, agent, agent.prompt(own, PROMPT), way) is None
        since = len(user.seen)
        assert await hook(lasting, agent, first, way) is None
        update = await told(user, lists[0], since, tool)
        mine = update["sessionId"]
        assert (update["session"]["title"], update["revision"], update["actor"]["transport"]) == (PROMPT, 1, "hook")
        assert "readOnly" not in (await user.ask("session.get", sessionId=mine))["session"]
        assert (await run_session(user, mine))["title"] == PROMPT
        assert await hook(lasting, agent, second, way) is None
        edit = (await user.ask("todo.add", sessionId=mine, content=ADDED))["editId"]

        context = await hook(lasting, agent, other, way)
        assert context.startswith(f"The user changed the todo list that you keep with {tool}.")
        assert f'added "{ADDED}" at 5' in context and "The list is now:" in context
        assert f"5. [pending] {ADDED}" in context and "1. [completed] Read the release notes" in context
        delivered = await user.event("edit.state", editId=edit, state="delivered")
        assert delivered["toolCall"] == f"hook {agent.tool_event}"
        assert await hook(lasting, agent, other, way) is None, "it was told"

        for payload in rest:
            assert await hook(lasting, agent, with_added(payload), way) is None
        await user.event("edit.state", editId=edit, state="reflected")
        seen = await user.ask("session.get", sessionId=mine)
        assert said(seen["todos"]) == [*lists[-1], (ADDED, "pending")]
        assert seen["session"]["revision"] == 7, "the agent's six and the user's one"


# A change that the agent does not take up stays the user's, and is delivered once.
@each_recorded
async def test_an_agent_that_does_not_follow_is_told_once(lasting, agent):
    own = str(uuid4())
    first, second, other, *rest = payloads(agent, own)
    async with opened(lasting) as user:
        await hook(lasting, agent, first)
        mine = await newest_own(user)
        edit = (await user.ask("todo.add", sessionId=mine, content=ADDED))["editId"]
        assert ADDED in await hook(lasting, agent, second)
        for payload in (other, *rest):
            assert await hook(lasting, agent, payload) is None
        seen = await user.ask("session.get", sessionId=mine)
        assert (ADDED, "pending") in said(seen["todos"]) and len(seen["todos"]) == 5
        states = {one["editId"]: one["state"] for one in seen["edits"]}
        assert states[edit] == "ignored"


async def newest_own(user: Socket) -> str:
    """The own list that was written last."""
    page = (await user.ask("session.list", limit=200))["sessions"]
    lists = [session for session in page if "ownTool" in session]
    return max(lists, key=lambda session: at(session["lastActivityAt"]))["sessionId"]


@each_recorded
async def test_each_kind_of_edit_reaches_the_agent(lasting, agent):
    own = str(uuid4())
    first, second, other, *_ = payloads(agent, own)
    async with opened(lasting) as user:
        await hook(lasting, agent, first)
        mine = await newest_own(user)

        async def ask(kind: str, **fields) -> None:
            await user.ask(kind, sessionId=mine, **fields)

        await ask("todo.delete", position="3")
        await ask("todo.edit", position="2", content="Bump all version numbers")
        await ask("todo.setStatus", position="1", status="completed")
        await ask("note.send", text="Use the staging database")
        context = await hook(lasting, agent, other)
        assert "The user tells you: Use the staging database" in context
        assert 'removed "Run the test suite"' in context and "Bump all version numbers" in context
        # It follows in all but one.
        items = second["tool_input"].get("todos") or second["tool_input"]["plan"]
        word = next(name for name in ("content", "step", "description") if name in items[0])
        items[1][word] = "Bump all version numbers"
        del items[2]
        assert await hook(lasting, agent, second) is None
        seen = await user.ask("session.get", sessionId=mine)
        wanted = [("Read the release notes", "completed"), ("Bump all version numbers", "in_progress")]
        assert said(seen["todos"]) == [*wanted, ("Publish the package", "pending")]
        assert sorted(edit["state"] for edit in seen["edits"]) == ["delivered", "reflected", "reflected", "reflected"]


def claude_tool(own: str, tool: str, given: dict, response) -> dict:
    return CLAUDE.payload(own, "PostToolUse", tool_name=tool, tool_input=given, tool_response=response)


@pytest.mark.parametrize("way", WAYS)
async def test_claude_codes_todo_write_is_a_list(lasting, way):
    own = str(uuid4())
    async with opened(lasting) as user:
        await user.ask("events.subscribe")
        for number, items in enumerate(story("claude"), 1):
            todos = [{"content": words, "status": status, "activeForm": f"On: {words}"} for words, status in items]
            payload = claude_tool(own, "TodoWrite", {"todos": todos}, {"oldTodos": [], "newTodos": todos})
            since = len(user.seen)
            assert await hook(lasting, CLAUDE, payload, way) is None
            update = await told(user, items, since, "TodoWrite")
            assert update["revision"] == number
        assert update["todos"][0]["activeForm"] == "On: Read the release notes"
        assert await history(user, update["sessionId"]) == story("claude")


async def test_claude_codes_tasks_are_a_list(lasting):
    own = str(uuid4())

    async def create(number: int, subject: str) -> str | None:
        task = {"task": {"id": str(number), "subject": subject}}
        given = {"subject": subject, "description": f"{subject}, with care", "activeForm": f"On: {subject}"}
        return await hook(lasting, CLAUDE, claude_tool(own, "TaskCreate", given, task))

    async def change(number: int, **fields) -> str | None:
        done = {"success": True, "taskId": str(number), "updatedFields": list(fields)}
        return await hook(lasting, CLAUDE, claude_tool(own, "TaskUpdate", {"taskId": str(number), **fields}, done))

    async with opened(lasting) as user:
        await user.ask("events.subscribe")
        for number, subject in enumerate(["Read", "Bump", "Test"], 1):
            assert await create(number, subject) is None
        await told(user, [("Read", "pending"), ("Bump", "pending"), ("Test", "pending")])
        mine = await newest_own(user)
        await change(1, status="in_progress", owner="me")
        await change(2, subject="Bump all")
        await told(user, [("Read", "in_progress"), ("Bump all", "pending"), ("Test", "pending")])
        # One that was refused changes nothing.
        refused = {"success": False, "taskId": "3", "error": "Task not found"}
        given = {"taskId": "3", "status": "completed"}
        await hook(lasting, CLAUDE, claude_tool(own, "TaskUpdate", given, refused))
        await change(3, status="deleted")
        update = await told(user, [("Read", "in_progress"), ("Bump all", "pending")])
        assert update["sessionId"] == mine
        first = update["todos"][0]
        assert (first["id"], first["owner"], first["description"]) == ("1", "me", "Read, with care")
        # The user's task has no number with the agent; a task of its own by that name is it.
        edit = (await user.ask("todo.add", sessionId=mine, content=ADDED))["editId"]
        context = await change(1, status="completed")
        assert context and ADDED in context
        assert await create(4, ADDED) is None
        await user.event("edit.state", editId=edit, state="reflected")
        seen = said((await user.ask("session.get", sessionId=mine))["todos"])
        assert seen == [("Read", "completed"), ("Bump all", "pending"), (ADDED, "pending")]


@pytest.mark.parametrize("hook_first", [True, False], ids=["hook-first", "file-first"])
@each_recorded
async def test_hooks_and_file_of_one_run_are_one_list(gateway, agent, hook_first):
    run = FileRun(gateway.home, agent.name)
    calls = iter(payloads(agent, run.own))
    async with opened(gateway) as user:
        await user.ask("events.subscribe")
        number = 0
        for step in run.steps:
            call = next(calls) if run.says_list(step) else None
            while call and not writes_list(call):
                await hook(gateway, agent, call, "command")
                call = next(calls)
            if call and hook_first:
                await hook(gateway, agent, call, "command")
            run.write(step)
            if call and not hook_first:
                await hook(gateway, agent, call, "command")
            if call:
                await told(user, run.story[number])
                number += 1
        await Witness(gateway.home).seen(user)
        update = await told(user, run.story[-1])
        assert await history(user, update["sessionId"]) == run.story
        page = (await user.ask("session.list", limit=200))["sessions"]
        mine = [session for session in page if session["agent"]["name"] == agent.name and "witness" not in str(session)]
        tops = {session.get("parentSessionId", session["sessionId"]) for session in mine}
        assert len(tops) == 1
        # A hook listens, so the list can be changed, and what was changed is told once.
        await user.ask("todo.add", sessionId=update["sessionId"], content=ADDED)
        assert ADDED in await hook(gateway, agent, agent.tool(run.own), "command")
        assert await hook(gateway, agent, agent.tool(run.own), "command") is None


@pytest.mark.parametrize("agent", AGENTS.values(), ids=AGENTS)
async def test_a_subagents_own_list_is_under_its_own_session(lasting, agent):
    own, tool = str(uuid4()), TOOLS[agent.name]
    word = {"codex": "step", "gemini": "description"}.get(agent.name, "content")
    name = "plan" if agent is CODEX else "todos"

    def wrote(content: str, **more) -> dict:
        items = [{word: content, "status": "pending", **({"id": "1"} if agent is QWEN else {})}]
        return agent.payload(
            own, agent.tool_event, tool_name=tool, tool_input={name: items}, tool_response="ok", **more
        )

    async with opened(lasting) as user:
        await user.ask("events.subscribe")
        await hook(lasting, agent, wrote("Mine"))
        mine = await told(user, [("Mine", "pending")], tool=tool)
        await hook(lasting, agent, wrote("Theirs", agent_id="sub-1", agent_type="explorer"))
        theirs = await told(user, [("Theirs", "pending")], tool=tool)
        assert theirs["sessionId"] != mine["sessionId"]
        child = await run_session(user, theirs["sessionId"])
        assert child["parentSessionId"] == mine["session"]["parentSessionId"] and "ownTool" not in child
        assert (theirs["actor"]["kind"], mine["actor"]["kind"]) == ("subagent", "agent")
        # A subagent does not receive what is delivered to its agent.
        read_only = [(await user.ask("session.get", sessionId=one["sessionId"]))["session"] for one in (mine, theirs)]
        assert [session.get("readOnly") for session in read_only] == [None, True]
        assert said((await user.ask("session.get", sessionId=mine["sessionId"]))["todos"]) == [("Mine", "pending")]


@each_recorded
async def test_an_edit_waits_for_the_next_hook_also_after_a_restart(gateway, agent):
    own, lists = str(uuid4()), story(agent.name)
    first, second, other, third, *rest = payloads(agent, own)
    async with opened(gateway) as user:
        await user.ask("events.subscribe")
        await hook(gateway, agent, first)
        mine = (await told(user, lists[0]))["sessionId"]
        edit = (await user.ask("todo.add", sessionId=mine, content=ADDED))["editId"]
    gateway.kill()
    gateway.start()
    async with opened(gateway) as user:
        await user.ask("events.subscribe")
        # The very next call writes the list: what it wrote it could not know.
        context = await hook(gateway, agent, second)
        assert ADDED in context and "[completed] Read the release notes" in context
        assert await hook(gateway, agent, other) is None
        for payload in (third, *rest):
            assert await hook(gateway, agent, with_added(payload)) is None
        seen = await user.ask("session.get", sessionId=mine)
        assert said(seen["todos"]) == [*lists[-1], (ADDED, "pending")]
        assert [one["state"] for one in seen["edits"] if one["editId"] == edit] == ["reflected"]
        # An agent that empties the list leaves the user's items that are not done.
        last = json.loads(json.dumps(rest[-1]))
        given = last["tool_input"]
        given["plan" if "plan" in given else "todos"] = []
        assert await hook(gateway, agent, last) is None
        emptied = await user.ask("session.get", sessionId=mine)
        assert said(emptied["todos"]) == [(ADDED, "pending")]
