"""A model's output, piped into `sightline ingest` while it streams."""

import asyncio
import os

import pytest

from agent import contents
from socket_client import Socket, opened
from stream import ingested, ingesting, lines

pytestmark = pytest.mark.anyio

FIRST = '<todo><todo_item status="in_progress">Read</todo_item><todo_item>Fix</todo_item></todo>'
SECOND = '<todo><todo_item status="completed">Read</todo_item><todo_item status="in_progress">Fix</todo_item></todo>'
THIRD = '<todo><todo_item status="completed">Read</todo_item><todo_item status="completed">Fix</todo_item></todo>'
CUT_OFF = "the block is cut off: there is no </todo>. Nothing was changed; write the whole list again"


def statuses(todos: list[dict]) -> list[str]:
    return [item["status"] for item in todos]


async def the_list(socket: Socket, label: str = "label") -> dict:
    return await socket.ask("session.get", sessionId=label)


# K1, K7
async def test_the_list_changes_while_the_stream_runs(gateway):
    async with opened(gateway) as socket, ingesting(gateway, "--agent", "some-model") as stream:
        await socket.ask("events.subscribe")
        await stream.feed(f"Let me plan.\n{FIRST}")
        one = await socket.event("todo.update", revision=1)
        assert contents(one["todos"]) == ["Read", "Fix"] and statuses(one["todos"]) == ["in_progress", "pending"]
        assert one["actor"]["kind"] == "agent" and one["actor"]["name"] == "some-model"
        assert one["session"]["state"] == "running" and one["session"]["current"] is True

        # Half a block is nothing yet, though the prose before it is out.
        await stream.feed("\nNow the fix.\n" + SECOND[:60])
        await stream.prints("Let me plan.\n\nNow the fix.\n")
        session = one["sessionId"]
        assert (await the_list(socket, session))["revision"] == 1
        await stream.feed(SECOND[60:])
        two = await socket.event("todo.update", sessionId=session, revision=2)
        assert statuses(two["todos"]) == ["completed", "in_progress"]
        assert [item["uid"] for item in two["todos"]] == [item["uid"] for item in one["todos"]], "the same items"

        await stream.feed(THIRD + "\nDone.")
        await socket.event("todo.update", sessionId=session, revision=3)
        code, printed, said = await stream.end()
        assert (code, printed.decode(), said) == (0, "Let me plan.\n\nNow the fix.\n\nDone.", "")
        ended = await socket.event("session.updated", sessionId=session, state="finished")
        assert statuses(ended["todos"]) == ["completed", "completed"]


# D6, K7
async def test_the_history_says_that_it_was_piped_in(gateway):
    await ingested(gateway, FIRST, "--session", "label")
    async with opened(gateway) as socket:
        (revision,) = (await socket.ask("session.revisions", sessionId="label"))["revisions"]
        assert revision["actor"] == {"kind": "agent", "name": "ingest", "transport": "cli"}


# K1, K2
async def test_what_an_item_says_is_kept(gateway):
    block = """<todo>
  <!-- the plan: <todo_item>not this</todo_item> -->
  <todo_item>Design & build a < b &amp; c</todo_item>
  <todo_item status="pending" priority="high" depends_on="1" estimated_time="2hrs" category="coding">Code it</todo_item>
  <todo_item status="skipped" priority="urgent" category="debugging" estimated_time="15min|45min" mood="good">\
Debug it</todo_item>
  <todo_item status="awaiting review" depends_on="registration">Ship it<todo_item>Tag it</todo_item></todo_item>
</todo>"""
    code, printed, said = await ingested(gateway, block, "--session", "label")
    assert (code, printed, said) == (0, b"", "")
    async with opened(gateway) as socket:
        design, build, debug, ship = (await the_list(socket))["todos"]
    assert design["content"] == "Design & build a < b & c" and design["status"] == "pending"
    assert build["dependsOnUids"] == [design["uid"]] and build["waiting"] is True
    assert (build["status"], build["priority"], build["category"]) == ("pending", "high", "coding")
    assert (build["estimate"], build["estimateMinutes"]) == ("2hrs", 120)
    assert (debug["status"], debug["category"], debug["estimate"]) == ("skipped", "debugging", "15min|45min")
    assert debug["extra"] == {"priority": "urgent", "mood": "good"}
    assert (ship["status"], ship["statusRaw"]) == ("unknown", "awaiting review")
    assert ship["dependsOn"] == ["registration"] and ship["dependsOnUids"] == [None]
    assert contents(ship["subtasks"]) == ["Tag it"]


