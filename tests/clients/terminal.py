"""`sightline` as a person or a script runs it."""

import asyncio
import errno
import fcntl
import json
import os
import pty
import subprocess
import termios
import threading
from dataclasses import dataclass
from pathlib import Path

from gateway import END_SECONDS, Gateway, environment, eventually

COMMAND_SECONDS = 30


@dataclass
class Ran:
    """The output and the exit code of a command."""

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


def run(
    gateway: Gateway,
    *arguments: str,
    given: str | None = None,
    home: Path | None = None,
    variables: dict[str, str] | None = None,
    seconds: float = COMMAND_SECONDS,
) -> Ran:
    """Runs `sightline ARGUMENTS` on the gateway's data folder to its end; in another home where one is given, and with
    more variables in its environment."""
    done = subprocess.run(
        gateway.command(*arguments),
        input=given,
        stdin=subprocess.DEVNULL if given is None else None,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**environment(home or gateway.home), **(variables or {})},
        cwd=home or gateway.home,
        timeout=seconds,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def succeed(gateway: Gateway, *arguments: str, given: str | None = None) -> str:
    """The standard output of a command that has to succeed."""
    ran = run(gateway, *arguments, given=given)
    assert ran.code == 0, f"{arguments} ended with {ran.code}: {ran.said}"
    return ran.out


class Terminal:
    """A command at a terminal, with somebody who types."""

    def __init__(
        self, gateway: Gateway, *arguments: str, size: tuple[int, int] | None = None, key: str | None = None
    ):
        """`size` is in rows and columns; `key` is one of the user's own."""
        self.seen = ""
        self.ours, theirs = pty.openpty()
        if size:
            termios.tcsetwinsize(theirs, size)
        self.process = subprocess.Popen(
            gateway.command(*arguments),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**environment(gateway.home), "TERM": "xterm-256color", **({"SIGHTLINE_KEY": key} if key else {})},
            cwd=gateway.home,
            start_new_session=True,
            preexec_fn=lambda: _own_terminal(theirs),
        )
        os.close(theirs)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self.ours, 65_536)
            except OSError as error:
                # The error of a terminal whose other end is closed.
                if error.errno == errno.EIO:
                    return
                raise
            if not data:
                return
            self.seen += data.decode("utf-8", "replace")

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        self.reader.join()
        os.close(self.ours)

    async def until(self, words: str, times: int = 1) -> None:
        """Waits until it shows this, so many times."""

        async def shown() -> bool:
            return self.seen.count(words) >= times

        try:
            await eventually(shown, END_SECONDS, words)
        except AssertionError as error:
            raise AssertionError(f"{error}; it shows: {self.seen!r}") from None

    async def type(self, text: str, *, enter: bool = True) -> None:
        await asyncio.to_thread(os.write, self.ours, (text + "\n" * enter).encode())

    async def end(self) -> int:
        """Its exit code."""
        code = await asyncio.to_thread(self.process.wait, END_SECONDS)
        await asyncio.to_thread(self.reader.join, END_SECONDS)
        return code


def _own_terminal(terminal: int) -> None:
    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
