"""Every example that `--help` shows, run in a shell as it stands there."""

import json
import os
import re
import signal
import subprocess

import pytest

from gateway import BINARY, END_SECONDS, environment
from terminal import succeed

pytestmark = pytest.mark.anyio

STEPS = [{"content": content} for content in ("Read the parser", "Fix it", "Test it", "Ship it")]
# Examples that cannot do in a test what they are for, and what they say instead.
INSTEAD = {
    "raise": "has not said where it runs",
    "host test": "waits to be confirmed",
    "host key": "A key is asked for at a terminal only",
    "host install": "uname -sm failed there",
    "chat": "name a model, as in `sightline chat --model",
    "todo assign": "steps are assigned where several agents share a list",
}


def commands(gateway, path: tuple[str, ...] = ()) -> dict[str, list[str]]:
    """The examples of every command, by its name."""
    text = succeed(gateway, *path, "--help")
    below = re.search(r"^Commands:\n((?:  .*\n)+)", text, re.MULTILINE)
    names = re.findall(r"^  (\S+)", below[1], re.MULTILINE) if below else []
    if not names:
        return {" ".join(path): re.findall(r"^  (.+)$", text.partition("\nExamples:\n")[2], re.MULTILINE)}
    found = [commands(gateway, (*path, name)) for name in names if name != "help"]
    return {name: examples for each in found for name, examples in each.items()}


@pytest.fixture
def shell(gateway):
    """Runs a line as a person does, with `sightline` and a model in the path."""
    programs = gateway.home / "programs"
    programs.mkdir()
    (programs / "sightline").symlink_to(BINARY)
    model = programs / "some-model"
    model.write_text("#!/bin/sh\necho '<todo><todo_item>Read</todo_item></todo>'\n")
    model.chmod(0o755)
    # An agent that hears nothing says nothing.
    agent = programs / "opencode"
    agent.write_text("#!/bin/sh\nexec cat\n")
    agent.chmod(0o755)
    (gateway.home / "event.json").write_text(json.dumps({"session_id": "x", "hook_event_name": "SessionStart"}))
    variables = environment(gateway.home)
    variables |= {"PATH": f"{programs}:{variables['PATH']}", "SIGHTLINE_DATA_DIR": str(gateway.data_dir)}

    def start(line: str) -> subprocess.Popen:
        return subprocess.Popen(
            ["bash", "-c", f"set -o pipefail; exec 2>&1; {line}"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            env=variables,
            cwd=gateway.home,
            start_new_session=True,
        )

    return start


# P9
async def test_every_example_does_what_it_says(gateway, shell):
    examples = commands(gateway)
    assert len(examples) > 25 and all(examples.values()), examples
    # First those that are about the one current session, while there is one.
    for command in sorted(examples, key=lambda command: not command.startswith(("todo", "note", "later"))):
        succeed(gateway, "todo", "write", "--session", "api", json.dumps(STEPS))
        succeed(gateway, "todo", "add", "--session", "api", "last", "Mine")
        for line in examples[command]:
            run(command, line, shell(line))


def run(command: str, line: str, process: subprocess.Popen) -> None:
    if command == "watch":
        # It has no end.
        assert "0/" in process.stdout.readline()
        os.killpg(process.pid, signal.SIGTERM)
        process.communicate(timeout=END_SECONDS)
        return
    said, _ = process.communicate(timeout=END_SECONDS)
    if command in INSTEAD:
        assert process.returncode == 1 and INSTEAD[command] in said, (line, said)
    else:
        assert process.returncode == 0, (line, said)
