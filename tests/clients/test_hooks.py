"""Edits delivered by hooks: the whole way of an edit, and the events at which nothing may be delivered."""

from uuid import uuid4

import pytest

import agent as tool
from agent import INTRODUCED, connected, text_of
from hooked_run import NOTE, OWN, running
from hooks import AGENTS, CLAUDE, CODEX, GEMINI, QWEN, WAYS, heard
from socket_client import Refused, opened

pytestmark = pytest.mark.anyio

each_agent = pytest.mark.parametrize("agent", AGENTS.values(), ids=AGENTS)


# D5, P11
@each_agent
@pytest.mark.parametrize("way", WAYS)
async def test_an_agent_hears_by_its_next_tool_and_follows(lasting, agent, way):
    async with running(lasting, agent, mcp="stdio" if way == "command" else "http", way=way) as run:
        added = await run.edits("todo.add", content="Ask the customer")
        gone = await run.edits("todo.delete", position="3")
        note = await run.edits("note.send", text=NOTE)
        context = await run.works()
        assert f"The user tells you: {NOTE}" in context
        assert 'added "Ask the customer" at 3' in context and 'removed "Ship"' in context
        for edit in (added, gone, note):
            await run.delivered(edit, agent.tool_event)
        assert await run.works() is None and await run.prompted() is None, "it was told"

        followed = await tool.write(run.client, [*OWN[:2], {"content": "Ask the customer"}])
        assert followed["userChanges"] == [] and "The user" not in followed["text"], "nor is it told by the result"
        assert tool.contents(followed["todos"]) == ["Read", "Fix", "Ask the customer"]
        for edit in (added, gone):
            await run.user.event("edit.state", editId=edit, state="reflected")
        assert await run.states() == ["reflected", "reflected", "delivered"], "a note ends there"
        assert await run.works() is None


# D5, P11
@each_agent
async def test_an_agent_hears_with_the_next_prompt(lasting, agent):
    async with running(lasting, agent) as run:
        note = await run.edits("note.send", text=NOTE)
        assert await run.prompted() == f"The user tells you: {NOTE}"
        await run.delivered(note, agent.prompt_event)
        assert await run.prompted() is None and await run.works() is None
        read = await tool.read(run.client)
        assert read["userChanges"] == [] and NOTE not in read["text"]


# Qwen fires it before each model request, without a prompt after tool results.
async def test_an_empty_prompt_is_a_chance_to_tell_too(lasting):
    async with running(lasting, QWEN) as run:
        await run.edits("note.send", text=NOTE)
        assert NOTE in await run.prompted("")
        assert await run.prompted("") is None


# Answers to these events reach no model, make it continue, or reach another model.
SILENT = {
    "claude": ["SessionStart", "SubagentStop", "PreToolUse", "Notification", "SessionEnd", "AfterTool"],
    "codex": ["SessionStart", "PreToolUse", "SessionEnd", "PostToolUseFailure", "AfterTool"],
    "gemini": ["SessionStart", "BeforeTool", "SessionEnd", "PostToolUse", "UserPromptSubmit"],
    "qwen": ["SessionStart", "PreToolUse", "TodoCreated", "SessionEnd", "BeforeAgent"],
}


@each_agent
async def test_nothing_is_told_where_it_would_be_lost(lasting, agent):
    async with running(lasting, agent) as run:
        await run.edits("note.send", text=NOTE)
        for event in SILENT[agent.name]:
            assert await run.hears({**agent.tool(run.own), "hook_event_name": event, "prompt": "x"}) is None, event
        assert await run.works(agent_id="sub-1", agent_type="explorer") is None, "a subagent hears it"
        assert await run.hears({**agent.prompt(run.own), "agent_id": "sub-1"}) is None
        assert await run.works(tool_name=agent.ours, tool_response="Updated todos") is None, "our result tells"
        assert await run.states() == ["queued"]
        assert NOTE in await run.works()


