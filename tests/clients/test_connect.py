"""Connecting agents: `sightline connect | disconnect | agents`, with the self-test through a real MCP client."""

import json
import os
from pathlib import Path

import pytest

from agents_page import CONNECTABLE
from gateway import Gateway
from terminal import run

AGENTS = ["claude", "codex", "gemini", "opencode", "qwen"]


@pytest.fixture
def home(tmp_path):
    path = tmp_path / "somebody"
    path.mkdir()
    return path


def ask(gateway: Gateway, home, *arguments: str):
    """A command as a person runs it, in a home of its own; no agent is installed there."""
    return run(gateway, *arguments, home=home)


def files(home) -> dict[str, bytes]:
    found = {}
    for folder, _, names in os.walk(home):
        for name in names:
            path = os.path.join(folder, name)
            if "sightline-backup" not in name:
                found[os.path.relpath(path, home)] = Path(path).read_bytes()
    return found


@pytest.mark.parametrize("agent", AGENTS)
def test_an_agent_is_connected_tested_seen_and_taken_away_again(gateway, home, agent):
    before = files(home)
    asked = ask(gateway, home, "connect", agent)
    assert (asked.code, files(home)) == (1, before), "without a yes nothing is changed"
    assert "+" in asked.out and "Nothing was changed; --yes changes it." in asked.err
    dry = ask(gateway, home, "connect", agent, "--dry-run")
    assert (dry.code, dry.out, files(home)) == (0, asked.out, before)

    connected = ask(gateway, home, "connect", agent, "--yes")
    assert connected.code == 0, connected
    assert "✓ offers todo_write, todo_read, todo_manager" in connected.out
    assert "✓ the test list arrived after " in connected.out
    once = files(home)
    assert once
    again = ask(gateway, home, "connect", agent, "--yes", "--json")
    report = json.loads(again.out)
    assert (report["change"]["diff"], report["change"]["isDone"], report["test"]["ok"]) == ("", True, True)
    assert files(home) == once, "connected twice is connected once"

    (row,) = json.loads(ask(gateway, home, "agents", agent, "--test", "--json").out)
    assert (row["agent"], row.get("program"), row["server"]) == (agent, None, "ours")
    assert row.get("hooks") == "ours"
    assert row["test"]["ok"] and "lastList" not in row, "a self-test is no list of the agent's"

    gone = ask(gateway, home, "disconnect", agent, "--yes")
    assert (gone.code, files(home)) == (0, before), "nothing of ours is left"
    assert ask(gateway, home, "disconnect", agent, "--yes").out == "Nothing has to change.\n"


def test_what_else_is_in_a_file_stays_byte_for_byte(lasting, home):
    config = home / ".codex" / "config.toml"
    config.parent.mkdir()
    text = b'# mine\r\nmodel = "gpt-5"  # best\r\n\r\n[mcp_servers.other]\r\ncommand = "other"\r\n'
    config.write_bytes(text)
    assert ask(lasting, home, "connect", "codex", "--yes", "--no-test").code == 0
    changed = config.read_bytes()
    assert changed.startswith(text) and b"[mcp_servers.sightline]\r\n" in changed
    assert [kept.read_bytes() for kept in config.parent.glob("config.toml.sightline-backup-*")] == [text]
    assert ask(lasting, home, "disconnect", "codex", "--yes").code == 0
    assert config.read_bytes() == text


def test_a_file_that_cannot_be_read_is_refused_and_left(lasting, home):
    settings = home / ".gemini" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"mcpServers": {"other": }')
    refused = ask(lasting, home, "connect", "gemini", "--yes")
    assert refused.code == 1 and str(settings) in refused.err
    assert settings.read_text() == '{"mcpServers": {"other": }'
    (row,) = json.loads(ask(lasting, home, "agents", "gemini", "--json").out)
    assert row["server"] == "unreadable" and str(settings) in row["serverProblem"]
    assert "its configuration cannot be read" in ask(lasting, home, "agents", "gemini").out