# K7, K8
async def test_the_prose_comes_out_byte_for_byte(gateway):
    before = "Ж 🚀 e\u0301 \u00a0\t\r\n a < b <b>c</b> & <!-- kept --> `x` <todos> </todo_item>\n\n"
    after = "\u2028 ende – 🏁\r\n  "
    whole = (before + FIRST + after + SECOND).encode()
    async with opened(gateway) as socket, ingesting(gateway, "--session", "label") as stream:
        await socket.ask("events.subscribe")
        # The rocket's four bytes come in two pieces, with everything before them printed in between.
        cut = whole.index("🚀".encode()) + 2
        await stream.feed(whole[:cut])
        await stream.prints("Ж ")
        end = whole.index("🏁".encode()) + 1
        await stream.feed(whole[cut:end])
        await stream.prints(before + "\u2028 ende – ")
        await socket.event("todo.update", revision=1)
        await stream.feed(whole[end:])
        code, printed, said = await stream.end()
        assert (code, printed, said) == (0, (before + after).encode(), "")
        assert (await the_list(socket))["revision"] == 2


# K7
async def test_a_byte_at_a_time_is_the_same(gateway):
    text = f"Ja 🚀\n{FIRST}\nüber `<todo>` <think>x</think>\n{SECOND}!\n"
    async with ingesting(gateway, "--session", "label") as stream:
        for byte in text.encode():
            await stream.feed(bytes([byte]))
        code, printed, said = await stream.end()
    assert (code, said) == (0, "")
    assert printed.decode() == text.replace(FIRST, "").replace(SECOND, "")
    async with opened(gateway) as socket:
        assert statuses((await the_list(socket))["todos"]) == ["completed", "in_progress"]


# K7
async def test_quiet_prints_nothing(gateway):
    code, printed, said = await ingested(gateway, f"Words\n{FIRST}\nWords\n", "--quiet", "--session", "label")
    assert (code, printed, said) == (0, b"", "")
    async with opened(gateway) as socket:
        assert contents((await the_list(socket))["todos"]) == ["Read", "Fix"]


# K7
async def test_json_prints_an_object_a_line(gateway):
    text = f"Zuerst: ä\n{FIRST}\n{THIRD} und <todo><todo_item>Lost"
    code, printed, said = await ingested(gateway, text, "--json", "--session", "label")
    found = lines(printed)
    assert code == 0
    async with opened(gateway) as socket:
        session = (await the_list(socket))["session"]["sessionId"]

    def at(part: str) -> int:
        return len(text[: text.index(part)].encode())

    assert "".join(line["text"] for line in found if line["type"] == "prose") == "Zuerst: ä\n\n und "
    others = [line for line in found if line["type"] != "prose"]
    assert others == [
        {"type": "block", "at": at(FIRST), "sessionId": session, "revision": 1, "completed": 0, "total": 2},
        {"type": "block", "at": at(THIRD), "sessionId": session, "revision": 2, "completed": 2, "total": 2},
        {"type": "broken", "at": at("<todo><todo_item>Lost"), "problem": CUT_OFF},
    ]
    assert f"the block at byte {at('<todo><todo_item>Lost')} changed nothing: {CUT_OFF}" in said


ADD = '(module (func (export "add") (param f64 f64) (result f64) local.get 0 local.get 1 f64.add))'
SUM = f'<wat_model args="8.5 5">{ADD}</wat_model>'


# K5, K7
async def test_computations_are_made_while_the_stream_runs(gateway):
    block = f"<todo><todo_item>Cut {SUM} metres</todo_item></todo>"
    text = f"It is {SUM}. {block}Ende <wat_model/>"
    async with opened(gateway) as socket, ingesting(gateway, "--session", "label") as stream:
        await stream.feed(f"It is {SUM[:40]}")
        await stream.prints("It is ")
        await stream.feed(SUM[40:])
        await stream.prints("It is <computed>13.5</computed>")
        await stream.feed(text[6 + len(SUM) :])
        code, printed, said = await stream.end()
        assert (code, said) == (0, "")
        error = '<computed error="true">There is no module in the block.</computed>'
        assert printed.decode() == f"It is <computed>13.5</computed>. Ende {error}"
        assert contents((await the_list(socket))["todos"]) == ["Cut <computed>13.5</computed> metres"]


