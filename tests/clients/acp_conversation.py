"""An editor and an agent that speak ACP, both played by the test, with `sightline acp` between them."""

import json
import os
import selectors
import socket
import subprocess
import sys
from pathlib import Path

from gateway import END_SECONDS, Gateway, environment

ANSWER_SECONDS = 30

# The agent's process: what it hears goes to a port of the test's, and what comes from there it says.
AGENT = """
import os, socket, sys, threading
strings = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
strings.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
sys.stderr.write("the agent has started\\n"); sys.stderr.flush()
def hear():
    while heard := os.read(0, 65536):
        strings.sendall(heard)
    strings.shutdown(socket.SHUT_WR)
threading.Thread(target=hear, daemon=True).start()
while said := strings.recv(65536):
    os.write(1, said)
os._exit(int(sys.argv[2]))
"""


class Lines:
    """The lines that come from a file descriptor, with a limit on how long they are waited for."""

    def __init__(self, descriptor: int):
        self.descriptor = descriptor
        self.rest = b""
        self.selector = selectors.DefaultSelector()
        self.selector.register(descriptor, selectors.EVENT_READ)

    def next(self, seconds: float = ANSWER_SECONDS) -> bytes:
        while b"\n" not in self.rest:
            assert self.selector.select(seconds), f"no line within {seconds} seconds"
            more = os.read(self.descriptor, 65536)
            assert more, f"it has ended, in the middle of {self.rest!r}"
            self.rest += more
        line, _, self.rest = self.rest.partition(b"\n")
        return line + b"\n"


class Conversation:
    """`sightline acp` with an agent in a process of its own."""

    def __init__(self, gateway: Gateway, *options: str, code: int = 0):
        listener = socket.create_server(("127.0.0.1", 0))
        port = str(listener.getsockname()[1])
        command = gateway.command("acp", *options, "--", sys.executable, "-c", AGENT, port, str(code))
        pipe = subprocess.PIPE
        variables = environment(gateway.home)
        self.process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=pipe, env=variables, cwd=gateway.home, bufsize=0
        )
        listener.settimeout(ANSWER_SECONDS)
        self.agent, _ = listener.accept()
        self.agent.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        listener.close()
        self.to_agent_lines = Lines(self.agent.fileno())
        self.to_editor_lines = Lines(self.process.stdout.fileno())

    def __enter__(self) -> "Conversation":
        return self

    def __exit__(self, *_) -> None:
        self.agent.close()
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(END_SECONDS)
        for end in (self.process.stdin, self.process.stdout, self.process.stderr):
            end.close()

    def editor_says(self, message) -> None:
        self.process.stdin.write(line(message))

    def agent_says(self, message) -> None:
        self.agent.sendall(line(message))

    def agent_hears(self, seconds: float = ANSWER_SECONDS) -> dict:
        return json.loads(self.to_agent_lines.next(seconds))

    def editor_hears(self, seconds: float = ANSWER_SECONDS) -> dict:
        return json.loads(self.to_editor_lines.next(seconds))

    def to_agent(self, message: dict, seconds: float = ANSWER_SECONDS) -> None:
        """The editor says it, and the agent hears it as it is."""
        self.editor_says(message)
        assert self.to_agent_lines.next(seconds) == line(message)

    def to_editor(self, message: dict, seconds: float = ANSWER_SECONDS) -> None:
        """The agent says it, and the editor hears it as it is."""
        self.agent_says(message)
        assert self.to_editor_lines.next(seconds) == line(message)

    def open(self, session: str, folder: Path, http: bool = True, method: str = "session/new") -> dict:
        """The agent introduces itself and opens a session; gives our server as it is offered to the agent."""
        self.to_agent({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}})
        info = {"name": "OpenCode", "version": "1.18.33"}
        capabilities = {"loadSession": True, "mcpCapabilities": {"http": http}}
        result = {"protocolVersion": 1, "agentCapabilities": capabilities, "agentInfo": info}
        self.to_editor({"jsonrpc": "2.0", "id": 0, "result": result})
        params = {"sessionId": session, "cwd": str(folder), "mcpServers": []}
        self.editor_says({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        [server] = self.agent_hears()["params"]["mcpServers"]
        self.to_editor({"jsonrpc": "2.0", "id": 1, "result": {"sessionId": session}})
        return server

    def prompt(self, session: str, text: str, ask: int = 2, seconds: float = ANSWER_SECONDS) -> None:
        params = {"sessionId": session, "prompt": [{"type": "text", "text": text}]}
        self.to_agent({"jsonrpc": "2.0", "id": ask, "method": "session/prompt", "params": params}, seconds)

    def turn_ends(self, ask: int = 2, seconds: float = ANSWER_SECONDS) -> None:
        self.to_editor({"jsonrpc": "2.0", "id": ask, "result": {"stopReason": "end_turn"}}, seconds)

    def ends(self) -> int:
        """The agent ends; the code of `sightline acp`."""
        self.agent.shutdown(socket.SHUT_RDWR)
        return self.process.wait(END_SECONDS)


def line(message) -> bytes:
    return message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
