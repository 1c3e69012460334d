"""A tool's server: a process with children, a home of its own, and a log."""

import os
import socket
import subprocess
from contextlib import suppress
from pathlib import Path

import psutil

END_SECONDS = 15


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def environment(home: Path) -> dict[str, str]:
    """As little as a user's shell passes on, nobody's real home, and no telemetry."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "DO_NOT_TRACK": "1",
        "AGENTSVIEW_TELEMETRY_ENABLED": "false",
        "CCT_NO_TRACKING": "true",
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        # opencode would install a plugin package in the background.
        "npm_config_offline": "true",
    }


class Server:
    """A running server."""

    def __init__(self, home: Path, command: list[str | Path], folder: Path | None = None):
        self.log = home / "server.log"
        folder = folder or home
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(
                [str(word) for word in command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**environment(home), "PWD": str(folder)},
                cwd=folder,
            )

    def check(self) -> None:
        if self.process.poll() is not None:
            raise RuntimeError(f"it ended with {self.process.returncode}: {self.log.read_text()[-2000:]}")

    def has_said(self, text: str) -> bool:
        return text in self.log.read_text(errors="replace")

    def processes(self) -> list[psutil.Process]:
        mine = psutil.Process(self.process.pid)
        return [mine, *mine.children(recursive=True)]

    def megabytes(self) -> float:
        """Resident memory of its processes. Pages that several of them share count several times."""
        return sum(process.memory_info().rss for process in self.processes()) / 1e6

    def stop(self) -> None:
        """Ends all its processes, since a launcher may not pass the signal on; what is left after that is killed."""
        if self.process.poll() is not None:
            return
        processes = self.processes()
        for process in processes:
            with suppress(psutil.NoSuchProcess):
                process.terminate()
        _, left = psutil.wait_procs(processes, timeout=END_SECONDS)
        for process in left:
            process.kill()
        self.process.wait()
