"""The settings and the process of `own_server.py`, and of MCP's own server with everything, over HTTP."""

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

from chat.files import SERVERS
from chat.model import START_SECONDS, calls
from gateway import END_SECONDS, eventually, until

GREET, WAIT, MUCH = "own__greet", "own__wait", "own__much"
FREE = {"chatTools": {GREET: "auto", WAIT: "auto", MUCH: "auto"}}
SCRIPT = str(Path(__file__).parent / "own_server.py")


def own(folder: Path) -> dict:
    """The settings by which it is a process of the gateway's."""
    return {"chatServers": [{"name": "own", "command": [sys.executable, SCRIPT, str(folder)]}], **FREE}


def far(port: int, name: str = "own", **headers: str) -> dict:
    """The settings by which a server is spoken to that runs by itself."""
    return {"chatServers": [{"name": name, "url": f"http://127.0.0.1:{port}/mcp", "headers": headers}], **FREE}


def greets(name: str) -> dict:
    return calls((GREET, {"name": name}))


def notes(folder: Path) -> list[str]:
    """The records of the server."""
    file = folder / "notes"
    return file.read_text().splitlines() if file.exists() else []


async def noted(folder: Path, what: str) -> None:
    async def is_there() -> bool:
        return what in notes(folder)

    await eventually(is_there, END_SECONDS, f"the server notes: {what}")


class Far:
    """A server that runs by itself, at a port that it keeps."""

    def __init__(self, command: list[str], **variables: str):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.command = [word.format(port=self.port) for word in command]
        self.variables = {name: value.format(port=self.port) for name, value in variables.items()}
        self.process = None

    def start(self) -> "Far":
        environment = {**os.environ, **self.variables}
        quiet = subprocess.DEVNULL
        self.process = subprocess.Popen(self.command, env=environment, stdin=quiet, stdout=quiet, stderr=quiet)

        def listens() -> bool:
            assert self.process.poll() is None, f"{self.command} has ended"
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", self.port)) == 0

        until(listens, START_SECONDS, f"{self.command} listens")
        return self

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()


def own_far(folder: Path, key: str) -> Far:
    """It wants this key in the header `X-Key`."""
    (folder / "key").write_text(key)
    return Far([sys.executable, SCRIPT, str(folder), "{port}"])


def everything_far() -> Far:
    everything = str(SERVERS / "server-everything/dist/index.js")
    return Far([shutil.which("node"), everything, "streamableHttp"], PORT="{port}")
