"""A prompt that a hook reports puts a finished list into the history, as one in the chat does."""

import pytest

from hooked_run import OWN, running
from hooks import AGENTS, WAYS

pytestmark = pytest.mark.anyio

DONE = [{**item, "status": "completed"} for item in OWN]


# P1, G4
@pytest.mark.parametrize("agent", AGENTS.values(), ids=AGENTS)
@pytest.mark.parametrize("way", WAYS)
async def test_the_next_prompt_archives_a_finished_list_and_no_other(lasting, agent, way):
    async with running(lasting, agent, way=way) as run:
        first = await run.user.event("todo.update", sessionId=run.session)
        await run.prompted()
        seen = await run.user.ask("session.get", sessionId=run.session)
        assert len(seen["todos"]) == len(OWN), "something is left in it"
        await run.client.call_tool("todo_write", {"todos": DONE})
        await run.hears({**agent.prompt(run.own), "agent_id": "sub-1"})
        seen = await run.user.ask("session.get", sessionId=run.session)
        assert len(seen["todos"]) == len(OWN), "a subagent's prompt is its agent's"
        await run.prompted("And now the next.")
        revision = seen["session"]["revision"]
        update = await run.user.event("todo.update", sessionId=run.session, revision=revision + 1)
        assert update["todos"] == [] and update["listId"] != first["listId"]
        past = await run.user.ask("session.get", sessionId=run.session, revision=revision)
        assert [item["content"] for item in past["todos"]] == [item["content"] for item in OWN]
        await run.client.call_tool("todo_write", {"todos": [{"content": "Next"}]})
        now = await run.user.ask("session.get", sessionId=run.session)
        assert [item["content"] for item in now["todos"]] == ["Next"]
