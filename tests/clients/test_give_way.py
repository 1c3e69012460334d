"""A gateway that was started for an agent gives way to a window; one that a person started does not."""

import pytest

from gateway import END_SECONDS, START_SECONDS, until
from socket_client import Refused, opened

pytestmark = pytest.mark.anyio


async def test_what_was_started_for_an_agent_gives_way(data_folder):
    data_folder.process, log = data_folder.spawn("--json", "--port", "0", "--idle-seconds", "600")
    until(lambda: '"listening"' in log.read_text(), START_SECONDS, "it serves")
    async with opened(data_folder, token=data_folder.new_key("--rights", "edit")) as socket:
        await socket.ask("gateway.yield")
        assert await socket.end() == 1001
    assert data_folder.process.wait(END_SECONDS) == 0
    data_folder.process = None


async def test_what_a_person_started_goes_on(gateway):
    async with opened(gateway) as socket:
        with pytest.raises(Refused, match="started by a person"):
            await socket.ask("gateway.yield")
        await socket.ask("gateway.status")
    assert gateway.process.poll() is None
