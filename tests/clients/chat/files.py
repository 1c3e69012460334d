"""MCP's own servers: that of a folder's files, of which reading is free and writing asks, and one with a slow tool."""

import shutil
import sys
from pathlib import Path

from chat.model import FOLDER, calls

SERVERS = FOLDER / "node_modules/@modelcontextprotocol"
WRITE, READ = "files__write_file", "files__read_text_file"
SLOW = "all__trigger-long-running-operation"
OPEN, PENCIL = "box__open_box", "box__pencil"


def files(folder: Path) -> dict:
    """The settings that give the built-in agent its tools."""
    server = {
        "name": "files",
        "command": [shutil.which("node"), str(SERVERS / "server-filesystem/dist/index.js"), str(folder)],
    }
    return {"chatServers": [server], "chatTools": {READ: "auto", WRITE: "ask"}}


def writes(folder: Path, text: str = "3") -> dict:
    return calls((WRITE, {"path": str(folder / "out.txt"), "content": text}))


def reads(folder: Path) -> dict:
    return calls((READ, {"path": str(folder / "in.txt")}))


def slow_tool() -> dict:
    """The settings that give it a tool that takes as long as it is told."""
    command = [shutil.which("node"), str(SERVERS / "server-everything/dist/index.js"), "stdio"]
    return {"chatServers": [{"name": "all", "command": command}], "chatTools": {SLOW: "auto"}}


def waits_long() -> dict:
    """A call of it that takes ten minutes."""
    return calls((SLOW, {"duration": 600, "steps": 2}))


def box(folder: Path, *pencils: str) -> dict:
    """The settings that give it a server one of whose tools is another each time that it is opened."""
    (folder / "pencils").write_text("\n".join([*pencils, ""]))
    command = [sys.executable, str(Path(__file__).parent / "box_server.py"), str(folder / "pencils")]
    return {"chatServers": [{"name": "box", "command": command}], "chatTools": {OPEN: "auto", PENCIL: "ask"}}


def restless(folder: Path) -> dict:
    """The settings that give it a server that says with each of its answers that its tools have changed."""
    script = FOLDER.parents[1] / "crates/agent/src/tools/tests/server.py"
    return {"chatServers": [{"name": "restless", "command": [sys.executable, str(script), str(folder), "restless"]}]}
