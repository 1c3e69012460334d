"""Runs of agents in their own files: recordings of real ones, written into a home as the agents write them."""

import json
import re
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from socket_client import Socket

RECORDINGS = Path(__file__).parents[2] / "crates" / "sources" / "tests" / "recordings"
PROMPT = "Please prepare the release. Keep a todo list."
PROJECT = "/home/user/project"

# Their tools, the ids of the recorded runs, and where the files of these stand.
TOOLS = {
    "claude": "TodoWrite",
    "codex": "update_plan",
    "gemini": "write_todos",
    "opencode": "todowrite",
    "qwen": "todo_write",
}
RECORDED = {
    "claude": "5d0c7a3e-1f44-4f0e-9a55-2b7d6f1c0a11",
    "codex": "01a1fba2-0162-7a30-8658-3a5d40048baf",
    "gemini": "034861f8-c0f2-4f1d-a824-c9ac885bbc14",
    "opencode": "ses_e045d84c5ffefL0H0bVPlo51s6",
    "qwen": "4b4a46a7-4ef1-46f5-9d24-bcd7ae8dcb8a",
}
PLACES = {
    "claude": ".claude/projects/-home-user-project/{own}.jsonl",
    "codex": ".codex/sessions/2026/11/21/rollout-2026-11-21T01-04-20-{own}.jsonl",
    "gemini": ".gemini/tmp/project/chats/session-2026-11-21T01-04-{own:.8}.jsonl",
    "opencode": ".local/share/opencode/opencode.db",
    "qwen": ".qwen/projects/-home-user-project/chats/{own}.jsonl",
}
# Where these are, and other folders that the gateway watches.
FOLDERS = (
    *(str(Path(place).parent) for place in PLACES.values()),
    ".claude/tasks",
    ".qwen/todos",
    ".qwen/projects/zz/chats",
)
# The mark of a record with the answer to a call of the list's tool.
ANSWERS = {
    "claude": ('"tool_result"',),
    "codex": ('"function_call_output"', '"Plan updated"'),
    "gemini": ('"toolCalls"', '"write_todos"'),
    "opencode": ('"tool":"todowrite"', '"status":"completed","input"'),
    "qwen": ('"type":"tool_result"', '"name":"todo_write"'),
}
LINES = ("claude", "codex", "gemini", "qwen")
AGENTS = ("claude", "codex", "gemini", "opencode", "qwen")

each_agent = pytest.mark.parametrize("agent", AGENTS)
each_with_lines = pytest.mark.parametrize("agent", LINES)

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
MILLISECONDS = re.compile(r"\b1795223\d{6}\b")

Said = list[tuple[str, str]]


def said(todos: list[dict]) -> Said:
    """The words and the status of each item."""
    return [(item["content"], item["status"]) for item in todos]


def iso(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03}Z"


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