def test_a_project_is_connected_by_itself_and_its_instructions_say_so(lasting, home, tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    (project / "AGENTS.md").write_text("# Rules\n\nBe brief.\n")
    before = files(project)
    where = ("--project", str(project), "--instruct", str(project))
    connected = ask(lasting, home, "connect", "codex", *where, "--yes", "--no-test")
    assert connected.code == 0, connected
    assert files(home) == {}, "the user's own configuration is left alone"
    assert "todo_write" in (project / "AGENTS.md").read_text()
    written = b"".join(files(project).values()).decode()
    assert lasting.token not in written and lasting.agent_token not in written
    assert ask(lasting, home, "disconnect", "codex", *where, "--yes").code == 0
    assert files(project) == before


def test_agents_that_are_not_known_are_said(lasting, home):
    refused = ask(lasting, home, "connect", "heron")
    assert refused.code == 1
    known = ", ".join(CONNECTABLE)
    assert refused.err == f'Error: there is no agent "heron" here; there are {known}\n'
    rows = json.loads(ask(lasting, home, "agents", "--json").out)
    assert [(row["agent"], row["server"]) for row in rows] == [(agent, "absent") for agent in CONNECTABLE]


def test_the_own_list_is_turned_on_in_the_same_file(lasting, home):
    connected = ask(lasting, home, "connect", "qwen", "--own-list", "--yes", "--no-test")
    assert connected.code == 0, connected
    settings = json.loads((home / ".qwen" / "settings.json").read_text())
    assert settings["tools"]["todoWrite"]["enabled"] is True
    assert "sightline" in settings["mcpServers"]


def test_the_own_list_goes_off_only_when_asked(lasting, home):
    before = files(home)
    assert ask(lasting, home, "connect", "codex", "--own-list", "--yes", "--no-test").code == 0
    gone = ask(lasting, home, "disconnect", "codex", "--own-list", "--yes")
    assert (gone.code, files(home)) == (0, before), gone
    assert ask(lasting, home, "connect", "codex", "--own-list", "--yes", "--no-test").code == 0
    gone = ask(lasting, home, "disconnect", "codex", "--yes")
    assert "Note: Codex's built-in list is turned on and stays so." in gone.out
    assert (home / ".codex" / "config.toml").read_text().strip() == "[tools.update_plan]\nenabled = true"


def test_a_server_that_is_turned_off_is_said_and_turned_on(lasting, home):
    assert ask(lasting, home, "connect", "gemini", "--yes", "--no-test").code == 0
    path = home / ".gemini" / "settings.json"
    settings = json.loads(path.read_text())
    path.write_text(json.dumps({**settings, "mcp": {"excluded": ["other", "sightline"]}}))

    def server() -> tuple:
        (row,) = json.loads(ask(lasting, home, "agents", "gemini", "--json").out)
        return row["server"], row.get("serverProblem", "")

    assert server()[0] == "disabled"
    assert server()[1].startswith('`mcp.excluded` has "sightline"')
    connected = ask(lasting, home, "connect", "gemini", "--yes", "--no-test")
    assert connected.code == 0 and "it is turned on." in connected.out, connected
    assert server() == ("ours", "")
    assert json.loads(path.read_text())["mcp"] == {"excluded": ["other"]}


def test_what_somebody_added_to_our_hook_stays_theirs(lasting, home):
    assert ask(lasting, home, "connect", "gemini", "--yes", "--no-test").code == 0
    path = home / ".gemini" / "settings.json"
    settings = json.loads(path.read_text())
    hook = settings["hooks"]["AfterAgent"][0]["hooks"][0]
    hook["command"] += " && notify-send done"
    path.write_text(json.dumps(settings))
    for way in ("connect", "disconnect"):
        assert ask(lasting, home, way, "gemini", "--yes").code == 0
        kept = [h["command"] for group in json.loads(path.read_text())["hooks"]["AfterAgent"] for h in group["hooks"]]
        assert hook["command"] in kept


def test_rules_between_marks_that_somebody_cut_are_not_ours(lasting, home, tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    where = ("--instruct", str(project), "--yes", "--no-test")
    assert ask(lasting, home, "connect", "codex", *where).code == 0
    rules = project / "AGENTS.md"
    cut = rules.read_text().rstrip().rsplit("\n", 1)[0]
    rules.write_text(f"{cut}\n\nBe brief.\n")
    assert ask(lasting, home, "connect", "codex", *where).code == 0
    assert ask(lasting, home, "disconnect", "codex", "--instruct", str(project), "--yes").code == 0
    assert "Be brief." in rules.read_text()
