"""A gateway of another version: what it says is changed on its way to a link. `versions.py older|newer COMMAND…`."""

import asyncio
import json
import os
import sys
from collections.abc import Callable

from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.server import ServerProtocol
from websockets.uri import parse_uri

# Things that no gateway of this version says or has: a client has to take it for what it is to an older one.
TOMORROW = {"ofTomorrow": {"a": [1, 2]}}


def older(message: dict) -> dict:
    """Before there were mirrors: nothing is said of features."""
    if message.get("type") == "hello.result":
        message["version"] = "0.0.1"
        message.pop("features", None)
    return message


def newer(message: dict) -> dict:
    """More features, more fields, and another protocol."""
    if message.get("type") == "hello.result":
        message["version"] = "99.0.0"
        message["protocol"] = message.get("protocol", 1) + 7
        message["features"] = [*message.get("features", []), "feed-of-tomorrow"]

    return {**message, **TOMORROW}


def events_of_tomorrow(message: dict) -> list[dict]:
    """Events that nobody knows come before each that is known."""
    is_event = "id" not in message and message.get("type") != "error"
    return [{"type": "tomorrow.updated", "cursor": "x", **TOMORROW}, message] if is_event else [message]


async def main() -> None:
    kind, *command = sys.argv[1:]
    change: Callable[[dict], dict] = {"older": older, "newer": newer}[kind]
    pipe = asyncio.subprocess.PIPE
    there = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe)
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(0, "rb", 0))
    out = os.fdopen(1, "wb", 0)
    server, client = ServerProtocol(max_size=None), None
    # Said before the gateway has taken the connection.
    early: list[bytes] = []

    def to_link(data: list[bytes]) -> None:
        for part in data:
            out.write(part)

    async def down() -> None:
        while data := await there.stdout.read(1 << 16):
            client.receive_data(data)
            for event in client.events_received():
                while early and client.state is State.OPEN:
                    client.send_text(early.pop(0))
                if isinstance(event, Frame) and event.opcode is Opcode.TEXT:
                    for message in (
                        events_of_tomorrow(json.loads(event.data)) if kind == "newer" else [json.loads(event.data)]
                    ):
                        server.send_text(json.dumps(change(message)).encode())
            for part in client.data_to_send():
                there.stdin.write(part)
            to_link(server.data_to_send())

    async def up() -> None:
        nonlocal client
        tasks = []
        while data := await reader.read(1 << 16):
            server.receive_data(data)
            for event in server.events_received():
                if not isinstance(event, Frame):
                    server.send_response(server.accept(event))
                    client = ClientProtocol(parse_uri(f"ws://{event.headers['Host']}{event.path}"), max_size=None)
                    client.send_request(client.connect())
                    tasks.append(asyncio.create_task(down()))
                elif event.opcode is Opcode.TEXT and client.state is State.OPEN:
                    client.send_text(event.data)
                elif event.opcode is Opcode.TEXT:
                    early.append(event.data)
            to_link(server.data_to_send())
            if client is not None:
                for part in client.data_to_send():
                    there.stdin.write(part)
                await there.stdin.drain()

    await up()
    there.kill()


asyncio.run(main())
