"""A line to the gateway that can be bad: it delays, is cut in the middle, or swallows what it is given."""

import asyncio
import fcntl
import json
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path

from gateway import Gateway

CHUNK = 1 << 16


class Link:
    """One connection through the proxy. What once has swallowed something never carries anything again."""

    def __init__(self, proxy: "Proxy", client: asyncio.StreamWriter, gateway: asyncio.StreamWriter):
        self.proxy, self.client, self.gateway = proxy, client, gateway
        # Number of bytes that it still carries before it is cut.
        self.left = proxy.chance.randint(*proxy.carries) if proxy.carries else None
        self.swallows = set(proxy.swallows)

    def cut(self) -> None:
        """Both ends see it break, and what was on its way is lost."""
        for end in (self.client, self.gateway):
            end.transport.abort()

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, side: str) -> None:
        """From one end to the other, until either is gone."""
        try:
            while data := await reader.read(CHUNK):
                if self.proxy.delay:
                    await asyncio.sleep(self.proxy.chance.uniform(0, self.proxy.delay))
                if side in self.swallows:
                    continue
                if side == "up":
                    # A gateway answers to its own address only.
                    data = data.replace(*self.proxy.names)
                if self.left is not None:
                    self.left -= len(data)
                    if self.left <= 0:
                        # Some of it still arrives.
                        writer.write(data[: self.left])
                        with suppress(TimeoutError):
                            await asyncio.wait_for(writer.drain(), 1)
                        self.proxy.cuts += 1
                        self.cut()
                        return
                writer.write(data)
                await writer.drain()
        except OSError:
            if not self.swallows:
                self.cut()
        # A line that has gone dead does not tell one end that the other has hung up.
        if not self.swallows:
            writer.close()


Up = Callable[[], Awaitable[tuple[asyncio.StreamReader, asyncio.StreamWriter]]]


class Proxy:
    """Listens on a port and a private socket of its own and leads to the gateway's; faults are set as one goes."""

    def __init__(self, gateway: Gateway, chance: random.Random):
        self.gateway, self.target, self.chance = gateway, gateway.port, chance
        self.port = 0
        self.links: list[Link] = []
        # Up to so many seconds for each piece.
        self.delay = 0.0
        # New connections are cut after so many bytes, from and to.
        self.carries: tuple[int, int] | None = None
        # The directions that are not carried: "up" to the gateway, "down" from it.
        self.swallows: set[str] = set()
        # Connections that wait to be let through, while there is a gate.
        self.waiting: list[asyncio.Event] | None = None
        # Number of connections that it has cut.
        self.cuts = 0
        self._servers: list[asyncio.Server] = []
        self._tasks: set[asyncio.Task] = set()

    @property
    def names(self) -> tuple[bytes, bytes]:
        """The gateway's address for clients, and its own address."""
        return f"127.0.0.1:{self.port}".encode(), f"127.0.0.1:{self.target}".encode()

    async def listen(self, socket: Path) -> None:
        """Listens on a port, and on a private socket at that path."""
        on_port = partial(self._accept, lambda: asyncio.open_connection("127.0.0.1", self.target))
        private = self.gateway.data_dir / "gateway.sock"
        on_socket = partial(self._accept, lambda: asyncio.open_unix_connection(private))
        self._servers.append(await asyncio.start_server(on_port, "127.0.0.1", 0))
        self._servers.append(await asyncio.start_unix_server(on_socket, socket))
        self.port = self._servers[0].sockets[0].getsockname()[1]

    def close(self) -> None:
        for server in self._servers:
            server.close()
        self.cut_all()
        for task in list(self._tasks):
            task.cancel()

    async def _accept(self, up: Up, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._tasks.add(asyncio.current_task())
        try:
            if self.waiting is not None:
                turn = asyncio.Event()
                self.waiting.append(turn)
                await turn.wait()
            up_reader, up_writer = await up()
        except OSError:
            writer.transport.abort()
            return
        finally:
            self._tasks.discard(asyncio.current_task())
        link = Link(self, writer, up_writer)
        self.links.append(link)
        carrying = asyncio.gather(link.carry(reader, up_writer, "up"), link.carry(up_reader, writer, "down"))
        self._tasks.add(carrying)
        try:
            await carrying
        finally:
            self._tasks.discard(carrying)
            link.cut()
            self.links.remove(link)

    def cut_all(self) -> None:
        """Every connection breaks, in an order of chance."""
        for link in self.chance.sample(self.links, len(self.links)):
            link.cut()
            self.cuts += 1

    def go_deaf(self, *sides: str) -> None:
        """From now on nothing is carried in these directions, on all connections and new ones, and nobody is told."""
        self.swallows = set(sides)
        for link in self.links:
            link.swallows |= self.swallows

    def close_gate(self) -> None:
        """Connections are accepted and wait."""
        self.waiting = []

    async def open_gate(self) -> None:
        """Those who wait are let through one by one, in an order of chance."""
        waiting, self.waiting = self.waiting or [], None
        self.chance.shuffle(waiting)
        for turn in waiting:
            turn.set()
            await asyncio.sleep(0.01)

    def mend(self) -> None:
        """New connections are good ones, and so are those that have swallowed nothing."""
        self.delay, self.carries, self.swallows = 0.0, None, set()
        for link in self.links:
            link.left = None


class Behind(Gateway):
    """The gateway as those see it who reach it through the proxy: with a data folder that has the proxy's ways in.

    The lock of that folder is held, as it is where a gateway runs, so that nobody starts another one on it."""

    def __init__(self, gateway: Gateway, proxy: Proxy, folder: Path):
        super().__init__(folder)
        self.gateway, self.proxy = gateway, proxy
        # Made without the line, which is served in this process.
        self._kept = {"user": gateway.token, "agent": gateway.agent_token}
        self.data_dir.mkdir(parents=True)
        self.home.mkdir()
        self.lock = (self.data_dir / "lock").open("w")
        fcntl.flock(self.lock, fcntl.LOCK_EX)

    def _token(self, kind: str, make: Callable[[], str]) -> str:
        return self._kept[kind]

    def tell(self) -> None:
        """Writes down which process serves, as each gateway does for itself."""
        written = self.data_dir / "runtime.new"
        written.write_text(json.dumps({**self.gateway.runtime, "port": self.proxy.port}))
        written.rename(self.runtime_file)


@asynccontextmanager
async def behind_proxy(gateway: Gateway, chance: random.Random) -> AsyncIterator[Behind]:
    """A gateway with a bad line before it."""
    proxy = Proxy(gateway, chance)
    behind = Behind(gateway, proxy, gateway.folder / "behind")
    await proxy.listen(behind.data_dir / "gateway.sock")
    behind.tell()
    try:
        yield behind
    finally:
        proxy.close()
        behind.lock.close()
