"""`sightline watch` and `sightline status`: one screen at a terminal, lines elsewhere."""

import asyncio
import json
import os
import pty
import signal
import subprocess
import termios

import pyte
import pytest

from gateway import END_SECONDS, environment, eventually
from socket_client import Socket, opened
from terminal import Terminal, succeed

pytestmark = pytest.mark.anyio

SIZE = (12, 80)
NASTY = "\x1b]0;owned\x07\x1b[2J\x9b31m red\r\nsecond \u202e line"


def steps(done: int, content: str = "Fix the parser") -> list[dict]:
    statuses = ["completed"] * done + ["in_progress"] + ["pending"] * (2 - done)
    return [{"content": f"{content} {at}", "status": status} for at, status in enumerate(statuses)]


async def given(socket: Socket, label: str, done: int, **fields) -> str:
    return (await socket.ask("todo.write", session=label, todos=steps(done, **fields)))["sessionId"]


async def blocks(socket: Socket, label: str, done: int) -> str:
    """The agent is blocked at the step after those that are done."""
    todos = steps(done)
    todos[done]["status"] = "blocked"
    return (await socket.ask("todo.write", session=label, todos=todos))["sessionId"]


class Screen(Terminal):
    """A terminal whose picture can be read."""

    def __init__(self, gateway, *arguments: str, size: tuple[int, int] = SIZE):
        self.size = size
        super().__init__(gateway, *arguments, size=size)

    def resize(self, rows: int, columns: int) -> None:
        self.size = (rows, columns)
        # Rows that were drawn for the old size are not looked at.
        self.seen = ""
        termios.tcsetwinsize(self.ours, self.size)

    @property
    def picture(self) -> list[str]:
        rows, columns = self.size
        screen = pyte.Screen(columns, rows)
        pyte.Stream(screen).feed(self.seen)
        return [line.rstrip() for line in screen.display]

    async def shows(self, *parts: str) -> list[str]:
        """Waits until one line has all of this, and gives the picture."""

        async def shown() -> bool:
            return any(all(part in line for part in parts) for line in self.picture)

        try:
            await eventually(shown, END_SECONDS, " and ".join(parts))
        except AssertionError as error:
            raise AssertionError(f"{error}; it shows: {self.picture}") from None
        return self.picture

    async def is_restored(self, before: list) -> int:
        """Waits for the end, and looks at the terminal: its own screen, a cursor, echo and lines. Gives the exit code."""
        code = await self.end()
        assert self.seen.count("\x1b[?1049h") <= 1, self.seen[-200:]
        assert "\x1b[?1049l" in self.seen and "\x1b[?25h" in self.seen, self.seen[-200:]
        assert termios.tcgetattr(self.ours) == before
        return code


@pytest.fixture
def untouched() -> list:
    """The settings of a terminal that nothing has touched."""
    ours, theirs = pty.openpty()
    state = termios.tcgetattr(ours)
    os.close(ours)
    os.close(theirs)
    return state


# D1, P9
async def test_one_screen_changes_in_place(gateway, untouched):
    async with opened(gateway) as socket:
        await given(socket, "api", 0)
        await given(socket, "docs", 1)
        with Screen(gateway, "watch") as screen:
            first = await screen.shows("agent · api", "0/3", "Running", "Fix the parser 0")
            assert first[0] == "2 sessions · 2 running" and first[-1].startswith("q quit")
            row = next(at for at, line in enumerate(first) if "agent · api" in line)
            await given(socket, "api", 2)
            second = await screen.shows("agent · api", "2/3", "Fix the parser 2")
            assert "agent · api" in second[row], "each row stays where it is"
            assert sum("agent · " in line for line in second) == 2 and "Fix the parser 0" not in "".join(second)
            await blocks(socket, "docs", 1)
            asks = await screen.shows("agent · docs", "Needs you", "Blocked: Fix the parser 1")
            assert "agent · docs" in asks[2], "what needs the user comes first"
            await screen.type("q", enter=False)
            assert await screen.is_restored(untouched) == 0