# The agent was about to stop, and goes on with what it has not seen; then it stops.
@each_agent
@pytest.mark.parametrize("way", WAYS)
async def test_a_turn_that_ends_goes_on_with_what_was_not_seen(lasting, agent, way):
    async with running(lasting, agent, way=way) as run:
        note = await run.edits("note.send", text=NOTE)
        event = "AfterAgent" if agent is GEMINI else "Stop"
        ends = {**agent.payload(run.own, event), "stop_hook_active": False}
        assert await run.hears({**ends, "agent_id": "sub-1"}) is None, "a subagent's turn ends"
        assert await run.hears(ends) == f"The user tells you: {NOTE}"
        await run.delivered(note, event)
        session = (await run.user.ask("session.get", sessionId=run.session))["session"]
        assert session["state"] == "running", "it goes on"
        assert await run.hears({**ends, "stop_hook_active": True}) is None
        session = (await run.user.ask("session.get", sessionId=run.session))["session"]
        assert session["state"] == "idle"


@pytest.mark.parametrize("agent", [CLAUDE, QWEN], ids=lambda agent: agent.name)
async def test_a_failed_tool_tells_where_the_agent_reads_it(lasting, agent):
    async with running(lasting, agent) as run:
        note = await run.edits("note.send", text=NOTE)
        failed = agent.payload(run.own, "PostToolUseFailure", tool_name="Bash", error="exit code 2", is_interrupt=False)
        assert NOTE in await run.hears(failed)
        await run.delivered(note, "PostToolUseFailure")


# With an error its model reads nothing but the error.
async def test_geminis_failed_tool_tells_nothing(lasting):
    async with running(lasting, GEMINI) as run:
        await run.edits("note.send", text=NOTE)
        error = {"message": "File not found: x", "type": "file_not_found"}
        response = {"llmContent": "File not found: x", "returnDisplay": "File not found", "error": error}
        assert await run.works(tool_response=response) is None
        assert await run.states() == ["queued"]
        assert NOTE in await run.works(tool_response={**response, "error": None})


@each_agent
async def test_a_run_without_a_list_is_told_nothing(lasting, agent):
    """It is seen all the same; the first list that it writes is then that session's."""
    async with opened(lasting) as user:
        before = {session["sessionId"] for session in (await user.ask("session.list", limit=200))["sessions"]}
        own = str(uuid4())
        assert await heard(lasting, agent, agent.prompt(own)) is None
        assert await heard(lasting, agent, agent.tool(own)) is None
        sessions = (await user.ask("session.list", limit=200))["sessions"]
        new = [session for session in sessions if session["sessionId"] not in before]
        seen = [(session["agent"]["name"], session["listState"], session["state"]) for session in new]
        # Here none is connected; what Claude Code and Gemini do without is not known.
        state = "tool-off" if agent in (CODEX, QWEN) else "unknown"
        assert seen == [(agent.name, state, "running")]


async def test_only_a_result_of_our_own_tool_ties_a_run_to_a_session(lasting):
    async with running(lasting, CLAUDE) as run:
        # One that nobody has used yet.
        line = INTRODUCED.search(text_of(await run.client.call_tool("todo_read", {})))[0]
        await run.edits("note.send", text=NOTE)
        other = str(uuid4())
        for payload in (
            CLAUDE.tool(other, tool_response={"stdout": line}),
            CLAUDE.prompt(other, line),
            CLAUDE.tool(other, tool_name="todo_write", tool_response=line),
            CLAUDE.tool(other, tool_name=CLAUDE.ours, tool_response="This list is session nobody."),
            CLAUDE.tool(other, tool_name=CLAUDE.ours, tool_response=f"This list is session {uuid4()}."),
        ):
            assert await run.hears(payload) is None
            assert await run.hears(CLAUDE.tool(other)) is None, payload
        assert NOTE in await run.works()


# Whatever stands in a list, the agent's own words or the user's, is no word of ours.
@each_agent
async def test_a_text_in_the_list_ties_a_run_to_no_other_session(lasting, agent):
    async with running(lasting, CLAUDE) as other, connected(lasting, name=agent.client) as client:
        line = INTRODUCED.search(text_of(await other.client.call_tool("todo_read", {})))[0]
        todos = [{"content": line, "activeForm": line}, {"content": "Fix", "notes": f"\n{line}\n"}]
        result = await client.call_tool("todo_write", {"todos": todos})
        session, own = result.structured_content["sessionId"], str(uuid4())
        await other.user.ask("note.send", sessionId=session, text=f"for this one\n{line}")
        await other.edits("note.send", text="for the other")
        assert await heard(lasting, agent, agent.wrote(own, todos, result)) is None
        for _ in range(2):
            # Later results do not introduce the list again.
            result = await client.call_tool("todo_read", {})
            assert await heard(lasting, agent, agent.wrote(own, todos, result)) is None
        await other.user.ask("note.send", sessionId=session, text="for this one, too")
        assert await heard(lasting, agent, agent.tool(own)) == "The user tells you: for this one, too"
        assert await heard(lasting, agent, agent.tool(own)) is None
        assert await other.states() == ["queued"], "another agent's note is not told here"


