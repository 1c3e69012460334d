"""The requests of the page of agents: to list them, to preview and make changes, to test them; and their refusals."""

import asyncio
import os
import re
import subprocess
from pathlib import Path

import pytest
from websockets.exceptions import InvalidStatus

from agent import connected
from agents_page import (
    AGENTS,
    CONNECTABLE,
    FILES,
    INSTRUCTIONS,
    TEXTS,
    carry_out,
    configured,
    each_agent,
    files,
    plan,
    refused,
    row,
)
from gateway import Gateway, environment, eventually, until
from hooks import CODEX, heard
from hooks import post as post_hook
from socket_client import opened

pytestmark = pytest.mark.anyio


def program(folder: Path, name: str, script: str) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def programs(data_folder: Gateway, monkeypatch) -> Path:
    """A folder that stands first on the search path of the gateway to come."""
    folder = data_folder.folder / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return folder


async def test_each_agent_is_listed_with_what_it_says_of_itself(data_folder, programs):
    said = {
        "codex": ("echo codex-cli 0.169.0", "0.169.0"),
        "gemini": ("echo 0.61.0", "0.61.0"),
        "opencode": ("exit 1", None),
        "qwen": ("head -c 100000 /dev/zero; exit 0", None),
    }
    for name, (script, _) in said.items():
        program(programs, name, script)
    data_folder.start()
    async with opened(data_folder) as user:
        rows = (await user.ask("agents.list"))["agents"]
        assert [one["agent"] for one in rows] == CONNECTABLE
        for one in [one for one in rows if one["agent"] in AGENTS]:
            agent = one["agent"]
            assert one["server"] == "absent" and "lastList" not in one and "lastOwnList" not in one
            assert one.get("hooks") == "absent"
            assert one["instructions"] == INSTRUCTIONS[agent]
            own = {"claude": "unknown", "codex": "off", "gemini": "none", "opencode": "none", "qwen": "off"}
            assert one["ownList"] == own[agent]
            if agent in said:
                assert one["program"] == str(programs / agent)
                assert said[agent][1] is None or said[agent][1] in one["version"]
            else:
                assert "program" not in one and "version" not in one
            assert one.get("version", "").isprintable()
        # Another version, noticed without a restart.
        path = program(programs, "codex", "echo codex-cli 0.170.0")
        os.utime(path, (1, 1))
        assert "0.170.0" in (await row(user, "codex"))["version"]
        (programs / "codex").unlink()
        assert "program" not in await row(user, "codex")


@each_agent
async def test_a_plan_is_shown_carried_out_once_and_taken_back(gateway, agent):
    before = configured(gateway, agent)
    async with opened(gateway) as user:
        planned = await plan(user, agent)
        assert files(gateway.home) == before, "a plan changes nothing"
        assert FILES[agent] in planned["diff"] and "sightline" in planned["diff"]
        applied = await user.ask("agents.apply", planId=planned["planId"])
        assert str(gateway.home / FILES[agent]) in applied["written"]
        assert [Path(kept).read_bytes() for kept in applied["backups"]] == [TEXTS[agent]]
        after = files(gateway.home)
        assert {str(gateway.home / name) for name in after if after[name] != before.get(name)} == set(
            applied["written"]
        )
        again = await refused(user, "agents.apply", "CONFIGURATION", planId=planned["planId"])
        assert "carried out" in again
        now = await row(user, agent)
        assert (now["server"], now.get("hooks")) == ("ours", "ours")
        nothing = await plan(user, agent)
        assert nothing["diff"] == "" and files(gateway.home) == after
        assert (await user.ask("agents.apply", planId=nothing["planId"]))["written"] == []

        taken = await plan(user, agent, "disconnect")
        assert files(gateway.home) == after and "-" in taken["diff"]
        await user.ask("agents.apply", planId=taken["planId"])
        assert files(gateway.home) == before, "byte for byte"
        assert (await row(user, agent))["server"] == "absent"


