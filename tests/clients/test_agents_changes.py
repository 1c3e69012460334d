"""Changes on the page of agents besides connecting: built-in lists, projects and instructions; and its refusals."""

import pytest

from agents_page import AGENTS, FILES, INSTRUCTIONS, carry_out, configured, each_agent, files, plan, refused, row
from socket_client import opened

pytestmark = pytest.mark.anyio


async def test_a_configuration_that_cannot_be_read_is_said(gateway):
    path = gateway.home / FILES["gemini"]
    path.parent.mkdir()
    path.write_text('{\n  "mcpServers": {"other": }\n}')
    (gateway.home / ".codex").mkdir()
    (gateway.home / FILES["codex"]).mkdir()
    before = files(gateway.home)
    async with opened(gateway) as user:
        said = await refused(user, "agents.plan", "CONFIGURATION", agent="gemini", change="connect")
        assert str(path) in said and "line 2" in said
        said = await refused(user, "agents.plan", "CONFIGURATION", agent="codex", change="connect")
        assert str(gateway.home / FILES["codex"]) in said
        rows = {one["agent"]: one for one in (await user.ask("agents.list"))["agents"]}
        assert rows["gemini"]["server"] == rows["codex"]["server"] == "unreadable"
        assert str(path) in rows["gemini"]["serverProblem"]
        assert rows["claude"]["server"] == "absent", "the others are listed all the same"
        assert files(gateway.home) == before


async def test_another_server_of_our_name_is_replaced_only_when_asked(gateway):
    path = gateway.home / FILES["qwen"]
    path.parent.mkdir()
    path.write_text('{"mcpServers": {"sightline": {"command": "/usr/bin/other"}}}')
    async with opened(gateway) as user:
        assert (await row(user, "qwen"))["server"] == "other"
        said = await refused(user, "agents.plan", "CONFIGURATION", agent="qwen", change="connect")
        assert "/usr/bin/other" in said
        await carry_out(user, "qwen", replace=True)
        assert (await row(user, "qwen"))["server"] == "ours"


@pytest.mark.parametrize("agent", ["claude", "codex", "qwen"])
async def test_the_own_list_is_switched_on_and_off(gateway, agent):
    before = configured(gateway, agent)
    async with opened(gateway) as user:
        off = (await row(user, agent))["ownList"]
        planned = await plan(user, agent, "ownListOn")
        assert files(gateway.home) == before and planned["diff"]
        await user.ask("agents.apply", planId=planned["planId"])
        now = await row(user, agent)
        assert (now["ownList"], now["server"]) == ("on", "absent"), "it connects nothing"
        assert (await plan(user, agent, "ownListOn"))["diff"] == ""
        await carry_out(user, agent)
        await carry_out(user, agent, "disconnect")
        assert (await row(user, agent))["ownList"] == "on", "it stays on until it is switched off"
        await carry_out(user, agent, "ownListOff")
        assert (await row(user, agent))["ownList"] == off
        assert files(gateway.home) == before


@pytest.mark.parametrize("agent", ["gemini", "opencode"])
async def test_who_has_no_switch_says_so(lasting, agent):
    async with opened(lasting) as user:
        for change in ("ownListOn", "ownListOff"):
            said = await refused(user, "agents.plan", "CONFIGURATION", agent=agent, change=change)
            assert "no setting for its own list" in said


@each_agent
async def test_instructions_go_into_the_projects_file(lasting, tmp_path, agent):
    project = tmp_path / "my project ✓"
    project.mkdir()
    rules = project / INSTRUCTIONS[agent]
    rules.write_bytes(b"# Rules\r\n\r\nBe brief.")
    before = files(project)
    async with opened(lasting) as user:
        planned = await plan(user, agent, "instruct", folder=str(project))
        assert files(project) == before and "+Keep the todo list" in planned["diff"]
        await user.ask("agents.apply", planId=planned["planId"])
        text = rules.read_bytes()
        assert text.startswith(b"# Rules\r\n\r\nBe brief.") and b"`todo_write`" in text
        assert (await plan(user, agent, "instruct", folder=str(project)))["diff"] == ""
        await carry_out(user, agent, "uninstruct", folder=str(project))
        assert files(project) == before


@pytest.mark.parametrize("change", ["instruct", "uninstruct", "connect", "disconnect"])
async def test_a_folder_that_is_none_is_said(lasting, tmp_path, change):
    (tmp_path / "file").write_text("")
    async with opened(lasting) as user:

        async def said(**fields) -> str:
            return await refused(user, "agents.plan", "INVALID_MESSAGE", agent="codex", change=change, **fields)

        if change.endswith("instruct"):
            assert "folder" in await said()
        gone = str(tmp_path / "gone")
        for folder in (
            gone,
            "relative",
            ".",
            "..",
            "~",
            "",
            str(tmp_path / "file"),
            "/" + "x" * 10_000,
            "/\n\x1b[31mred\x00",
        ):
            assert "there is no folder" in await said(folder=folder), folder
        assert gone in await said(folder=gone)
        for folder in (1, ["/tmp"], {"a": 1}):
            await said(folder=folder)


async def test_a_projects_own_configuration_has_no_key(gateway, tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    async with opened(gateway) as user:
        for agent in AGENTS:
            await carry_out(user, agent, folder=str(project))
        assert files(gateway.home) == {}, "the user's own is left alone"
        written = b"".join(files(project).values()).decode()
        assert "sightline" in written
        assert gateway.token not in written and gateway.agent_token not in written
        for agent in AGENTS:
            await carry_out(user, agent, "disconnect", folder=str(project))
        assert files(project) == {}
