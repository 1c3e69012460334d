"""The archive in a terminal: search, export, and what was exported taken in elsewhere."""

import json

import pytest

from gateway import Gateway
from socket_client import opened
from terminal import run, succeed

pytestmark = pytest.mark.anyio


async def filled(gateway: Gateway) -> list[str]:
    """Two sessions; their ids."""
    async with opened(gateway) as socket:
        ids = []
        for label, steps in (
            ("one", ["Read the résumé parser", "Ship"]),
            ("two", ["Fix the lexer \x1b[31mred\x1b[0m"]),
        ):
            todos = [{"content": step} for step in steps]
            ids.append((await socket.ask("todo.write", session=label, todos=todos))["sessionId"])
        await socket.ask("todo.setStatus", sessionId=ids[0], position="1", status="completed")
        return ids


# D6
async def test_search_prints_what_was_said_and_where(gateway):
    one, two = await filled(gateway)
    found = succeed(gateway, "search", "resume", "par")
    assert "Read the résumé parser" in found
    assert f"({one[:13]} r2)" in found
    assert two[:13] not in found
    [result] = json.loads(succeed(gateway, "--json", "search", "lexer"))["results"]
    assert (result["sessionId"], result["revision"]) == (two, 1)
    assert "\x1b" not in succeed(gateway, "search", "lexer"), "a step does not colour the terminal"
    assert succeed(gateway, "search", "nothing", "of", "this") == "Nothing found\n"
    assert succeed(gateway, "search", '"', "(", "AND") == "Nothing found\n"
    assert succeed(gateway, "search", "lexer", "--agent", "nobody") == "Nothing found\n"


# D6, K6
async def test_one_list_that_has_ended_is_found_and_exported(gateway):
    one, _ = await filled(gateway)
    succeed(gateway, "todo", "--session", "one", "archive")
    async with opened(gateway) as socket:
        await socket.ask("todo.write", session="one", todos=[{"content": "Begin anew"}])
        lists = (await socket.ask("archive.lists"))["lists"]
    [ended] = [entry for entry in lists if entry["session"]["sessionId"] == one and "ended" in entry]
    revision = ended["ended"]["revision"]
    [result] = json.loads(succeed(gateway, "--json", "search", "résumé"))["results"]
    assert (result["sessionId"], result["listId"], result["revision"]) == (one, ended["listId"], revision)
    assert f"({one[:13]} r{revision})" in succeed(gateway, "search", "résumé")
    exported = succeed(gateway, "export", one, "--format", "markdown", "--revision", str(revision))
    steps = [line for line in exported.splitlines() if line.startswith("- ")]
    assert steps == ["- [x] Read the résumé parser", "- [ ] Ship"]
    exported = succeed(gateway, "export", one, "--format", "markdown")
    assert [line for line in exported.splitlines() if line.startswith("- ")] == ["- [ ] Begin anew"]
    refused = run(gateway, "export", one, "--format", "markdown", "--revision", "99")
    assert refused.code != 0 and "99" in refused.err


# D6, K6
async def test_what_is_exported_is_taken_in_elsewhere(gateway, tmp_path):
    one, two = await filled(gateway)
    file = tmp_path / "lists.json"
    said = succeed(gateway, "export", "-o", str(file))
    assert said == f"Exported 2 sessions to {file}\n"
    (tmp_path / "other").mkdir()
    other = Gateway(tmp_path / "other")
    try:
        other.start()
        assert succeed(other, "import", "--file", str(file)) == "Imported 2 sessions; 0 were here already\n"
        assert succeed(other, "import", "--file", str(file)) == "Imported 0 sessions; 2 were here already\n"
        assert json.loads(succeed(other, "export", one)) == json.loads(succeed(gateway, "export", one))
    finally:
        other.leave_nothing()
    lines = succeed(gateway, "export", "--format", "training").splitlines()
    examples = [json.loads(line) for line in lines]
    assert {example["prompt"] for example in examples} == {None}
    assert sorted(example["response"].count("<todo>") for example in examples) == [1, 2]
    markdown = succeed(gateway, "export", two, "--format", "markdown")
    assert markdown.startswith("# ")
    assert "- [ ] Fix the lexer" in markdown


