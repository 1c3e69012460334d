"""Keys in the system's keyring: that of GNOME, on a session bus of its own."""

import subprocess

import pytest

import gateway as gateways
from chat.client import Chat
from chat.line import line_to
from chat.model import SIMPLE, provider, says
from gateway import END_SECONDS, START_SECONDS, until
from socket_client import opened

pytestmark = pytest.mark.anyio

KEY = "sk-5ecret-0123456789-abcdef"
SERVICE = "org.freedesktop.secrets"


def ended(process: subprocess.Popen) -> None:
    process.terminate()
    process.wait(END_SECONDS)


@pytest.fixture
def bus(tmp_path, data_folder):
    """The environment variables of a program in the session."""
    runtime = tmp_path / "run"
    runtime.mkdir(mode=0o700)
    session = {**gateways.environment(data_folder.home), "XDG_RUNTIME_DIR": str(runtime)}
    command = ["dbus-daemon", "--session", "--nofork", "--print-address=1"]
    bus = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=session)
    try:
        yield {**session, "DBUS_SESSION_BUS_ADDRESS": bus.stdout.readline().strip()}
    finally:
        ended(bus)


@pytest.fixture
def gateway(bus, data_folder, monkeypatch):
    """One that finds a keyring which was opened, as it is by a login."""
    command = ["gnome-keyring-daemon", "--foreground", "--unlock", "--components=secrets"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    daemon = subprocess.Popen(command, stdin=subprocess.PIPE, env=bus, **quiet)
    daemon.stdin.write(b"password of the login")
    daemon.stdin.close()
    asked = ["dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.DBus", "/org/freedesktop/DBus"]
    asked += ["org.freedesktop.DBus.NameHasOwner", f"string:{SERVICE}"]
    try:
        until(lambda: b"true" in subprocess.check_output(asked, env=bus), START_SECONDS, "the keyring is there")
        monkeypatch.setattr(gateways, "environment", lambda home: bus)
        yield data_folder.start()
        data_folder.kill()
    finally:
        ended(daemon)


async def test_a_key_in_the_keyring_is_used_and_lies_nowhere_else(gateway, model):
    model.start(SIMPLE, says("Here."), SIMPLE, says("Nothing."))
    async with line_to(model) as line:
        async with opened(gateway) as socket:
            await socket.ask("settings.update", **provider(line))
            kept = await socket.ask("vault.keys.set", provider="mock", key=KEY)
            assert kept["keys"]["mock"] == "keyring"
        gateway.stop()
        assert "keys.json" not in [path.name for path in gateway.data_dir.iterdir()]
        gateway.start()
        async with opened(gateway) as socket:
            await socket.ask("events.subscribe")
            assert (await socket.ask("vault.keys.list"))["keys"]["mock"] == "keyring"
            chat = Chat(socket)
            await chat.send("Say something")
            assert (await chat.end())["outcome"] == "completed"
            assert {question.headers["authorization"] for question in line.questions} == {f"Bearer {KEY}"}
            assert (await socket.ask("vault.keys.delete", provider="mock"))["keys"].get("mock") is None
            line.questions.clear()
            await chat.send("Say nothing", sessionId=chat.session)
            assert (await chat.end())["outcome"] == "completed"
            assert not any(KEY in str(question.headers) for question in line.questions)
    files = [path for path in gateway.data_dir.rglob("*") if path.is_file()]
    assert files and not any(KEY.encode() in path.read_bytes() for path in files)