# D4
async def test_it_fits_any_terminal_and_shows_no_raw_text(gateway, untouched):
    async with opened(gateway) as socket:
        await given(socket, "api", 1, content=NASTY)
        with Screen(gateway, "watch") as screen:
            await screen.shows("agent · api", "red")
            for rows, columns in ((4, 30), (30, 200), (1, 1), (12, 44), (10, 60)):
                screen.resize(rows, columns)
                if columns >= 30:
                    await screen.shows("agent", "1/3")
            assert "owned\x07" not in screen.seen and "\x1b]0;" not in screen.seen and "\x9b" not in screen.seen
            await screen.type("\x03", enter=False)
            assert await screen.is_restored(untouched) == 0


# D1
async def test_three_hundred_sessions(gateway, untouched):
    async with opened(gateway) as socket:
        for at in range(300):
            await given(socket, f"session-{at}", at % 3)
        with Screen(gateway, "watch") as screen:
            # The gateway tells of no more at once.
            await screen.shows("the newest 200 of 300 sessions")
            await screen.shows("1-9 of 200")
            await screen.type("\x1b[F", enter=False)
            await screen.shows("192-200 of 200")
            await given(socket, "session-100", 2)
            await screen.shows("agent · session-100", "2/3")
            await screen.type("q", enter=False)
            assert await screen.is_restored(untouched) == 0
        listed = Screen(gateway, "status", size=(10, 100))
        with listed:
            assert await listed.end() == 0
            lines = listed.seen.replace("\r", "").rstrip("\n").split("\n")
            assert lines[0] == "the newest 200 of 300 sessions · 200 running" and len(lines) <= 9
            assert lines[-1] == "and 294 more; `sightline watch` shows the newest 200"


# D1
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
async def test_a_signal_leaves_the_terminal_as_it_was(gateway, untouched, name):
    with Screen(gateway, "watch") as screen:
        await screen.shows("No session is running.")
        assert termios.tcgetattr(screen.ours) != untouched
        screen.process.send_signal(getattr(signal, name))
        assert await screen.is_restored(untouched) == 0


# D1, D2
async def test_it_outlives_its_gateway(gateway, untouched):
    async with opened(gateway) as socket:
        await given(socket, "api", 1)
    with Screen(gateway, "watch") as screen:
        await screen.shows("agent · api", "1/3")
        gateway.stop()
        # The screen starts another one.
        succeed(gateway, "todo", "write", "--session", "api", json.dumps(steps(2)))
        await screen.shows("agent · api", "2/3")
        await screen.type("q", enter=False)
        assert await screen.is_restored(untouched) == 0


# D1
async def test_without_a_terminal_it_prints_a_line_for_what_changes(gateway):
    async with opened(gateway) as socket:
        await given(socket, "api", 0)
        await given(socket, "docs", 0)
        process = await asyncio.create_subprocess_exec(
            *gateway.command("watch"),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(gateway.home),
        )

        async def line() -> str:
            return (await asyncio.wait_for(process.stdout.readline(), END_SECONDS)).decode()

        first = {await line(), await line()}
        assert first == {f"agent · {label}  0/3  Running  Fix the parser 0\n" for label in ("api", "docs")}
        await given(socket, "docs", 1)
        assert await line() == "agent · docs  1/3  Running  Fix the parser 1\n"
        process.terminate()
        rest, said = await process.communicate()
        assert (process.returncode, rest, said) == (0, b"", b"")


# D1
async def test_status_prints_the_same_and_ends(gateway):
    assert succeed(gateway, "status").startswith("No session is running.")
    async with opened(gateway) as socket:
        await given(socket, "api", 1)
        await given(socket, "docs", 0)
        session = await blocks(socket, "docs", 0)
    heading, head, docs, api = succeed(gateway, "status").splitlines()
    assert heading == "2 sessions · 1 needs you · 1 running"
    assert head.split() == ["SESSION", "PROGRESS", "STATE", "SINCE", "STEP"]
    assert docs.startswith("agent · docs ") and "Needs you" in docs and docs.endswith("Blocked: Fix the parser 0")
    assert api.startswith("agent · api ") and "1/3" in api and api.endswith("Fix the parser 1")
    found = json.loads(succeed(gateway, "status", "--json"))["sessions"]
    assert [each["session"]["label"] for each in found] == ["docs", "api"]
    assert found[0]["list"] == session and len(found[0]["todos"]) == 3