# D6
async def test_a_session_larger_than_a_message_is_taken_in(gateway, tmp_path):
    async with opened(gateway) as socket:
        for turn in range(8):
            todos = [{"content": f"{turn}.{step} {'x' * 1500}"} for step in range(150)]
            written = await socket.ask("todo.write", session="long", todos=todos)
    session_id = written["sessionId"]
    file = tmp_path / "long.json"
    succeed(gateway, "export", session_id, "-o", str(file))
    assert file.stat().st_size > 1.5 * 1024 * 1024
    (tmp_path / "other").mkdir()
    other = Gateway(tmp_path / "other")
    try:
        other.start()
        assert succeed(other, "import", "--file", str(file)) == "Imported 1 sessions; 0 were here already\n"
        assert json.loads(succeed(other, "export", session_id)) == json.loads(file.read_text())
    finally:
        other.leave_nothing()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "cannot be read"),
        ("", "is no export"),
        ("[]", "is no export"),
        ('{"sightline": 1}', "is no export"),
        ('{"sightline": 9, "sessions": [{}]}', "form 9"),
        ('{"sightline": 1, "sessions": [{"sessionId": "x"}]}', "missing field"),
    ],
)
async def test_a_file_that_is_no_export_is_refused(lasting, tmp_path, content, said):
    file = tmp_path / "file.json"
    if content is not None:
        file.write_text(content)
    refused = run(lasting, "import", "--file", str(file))
    assert refused.code != 0
    assert said in refused.err, refused.err


async def test_an_export_that_cannot_be_written_says_so(lasting, tmp_path):
    refused = run(lasting, "export", "-o", str(tmp_path / "no" / "folder" / "x.json"))
    assert refused.code != 0
    assert "cannot be written" in refused.err


def broken(exported: dict, at: int) -> dict:
    """An export with a fault in one of its sessions."""
    exported["sessions"][at]["items"][0]["item"]["activeForm"] = "x" * 2_001
    return exported


async def write_more_than_a_message(gateway: Gateway) -> None:
    """Three sessions, "long 0" to "long 2", whose export is too long for one message."""
    async with opened(gateway) as socket:
        for turn in range(45):
            todos = [{"content": f"{turn}.{step} {'x' * 1500}"} for step in range(150)]
            await socket.ask("todo.write", session=f"long {turn % 3}", todos=todos)


# D6
@pytest.mark.parametrize("size", ["short", "long"])
async def test_a_file_with_one_wrong_session_imports_nothing(gateway, tmp_path, size):
    ids = await filled(gateway)
    if size == "long":
        await write_more_than_a_message(gateway)
    exported = json.loads(succeed(gateway, "export"))
    wrong = next(at for at, session in enumerate(exported["sessions"]) if session["sessionId"] == ids[0])
    # The one that is refused comes last.
    exported["sessions"].append(exported["sessions"].pop(wrong))
    (tmp_path / "other").mkdir()
    other = Gateway(tmp_path / "other")
    file = tmp_path / "lists.json"
    try:
        other.start()
        file.write_text(json.dumps(broken(json.loads(json.dumps(exported)), -1)))
        assert (file.stat().st_size > 8 * 1024 * 1024) == (size == "long")
        refused = run(other, "import", "--file", str(file))
        assert refused.code != 0
        assert f"session {ids[0]} has an item" in refused.err and "activeForm of 2001 characters" in refused.err
        assert json.loads(succeed(other, "--json", "search", "lexer"))["results"] == []
        async with opened(other) as socket:
            assert (await socket.ask("session.list"))["sessions"] == [], "nothing is imported"
        file.write_text(json.dumps(exported))
        count = len(exported["sessions"])
        assert succeed(other, "import", "--file", str(file)) == f"Imported {count} sessions; 0 were here already\n"
    finally:
        other.leave_nothing()


# D6
async def test_a_long_file_whose_sessions_are_under_each_other_imports_nothing(gateway, tmp_path):
    await write_more_than_a_message(gateway)
    exported = json.loads(succeed(gateway, "export"))
    one, two, other = exported["sessions"]
    one["parentSessionId"], two["parentSessionId"] = two["sessionId"], one["sessionId"]
    # Those before it could be imported.
    exported["sessions"] = [other, one, two]
    file = tmp_path / "lists.json"
    file.write_text(json.dumps(exported))
    assert file.stat().st_size > 8 * 1024 * 1024
    (tmp_path / "other").mkdir()
    there = Gateway(tmp_path / "other")
    try:
        there.start()
        refused = run(there, "import", "--file", str(file))
        assert refused.code != 0
        assert "is under itself" in refused.err and "Nothing was imported" in refused.err
        async with opened(there) as socket:
            assert (await socket.ask("session.list"))["sessions"] == [], "nothing is imported"
        del two["parentSessionId"]
        file.write_text(json.dumps(exported))
        assert succeed(there, "import", "--file", str(file)) == "Imported 3 sessions; 0 were here already\n"
    finally:
        there.leave_nothing()
