"""An MCP server that tries what it is asked to try, and tells how that went: one JSON message a line."""

import json
import os
import socket
import sys


def attempt(kind, path, text=""):
    try:
        match kind:
            case "read":
                with open(path, encoding="utf-8") as file:
                    return "got " + file.read()
            case "write":
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
                return "done"
            case "list":
                return "got " + " ".join(sorted(os.listdir(path)))
            case "connect":
                with socket.socket(socket.AF_UNIX) as there:
                    there.connect(path)
                return "done"
            case "link":
                os.symlink(text, path)
                return attempt("read", path)
            case "temporary":
                return f"got {os.environ.get('TMPDIR')} {os.getcwd()}"
    except OSError as error:
        return f"refused: {error.__class__.__name__}"


def answer(method, params):
    match method:
        case "initialize":
            return {
                "protocolVersion": params["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "tries", "version": "1"},
            }
        case "tools/list":
            return {"tools": [{"name": "try", "inputSchema": {"type": "object"}}]}
        case "tools/call":
            return {"content": [{"type": "text", "text": attempt(**params["arguments"])}]}
    return {}


for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        result = answer(asked["method"], asked.get("params"))
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
