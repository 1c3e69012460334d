"""Measures Sightline and its peers one after another, and prints a table. See README.md."""

import argparse
import asyncio
import logging
import os
import platform
import shutil
import sys
import tempfile
import traceback
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from measure import Times, questions, writes
from tool import Tool
from tools import TOOLS, install

COUNTS = (10_000, 1_000)
HEAD = ("tool", "version", "write to event, ms", "list, ms", "search, ms", "memory, MB", "a write becomes")


@dataclass
class Measured:
    """The row of a tool, and its notes."""

    name: str
    version: str
    kept: str
    writes: list[tuple[str, Times]] = field(default_factory=list)
    listed: str = "–"
    searched: str = "–"
    memory: str = "–"
    notes: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        ways = "<br>".join(f"{times} ({name}; {times.remark})" for name, times in self.writes) or "–"
        cells = (self.name, self.version, ways, self.listed, self.searched, self.memory, self.kept)
        return [f"| {' | '.join(cells)} |"]


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


async def measure(tool: Tool, options: argparse.Namespace) -> Measured:
    row = Measured(tool.name, tool.version, tool.kept, notes=list(tool.notes))
    say(f"{tool.name} {tool.version}: writing {tool.count} sessions")
    await tool.prepare()
    async with tool.running() as seconds:
        say(f"  it knows them after {seconds:.1f} s")
        first = "first start, and was measured on its second" if tool.imports else "start"
        row.notes.append(f"It knew the {tool.count:,} sessions {seconds:.1f} s after its {first}.")
        times, answer = await questions(tool.page, options.questions, options.seconds)
        row.listed = f"{times} ({tool.listed}, {len(answer) / 1000:,.0f} kB)"
        say(f"  list {row.listed}")
        if await tool.search(0) is not None:
            times, answer = await questions(tool.search, options.questions, options.seconds)
            row.searched = f"{times} ({tool.found(answer)} found, {len(answer) / 1000:,.0f} kB)"
            say(f"  search {row.searched}")
        for way in await tool.ways():
            times = await writes(way, options.writes, options.seconds)
            row.writes.append((way.name, times))
            say(f"  {way.name}: {times} ({times.remark})")
        row.memory = f"{tool.server.megabytes():,.0f}"
        say(f"  memory {row.memory}")
        row.notes += await tool.remarks()
    return row


async def with_fewer(kind: type[Tool], modules: Path, root: Path, options: argparse.Namespace) -> Measured:
    """Measures a tool with the whole archive, or with a smaller one where it does not take that."""
    failures = []
    for count in options.sessions:
        home = root / f"{kind.__name__}-{count}"
        home.mkdir()
        try:
            row = await measure(tool := kind(home, modules, count), options)
        except Exception as error:
            say("".join(traceback.format_exception(error, limit=-3, chain=False)))
            reason = (str(error) or type(error).__name__).splitlines()[0]
            failures.append(f"With {count:,} sessions it could not be measured: {reason:.200}.")
        else:
            if failures:
                row.name += f" ({count:,} sessions)"
            row.notes = failures + row.notes
            return row
        finally:
            await tool.stack.aclose()
            if not options.keep:
                shutil.rmtree(home, ignore_errors=True)
    return Measured(kind.name, tool.version, kind.kept, notes=failures)


def machine() -> str:
    memory = psutil.virtual_memory().total / 2**30
    system = f"{platform.system()} {platform.release()}"
    return f"{os.cpu_count()} cores, {memory:.0f} GiB, {system}, load {os.getloadavg()[0]:.1f} before it"


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--sessions", type=int, nargs="+", default=COUNTS, help="sizes to try, the first that works counts"
    )
    parser.add_argument("--writes", type=int, default=200, help="writes for each tool")
    parser.add_argument("--questions", type=int, default=200, help="lists and searches for each tool")
    parser.add_argument("--seconds", type=float, default=300, help="the longest time for each row of them")
    parser.add_argument("--only", nargs="+", metavar="TOOL", help="only tools whose name begins so")
    parser.add_argument("--keep", action="store_true", help="keep the archives and the logs")
    options = parser.parse_args()
    # The client of MCP takes offence at the status with which a session is ended.
    logging.getLogger("mcp").setLevel(logging.ERROR)
    root = Path(tempfile.mkdtemp(prefix="peers-"))
    say(f"in {root}")
    try:
        say("installing the peers")
        modules = install(root)
        began = machine()
        kinds = [kind for kind in TOOLS if not options.only or kind.name.lower().startswith(tuple(options.only))]
        rows = [await with_fewer(kind, modules, root, options) for kind in kinds]
    finally:
        if not options.keep:
            shutil.rmtree(root, ignore_errors=True)
    print(f"{options.sessions[0]:,} sessions of 3 lists with 8 steps; {began}. Times are p50 / p95.\n")
    print(f"| {' | '.join(HEAD)} |\n|{'---|' * len(HEAD)}")
    for row in rows:
        print("\n".join(row.lines()))
    print()
    for row in rows:
        for note in row.notes:
            print(f"- {row.name}: {note}")


if __name__ == "__main__":
    asyncio.run(main())