@each_agent
async def test_a_file_that_changed_after_the_plan_is_left_alone(gateway, agent):
    configured(gateway, agent)
    async with opened(gateway) as user:
        planned = await plan(user, agent)
        path = gateway.home / FILES[agent]
        path.write_bytes(path.read_bytes() + b"\n")
        before = files(gateway.home)
        said = await refused(user, "agents.apply", "CONFIGURATION", planId=planned["planId"])
        assert str(path) in said and "changed meanwhile" in said
        assert files(gateway.home) == before
        await refused(user, "agents.apply", "CONFIGURATION", planId=planned["planId"])
        await carry_out(user, agent)
        assert (await row(user, agent))["server"] == "ours"


async def test_of_two_plans_for_one_agent_the_newer_counts(gateway):
    async with opened(gateway) as user:
        first, other, second = (
            await plan(user, "codex"),
            await plan(user, "qwen"),
            await plan(user, "codex", noHooks=True),
        )
        await refused(user, "agents.apply", "CONFIGURATION", planId=first["planId"])
        assert files(gateway.home) == {}
        # From two windows at once it is done once.
        async with opened(gateway) as window:
            asked = [one.answer("agents.apply", planId=second["planId"]) for one in (user, window)]
            kinds = sorted(answer["type"] for answer in await asyncio.gather(*asked))
        assert kinds == ["agents.apply.result", "error"]
        codex = await row(user, "codex")
        assert (codex["server"], codex["hooks"]) == ("ours", "absent")
        await user.ask("agents.apply", planId=other["planId"])
        assert (await row(user, "qwen"))["hooks"] == "ours"
        for unknown in ("", "no-such-plan", "x" * 10_000, "\n"):
            await refused(user, "agents.apply", "CONFIGURATION", planId=unknown)


async def test_agents_and_changes_that_are_none_are_said(lasting):
    async with opened(lasting) as user:
        for agent in ("heron", "", "Codex", "llxprt", "x" * 10_000, "co\ndex"):
            for kind in ("agents.plan", "agents.test"):
                said = await refused(user, kind, "INVALID_MESSAGE", agent=agent, change="connect")
                assert f"there are {', '.join(CONNECTABLE)}" in said
        for fields in (
            {"agent": "codex"},
            {"agent": "codex", "change": "explode"},
            {"agent": 1, "change": "connect"},
            {},
        ):
            await refused(user, "agents.plan", "INVALID_MESSAGE", **fields)
        for fields in ({}, {"planId": 1}):
            await refused(user, "agents.apply", "INVALID_MESSAGE", **fields)
        await refused(user, "agents.test", "INVALID_MESSAGE")


@each_agent
async def test_a_test_says_each_step_as_it_is_taken(lasting, agent):
    async with opened(lasting) as user, opened(lasting) as other:
        for one in (user, other):
            await one.ask("events.subscribe")
        since = len(user.seen)
        before = (await row(user, agent)).get("lastList")
        tested = await user.ask("agents.test", agent=agent)
        assert (tested["agent"], tested["ok"], tested.get("mend")) == (agent, True, None)
        words = [step["what"] for step in tested["steps"]]
        assert len(words) == 4 and all(step["ok"] for step in tested["steps"])
        assert f"mcp --agent {agent} --data-dir" in words[0] and words[3].startswith("the test list arrived after ")
        for one in (user, other):
            await one.event("agents.step", what=words[3])
            steps = [m for m in one.seen if m["type"] == "agents.step" and m["agent"] == agent]
            assert [step["what"] for step in steps] == words
        kinds = [m["type"] for m in user.seen[since:] if m["type"] in ("agents.step", "agents.test.result")]
        assert kinds == ["agents.step"] * 4 + ["agents.test.result"], "before the answer"
        assert (await row(user, agent)).get("lastList") == before, "a test is no list of the agent's"


async def test_several_tests_at_once_are_kept_apart(lasting):
    async with opened(lasting) as user:
        asked = [user.ask("agents.test", agent=agent) for agent in AGENTS]
        tested = await asyncio.gather(*asked)
        assert [(one["agent"], one["ok"]) for one in tested] == [(agent, True) for agent in AGENTS]


