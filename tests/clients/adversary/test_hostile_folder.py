"""Folders that an agent names, with files that have no end, or are none: nobody waits for them, and nothing outside is
written."""

import asyncio
import json
import os
import socket as sockets
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from uuid import uuid4

import pytest
from mcp_types import ListRootsResult, Root

import agent as agents
from agent import connected
from gateway import environment
from hooks import CLAUDE, ended, post, spawn
from own_files import make_folders
from socket_client import opened
from terminal import run, succeed

pytestmark = pytest.mark.anyio


def pipe(path: Path) -> None:
    """Nobody writes to it: opened as usual, it never opens."""
    os.mkfifo(path)


def no_end(path: Path) -> None:
    path.symlink_to("/dev/zero")


def circle(path: Path) -> None:
    path.symlink_to(path)


def large(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(100 * 1024 * 1024)


def listens(path: Path) -> None:
    # A socket's name is short.
    with sockets.socket(sockets.AF_UNIX) as socket:
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            socket.bind(f"/proc/self/fd/{folder}/{path.name}")
        finally:
            os.close(folder)


ODD = {"pipe": pipe, "no end": no_end, "circle": circle, "100 MB": large, "socket": listens, "folder": Path.mkdir}
PLACES_OF_GIT = (".git", ".git/HEAD", ".git/commondir")


def folders(root: Path) -> dict[str, Path]:
    """A project for each odd thing in each place of git's files."""
    found = {}
    for what, make in ODD.items():
        for place in PLACES_OF_GIT:
            project = root / f"{what} as {place.replace('/', ' ')}"
            git = project / ".git"
            project.mkdir(parents=True)
            if place != ".git":
                git.mkdir()
                if place != ".git/HEAD":
                    (git / "HEAD").write_text("ref: refs/heads/main\n")
            make(project / place)
            found[project.name] = project
    led = root / "led to a pipe"
    led.mkdir()
    (root / "pipes").mkdir()
    pipe(root / "pipes" / "HEAD")
    (led / ".git").write_text("gitdir: ../pipes\n")
    return {**found, led.name: led}


async def reports(gateway, folder: Path | str) -> str:
    """A hook from a folder, heard; the id of its run."""
    own = str(uuid4())
    response = await post(gateway, "claude", CLAUDE.prompt(own) | {"cwd": str(folder)})
    assert response.status_code == 200, response.text
    return own


async def test_hooks_from_any_folder_are_heard_and_hold_up_nobody(gateway, tmp_path):
    plain = tmp_path / "plain"
    subprocess.run(["git", "init", "-q", "-b", "topic", plain], check=True)
    gone = tmp_path / "gone"
    odd = folders(tmp_path / "odd")
    places = [*odd.values(), gone, "relative", "/a" * 1_000_000, plain / ".git" / "HEAD", ""]
    # All at once, several times: as many as would block every thread there is.
    plain_ones = (reports(gateway, plain) for _ in range(5))
    await asyncio.gather(*(reports(gateway, place) for place in places * 3), *plain_ones)
    # The gateway ends in good order with its fixture.
    assert json.loads(succeed(gateway, "--json", "status")) is not None


async def test_a_list_from_a_hostile_folder_has_its_name_and_no_secret(gateway, tmp_path):
    secret = tmp_path / "shadow"
    secret.write_text("hunter22:$6$salt$hash:19000:0:99999:7:::\n")
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    (project / ".git" / "HEAD").symlink_to(secret)

    async def roots(_context):
        return ListRootsResult(roots=[Root(uri=project.as_uri())])

    async with opened(gateway) as user, connected(gateway, on_roots=roots) as client:
        written = await agents.write(client, [{"content": "Look"}])
        session = (await user.ask("session.get", sessionId=written["sessionId"]))["session"]
    assert (session["project"], session.get("branch")) == ("project", None)


async def test_clients_over_http_with_hostile_roots_are_answered(gateway, tmp_path):
    for project in folders(tmp_path).values():

        async def roots(_context, project=project):
            return ListRootsResult(roots=[Root(uri=project.as_uri())])

        async with connected(gateway, on_roots=roots) as client:
            assert (await agents.write(client, [{"content": "Look"}]))["revision"] == 1


async def test_commands_in_hostile_folders_are_not_held_up(gateway, tmp_path):
    for project in folders(tmp_path).values():
        process = await spawn(gateway, "claude")
        payload = CLAUDE.prompt(str(uuid4())) | {"cwd": str(project)}
        assert await ended(process, json.dumps(payload).encode()) == (0, "", "")
    # A shim is started in the agent's folder.
    project = tmp_path / "pipe as .git HEAD"
    shim = subprocess.run(
        gateway.command("mcp"), cwd=project, env=environment(gateway.home), input=b"", capture_output=True, timeout=30
    )
    assert shim.returncode == 0, shim.stderr


async def test_transcripts_that_are_no_files_keep_no_other_from_being_read(data_folder):
    home = data_folder.home
    make_folders(home)
    for number, make in enumerate((pipe, no_end, circle, listens)):
        for place in (".codex/sessions/2026/11/21", ".claude/projects/-home-user", ".claude/tasks/one", ".qwen/todos"):
            folder = home / place
            folder.mkdir(parents=True, exist_ok=True)
            name = f"{number}.json" if "tasks" in place or "todos" in place else f"rollout-{number}.jsonl"
            make(folder / name)
    database = home / ".local/share/opencode"
    database.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(database / "opencode.db")) as made:
        made.execute("CREATE TABLE a (b)")
    pipe(database / "opencode.db-journal")
    data_folder.start()
    done = json.loads(succeed(data_folder, "--json", "import"))
    assert done["done"], done


def planted(project: Path, link: str, target: Path) -> Path:
    path = project / link
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)
    return path


@pytest.mark.parametrize(
    ("agent", "link"),
    [("claude", ".mcp.json"), ("gemini", ".gemini"), ("codex", "AGENTS.md"), ("qwen", ".qwen/settings.json")],
)
def test_a_link_out_of_a_project_is_neither_followed_nor_hidden(gateway, tmp_path, agent, link):
    home, project = tmp_path / "somebody", tmp_path / "project"
    home.mkdir()
    target = home / "private"
    if link == ".gemini":
        target.mkdir()
    else:
        target.write_text("{}\n")
    before = sorted((path, path.is_file() and path.read_bytes()) for path in home.rglob("*"))
    planted(project, link, target)
    instruct = ["--instruct", str(project)] if link == "AGENTS.md" else []
    asked = run(gateway, "connect", agent, "--project", str(project), "--yes", "--no-test", *instruct, home=home)
    assert asked.code != 0, asked
    assert "leads out of the project" in asked.err and str(target) in asked.err, asked.err
    assert sorted((path, path.is_file() and path.read_bytes()) for path in home.rglob("*")) == before
