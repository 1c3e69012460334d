"""An MCP server by the Python SDK, over standard input: a tool of it changes as a file says, a line each time."""

import sys
from pathlib import Path

from mcp.server import MCPServer
from mcp.server.mcpserver import Context

server = MCPServer("box")
# The description of the tool at each opening; an empty line leaves the tool out.
lines = Path(sys.argv[1]).read_text().splitlines()
inside: list[str] = []


def pencil() -> str:
    return "drawn"


def put() -> None:
    if inside:
        server.remove_tool(inside.pop())
    if line := lines.pop(0):
        server.add_tool(pencil, description=line)
        inside.append("pencil")


@server.tool()
async def open_box(context: Context) -> str:
    """Opens the box, which has another tool in it each time."""
    put()
    await context.session.send_tool_list_changed()
    return "It is open."


put()
server.run("stdio")