# K5
FORGED = {
    "its own": ("So <computed>5</computed>!", "So !"),
    "without an end": ("So <computed>5", "So 5"),
    "around another": ("<comp<computed></computed>uted>5</computed>", "&lt;computed>5&lt;/computed>"),
    "around a list": (f"<comp{FIRST}uted>5", "<comp…uted>5"),
    "in half a block": ("<wat_model>(module<computed>5</computed>", "<wat_model>(module&lt;computed>5&lt;/computed>"),
    "in code": ("`<computed>5</computed>`", "`<computed>5</computed>`"),
    "too long": (f"<computed>{'x' * 300_000}<computed>5</computed>", "x" * 300_000),
}


@pytest.mark.parametrize("name", FORGED)
async def test_no_result_is_forged(gateway, name):
    text, passed = FORGED[name]
    code, printed, said = await ingested(gateway, f"{text}\n", "--session", "label")
    assert (code, said) == (0, "")
    assert printed.decode() == f"{passed}\n"


# K5
async def test_a_computation_without_end_is_stopped(gateway):
    module = '(module (func (export "f") (result i32) (loop br 0) i32.const 1))'
    code, printed, _ = await ingested(gateway, f"<wat_model>{module}</wat_model>{FIRST}", "--session", "label")
    # By its steps or by its time, as the machine is fast.
    assert code == 0 and printed.startswith(b'<computed error="true">The computation') and b"was stopped" in printed
    async with opened(gateway) as socket:
        assert statuses((await the_list(socket))["todos"]) == ["in_progress", "pending"], "the list goes on"


# K5
async def test_no_compute_leaves_blocks_as_they_are(gateway):
    text = f"It is {SUM}, I say <computed>4</computed>. <comp{FIRST}uted>"
    code, printed, said = await ingested(gateway, text, "--no-compute", "--session", "label")
    assert (code, said) == (0, "")
    assert printed.decode() == text.replace(FIRST, "")
    async with opened(gateway) as socket:
        assert contents((await the_list(socket))["todos"]) == ["Read", "Fix"]


# K5, K7
async def test_the_place_of_a_block_is_that_in_what_was_read(gateway):
    text = f"Größe {SUM} und <computed>1</computed> <todo><todo_item></todo_item></todo>"
    code, _, said = await ingested(gateway, text, "--json", "--session", "label")
    assert code == 0
    assert f"the block at byte {len(text[: text.index('<todo>')].encode())} changed nothing" in said


BROKEN = {
    "cut off": ("<todo><todo_item>Lost</todo_item>", CUT_OFF),
    "cut off by the next": (
        f"<todo><todo_item>Lost</todo_item>\n{SECOND}",
        "the block is cut off: there is no </todo>. The one that follows was taken in its place",
    ),
    "empty item": ("<todo><todo_item></todo_item></todo>", "item 1.content is empty"),
    "nested too deep": (
        "<todo><todo_item>a<todo_item>b<todo_item>c</todo_item></todo_item></todo_item></todo>",
        "nested too deep",
    ),
    "too long": (f"<todo><todo_item>{'x' * 2001}</todo_item></todo>", "2001 characters"),
    "300 items": (
        f"<todo>{''.join(f'<todo_item>Step {at}</todo_item>' for at in range(300))}</todo>",
        "300 items were sent, a list may have 256. Nothing was changed; merge small steps and send the list again",
    ),
    "too large": (f"<todo><todo_item>{'<!-- x -->' * 27_000}a</todo_item></todo>", "more than 262144 bytes"),
}


