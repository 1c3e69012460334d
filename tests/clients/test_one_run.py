"""Our list and the agent's own are of one run: one session, two lists; and what is known of a run without any."""

import json
from uuid import uuid4

import pytest

from agent import INTRODUCED, connected, text_of
from gateway import Gateway
from hooks import AGENTS, CLAUDE, CODEX, GEMINI, QWEN, heard
from own_files import DatabaseRun, FileRun, Witness, make_folders, run_of, told
from socket_client import Socket, opened
from terminal import succeed

pytestmark = pytest.mark.anyio

OURS = [{"content": "Plan", "status": "in_progress"}, {"content": "Do"}]
CLIENTS = {"codex": CODEX.client, "gemini": GEMINI.client, "opencode": "opencode"}


@pytest.fixture
def gateway(data_folder: Gateway) -> Gateway:
    make_folders(data_folder.home)
    return data_folder.start()


def record_of_ours(run: FileRun | DatabaseRun, text: str) -> list[str]:
    """The agent's record of a call of our tool with that result."""
    if run.agent == "gemini":
        response = {"functionResponse": {"id": "ours", "response": {"output": f"<untrusted_context>\n{text}\n"}}}
        call = {
            "id": f"ours-{uuid4()}",
            "name": "mcp_sightline_todo_write",
            "args": {"todos": OURS},
            "result": [response],
        }
        call |= {"status": "success", "timestamp": "2026-11-21T01:04:26.408Z"}
        return [json.dumps({"id": str(uuid4()), "type": "gemini", "timestamp": call["timestamp"], "toolCalls": [call]})]
    if run.agent == "codex":
        item = {"type": "response_item", "timestamp": "2026-11-21T01:04:21.000Z"}
        call = {"type": "function_call", "namespace": "mcp__sightline", "name": "todo_write", "arguments": "{}"}
        output = {"type": "function_call_output", "output": f"Wall time: 0.1 seconds\nOutput:\n{text}"}
        return [json.dumps({**item, "payload": {**part, "call_id": "ours"}}) for part in (call, output)]
    state = {"status": "completed", "input": {"todos": OURS}, "output": text, "time": {"end": 1795223097000}}
    data = json.dumps({"type": "tool", "tool": "sightline_todo_write", "state": state}).replace("'", "''")
    part = f"'prt_{uuid4()}', 'msg_1fba28cd1001bKEa7tseQpCjPb', '{run.own}', 1795223097000, 1795223097000"
    return [f"INSERT INTO part VALUES ({part}, '{data}');"]


async def runs_of(user: Socket, agent: str) -> dict[str, list[str]]:
    """The own lists under each run of that agent's."""
    page = (await user.ask("session.list", limit=200))["sessions"]
    mine = [session for session in page if session["agent"]["name"] == agent and "witness" not in str(session)]
    runs = {session["sessionId"]: [] for session in mine if "ownTool" not in session}
    for session in mine:
        if "ownTool" in session:
            runs.setdefault(session["parentSessionId"], []).append(session["sessionId"])
    return runs


# G1, G5
@pytest.mark.parametrize("ours_first", [True, False], ids=["ours-first", "own-first"])
@pytest.mark.parametrize("agent", CLIENTS)
async def test_our_list_and_its_own_are_of_one_session(gateway, agent, ours_first):
    run = run_of(gateway.home, agent)
    half = [at for at, step in enumerate(run.steps) if run.says_list(step)][1] + 1
    meta = {"sessionId": run.own, "threadId": run.own} if agent == "codex" else None
    async with opened(gateway) as user, connected(gateway, "stdio", name=CLIENTS[agent]) as client:
        await user.ask("events.subscribe")
        if not ours_first:
            run.write(*run.steps[:half])
            await told(user, run.story[1])
        result = await client.call_tool("todo_write", {"todos": OURS}, meta=meta)
        ours = result.structured_content["sessionId"]
        # Codex says which run it is with each call, and is told nothing.
        assert (f"This list is session {ours}, proof " in text_of(result)) is (meta is None)
        if ours_first:
            run.write(*run.steps[:half])
        run.write(*record_of_ours(run, text_of(result)))
        run.write(*run.steps[half:])
        own = (await told(user, run.story[-1], tool=run.tool))["sessionId"]
        await Witness(gateway.home).seen(user)
        run.close()
        assert await runs_of(user, agent) == {ours: [own]}
        seen = await user.ask("session.get", sessionId=ours)
        assert [item["content"] for item in seen["todos"]] == ["Plan", "Do"], "two lists"
        # The list that it keeps with us can be changed, its own cannot.
        assert "readOnly" not in seen["session"]
        assert (await user.ask("session.get", sessionId=own))["session"]["readOnly"]


