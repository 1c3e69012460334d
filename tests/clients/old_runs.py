"""A home in which agents have worked long ago, and what the history says of them."""

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

from gateway import START_SECONDS, Gateway, eventually, until
from own_files import FileRun, days_ago, run_of
from socket_client import Socket

LLXPRT = (".local/share/llxprt-code/todos", ".llxprt/todos")


def aged(path: Path, days: float) -> datetime:
    """Gives a file a time long ago, as if nobody had touched it since."""
    at = (datetime.now(UTC) - timedelta(days=days)).replace(microsecond=0)
    for file in (path, *path.parent.glob(f"{path.name}-*")):
        os.utime(file, (at.timestamp(), at.timestamp()))
    return at


def old_run(home: Path, agent: str, days: float, own: str | None = None):
    """The recorded run of an agent's, so many days ago."""
    run = run_of(home, agent, own, days_ago(days))
    run.write(*run.steps)
    run.close()
    aged(run.path, days)
    return run


def short_run(home: Path, content: str, days: float = 30) -> FileRun:
    """A run of Codex with a list of one item."""
    run = FileRun(home, "codex", str(uuid4()), days_ago(days))
    plan = json.dumps({"plan": [{"step": content, "status": "pending"}]})
    call = json.loads(run.steps[5])
    call["payload"]["arguments"] = plan
    run.write(*run.steps[:4], json.dumps(call), run.steps[6])
    aged(run.path, days)
    return run


def llxprt(home: Path, name: str, content, days: float, folder: str = LLXPRT[0]) -> datetime:
    """A list of llxprt's in its file."""
    path = home / folder / f"todo-{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content, indent=2))
    return aged(path, days)


async def sessions(user: Socket) -> list[dict]:
    """All of the history, newest first."""
    found, cursor = [], {}
    while True:
        page = await user.ask("session.list", limit=200, **cursor)
        found += page["sessions"]
        if "nextCursor" not in page:
            return found
        cursor = {"cursor": page["nextCursor"]}


async def imported(user: Socket) -> dict:
    """Waits until no import runs; how it ended."""

    async def is_done() -> dict | None:
        progress = (await user.ask("agents.list")).get("import")
        return progress if progress and progress["done"] else None

    return await eventually(is_done, START_SECONDS, "the import is over")


def past_its_first_start(gateway: Gateway) -> Gateway:
    """One that has imported what there was: nothing."""
    gateway.start()
    kept = gateway.data_dir / "gateway.json"

    def is_noted() -> bool:
        return kept.exists() and json.loads(kept.read_text()).get("imported", False)

    until(is_noted, START_SECONDS, "the first import is noted")
    gateway.stop()
    return gateway