# K1, K7
@pytest.mark.parametrize("name", BROKEN)
async def test_a_broken_block_is_reported_and_changes_nothing(gateway, name):
    block, problem = BROKEN[name]
    text = f"Größe: {FIRST}\n"
    async with opened(gateway) as socket, ingesting(gateway, "--session", "label") as stream:
        await socket.ask("events.subscribe")
        await stream.feed(text)
        before = await socket.event("todo.update", revision=1)
        await stream.feed(block)
        code, printed, said = await stream.end()
        assert code == 0, said
        assert f"the block at byte {len(text.encode())} changed nothing: " in said and problem in said
        assert said.count("changed nothing") == 1
        assert printed.decode() == "Größe: \n"
        now = await the_list(socket)
        if SECOND in block:
            assert statuses(now["todos"]) == ["completed", "in_progress"], "the next one counts"
        else:
            assert now["todos"] == before["todos"] and now["revision"] == 1


NESTED = "<todo><todo_item>parent<todo><todo_item>child</todo_item></todo></todo_item></todo>"


# K1, K4
async def test_a_list_within_an_item_is_its_subtasks(gateway):
    code, printed, said = await ingested(gateway, f"Well: {NESTED} So.", "--session", "label")
    assert (code, printed, said) == (0, b"Well:  So.", "")
    async with opened(gateway) as socket:
        (parent,) = (await the_list(socket))["todos"]
        assert parent["content"] == "parent" and contents(parent["subtasks"]) == ["child"]


# K1
@pytest.mark.parametrize("end", range(len("<todo><todo_item>"), len(NESTED), 7))
async def test_a_part_of_a_nested_block_changes_nothing_and_says_so(gateway, end):
    async with opened(gateway) as socket:
        written = await socket.ask("todo.write", session="label", todos=[{"content": "Mine"}])
        code, printed, said = await ingested(gateway, f"Well: {NESTED[:end]}", "--session", "label")
        assert (code, printed) == (0, b"Well: ") and said == f"the block at byte 6 changed nothing: {CUT_OFF}\n"
        now = await the_list(socket)
        assert now["todos"] == written["todos"] and now["revision"] == 1


# K1
async def test_a_list_within_an_open_item_is_never_the_list(gateway):
    text = "<todo>\n<todo_item>parent\n<todo>\n<todo_item>child</todo_item>\n</todo>\nprose"
    async with opened(gateway) as socket:
        written = await socket.ask("todo.write", session="label", todos=[{"content": "Mine"}])
        code, printed, said = await ingested(gateway, text, "--session", "label")
        assert (code, printed) == (0, b"\nprose") and said == f"the block at byte 0 changed nothing: {CUT_OFF}\n"
        now = await the_list(socket)
        assert now["todos"] == written["todos"] and now["revision"] == 1


# K1
async def test_of_a_block_that_is_nested_too_deep_nothing_is_a_list_or_prose(gateway):
    deep = NESTED.replace("child", NESTED)
    code, printed, said = await ingested(gateway, f"{FIRST}x{deep} y", "--session", "label")
    assert (code, printed) == (0, b"x y") and "item 1 the elements are nested too deep" in said
    async with opened(gateway) as socket:
        assert contents((await the_list(socket))["todos"]) == ["Read", "Fix"]


# K3, K7
async def test_a_list_that_the_gateway_refuses_ends_with_an_error(gateway):
    circle = '<todo><todo_item depends_on="2">Hen</todo_item><todo_item depends_on="1">Egg</todo_item></todo>'
    code, printed, said = await ingested(gateway, f"{FIRST}x{circle}y{SECOND}z", "--session", "label")
    assert code == 1 and printed == b"xyz"
    assert f"the block at byte {len(FIRST) + 1} changed nothing: these items wait for each other" in said
    assert "Error: 1 of the lists could not be written, as said above" in said
    async with opened(gateway) as socket:
        assert statuses((await the_list(socket))["todos"]) == ["completed", "in_progress"], "the stream went on"


# K3
async def test_steps_that_should_not_be_in_progress_are_said(gateway):
    doing = 'status="in_progress"'
    block = f'<todo><todo_item {doing}>Fix</todo_item><todo_item depends_on="Fix" {doing}>Ship</todo_item></todo>'
    remarks = [
        "2 items are in progress; one at a time is the norm, mark the others pending.",
        '"Ship" is in progress, though it waits for "Fix"; do that first, or mark it pending.',
    ]
    code, printed, said = await ingested(gateway, f"x{block}", "--session", "label")
    assert (code, printed) == (0, b"x")
    assert said.splitlines() == [f"the block at byte 1: {remark}" for remark in remarks]
    code, printed, said = await ingested(gateway, block, "--json", "--session", "other")
    assert [line["remarks"] for line in lines(printed)] == [remarks]


