"""The demo: a folder of its own, agents of its own, and nothing of anybody else's."""

import json
import signal
import subprocess
from pathlib import Path

import pytest

from gateway import BINARY, environment, until
from terminal import COMMAND_SECONDS

MARK = ".sightline-demo"


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A home, and a folder for what is temporary."""
    (tmp_path / "tmp").mkdir()
    return tmp_path


def surroundings(place: Path) -> dict[str, str]:
    return {**environment(place / "home"), "TMPDIR": str(place / "tmp")}


def refused(place: Path, *arguments: str) -> str:
    done = subprocess.run(
        [BINARY, *arguments],
        capture_output=True,
        text=True,
        env=surroundings(place),
        timeout=COMMAND_SECONDS,
        check=False,
    )
    assert done.returncode != 0, done.stdout
    return done.stderr


class Demo:
    """A demo that runs."""

    def __init__(self, place: Path, *arguments: str):
        self.log = place / "demo.log"
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(
                [BINARY, "serve", "--json", *arguments],
                stdout=output,
                stderr=subprocess.STDOUT,
                env=surroundings(place),
            )
        until(lambda: "\n" in self.log.read_text() or self.process.poll() is not None, COMMAND_SECONDS, "it listens")
        assert self.process.poll() is None, self.log.read_text()
        self.told = json.loads(self.log.read_text().splitlines()[0])
        self.folder = Path(self.told["dataDir"])

    def end(self, how=signal.SIGTERM) -> None:
        self.process.send_signal(how)
        assert self.process.wait(COMMAND_SECONDS) == 0, self.log.read_text()


def says(place: Path, folder: Path, *arguments: str):
    done = subprocess.run(
        [BINARY, "--data-dir", str(folder), "--json", *arguments],
        capture_output=True,
        text=True,
        env=surroundings(place),
        timeout=COMMAND_SECONDS,
        check=True,
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_demo_leaves_nothing_behind(place, how):
    demo = Demo(place, "--demo")
    assert demo.folder.parent == place / "tmp" and demo.folder.stat().st_mode & 0o077 == 0
    demo.end(how)
    assert list((place / "tmp").iterdir()) == []
    assert list((place / "home").iterdir()) == [], "and nothing in the home"


def test_a_folder_that_is_in_use_is_left_alone(place):
    folder = place / "mine"
    folder.mkdir()
    (folder / "demo").write_text("a script of mine")
    (folder / MARK).write_text("not ours")
    assert "is in use" in refused(place, "--data-dir", str(folder), "serve", "--demo")
    assert (folder / "demo").read_text() == "a script of mine" and (folder / MARK).read_text() == "not ours"


def test_nothing_is_kept_in_a_demos_folder_and_no_agent_is_connected_to_it(place):
    folder = place / "demo"
    demo = Demo(place, "--data-dir", str(folder), "--demo=one", "--still-at", "2026-11-21T14:30:00Z")
    listed = says(place, folder, "todo", "list")
    assert json.dumps(listed).count("sightline") >= 1
    assert "the folder of a demo" in refused(place, "--data-dir", str(folder), "connect", "codex", "--yes")
    demo.end()
    assert (folder / MARK).is_file(), "one that was named stays"
    assert "is the folder of a demo" in refused(place, "--data-dir", str(folder), "serve", "--port", "0")
    again = Demo(place, "--data-dir", str(folder), "--demo=empty")
    assert "sightline" not in json.dumps(says(place, folder, "todo", "list")), "it is made anew"
    again.end()


def test_a_scene_that_is_none_is_said(place):
    assert "typical" in refused(place, "serve", "--demo=nowhere")
    assert "--demo" in refused(place, "serve", "--still-at", "2026-11-21T14:30:00Z")