class Moments:
    """A second ago, to the millisecond, and never the same twice: many at once must not run ahead of the clock."""

    def __init__(self):
        self.last = datetime.fromtimestamp(0, UTC)

    def __call__(self, _recorded: datetime) -> datetime:
        now = datetime.now(UTC) - timedelta(seconds=1)
        now = now.replace(microsecond=now.microsecond // 1000 * 1000)
        self.last = max(now, self.last + timedelta(milliseconds=1))
        return self.last


NOW = Moments()


def days_ago(days: float) -> Callable[[datetime], datetime]:
    """The times of a run that was so long ago, with their distances as they were."""
    end = datetime.now(UTC) - timedelta(days=days)
    return lambda recorded: recorded + (end - at("2026-11-21T01:04:20.000Z"))


def dated(text: str, moment: Callable[[datetime], datetime]) -> str:
    """With all its times moved; those of one record that are the same stay so."""
    moved: dict[str, str] = {}

    def move(match: re.Match) -> str:
        words = match.group()
        if words not in moved:
            if words.isdigit():
                moved[words] = str(round(moment(datetime.fromtimestamp(int(words) / 1000, UTC)).timestamp() * 1000))
            else:
                moved[words] = iso(moment(at(words)))
        return moved[words]

    return MILLISECONDS.sub(move, TIME.sub(move, text))


def calls(agent: str) -> list[dict]:
    """The calls as the model made them; of Claude Code none were recorded, it makes those of Codex."""
    recorded = json.loads((RECORDINGS / ("codex" if agent == "claude" else agent) / "calls.json").read_text())
    return [call for call in recorded if call["tool"] in TOOLS.values()]


def story(agent: str) -> list[Said]:
    """The lists of the recorded run, one after the other."""
    lists = [call["arguments"].get("todos") or call["arguments"]["plan"] for call in calls(agent)]

    def words(item: dict) -> str:
        return item.get("content") or item.get("step") or item["description"]

    return [[(words(item), item["status"]) for item in items] for items in lists]


def claude_record(own: str, kind: str, message: dict, **more) -> str:
    """A line of Claude Code's transcript."""
    common = {"isSidechain": False, "cwd": PROJECT, "sessionId": own, "version": "2.1.329", "gitBranch": "main"}
    times = {"type": kind, "timestamp": "2026-11-21T01:04:21.000Z"}
    return json.dumps({**common, **times, "message": {"role": kind, **message}, **more}, ensure_ascii=False)


def claude_call(own: str, number: int, tool: str, given: dict, answer) -> list[str]:
    """A call of a tool and its answer."""
    use = {"type": "tool_use", "id": f"toolu_{number}", "name": tool, "input": given}
    result = {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": "Done."}
    return [
        claude_record(own, "assistant", {"content": [use], "stop_reason": "tool_use"}),
        claude_record(own, "user", {"content": [result]}, toolUseResult=answer),
    ]


def claude_lines(own: str) -> list[str]:
    """The same story as Claude Code writes it down with `TodoWrite`."""
    lines = [claude_record(own, "user", {"content": PROMPT})]
    for number, items in enumerate(story("claude")):
        todos = [{"content": words, "status": status, "activeForm": f"On: {words}"} for words, status in items]
        lines += claude_call(own, number, "TodoWrite", {"todos": todos}, {"oldTodos": [], "newTodos": todos})
    end = {"content": [{"type": "text", "text": "The release is prepared."}], "stop_reason": "end_turn"}
    lines.append(claude_record(own, "assistant", end))
    times = [iso(at("2026-11-21T01:04:20.000Z") + timedelta(seconds=0.3 * number)) for number in range(len(lines))]
    return [TIME.sub(time, line) for time, line in zip(times, lines, strict=True)]


def recorded_lines(agent: str, own: str) -> list[str]:
    """The records of an agent's file, each without its end of line."""
    if agent == "claude":
        return claude_lines(own)
    name = {"codex": "rollout.jsonl", "gemini": "chat.jsonl", "qwen": "chat.jsonl"}[agent]
    text = (RECORDINGS / agent / name).read_text(encoding="utf-8")
    return text.replace(RECORDED[agent], own).splitlines()


class FileRun:
    """A run whose file has a record a line."""

    def __init__(self, home: Path, agent: str, own: str | None = None, moment=NOW):
        self.home, self.agent, self.tool, self.moment = home, agent, TOOLS[agent], moment
        self.own = own or RECORDED[agent]
        self.path = home / PLACES[agent].format(own=self.own)
        self.story = story(agent)
        self.steps = recorded_lines(agent, self.own)

    def says_list(self, step: str) -> bool:
        return all(word in step for word in ANSWERS[self.agent])

    def dated(self, step: str) -> str:
        return dated(step, self.moment)

    def add(self, piece: str | bytes) -> None:
        """Adds it to the file as it is; the file and its folders are made where they are not there."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab") as file:
            file.write(piece.encode() if isinstance(piece, str) else piece)

    def write(self, *steps: str) -> None:
        """Adds whole records, in one piece."""
        self.add("".join(f"{self.dated(step)}\n" for step in steps))

    def close(self) -> None:
        pass


class DatabaseRun:
    """opencode's run: a database with a log, whose writer stays."""

    def __init__(self, home: Path, own: str | None = None, moment=NOW):
        self.home, self.agent, self.tool, self.moment = home, "opencode", TOOLS["opencode"], moment
        self.own = own or RECORDED["opencode"]
        self.path = home / PLACES["opencode"]
        self.story = story("opencode")
        lines = (RECORDINGS / "opencode" / "opencode.sql").read_text(encoding="utf-8").splitlines()
        lines = [line.replace(RECORDED["opencode"], self.own) for line in lines if not line.startswith("--")]
        self.tables = [line for line in lines if line.startswith("CREATE")]
        self.steps = [line for line in lines if not line.startswith("CREATE")]
        self.writer: sqlite3.Connection | None = None

    def says_list(self, step: str) -> bool:
        return all(word in step for word in ANSWERS["opencode"])

    def write(self, *steps: str) -> None:
        for step in steps:
            self.sql(dated(step, self.moment))

    def sql(self, statements: str) -> None:
        """Does it, in the writer's own connection."""
        if self.writer is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            is_new = not self.path.exists()
            self.writer = sqlite3.connect(self.path, isolation_level=None)
            self.writer.executescript("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;")
            if is_new:
                self.writer.executescript("\n".join(self.tables))
        # Of a transaction the recording has the beginning only at its end.
        self.writer.executescript(statements)

    def close(self) -> None:
        if self.writer is not None:
            self.writer.close()
            self.writer = None


def run_of(home: Path, agent: str, own: str | None = None, moment=NOW) -> FileRun | DatabaseRun:
    if agent == "opencode":
        return DatabaseRun(home, own, moment)
    return FileRun(home, agent, own, moment)


def make_folders(home: Path) -> None:
    """The folders of agents that have run before."""
    for folder in FOLDERS:
        (home / folder).mkdir(parents=True, exist_ok=True)
    # Gemini's chats do not say their folder.
    (home / ".gemini" / "projects.json").write_text(json.dumps({"projects": {PROJECT: "project"}}))


async def told(user: Socket, wanted: Said, since: int = 0, tool: str | None = None) -> dict:
    """The update by which somebody's own list became this one; waits for it."""

    def is_it(message: dict) -> bool:
        if message["type"] != "todo.update" or said(message["todos"]) != wanted:
            return False
        own = message["session"].get("ownTool")
        return own == tool if tool else own is not None

    return await user.first(is_it, since)


async def all_told(user: Socket, agent: str, runs: int) -> None:
    """Waits until so many lists of this agent's have come to the end of the story."""

    def ended(message: dict) -> bool:
        is_last = message["type"] == "todo.update" and message["revision"] == len(story(agent))
        return is_last and message["session"]["agent"]["name"] == agent

    await user.first(lambda _: len({one["sessionId"] for one in user.seen if ended(one)}) == runs)


async def run_session(user: Socket, own: str) -> dict:
    """The session of the run whose built-in list this session is."""
    parent = (await user.ask("session.get", sessionId=own))["session"]["parentSessionId"]
    return (await user.ask("session.get", sessionId=parent))["session"]


async def history(user: Socket, session: str) -> list[Said]:
    """The list of each revision, from the first on."""
    newest = (await user.ask("session.get", sessionId=session))["session"]["revision"]
    at_each = [await user.ask("session.get", sessionId=session, revision=number + 1) for number in range(newest)]
    return [said(one["todos"]) for one in at_each]


class Witness:
    """Another run; once what it writes was told, everything that was written before it was read."""

    def __init__(self, home: Path):
        self.run = FileRun(home, "qwen", "ffffffff-ffff-4fff-8fff-ffffffffffff")
        # Of the files that changed at once the last in order is read last.
        self.run.path = home / ".qwen" / "projects" / "zz" / "chats" / f"{self.run.own}.jsonl"
        self.times = 0

    async def seen(self, user: Socket) -> None:
        self.times += 1
        content = f"witness {self.times}"
        # The answer shows the list, so that no call need stand before it.
        shown = {
            "status": "success",
            "resultDisplay": {"todos": [{"id": "1", "content": content, "status": "pending"}]},
        }
        part = {"functionResponse": {"id": str(self.times), "name": "todo_write", "response": {"output": "ok"}}}
        record = {"type": "tool_result", "timestamp": "2026-11-21T01:04:32.000Z", "cwd": "/home/user/witness"}
        self.run.write(json.dumps({**record, "message": {"parts": [part]}, "toolCallResult": shown}))
        await told(user, [(content, "pending")])