# K8
@pytest.mark.parametrize(
    "text",
    [
        f"```xml\n{SECOND}\n```\n",
        f"~~~\n{SECOND}\n~~~\n",
        f"````\n```\n{SECOND}\n```\n````\n",
        f"  ```\n{SECOND}",
        f"Write `{SECOND}` like this.",
        f"Write `` {SECOND} `` like this.",
        f"<think>{SECOND}</think>",
        f"<thinking>\n{SECOND}\n</thinking>",
        f"<think>{SECOND}",
        "Write <todo> first, then </todo>.",
    ],
)
async def test_what_is_only_shown_or_thought_changes_nothing(gateway, text):
    code, printed, said = await ingested(gateway, f"{FIRST}\n{text}", "--session", "label")
    assert (code, said) == (0, "")
    assert printed.decode() == f"\n{text}", "it is prose, and stays"
    async with opened(gateway) as socket:
        assert statuses((await the_list(socket))["todos"]) == ["in_progress", "pending"]


# K7, D5
async def test_a_label_goes_on_with_its_session(gateway):
    async with opened(gateway) as socket:
        written = await socket.ask("todo.write", session="label", todos=[{"content": "Read"}, {"content": "Fix"}])
        await ingested(gateway, FIRST, "--session", "label")
        first = await the_list(socket)
        assert first["session"]["sessionId"] == written["sessionId"] and first["revision"] == 2
        assert [item["uid"] for item in first["todos"]] == [item["uid"] for item in written["todos"]]
        await socket.ask("todo.add", sessionId="label", content="Ask the customer")
        await ingested(gateway, SECOND, "--session", "label")
        second = await the_list(socket)
        assert contents(second["todos"]) == ["Read", "Fix", "Ask the customer"], "what the user added stays"
        assert statuses(second["todos"]) == ["completed", "in_progress", "pending"]
        await ingested(gateway, FIRST)
        sessions = (await socket.ask("session.list"))["sessions"]
        assert len(sessions) == 2, "without a label it is a new one"
        assert {session["state"] for session in sessions} == {"finished"}


# K7
async def test_a_reader_that_goes_does_not_stop_the_list(gateway):
    reading, writing = os.pipe()
    head = await asyncio.create_subprocess_exec("head", "-c", "10", stdin=reading, stdout=asyncio.subprocess.PIPE)
    os.close(reading)
    async with opened(gateway) as socket, ingesting(gateway, "--session", "label", stdout=writing) as stream:
        os.close(writing)
        await socket.ask("events.subscribe")
        await stream.feed(f"0123456789 and more\n{FIRST}")
        printed, _ = await head.communicate()
        assert printed == b"0123456789"
        await socket.event("todo.update", revision=1)
        for revision, block in ((2, SECOND), (3, THIRD)):
            await stream.feed(f"nobody reads this\n{block}nor this\n")
            await socket.event("todo.update", revision=revision)
        code, _, said = await stream.end()
        assert (code, said) == (0, "")
        assert statuses((await the_list(socket))["todos"]) == ["completed", "completed"]


# K7
async def test_it_starts_a_gateway_where_none_runs(data_folder):
    async with ingesting(data_folder, "--session", "label") as stream:
        await stream.feed(f"Hello{FIRST}")
        await stream.prints("Hello")
        await stream.feed(SECOND)
        code, printed, said = await stream.end()
    assert (code, printed, said) == (0, b"Hello", "")
    async with opened(data_folder) as socket:
        now = await the_list(socket)
        assert now["revision"] == 2 and now["session"]["state"] == "finished"


# K7
async def test_no_block_makes_no_session(gateway):
    code, printed, said = await ingested(gateway, "Just words.\n")
    assert (code, printed, said) == (0, b"Just words.\n", "")
    async with opened(gateway) as socket:
        assert (await socket.ask("session.list"))["sessions"] == []
