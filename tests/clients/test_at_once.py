"""Several who change one list in the same moment: one order, the same for everybody, and nothing lost."""

import asyncio
import re
from itertools import combinations
from uuid import uuid4

import pytest

import agent
from parties import Meeting, Party, meeting
from socket_client import Socket, opened

pytestmark = pytest.mark.anyio

NAMES = ("window", "command bar", "terminal", "todo_write", "todo_manager", "hook")
# Two of a kind meet, too.
PAIRS = [("window", "websocket"), *combinations(NAMES, 2)]
ROUNDS = 12
BASE = [{"content": word} for word in ("Read the page", "Fix the parser", "Write it down", "Ask the customer")]


async def revisions(socket: Socket, session: str) -> list[int]:
    """All revisions of a session, oldest first."""
    found, cursor = [], {}
    while True:
        page = await socket.ask("session.revisions", sessionId=session, limit=500, **cursor)
        found += [revision["revision"] for revision in page["revisions"]]
        if "nextCursor" not in page:
            return found[::-1]
        cursor = {"cursor": page["nextCursor"]}


async def seen_alike(met: Meeting) -> dict:
    """Everybody saw one order, which is that of the history; gives the list as it is."""
    asking = met.watchers[0]
    now = await asking.ask("session.get", sessionId=met.session)
    assert await revisions(asking, met.session) == list(range(1, now["revision"] + 1)), "gap-free from 1"
    seen = {}
    for watcher in met.watchers:
        last = await watcher.event("todo.update", sessionId=met.session, revision=now["revision"])
        assert last["todos"] == now["todos"]
        updates = [m for m in watcher.seen if m["type"] == "todo.update" and m["sessionId"] == met.session]
        numbers = [update["revision"] for update in updates]
        assert numbers == sorted(set(numbers)), "in the order of the history, each once"
        cursors = [int(update["cursor"].rsplit(":")[-1]) for update in updates]
        assert cursors == sorted(set(cursors))
        for update in updates:
            then = seen.setdefault(update["revision"], update["todos"])
            assert then == update["todos"], "the same list for everybody"
    for revision in seen.keys() - met.compared:
        then = await asking.ask("session.get", sessionId=met.session, revision=revision)
        assert then["todos"] == seen[revision], f"and in the history, at {revision}"
    met.compared |= seen.keys()
    return now


def whole(todos: list[dict]) -> None:
    """No item is there twice."""
    for name in ("uid", "id"):
        values = [item[name] for item in todos]
        assert len(set(values)) == len(values), name
    words = agent.contents(todos)
    assert len(set(words)) == len(words)


async def everything_told(met: Meeting, tellers: list[Party]) -> str:
    """All that the agent heard, with what it has yet to hear."""
    heard = [text for teller in tellers for text in teller.told]
    while True:
        rest = await agent.read(met.client)
        heard.append(rest["text"])
        if not rest["userChanges"]:
            return "\n".join(heard)


# D5, P11
@pytest.mark.parametrize("names", [*PAIRS, (*PAIRS[0], *NAMES[1:])], ids=" and ".join)
async def test_all_at_once(lasting, names):
    async with meeting(lasting, BASE, names) as met:
        user = None
        if not any(party.edits for party in met.parties):
            user = met.watchers[1]
        notes = []
        for turn in range(ROUNDS):
            if user:
                notes.append(f"note {turn:02} to {names[0]}")
                await user.ask("note.send", sessionId=met.session, text=notes[-1])
            await met.round(turn)
        now = await seen_alike(met)
        whole(now["todos"])

        added = set().union(*(party.added for party in met.parties)) | set(agent.contents(BASE))
        deleted = set().union(*(party.deleted for party in met.parties))
        missed = set().union(*(party.missed for party in met.parties))
        assert missed <= deleted, "only what another had removed could not be changed"
        assert set(agent.contents(now["todos"])) == added - deleted, "nothing is lost, and nothing comes back"

        tellers = [party for party in met.parties if party.tells]
        assert all(any(teller.told) for teller in tellers), "each heard something while the others worked"
        told = await everything_told(met, tellers)
        for note in [*notes, *(note for party in met.parties for note in party.notes)]:
            # Two who tell at once may both tell; one never does it twice.
            assert 1 <= told.count(note) <= max(1, len(tellers)), note
        assert {edit["state"] for edit in (await seen_alike(met))["edits"]} <= {
            "delivered",
            "reflected",
            "superseded",
            "overridden",
            "ignored",
        }

        for party in met.parties:
            if party.edits:
                await all_undone(met, party)


