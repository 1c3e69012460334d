"""What several agents do: one file of two runs, a run that has failed, and what a run has used."""

import json
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from gateway import eventually
from hooks import CLAUDE, FOLDER, by_command, by_http
from socket_client import Socket, opened

pytestmark = pytest.mark.anyio

FILE = f"{FOLDER}/src/lib.rs"
EDIT = {
    "tool_name": "Edit",
    "tool_input": {"file_path": FILE, "old_string": "a", "new_string": "b"},
    "tool_response": {"filePath": FILE},
}


async def needs(user: Socket) -> dict[str, dict[str, dict]]:
    """What needs the user, by session and kind."""
    sessions = (await user.ask("session.list"))["sessions"]
    return {session["sessionId"]: {need["kind"]: need for need in session.get("needs", [])} for session in sessions}


async def test_an_overlap_and_a_failure_need_the_user_until_they_are_put_off(gateway):
    async with opened(gateway) as user:
        await by_http(gateway, CLAUDE, CLAUDE.tool("run-1", **EDIT))
        [one] = await needs(user)
        await by_http(gateway, CLAUDE, CLAUDE.tool("run-2", **EDIT))
        told = await needs(user)
        [two] = told.keys() - {one}
        for session, other in ((one, two), (two, one)):
            overlap = told[session]["overlap"]
            assert (overlap["text"], overlap["otherSessionId"]) == (FILE, other)
        why = "429: too many requests"
        await by_http(gateway, CLAUDE, CLAUDE.payload("run-2", "StopFailure", error="rate_limit", error_details=why))
        told = await needs(user)
        assert (set(told[one]), told[two]["failed"]["text"]) == ({"overlap"}, why)

        later = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
        for kind in ("overlap", "failed"):
            put_off = {"sessionId": two, "needId": told[two][kind]["id"]}
            await user.ask("need.dismiss", **put_off, dismissed=True, until=later)
        left = await needs(user)
        assert left[two] == {}
        assert set(left[one]) == {"overlap"}, "the other session says it still"
        await user.ask("need.dismiss", sessionId=two, needId=told[two]["failed"]["id"], dismissed=False)
        assert set((await needs(user))[two]) == {"failed"}

        [file] = (await user.ask("session.files", sessionId=one))["files"]
        assert (file["path"], file["times"]) == (FILE, 1)


async def test_a_transcript_tells_what_a_run_with_hooks_has_used(gateway):
    own = str(uuid4())
    transcript = gateway.home / ".claude" / "projects" / "-home-user-billing" / f"{own}.jsonl"
    transcript.parent.mkdir(parents=True)

    def answer(message: str, output: int) -> None:
        """Claude Code writes a line for each part of an answer, and the results of its calls after it."""
        at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        usage = {"input_tokens": 10, "cache_read_input_tokens": 20_000, "output_tokens": output}
        call = {"type": "tool_use", "id": f"call-{uuid4()}", "name": "Bash", "input": {"command": "ls"}}
        result = {"type": "tool_result", "tool_use_id": call["id"], "content": "ok"}
        base = {"sessionId": own, "cwd": FOLDER, "version": "2.1.330", "timestamp": at}
        asked = {"id": message, "model": "claude-opus-4-5", "content": [call], "usage": usage}
        answered = {"role": "user", "content": [result]}
        with transcript.open("a") as lines:
            for kind, said in (("assistant", asked), ("user", answered)):
                lines.write(json.dumps({"type": kind, **base, "message": said}) + "\n")

    async with opened(gateway) as user:
        await by_command(gateway, CLAUDE, CLAUDE.tool(own))
        [session] = await needs(user)

        async def used(**expected) -> None:
            async def is_told() -> bool:
                told = (await user.ask("session.get", sessionId=session))["session"].get("usage", {})
                return {name: told.get(name) for name in expected} == expected

            await eventually(is_told, 20, f"it has used {expected}")

        answer("one", 5)
        answer("one", 40)
        await used(model="claude-opus-4-5", contextTokens=20_010, inputTokens=20_010, outputTokens=40)
        answer("two", 2)
        await used(inputTokens=40_020, cachedTokens=40_000, outputTokens=42, contextWindow=None, microDollars=None)
