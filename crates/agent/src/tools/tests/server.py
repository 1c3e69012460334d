"""An MCP server that does everything wrong that it is asked to: one JSON message a line, over standard input."""

import json
import os
import subprocess
import sys
import threading
import time

FOLDER = sys.argv[1]
MODE = sys.argv[2] if len(sys.argv) > 2 else ""


def note(text):
    with open(os.path.join(FOLDER, "notes"), "a", encoding="utf-8") as notes:
        notes.write(text + "\n")


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def text(words, **more):
    return {"content": [{"type": "text", "text": words}], **more}


TOOLS = ["echo", "fail", "refuse", "hang", "die", "huge", "flood", "garbage", "image", "structured", "both", "twice", "environment", "grow", "alter", "Mit Ümläuten!", "t" * 80]

# Tools that do something else by now.
OTHERWISE = []


def changed():
    send({"method": "notifications/tools/list_changed"})


def call(name, arguments):
    if name == "echo":
        return text(json.dumps(arguments, sort_keys=True))
    if name == "fail":
        return text("it did not work", isError=True)
    if name == "huge":
        return text("é" * 5_000_000)
    if name == "flood":
        return text("x" * int(arguments["bytes"]))
    if name == "garbage":
        sys.stdout.write("this is no JSON\n[1, 2]\n{\"jsonrpc\": \"2.0\", \"id\": 9999, \"result\": {}}\n")
        return text("after the garbage")
    if name == "image":
        return {
            "content": [
                {"type": "text", "text": "a picture"},
                {"type": "image", "data": "AAAA", "mimeType": "image/png"},
                {"type": "audio", "data": "AAA=", "mimeType": "audio/wav"},
                {"type": "resource", "resource": {"uri": "x://1", "text": "read"}},
                {"type": "resource", "resource": {"uri": "x://2", "blob": "AAAAAAAA"}},
                {"type": "resource_link", "uri": "x://3", "name": "three"},
            ]
        }
    if name == "structured":
        return {"content": [], "structuredContent": {"a": [1]}}
    if name == "both":
        image = {"type": "image", "data": "AAAA", "mimeType": "image/png"}
        return {"content": [image], "structuredContent": {"a": 1}}
    if name == "twice":
        return text("a is 1", structuredContent={"a": 1})
    if name == "grow":
        TOOLS.append("grown")
        changed()
    if name == "alter":
        OTHERWISE.append("echo")
        changed()
    if name == "environment":
        return text(json.dumps(dict(os.environ), sort_keys=True))
    return text("called " + name)


def answer(message):
    method, params = message.get("method"), message.get("params", {})
    if method == "initialize":
        if MODE == "silent":
            return None
        return {"result": {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}},
                           "serverInfo": {"name": "faulty", "version": "1"}}}
    if method == "tools/list":
        if MODE == "endless":
            return {"result": {"tools": [{"name": f"t{os.urandom(4).hex()}", "inputSchema": {"type": "object"}}] * 300,
                               "nextCursor": "more"}}
        note("listed")
        if MODE == "restless":
            changed()
        if MODE == "mute" and "grown" in TOOLS:
            return None
        return {"result": {"tools": [
            {"name": name, "description": ("Also " if name in OTHERWISE else "") + "Does " + name + "é" * 10_000,
             "inputSchema": {"type": "object"}} for name in TOOLS]}}
    if method == "tools/call":
        name = params["name"]
        if name == "hang":
            note("hanging")
            return None
        if name == "die":
            os._exit(3)
        if name == "refuse":
            return {"error": {"code": -32602, "message": "not with these arguments"}}
        return {"result": call(name, params.get("arguments", {}))}
    return {"error": {"code": -32601, "message": "no such method"}}


def main():
    sys.stdin.reconfigure(encoding="utf-8")
    sys.stdout.reconfigure(encoding="utf-8")
    note(f"started {os.getpid()}")
    if MODE == "gone":
        sys.exit(1)
    if MODE == "children":
        child = subprocess.Popen(["sleep", "1000"], stdin=subprocess.DEVNULL)
        note(f"started {child.pid}")
    if MODE == "talkative":
        threading.Thread(target=lambda: sys.stderr.write("x" * 3_000_000 + "\n" + "line\n" * 50_000), daemon=True).start()
    for line in sys.stdin:
        message = json.loads(line)
        if message.get("method") == "notifications/cancelled":
            note("cancelled")
        if "id" in message and "method" in message:
            said = answer(message)
            if said is not None:
                send({"id": message["id"], **said})
    if MODE == "stubborn":
        time.sleep(1000)


main()