async def test_a_real_call_that_is_cancelled_ends_the_agent_and_what_it_started(data_folder, programs):
    pids = programs / "pids"
    script = f'[ "$1" = --version ] && {{ echo 0.61.0; exit; }}; sleep 600 & echo $$ $! > {pids}; wait'
    program(programs, "gemini", script)
    data_folder.start()

    def runs(pid: str) -> bool:
        state = Path(f"/proc/{pid}/stat")
        return state.exists() and state.read_text().rpartition(")")[2].split()[0] != "Z"

    async def written() -> list[str]:
        text = pids.read_text() if pids.exists() else ""
        return text.split() if text.endswith("\n") else []

    async with opened(data_folder) as user, opened(data_folder) as other:
        await carry_out(user, "gemini")
        testing = asyncio.create_task(user.ask("agents.test", agent="gemini", real=True))
        started = await eventually(written, 20, "the agent is started")
        assert len(started) == 2 and all(map(runs, started))
        await other.ask("agents.test.cancel", agent="gemini")
        tested = await testing
        assert tested["ok"] is False and "cancelled" in tested["steps"][-1]["what"]
        until(lambda: not any(map(runs, started)), 10, "both have ended")


async def test_the_last_lists_are_those_of_the_agent(gateway):
    async with opened(gateway) as user:
        await user.ask("agents.test", agent="codex")
        plan_of = {"plan": [{"step": "Read", "status": "pending"}]}
        wrote = CODEX.payload("run-1", "PostToolUse", tool_name="update_plan", tool_input=plan_of, tool_response="ok")
        await heard(gateway, CODEX, wrote)
        codex = await row(user, "codex")
        assert "lastList" not in codex and codex["lastOwnList"].endswith("Z")
        assert "lastOwnList" not in await row(user, "qwen")
    said = subprocess.run(
        gateway.command("agents", "codex"), env=environment(gateway.home), capture_output=True, text=True
    )
    assert "just now" in said.stdout or " s ago" in said.stdout, said
    assert not re.search(r"\d{4}-\d\d-\d\d|\dZ", said.stdout), "an age, and no stamp"


# Claude Code's own file goes by its own command where that is there.
async def test_a_command_of_the_agents_that_fails_leaves_all_as_it_was(data_folder, programs):
    log = programs / "calls"
    program(programs, "claude", f'echo "$@" >> {log}; [ "$1" = --version ] && echo "2.1.329 (Claude Code)" || exit 3')
    before = configured(data_folder, "claude")
    data_folder.start()
    async with opened(data_folder) as user:
        assert "2.1.329" in (await row(user, "claude"))["version"]
        planned = await plan(user, "claude")
        assert "$ claude mcp add-json" in planned["diff"] and files(data_folder.home) == before
        assert "mcp" not in log.read_text(), "a plan runs nothing"
        said = await refused(user, "agents.apply", "CONFIGURATION", planId=planned["planId"])
        assert "claude" in said and "mcp" in log.read_text()
        assert files(data_folder.home) == before


ABOUT = {
    "agents.list": {},
    "agents.plan": {"agent": "codex", "change": "connect"},
    "agents.apply": {"planId": "x"},
    "agents.test": {"agent": "codex"},
    "import.start": {},
    "import.cancel": {},
    "session.list": {},
}


async def test_the_agents_key_opens_nothing_of_it(lasting):
    for token in (lasting.agent_token, "x" * 40):
        with pytest.raises(InvalidStatus) as answer:
            async with opened(lasting, token=token):
                pass
        assert answer.value.response.status_code in (401, 403)
    # Neither by a hook nor by the tools.
    for kind, fields in ABOUT.items():
        response = await post_hook(lasting, "codex", {"type": kind, "id": "1", **fields})
        assert response.status_code == 400
    async with connected(lasting) as client:
        assert sorted(tool.name for tool in (await client.list_tools()).tools) == [
            "todo_manager",
            "todo_read",
            "todo_write",
        ]
