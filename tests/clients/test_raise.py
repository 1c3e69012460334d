"""Going to the terminal of an agent: real tmux, and xterm under a real window manager."""

import json
import os
import shlex
import socket
import subprocess
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

import pytest

from gateway import BINARY, END_SECONDS, Gateway, environment, eventually, until
from hooks import CLAUDE
from socket_client import Refused, Socket, opened
from terminal import succeed

pytestmark = pytest.mark.anyio


@dataclass
class Desktop:
    """An X server of its own with a window manager, and what runs on it."""

    gateway: Gateway
    folder: Path
    variables: dict[str, str]
    processes: list[subprocess.Popen] = field(default_factory=list)

    def start(self, *command: str) -> subprocess.Popen:
        process = subprocess.Popen(
            command,
            env=self.variables,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.processes.append(process)
        return process

    def output(self, *command: str) -> str:
        done = subprocess.run(command, env=self.variables, capture_output=True, text=True, timeout=END_SECONDS)
        return done.stdout.strip()

    def tmux(self, *arguments: str) -> str:
        return self.output("tmux", "-S", str(self.folder / "tmux"), "-f", "/dev/null", *arguments)

    @property
    def active(self) -> str:
        """The id of the window that has the focus."""
        return self.output("xdotool", "getactivewindow")

    def xterm(self, line: str, without: str = "NOTHING") -> str:
        """Opens a terminal that runs a line of a shell without a variable, and gives the id of its window."""
        told = self.folder / f"window-{uuid4()}"
        name = str(uuid4())
        # On its own: it is not below whatever terminal the tests run in. It ends with the X server.
        shell = ["env", "-u", without, "sh", "-c", f"echo there >{told}; {line}"]
        self.start("setsid", "--fork", "xterm", "-T", name, "-e", *shell)
        until(lambda: told.exists() and told.read_text(), END_SECONDS, "a terminal opens")
        window = until(lambda: self.output("xdotool", "search", "--name", name), END_SECONDS, "its window is there")

        def has_focus() -> bool:
            # A window manager that is busy with its own start gives it to nobody.
            return self.active == window or bool(self.output("xdotool", "windowactivate", window))

        until(has_focus, END_SECONDS, "a new window has the focus")
        return window

    def hook(self, title: str) -> str:
        """A line that runs the hook of an agent's prompt."""
        payload = self.folder / f"{title}.json"
        payload.write_text(json.dumps(CLAUDE.prompt(str(uuid4()), prompt=title)))
        command = [BINARY, "--data-dir", str(self.gateway.data_dir), "hook", "claude"]
        return f"{shlex.join(command)} <{payload}"

    def end(self) -> None:
        self.tmux("kill-server")
        for process in reversed(self.processes):
            process.kill()
            process.wait(END_SECONDS)


@pytest.fixture
def desktop(gateway, tmp_path):
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "1024x768x24", "-nolisten", "tcp"],
        pass_fds=[write],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    with os.fdopen(read) as told:
        display = told.readline().strip()
    variables = environment(gateway.home) | {"DISPLAY": f":{display}", "SHELL": "/bin/sh", "TERM": "xterm"}
    desktop = Desktop(gateway, tmp_path, variables, [server])
    desktop.start("openbox")
    until(lambda: desktop.output("xdotool", "get_num_desktops"), END_SECONDS, "the window manager is there")
    yield desktop
    desktop.end()


async def session_called(user: Socket, title: str) -> str:
    """The session of the agent with this prompt."""

    async def found():
        sessions = (await user.ask("session.list"))["sessions"]
        return next((session["sessionId"] for session in sessions if session["title"] == title), None)

    return await eventually(found, END_SECONDS, f"the hook of {title} is heard")


async def refused(user: Socket, session: str) -> str:
    with pytest.raises(Refused) as caught:
        await user.ask("session.raise", sessionId=session)
    assert caught.value.code == "UNAVAILABLE"
    return caught.value.message


# S15
async def test_the_pane_of_an_agent_is_made_active_and_its_window_gets_the_focus(gateway, desktop):
    desktop.tmux("new-session", "-d", "-s", "work", "-x", "80", "-y", "24")
    upper = desktop.tmux("display-message", "-p", "-t", "work", "#{pane_id}")
    lower = desktop.tmux("split-window", "-d", "-P", "-F", "#{pane_id}", "-t", upper)
    hidden = desktop.tmux("new-window", "-d", "-P", "-F", "#{pane_id}", "-t", "work")
    for pane, title in [(upper, "upper"), (lower, "lower"), (hidden, "hidden")]:
        desktop.tmux("send-keys", "-t", pane, desktop.hook(title), "Enter")
    async with opened(gateway) as user:
        ids = {title: await session_called(user, title) for title in ("upper", "lower", "hidden")}
        assert "no terminal shows the tmux session" in await refused(user, ids["upper"])
        shows = desktop.xterm(f"exec tmux -S {desktop.folder}/tmux attach -t work")
        until(lambda: desktop.tmux("list-clients"), END_SECONDS, "tmux is shown")
        other = desktop.xterm("sleep 600")
        assert desktop.active == other != shows
        for title, pane in [("lower", lower), ("hidden", hidden), ("upper", upper)]:
            desktop.output("xdotool", "windowactivate", "--sync", other)
            answer = await user.ask("session.raise", sessionId=ids[title])
            assert answer["raised"] == f"tmux pane {pane}, X11 window {int(shows):#x}" and "note" not in answer
            assert desktop.tmux("display-message", "-p", "-t", "work:", "#{pane_id}") == pane
            assert desktop.active == shows
        # Another session is shown: the agent's comes in its place.
        desktop.tmux("new-session", "-d", "-s", "other")
        desktop.tmux("switch-client", "-t", "other")
        assert desktop.tmux("list-clients", "-F", "#{session_name}") == "other"
        await user.ask("session.raise", sessionId=ids["hidden"])
        assert desktop.tmux("list-clients", "-F", "#{session_name}") == "work"
        assert desktop.tmux("display-message", "-p", "-t", "work:", "#{pane_id}") == hidden
        desktop.tmux("kill-pane", "-t", lower)
        assert "tmux" in await refused(user, ids["lower"])


