"""The content that every tool gets: sessions with a title and a list of steps, and Claude Code's files with them."""

import json
import os
import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from pathlib import Path
from uuid import UUID

STEPS = 8
SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]
PROJECT = "/home/user/project"

Todos = list[dict[str, str]]


def vocabulary(count: int = 4000) -> list[str]:
    """Words that are made up, the frequent ones first."""
    chance = random.Random(1)
    words = dict.fromkeys("".join(chance.choices(SYLLABLES, k=chance.randint(2, 4))) for _ in range(3 * count))
    return list(words)[:count]


WORDS = vocabulary()
WEIGHTS = list(accumulate(1 / (rank + 10) for rank in range(len(WORDS))))
# Neither among the most frequent words nor among the rarest.
QUERIES = WORDS[200:220]


@dataclass(frozen=True)
class Session:
    """One run of an agent: its lists were written one after another, each a whole list."""

    own: str
    title: str
    at: datetime
    lists: list[Todos]


def texts(chance: random.Random, words: int) -> str:
    return " ".join(chance.choices(WORDS, cum_weights=WEIGHTS, k=words)).capitalize()


def sessions(count: int) -> Iterator[Session]:
    """Sessions, newest first, one every half hour up to yesterday; the same ones in each run but for their times."""
    chance = random.Random(2)
    newest = datetime.now(UTC) - timedelta(days=1)
    for number in range(count):
        steps = [texts(chance, 6) for _ in range(STEPS)]
        lists = [todos(steps, done) for done in (0, STEPS // 2, STEPS)]
        own = str(UUID(int=chance.getrandbits(128), version=4))
        yield Session(own, texts(chance, 5), newest - timedelta(minutes=30 * number), lists)


def todos(steps: list[str], done: int) -> Todos:
    """A list of which so many steps are completed, and the next one is in progress."""
    states = ["completed"] * done + ["in_progress"] + ["pending"] * len(steps)
    return [{"content": step, "status": state} for step, state in zip(steps, states, strict=False)]


class Transcript:
    """A file of Claude Code's, to which one record after another is added."""

    def __init__(self, home: Path, own: str, at: datetime):
        self.path = home / ".claude/projects" / PROJECT.replace("/", "-") / f"{own}.jsonl"
        self.own = own
        self.at = at
        self.records = 0

    def record(self, kind: str, content, **more) -> str:
        """A record, two seconds after the one before."""
        self.records += 1
        at = self.at + timedelta(seconds=2 * self.records)
        fields = {
            "parentUuid": self.uuid(self.records - 1) if self.records > 1 else None,
            "uuid": self.uuid(self.records),
            "timestamp": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "isSidechain": False,
            "userType": "external",
            "cwd": PROJECT,
            "sessionId": self.own,
            "version": "2.1.329",
            "gitBranch": "main",
            "type": kind,
            "message": {"role": kind, "content": content, **more.pop("message", {})},
        }
        return json.dumps({**fields, **more}) + "\n"

    def uuid(self, number: int) -> str:
        return str(UUID(int=UUID(self.own).int ^ number))

    def prompt(self, text: str) -> str:
        return self.record("user", text)

    def call(self, todos: Todos) -> str:
        """A call of the tool `TodoWrite`, and its result."""
        todos = [{**todo, "activeForm": todo["content"]} for todo in todos]
        call = f"toolu_{self.own[:8]}{self.records}"
        use = {"type": "tool_use", "id": call, "name": "TodoWrite", "input": {"todos": todos}}
        result = {"type": "tool_result", "tool_use_id": call, "content": "Todos have been modified successfully."}
        model = {"id": f"msg_{call}", "type": "message", "model": "claude-opus-4-7", "stop_reason": "tool_use"}
        return self.record("assistant", [use], message=model) + self.record(
            "user", [result], toolUseResult={"oldTodos": [], "newTodos": todos}
        )

    def answer(self, text: str) -> str:
        model = {"id": f"msg_{self.records}", "type": "message", "model": "claude-opus-4-7", "stop_reason": "end_turn"}
        return self.record("assistant", [{"type": "text", "text": text}], message=model)

    def add(self, text: str) -> None:
        """Appends records as Claude Code does: in one write, without a sync."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(text)


def write_claude_home(home: Path, count: int) -> None:
    """Claude Code's folder of somebody who had so many sessions."""
    folder = home / ".claude"
    with_prompts = []
    for session in sessions(count):
        transcript = Transcript(home, session.own, session.at)
        transcript.path.parent.mkdir(parents=True, exist_ok=True)
        lines = [transcript.prompt(session.title)]
        lines += [transcript.call(todos) for todos in session.lists]
        lines += [transcript.answer("Done."), transcript.prompt("Thanks."), transcript.answer("You are welcome.")]
        transcript.add("".join(lines))
        os.utime(transcript.path, (session.at.timestamp(), session.at.timestamp()))
        with_prompts.append((session.at, session))
    (folder / "tasks").mkdir()
    # Its history of prompts, the oldest first.
    with (folder / "history.jsonl").open("w", encoding="utf-8") as file:
        for at, session in reversed(with_prompts):
            file.write(history_line(session.own, session.title, at))


def history_line(own: str, prompt: str, at: datetime) -> str:
    """A line of Claude Code's history of prompts."""
    fields = {
        "display": prompt,
        "pastedContents": {},
        "timestamp": int(at.timestamp() * 1000),
        "project": PROJECT,
        "sessionId": own,
    }
    return json.dumps(fields) + "\n"
