"""`sightline` as a person or a script runs it."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

from gateway import Gateway, environment

COMMAND_SECONDS = 30


@dataclass
class Ran:
    """What a command has printed and how it ended."""

    code: int
    out: str
    err: str

    @property
    def said(self) -> str:
        """Everything it said, wherever."""
        return self.out + self.err

    @property
    def json(self):
        return json.loads(self.out)


def run(gateway: Gateway, *arguments: str, given: str | None = None, home: Path | None = None) -> Ran:
    """Runs `sightline ARGUMENTS` on the gateway's data folder to its end; in another home where one is given."""
    done = subprocess.run(
        gateway.command(*arguments),
        input=given,
        stdin=subprocess.DEVNULL if given is None else None,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=environment(home or gateway.home),
        cwd=home or gateway.home,
        timeout=COMMAND_SECONDS,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def succeed(gateway: Gateway, *arguments: str, given: str | None = None) -> str:
    """The standard output of a command that has to succeed."""
    ran = run(gateway, *arguments, given=given)
    assert ran.code == 0, f"{arguments} ended with {ran.code}: {ran.said}"
    return ran.out
