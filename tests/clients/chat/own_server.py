"""An MCP server by the Python SDK that notes in a folder what becomes of it: over standard input, or over HTTP at a
port, for whoever sends the key that stands in the folder."""

import sys
from pathlib import Path

import anyio
import uvicorn
from mcp.server import MCPServer

folder = Path(sys.argv[1])
server = MCPServer("own")


def note(what: str) -> None:
    with (folder / "notes").open("a") as notes:
        notes.write(what + "\n")


@server.tool()
def greet(name: str) -> str:
    note(f"greeted {name}")
    return f"Hello, {name}!"


@server.tool()
async def wait() -> str:
    note("waiting")
    try:
        await anyio.sleep_forever()
    except anyio.get_cancelled_exc_class():
        note("cancelled")
        raise


@server.tool(structured_output=False)
def much(count: int) -> str:
    """Gives so many bytes."""
    return "x" * count


async def guarded(scope, receive, send) -> None:
    """Refuses whoever does not send the key as it is now: by the status that stands in the folder, or 401."""
    if scope["type"] == "http":
        given = dict(scope["headers"]).get(b"x-key", b"").decode()
        if given != (folder / "key").read_text():
            status = folder / "status"
            code = int(status.read_text()) if status.exists() else 401
            await send({"type": "http.response.start", "status": code, "headers": [(b"content-type", b"text/plain")]})
            return await send({"type": "http.response.body", "body": b"Not without my key."})
    await app(scope, receive, send)


note("started")
if len(sys.argv) == 2:
    server.run("stdio")
else:
    app = server.streamable_http_app()
    uvicorn.run(guarded, host="127.0.0.1", port=int(sys.argv[2]), log_level="warning")