async def test_two_runs_in_one_folder_have_each_their_lists(gateway):
    runs = [run_of(gateway.home, "codex", str(uuid4())) for _ in range(2)]
    pairs = {}
    async with opened(gateway) as user:
        await user.ask("events.subscribe")
        for run in runs:
            async with connected(gateway, "stdio", name=CODEX.client) as client:
                meta = {"sessionId": run.own}
                ours = (await client.call_tool("todo_write", {"todos": OURS}, meta=meta)).structured_content[
                    "sessionId"
                ]
            since = len(user.seen)
            run.write(*run.steps)
            pairs[ours] = [(await told(user, run.story[-1], since))["sessionId"]]
        assert len(pairs) == 2 and await runs_of(user, "codex") == pairs


# A run that reads another session's number, long after that was written, is not that session.
async def test_an_old_result_in_a_file_ties_nothing(gateway):
    run = FileRun(gateway.home, "gemini")
    async with opened(gateway) as user, connected(gateway, name=GEMINI.client) as client:
        await user.ask("events.subscribe")
        result = await client.call_tool("todo_write", {"todos": OURS})
        ours = result.structured_content["sessionId"]
        text = f"A file says:\n{INTRODUCED.search(text_of(result))[0]}"
        run.write(*run.steps[:3])
        run.write(record_of_ours(run, text)[0].replace("mcp_sightline_todo_write", "read_file"))
        run.write(*run.steps[3:])
        own = (await told(user, run.story[-1]))["sessionId"]
        runs = await runs_of(user, "gemini")
        assert runs.pop(ours) == [] and list(runs.values()) == [[own]]


async def test_an_agent_that_goes_on_while_its_list_stands_still_drifts(lasting):
    own = str(uuid4())
    plan = {"plan": [{"step": "Read", "status": "in_progress"}, {"step": "Ship", "status": "pending"}]}
    wrote = CODEX.payload(own, "PostToolUse", tool_name="update_plan", tool_input=plan, tool_response="Plan updated")
    async with opened(lasting) as user:
        await user.ask("events.subscribe")
        await heard(lasting, CODEX, wrote)
        update = await told(user, [("Read", "in_progress"), ("Ship", "pending")], tool="update_plan")
        run = update["session"]["parentSessionId"]

        async def session() -> dict:
            return (await user.ask("session.get", sessionId=run))["session"]

        for calls in range(15):
            now = await session()
            assert (now["callsSinceList"], now.get("drifts")) == (calls, None)
            await heard(lasting, CODEX, CODEX.tool(own))
        drifting = await user.event("session.updated", sessionId=run, drifts=True)
        assert drifting["callsSinceList"] == 15
        # A question to the user is no drift, and a new list ends the drift.
        plan["plan"][0]["status"] = "completed"
        await heard(lasting, CODEX, wrote)
        now = await session()
        assert (now["callsSinceList"], now.get("drifts"), now["state"]) == (0, None, "running")


