"""The one list that a client of the older protocol shows (`docs/formats/gateways.md`, "Its one panel")."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from agent import contents
from socket_client import Socket, opened

pytestmark = pytest.mark.anyio


async def begins(ours: Socket, label: str, *steps: str) -> str:
    written = await ours.ask("todo.write", session=label, todos=[{"content": step} for step in steps])
    return written["sessionId"]


@asynccontextmanager
async def agent(gateway) -> AsyncIterator[Socket]:
    """A connection that speaks for an agent, as its hooks and its tool server do."""
    async with opened(gateway) as socket:
        await socket.ask("hello", agent={"agent": {"name": "codex"}, "ownSession": "the-agents-own"})
        yield socket


def lists(tek: Socket) -> list[list[str]]:
    return [contents(message["todos"]) for message in tek.seen if message["type"] == "todo.update"]


async def shown(tek: Socket, *steps: str) -> None:
    """Waits until the panel shows these steps."""
    await tek.first(lambda m: m["type"] == "todo.update" and contents(m["todos"]) == list(steps))


async def settled(tek: Socket) -> None:
    """Everything that was told before has arrived."""
    await tek.ask("gateway.status")


# G2
async def test_the_session_that_was_last_active_is_shown_and_no_other(gateway):
    async with opened(gateway) as ours, opened(gateway) as tek:
        await begins(ours, "earlier", "Read")
        await begins(ours, "later", "Write")
        await settled(tek)
        await shown(tek, "Write")
        await begins(ours, "earlier", "Read again")
        await begins(ours, "new", "Something else")
        await begins(ours, "later", "Write more")
        await shown(tek, "Write more")
        await settled(tek)
        assert lists(tek) == [["Write"], ["Write more"]]


# G2
async def test_the_first_list_is_followed_where_there_was_none(gateway):
    async with opened(gateway) as ours, opened(gateway) as tek:
        await settled(tek)
        await begins(ours, "one", "Read")
        await begins(ours, "two", "Write")
        await begins(ours, "one", "Read more")
        await shown(tek, "Read more")
        assert lists(tek) == [["Read"], ["Read more"]]


# G2
async def test_an_active_form_that_is_empty_is_left_out(gateway):
    steps = [
        {"content": "Read", "status": "in_progress", "activeForm": ""},
        {"content": "Ship", "activeForm": "Shipping"},
    ]
    async with opened(gateway) as ours:
        await begins(ours, "one", "Read")
        await ours.ask("events.subscribe")
        async with opened(gateway, session="one") as tek:
            await shown(tek, "Read")
            since = len(tek.seen)
            await tek.ask("todo.write", session="one", todos=steps)
            for update in (await ours.event("todo.update", revision=2), await tek.event("todo.update", since)):
                assert [item.get("activeForm", "left out") for item in update["todos"]] == ["left out", "Shipping"]


# G2
@pytest.mark.parametrize("end", ["ended", "failed", "deleted"])
async def test_another_session_is_shown_only_when_the_one_before_is_over(gateway, end):
    async with opened(gateway) as ours, opened(gateway) as tek, agent(gateway) as codex:
        session = (await codex.ask("todo.write", todos=[{"content": "Read"}]))["sessionId"]
        await settled(tek)
        await begins(ours, "other", "Write")
        await codex.ask("todo.write", todos=[{"content": "Read more"}])
        await begins(ours, "other", "Write more")
        await settled(tek)
        assert lists(tek) == [["Read"], ["Read more"]]
        if end == "deleted":
            await ours.ask("session.delete", sessionId=session)
        else:
            await codex.ask("session.report", happened=end)
        await settled(tek)
        assert lists(tek) == [["Read"], ["Read more"]]
        await begins(ours, "other", "Write all")
        await shown(tek, "Write all")
        if end != "deleted":
            await ours.ask("todo.add", sessionId=session, content="Too late")
        await begins(ours, "other", "Write it down")
        await shown(tek, "Write it down")
        assert lists(tek)[2:] == [["Write all"], ["Write it down"]]


# G2
@pytest.mark.parametrize("way", ["id", "beginning", "label"])
async def test_the_session_that_was_named_is_shown_at_once_and_no_other(gateway, way):
    async with opened(gateway) as ours:
        named = await begins(ours, "a label, & more", "Read")
        await begins(ours, "other", "Write")
        name = {"id": named, "beginning": named[:-2], "label": "a label, & more"}[way]
        async with opened(gateway, session=name) as tek:
            await shown(tek, "Read")
            await begins(ours, "other", "Write more")
            await begins(ours, "a label, & more", "Read more")
            await shown(tek, "Read more")
            await settled(tek)
            assert lists(tek) == [["Read"], ["Read more"]]


# G2
async def test_a_label_that_has_not_begun_is_said_and_shown_once_it_begins(gateway):
    async with opened(gateway) as ours:
        await begins(ours, "other", "Write")
        async with opened(gateway, session="not yet") as tek:
            error = await tek.event("error")
            assert error["code"] == "SESSION_NOT_FOUND" and "not yet" in error["message"]
            assert "requestId" not in error
            await begins(ours, "other", "Write more")
            await begins(ours, "not yet", "Read")
            await shown(tek, "Read")
            assert lists(tek) == [["Read"]]


# G2
@pytest.mark.parametrize("name", ["", " ", "x" * 201, "two\nlines", "\x00", "x" * 5_000])
async def test_a_name_that_cannot_be_one_is_refused_and_the_connection_goes_on(gateway, name):
    async with opened(gateway) as ours:
        await begins(ours, "other", "Write")
        async with opened(gateway, session=name) as tek:
            error = await tek.event("error")
            assert error["code"] == "INVALID_MESSAGE" and "session" in error["message"] and "200" in error["message"]
            await settled(tek)
            await begins(ours, "other", "Write more")
            await settled(tek)
            assert lists(tek) == []


# G2
async def test_an_ambiguous_beginning_is_refused(gateway):
    async with opened(gateway) as ours:
        ids = [await begins(ours, f"label {at}", "Read") for at in range(17)]
        begin = next(id[:length] for id in ids for length in (1, 2) if sum(i.startswith(id[:length]) for i in ids) > 1)
        async with opened(gateway, session=begin) as tek:
            assert (await tek.event("error"))["code"] == "SESSION_AMBIGUOUS"


# G2
async def test_the_built_in_list_of_a_run_is_shown_until_the_run_has_its_own(gateway):
    async with opened(gateway) as ours, opened(gateway) as tek, agent(gateway) as codex:

        async def observes(step: str) -> None:
            await codex.ask("todo.observe", tool="update_plan", todos=[{"content": step}])

        await observes("Planned")
        await settled(tek)
        await shown(tek, "Planned")
        await observes("Planned anew")
        await shown(tek, "Planned anew")
        await codex.ask("todo.write", todos=[{"content": "Written"}])
        await shown(tek, "Written")
        await observes("Planned in vain")
        await begins(ours, "other", "Write")
        await settled(tek)
        assert lists(tek) == [["Planned"], ["Planned anew"], ["Written"]]


# G2
async def test_two_clients_show_their_own(gateway):
    async with opened(gateway) as ours:
        for label in ("one", "two"):
            await begins(ours, label, f"Begin {label}")
        async with opened(gateway, session="one") as first, opened(gateway, session="two") as second:
            await asyncio.gather(*(begins(ours, label, f"End {label}") for label in ("one", "two")))
            await shown(first, "End one")
            await shown(second, "End two")
            assert lists(first) == [["Begin one"], ["End one"]]
            assert lists(second) == [["Begin two"], ["End two"]]
