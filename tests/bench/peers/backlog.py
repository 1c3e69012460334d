"""Backlog.md."""

import json
import subprocess
import time
from pathlib import Path

from mcp import StdioServerParameters

from content import QUERIES, sessions
from measure import Way
from process import environment
from tool import LIVE, PAGE, Tool, is_in, with_first


class Backlog(Tool):
    """Backlog.md: a task for each session, with its steps as acceptance criteria."""

    name = "Backlog.md"
    announced = "running at"
    listed = "all"
    kept = "a Markdown file of the task, written anew without a sync; history only where git commits it (off here)"
    notes = [
        "A task for each session, its steps as acceptance criteria. The event names nothing: its page then asks for "
        "all tasks, which is the time of the list on top.",
        "The agent's `backlog mcp start` is a process of its own and not in the memory.",
    ]

    @property
    def version(self) -> str:
        return self.npm_version("backlog.md")

    @property
    def program(self) -> Path:
        return self.modules / ".bin/backlog"

    @property
    def command(self) -> list[str | Path]:
        return [self.program, "browser", "--no-open", "--non-interactive", "--port", str(self.port)]

    @property
    def folder(self) -> Path:
        return self.home / "project"

    async def prepare(self) -> None:
        self.folder.mkdir(parents=True)
        command = [self.program, "init", "Peers", "--no-git", "--defaults", "--integration-mode", "none"]
        subprocess.run(command, cwd=self.folder, env=environment(self.home), check=True, capture_output=True)
        tasks = self.folder / "backlog/tasks"
        tasks.mkdir(parents=True, exist_ok=True)
        for number, session in enumerate(sessions(self.count), 1):
            steps = [
                f"- [{'x' if step['status'] == 'completed' else ' '}] #{place} {step['content']}"
                for place, step in enumerate(session.lists[-1], 1)
            ]
            lines = [
                "---",
                f"id: TASK-{number}",
                f"title: {session.title}",
                "status: Done",
                "assignee: []",
                f"created_date: '{session.at:%Y-%m-%d %H:%M}'",
                "labels: []",
                "dependencies: []",
                f"ordinal: {1000 * number}",
                "---",
                "",
                "## Acceptance Criteria",
                "<!-- AC:BEGIN -->",
                *steps,
                "<!-- AC:END -->",
                "",
            ]
            (tasks / f"task-{number} - {session.title.replace(' ', '-')}.md").write_text("\n".join(lines))

    async def counted(self) -> int:
        return len(json.loads(await self.page(0)))

    async def ways(self) -> list[Way]:
        channel = await self.socket(f"ws://127.0.0.1:{self.port}/")
        server = StdioServerParameters(
            command=str(self.program), args=["mcp", "start", "--cwd", str(self.folder)], env=environment(self.home)
        )
        agent = await self.agent(server, mode="legacy")
        await agent.call_tool("task_create", {"title": LIVE, "acceptanceCriteria": ["Begin"]})
        task = f"TASK-{self.count + 1}"

        async def write(text: str) -> float:
            begun = time.perf_counter()
            steps = [step["content"] for step in with_first(text)]
            result = await agent.call_tool("task_edit", {"id": task, "acceptanceCriteriaSet": steps})
            assert not result.is_error, result
            return begun

        async def tells(message: str, text: str) -> bool:
            return message == "tasks-updated" and is_in((await self.get(f"/api/task/{task}")).decode(), text)

        return [Way("MCP over stdio, WebSocket", write, channel, tells)]

    async def page(self, sample: int) -> bytes:
        return await self.get("/api/tasks")

    async def search(self, sample: int) -> bytes:
        return await self.get("/api/search", query=QUERIES[sample % len(QUERIES)], limit=PAGE)

    def found(self, answer: bytes) -> int:
        return len(json.loads(answer))