async def all_undone(met: Meeting, party: Party) -> None:
    """A client takes back all that it did, and nothing that others did."""
    before = set(agent.contents((await seen_alike(met))["todos"]))
    count = 0
    while await party.undo():
        count += 1
        assert count <= 2 * ROUNDS, "it comes to an end"
    now = await seen_alike(met)
    whole(now["todos"])
    after = set(agent.contents(now["todos"]))
    others = [other for other in met.parties if other is not party]
    deleted_by_others = set().union(*(other.deleted for other in others))
    assert before - after == party.added & before, "what it added is gone, and only that"
    assert after - before <= party.deleted
    assert party.deleted - party.added - deleted_by_others <= after, "what it deleted is back"


REMOVED = re.compile(r'pytest-agent (over MCP|over the WebSocket) removed "(.*)" just now; bring it back to change it')
CHANGES = {
    "todo.setStatus": {"status": "blocked"},
    "todo.edit": {"notes": "half way"},
    "todo.move": {"to": "last"},
    "todo.delete": {},
}


# D5
@pytest.mark.parametrize("kind", CHANGES)
@pytest.mark.parametrize("way", ["mcp", "websocket"])
async def test_an_edit_of_an_item_that_goes_in_the_same_moment(lasting, kind, way):
    label, words = str(uuid4()), [uuid4().hex for _ in range(8)]
    async with (
        agent.connected(lasting, label=label) as client,
        opened(lasting) as speaking,
        opened(lasting) as user,
        opened(lasting) as other,
    ):
        hello = {"agent": {"name": "pytest-agent"}, "connection": f"test:{label}", "label": label}
        await speaking.ask("hello", agent=hello)

        async def write(todos: list[dict]) -> dict:
            if way == "mcp":
                return await agent.write(client, todos)
            return await speaking.ask("todo.write", todos=todos)

        written = await write([{"content": one} for one in words])
        session, uids = written["sessionId"], {item["content"]: item["uid"] for item in written["todos"]}
        for one in words:
            left = [
                {"id": item["id"], "content": item["content"]} for item in written["todos"] if item["content"] != one
            ]
            answers = []

            async def edits(socket: Socket, removing: asyncio.Task, one=one, answers=answers) -> None:
                while not removing.done():
                    answers.append(await socket.answer(kind, sessionId=session, uid=uids[one], **CHANGES[kind]))

            removing = asyncio.create_task(write(left))
            await asyncio.gather(edits(user, removing), edits(other, removing))
            written = await removing
            for answer in answers:
                if answer["type"] == "error":
                    assert answer["code"] == "ITEM_REMOVED", answer
                    who = REMOVED.fullmatch(answer["message"])
                    mine = kind == "todo.delete" and answer["message"].startswith("you over the WebSocket removed")
                    assert mine or (who and who[2] == one), answer["message"]
            there = await user.ask("todo.restore", sessionId=session, uid=uids[one])
            (back,) = [item for item in there["todos"] if item["content"] == one]
            assert back["uid"] == uids[one], "the very item, whoever was first"
            written = await write([{"id": item["id"], "content": item["content"]} for item in there["todos"]])
            assert one in agent.contents(written["todos"])
        whole(written["todos"])
        assert sorted(agent.contents(written["todos"])) == sorted(words)