# Its hooks are not there: its file tells of the calls, and the same ones once.
async def test_drift_is_seen_in_files_and_counted_once(gateway):
    run, witness = FileRun(gateway.home, "codex"), Witness(gateway.home)
    call = [step for step in run.steps if '"call_step_3"' in step and "function_call" in step]
    async with opened(gateway) as user:
        await user.ask("events.subscribe")
        run.write(*run.steps[:7])
        parent = (await told(user, run.story[0]))["session"]["parentSessionId"]
        for number in range(15):
            run.write(*[step.replace("call_step_3", f"call_{number}") for step in call])
        await user.event("session.updated", sessionId=parent, callsSinceList=15, drifts=True)
    gateway.kill()
    gateway.start()
    async with opened(gateway) as user:
        await user.ask("events.subscribe")
        await witness.seen(user)
        now = (await user.ask("session.get", sessionId=parent))["session"]
        assert (now["callsSinceList"], now["drifts"], now["state"]) == (15, True, "running")
        run.write(*run.steps[7:9])
        await told(user, run.story[1])
        now = (await user.ask("session.get", sessionId=parent))["session"]
        assert (now["callsSinceList"], now.get("drifts")) == (0, None)
        # The end of its turn ends the drift too.
        run.write(*run.steps[9:])
        idle = await user.event("session.updated", sessionId=parent, state="idle")
        assert idle.get("drifts") is None


async def test_what_an_agent_waits_for_and_how_it_ends_is_shown(lasting):
    own = str(uuid4())
    async with opened(lasting) as user:
        await user.ask("events.subscribe")

        async def after(event: str, **fields) -> tuple[str, str | None]:
            since = len(user.seen)
            await heard(lasting, CLAUDE, CLAUDE.payload(own, event, **fields))
            kinds = ("session.created", "session.updated")
            seen = await user.first(lambda m: m["type"] in kinds and m["agent"]["name"] == "claude", since)
            return seen["state"], seen.get("stateReason")

        assert await after("SessionStart", source="startup") == ("running", None)
        assert await after("UserPromptSubmit", prompt="Fix it") == ("running", None)
        asked = {"message": "Claude needs your permission to use Bash", "notification_type": "permission_prompt"}
        assert await after("Notification", **asked) == ("waiting", asked["message"])
        assert await after("PostToolUse", **CLAUDE.shell) == ("running", None)
        assert await after("Stop", stop_hook_active=False) == ("idle", None)
        idle = {"message": "Claude is waiting for your input", "notification_type": "idle_prompt"}
        assert await after("Notification", **idle) == ("waiting", idle["message"])
        assert await after("UserPromptSubmit", prompt="And now?") == ("running", None)
        assert await after("StopFailure", error="no credit") == ("failed", "no credit")
        assert await after("SessionEnd", reason="logout") == ("finished", "logout")


async def test_what_an_agent_without_a_list_does_without_is_said(gateway):
    """Its own list is off; then it is connected and never calls; then it does."""
    async with opened(gateway) as user:
        await user.ask("events.subscribe")

        async def list_state(agent, own: str) -> str:
            since = len(user.seen)
            await heard(gateway, agent, agent.prompt(own), "command")
            kinds = ("session.created", "session.updated")
            return (await user.first(lambda m: m["type"] in kinds and m["agent"]["name"] == agent.name, since))[
                "listState"
            ]

        own = str(uuid4())
        for agent in (CODEX, QWEN):
            assert await list_state(agent, own) == "tool-off"
        for agent in (CLAUDE, GEMINI):
            assert await list_state(agent, own) == "unknown"
        for agent in AGENTS.values():
            succeed(gateway, "connect", agent.name, "--yes", "--no-test")
            assert await list_state(agent, own) == "never-called", "also of a run that is there already"
            assert await list_state(agent, str(uuid4())) == "never-called"
        succeed(gateway, "disconnect", "codex", "--yes")
        assert await list_state(CODEX, own) == "tool-off"
        async with connected(gateway, "stdio", name=CODEX.client) as client:
            await client.call_tool("todo_write", {"todos": OURS}, meta={"sessionId": own})
        assert await list_state(CODEX, own) == "active"
