"""`sightline ingest` with its standard input open: fed piece by piece, and read as it prints."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from gateway import Gateway, environment
from terminal import COMMAND_SECONDS


class Stream:
    """A running `sightline ingest`."""

    def __init__(self, process: asyncio.subprocess.Process):
        self.process = process
        self.printed = b""

    async def feed(self, piece: str | bytes) -> None:
        """Writes a piece, as it is."""
        self.process.stdin.write(piece.encode() if isinstance(piece, str) else piece)
        await self.process.stdin.drain()

    async def prints(self, wanted: str | bytes) -> None:
        """Waits until everything that it has printed is this."""
        wanted = wanted.encode() if isinstance(wanted, str) else wanted
        async with asyncio.timeout(COMMAND_SECONDS):
            while len(self.printed) < len(wanted):
                more = await self.process.stdout.read(4096)
                assert more, f"it ended after {self.printed!r}"
                self.printed += more
        assert self.printed == wanted

    async def end(self) -> tuple[int, bytes, str]:
        """Ends the stream: the exit code, all of standard output, and standard error."""
        self.process.stdin.close()
        async with asyncio.timeout(COMMAND_SECONDS):
            rest, said = await self.process.communicate()
        self.printed += rest or b""
        return self.process.returncode, self.printed, said.decode()


@asynccontextmanager
async def ingesting(gateway: Gateway, *arguments: str, stdout=asyncio.subprocess.PIPE) -> AsyncIterator[Stream]:
    """Starts `sightline ingest ARGUMENTS` on the gateway's data folder."""
    process = await asyncio.create_subprocess_exec(
        *gateway.command("ingest", *arguments),
        stdin=asyncio.subprocess.PIPE,
        stdout=stdout,
        stderr=asyncio.subprocess.PIPE,
        env=environment(gateway.home),
        cwd=gateway.home,
    )
    try:
        yield Stream(process)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def ingested(gateway: Gateway, text: str | bytes, *arguments: str) -> tuple[int, bytes, str]:
    """Feeds a whole stream at once: the exit code, standard output and standard error."""
    async with ingesting(gateway, *arguments) as stream:
        await stream.feed(text)
        return await stream.end()


def lines(printed: bytes) -> list[dict]:
    """The output of `--json`: one object on each line."""
    return [json.loads(line) for line in printed.decode().splitlines()]