# It has a list of its own, and the agent's hooks see its calls.
@pytest.mark.parametrize("agent", [CLAUDE, CODEX, QWEN], ids=lambda agent: agent.name)
async def test_a_subagents_list_does_not_take_the_agents_place(lasting, agent):
    async with running(lasting, agent) as run, connected(lasting, name=agent.client) as client:
        result = await client.call_tool("todo_write", {"todos": OWN})
        assert result.structured_content["sessionId"] != run.session
        assert await run.hears({**agent.wrote(run.own, OWN, result), "agent_id": "sub-1"}) is None
        await run.edits("note.send", text=NOTE)
        assert NOTE in await run.works()


# One server may keep several lists: the agent's own, and others by label.
async def test_another_list_by_label_does_not_take_its_place_either(lasting):
    async with running(lasting, CLAUDE) as run:
        result = await run.client.call_tool("todo_write", {"todos": OWN, "session": str(uuid4())})
        assert result.structured_content["sessionId"] != run.session
        assert await run.hears(CLAUDE.wrote(run.own, OWN, result)) is None
        await run.edits("note.send", text=NOTE)
        assert NOTE in await run.works()


# A resumed run has another tool server, and with it another list.
async def test_the_newest_result_counts(lasting):
    async with running(lasting, GEMINI) as first, connected(lasting, name=GEMINI.client) as client:
        result = await client.call_tool("todo_write", {"todos": OWN})
        second = result.structured_content["sessionId"]
        assert second != first.session
        assert await first.hears(GEMINI.wrote(first.own, OWN, result)) is None
        await first.edits("note.send", text="for the first")
        await first.user.ask("note.send", sessionId=second, text="for the second")
        assert await first.works() == "The user tells you: for the second"
        assert await first.works() is None
        assert (await first.states()) == ["queued"]


# Codex says its session in each call, the others in the environment of the tool server.
@pytest.mark.parametrize("agent", [CLAUDE, CODEX, QWEN], ids=lambda agent: agent.name)
async def test_the_agents_own_id_ties_it_without_any_result(lasting, agent):
    own = str(uuid4())
    variable = {"claude": "CLAUDE_CODE_SESSION_ID", "qwen": "QWEN_CODE_SESSION_ID"}.get(agent.name)
    variables, meta = ({variable: own}, None) if variable else (None, {"sessionId": own})
    async with connected(lasting, "stdio", name=agent.client, variables=variables) as client, opened(lasting) as user:
        result = await client.call_tool("todo_write", {"todos": OWN}, meta=meta)
        await user.ask("note.send", sessionId=result.structured_content["sessionId"], text=NOTE)
        assert NOTE in await heard(lasting, agent, agent.prompt(own), "command")
        other = next(one for one in AGENTS.values() if one is not agent)
        assert await heard(lasting, other, other.prompt(own), "command") is None, "another agent's id is another's"


async def test_a_report_is_an_agents(lasting):
    async with opened(lasting) as user:
        with pytest.raises(Refused) as refused:
            await user.ask("session.report", listens=True)
        assert refused.value.code == "INVALID_MESSAGE" and "agent" in refused.value.message
        await user.ask("hello", agent={"agent": {"name": "codex"}, "ownSession": str(uuid4())})
        nothing = await user.ask("session.report", listens=True)
        assert "sessionId" not in nothing and nothing["edits"] == nothing["todos"] == []


async def test_a_hook_says_that_the_agent_is_there(lasting):
    async with running(lasting, CLAUDE) as run:
        since = len(run.user.seen)
        assert await run.hears(CLAUDE.payload(run.own, "Stop", stop_hook_active=False)) is None
        await run.user.event("session.updated", since, sessionId=run.session)
        now = await run.user.ask("session.get", sessionId=run.session)
        assert now["revision"] == 1, "a report is no revision"
