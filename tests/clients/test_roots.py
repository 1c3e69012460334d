"""The folder of an agent that comes over HTTP: it says its roots when it is asked."""

import asyncio
import subprocess

import pytest
from mcp_types import ListRootsResult, Root

import agent
from agent import connected
from socket_client import opened

pytestmark = pytest.mark.anyio


async def folder_of(gateway, on_roots, **how) -> tuple:
    async with opened(gateway) as user, connected(gateway, on_roots=on_roots, **how) as client:
        written = await agent.write(client, [{"content": "Look"}])
        session = (await user.ask("session.get", sessionId=written["sessionId"]))["session"]
        return session.get("folder"), session.get("project"), session.get("branch")


async def test_the_first_root_that_is_a_folder_counts(gateway, tmp_path):
    project = tmp_path / "my project"
    subprocess.run(["git", "init", "-q", "-b", "topic", project], check=True)
    uri = project.as_uri()
    assert "%20" in uri
    asked = 0

    async def roots(_context):
        nonlocal asked
        asked += 1
        return ListRootsResult(roots=[Root(uri=uri)])

    assert await folder_of(gateway, roots) == (str(project), "my project", "topic")
    assert asked == 1, "it is asked once"


async def test_who_says_nothing_is_not_waited_for(gateway):
    async def never(_context):
        await asyncio.Event().wait()

    async def none(_context):
        return ListRootsResult(roots=[])

    async def fails(_context):
        raise ValueError("no roots today")

    for roots in (never, none, fails, None):
        assert (await folder_of(gateway, roots))[0] is None


async def test_over_stdio_the_folder_of_the_process_counts(gateway):
    async def elsewhere(_context):
        return ListRootsResult(roots=[Root(uri="file:///elsewhere")])

    assert (await folder_of(gateway, elsewhere, way="stdio"))[0] == str(gateway.home)