# S15
async def test_the_window_of_an_agent_gets_the_focus(gateway, desktop):
    first = desktop.xterm(f"{desktop.hook('first')}; sleep 600")
    # An agent that keeps its environment from what it starts, as Codex does.
    bare = shlex.join(["env", "-i", f"HOME={gateway.home}", "sh", "-c", f"{desktop.hook('second')}; true"])
    second = desktop.xterm(f"{bare}; sleep 600")
    # One that names no window: that of its process is taken.
    nameless = desktop.xterm(f"{desktop.hook('nameless')}; sleep 600", without="WINDOWID")
    # A terminal in a pane of tmux has the variables of both.
    desktop.tmux("new-session", "-d")
    pane = {name: desktop.tmux("display-message", "-p", f"#{{{name}}}") for name in ("pane_id", "pid", "socket_path")}
    inherited = f"TMUX={pane['socket_path']},{pane['pid']},0 TMUX_PANE={pane['pane_id']}"
    desktop.variables |= dict(each.split("=", 1) for each in inherited.split())
    third = desktop.xterm(f"{desktop.hook('third')}; sleep 600")
    async with opened(gateway) as user:
        windows = {"first": first, "third": third, "second": second, "nameless": nameless}
        for title, window in [*windows.items(), ("first", first)]:
            session = await session_called(user, title)
            answer = await user.ask("session.raise", sessionId=session)
            assert answer == {"raised": f"X11 window {int(window):#x}"} | answer
            assert desktop.active == window
        said = succeed(gateway, "raise", "--session", await session_called(user, "second"))
        assert said == f"Brought to the front: X11 window {int(second):#x}\n"
        assert desktop.active == second
        desktop.output("xdotool", "windowminimize", "--sync", second)
        await user.ask("session.raise", sessionId=await session_called(user, "second"))
        assert desktop.active == second
        desktop.output("xdotool", "windowkill", third)
        session = await session_called(user, "third")
        await eventually(lambda: gone(user, session), END_SECONDS, "the window is gone")


async def gone(user: Socket, session: str) -> bool:
    try:
        await user.ask("session.raise", sessionId=session)
    except Refused as refusal:
        return "no window of the agent's terminal was found" in refusal.message
    return False


@asynccontextmanager
async def saying(gateway: Gateway, **variables: str):
    """A user, and the session of an agent that says this of its terminal."""
    agent = {"agent": {"name": "codex"}, "connection": str(uuid4()), "terminal": {"variables": variables}}
    async with opened(gateway) as at_work, opened(gateway) as user:
        await at_work.ask("hello", agent=agent)
        written = await at_work.ask("todo.write", todos=[{"content": "A"}])
        yield user, written["sessionId"]


# S15
@pytest.mark.parametrize(
    ("variables", "reason"),
    [
        ({"WAYLAND_DISPLAY": "wayland-0"}, "Wayland lets no program bring the window of another to the front"),
        ({"DISPLAY": "elsewhere.example:0", "WINDOWID": "1"}, "on no display of this machine"),
        ({"DISPLAY": ":54321", "WINDOWID": "1"}, "the X server :54321 cannot be reached"),
        ({"TMUX": "/not/there,1,0", "TMUX_PANE": "%0"}, "the tmux server at /not/there is gone"),
        ({"TMUX": "/not/there,1,0", "TMUX_PANE": "%0;kill-server"}, "on no display of this machine"),
        ({"TMUX": "-f/etc/passwd,1,0", "TMUX_PANE": "%0"}, "on no display of this machine"),
        ({"LD_PRELOAD": "/tmp/x.so"}, "on no display of this machine"),
    ],
)
async def test_the_reason_is_said_where_nothing_can_be_raised(lasting, variables, reason):
    async with saying(lasting, **variables) as (user, session):
        assert reason in await refused(user, session)


# S15
async def test_a_socket_that_is_not_of_tmux_is_not_spoken_to(lasting, tmp_path):
    path = tmp_path / "tmux"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()
        async with saying(lasting, TMUX=f"{path},1,0", TMUX_PANE="%0") as (user, session):
            assert f"what answers at {path} is not your tmux" in await refused(user, session)
        connection, _ = server.accept()
        with connection:
            assert connection.recv(1) == b"", "nothing was sent"


# S15
async def test_an_agent_that_has_not_said_where_it_runs(lasting):
    async with opened(lasting) as user:
        written = await user.ask("todo.write", session=str(uuid4()), todos=[{"content": "A"}])
        assert "has not said where it runs" in await refused(user, written["sessionId"])
