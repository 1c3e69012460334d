"""Starts and ends `sightline serve` as a user's machine would: a process of its own, a data folder, a signal."""

import asyncio
import json
import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import httpx2

import pairing

BINARY = os.environ.get("SIGHTLINE_BIN", str(Path(__file__).parents[2] / "target" / "debug" / "sightline"))

# Generous: a debug build on a busy machine of two cores.
START_SECONDS = 30
END_SECONDS = 30


def environment(home: Path) -> dict[str, str]:
    """As little as an agent passes on to the programs it starts, and nobody's real home."""
    home.mkdir(parents=True, exist_ok=True)
    kept = {name: os.environ[name] for name in ("PATH", "LLVM_PROFILE_FILE") if name in os.environ}
    return {**kept, "HOME": str(home), "LANG": "C.UTF-8", "RUST_BACKTRACE": "1"}


def until(met, seconds: float, what: str):
    """Asks `met` until it gives something; fails with `what` after so many seconds."""
    end = time.monotonic() + seconds
    while True:
        if found := met():
            return found
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} seconds: {what}")
        time.sleep(0.02)


async def eventually(met, seconds: float, what: str):
    """As [`until`], of something that is awaited."""
    end = time.monotonic() + seconds
    while not (found := await met()):
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} seconds: {what}")
        await asyncio.sleep(0.05)
    return found


class Gateway:
    """One data folder and the `sightline serve` processes that have it, one after another."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.data_dir = folder / "data"
        self.home = folder / "home"
        self.logs: list[Path] = []
        self.process: subprocess.Popen | None = None
        # More of `serve`, and of its environment.
        self.options: list[str] = []
        self.variables: dict[str, str] = {}
        self._tokens: dict[str, str] = {}
        self._looked = 0

    def command(self, *arguments: str) -> list[str]:
        """`sightline ARGUMENTS` on this data folder."""
        return [BINARY, "--data-dir", str(self.data_dir), *arguments]

    def spawn(self, *arguments: str) -> tuple[subprocess.Popen, Path]:
        """Starts `sightline serve` and leaves it to the caller to wait for anything."""
        log = self.folder / f"serve-{len(self.logs)}.log"
        self.logs.append(log)
        with log.open("wb") as output:
            process = subprocess.Popen(
                self.command("serve", *arguments),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**environment(self.home), **self.variables},
                cwd=self.home,
            )
        return process, log

    def start(self, port: int = 0) -> "Gateway":
        """Starts it and waits until it answers."""
        self.process, log = self.spawn("--json", "--port", str(port), *self.options)
        process = self.process

        def listening() -> bool:
            assert process.poll() is None, f"serve ended with {process.returncode}: {log.read_text()}"
            return '"listening":"http://127.0.0.1:' in log.read_text()

        until(listening, START_SECONDS, "serve says where it listens")
        health = httpx2.get(f"{self.address}/health", timeout=START_SECONDS, verify=False)
        assert health.status_code == 200, health.text
        return self

    def output(self) -> str:
        """The output of the newest `serve`."""
        return self.logs[-1].read_text()

    @property
    def runtime_file(self) -> Path:
        return self.data_dir / "runtime.json"

    @property
    def runtime(self) -> dict:
        return json.loads(self.runtime_file.read_text())

    @property
    def port(self) -> int:
        return self.runtime["port"]

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def token(self) -> str:
        """A secret of a person's: the first that is asked for is paired on trust and administers."""
        return self._token("user", lambda: pairing.bearer(self))

    @property
    def agent_token(self) -> str:
        """A secret of an agent's."""
        return self._token("agent", lambda: self.new_key("--agent"))

    def _token(self, kind: str, make) -> str:
        # Another process may have begun another database.
        if self._looked != len(self.logs):
            self._tokens = {kind: token for kind, token in self._tokens.items() if pairing.is_good(self, token)}
            self._looked = len(self.logs)
        if kind not in self._tokens:
            self._tokens[kind] = make()
        return self._tokens[kind]

    def new_key(self, *options: str, name: str | None = None) -> str:
        """The secret of a key that `sightline key new` makes."""
        name = name or f"test {os.urandom(4).hex()}"
        command = self.command("--json", "key", "new", name, *options)
        made = subprocess.run(command, capture_output=True, text=True, timeout=START_SECONDS, env=environment(self.home))
        assert made.returncode == 0, made.stdout + made.stderr
        return json.loads(made.stdout)["secret"]

    def stop(self) -> None:
        """Ends it as a service manager does, and insists that it ends in good order."""
        process, self.process = self.process, None
        process.send_signal(signal.SIGTERM)
        code = process.wait(END_SECONDS)
        assert code == 0, f"serve ended with {code}: {self.output()}"
        # A shim that is left may have started another one by now.
        with suppress(FileNotFoundError):
            assert self.runtime["pid"] != process.pid, "runtime.json goes with its gateway"

    def kill(self) -> None:
        """Ends it as a power cut does."""
        process, self.process = self.process, None
        process.kill()
        process.wait(END_SECONDS)

    def leave_nothing(self) -> None:
        """Ends whatever still has the data folder, such as a gateway that a shim has started."""
        if self.process is not None:
            self.stop()
        if not self.runtime_file.exists():
            return
        pid = self.runtime["pid"]
        line = Path(f"/proc/{pid}/cmdline")
        if line.exists() and str(self.data_dir).encode() in line.read_bytes():
            os.kill(pid, signal.SIGTERM)
            until(lambda: not self.runtime_file.exists(), END_SECONDS, f"gateway {pid} ends")
