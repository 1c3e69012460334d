"""A program that calls our tool over HTTP, with an MCP session for each call: a list comes in by each line, and the
answer goes out by one. Its arguments are the address, the key, and what it calls itself."""

import asyncio
import json
import sys

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def answer(address: str, key: str, user_agent: str, todos: list[dict]) -> dict:
    headers = {"Authorization": f"Bearer {key}", "User-Agent": user_agent}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30, trust_env=False, verify=False) as http,
        Client(streamable_http_client(address, http_client=http), mode="legacy") as client,
    ):
        result = await client.call_tool("todo_write", {"todos": todos})
        return result.structured_content


for line in sys.stdin:
    print(json.dumps(asyncio.run(answer(*sys.argv[1:], json.loads(line)))), flush=True)
