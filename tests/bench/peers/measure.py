"""Measures a running tool: writes up to their events, questions, and memory."""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from statistics import quantiles

EVENT_SECONDS = 60


@dataclass
class Arrived:
    """A message of a tool's live channel."""

    at: float
    text: str


class Channel:
    """Messages of a live channel, as they come."""

    def __init__(self, messages: AsyncIterator[str]):
        self.arrived: asyncio.Queue[Arrived] = asyncio.Queue()
        self.reading = asyncio.create_task(self._read(messages))

    async def _read(self, messages: AsyncIterator[str]) -> None:
        async for text in messages:
            self.arrived.put_nowait(Arrived(time.perf_counter(), text))

    async def next(self) -> Arrived:
        """The next message; fails where the channel has ended."""
        waiting = asyncio.create_task(self.arrived.get())
        await asyncio.wait({waiting, self.reading}, return_when=asyncio.FIRST_COMPLETED)
        if waiting.done():
            return waiting.result()
        waiting.cancel()
        self.reading.result()
        raise ConnectionError("the live channel ended")

    def forget(self) -> None:
        """Drops what has arrived so far."""
        while not self.arrived.empty():
            self.arrived.get_nowait()


@asynccontextmanager
async def listening(messages: AsyncIterator[str]) -> AsyncIterator[Channel]:
    channel = Channel(messages)
    try:
        yield channel
    finally:
        channel.reading.cancel()
        await asyncio.gather(channel.reading, return_exceptions=True)


@dataclass
class Way:
    """A way in which an agent writes to a tool, with the live channel that tells of it."""

    name: str
    # Writes a list whose first step is this text; the time at which it was written.
    write: Callable[[str], Awaitable[float]]
    channel: Channel
    # True if a message is about this text: it has the text itself, or a question then shows it.
    tells: Callable[[str, str], Awaitable[bool]]
    # Seconds from one event to the next write, chosen evenly.
    pause: tuple[float, float] = (0.3, 0.7)


@dataclass
class Times:
    """Times in milliseconds."""

    all: list[float] = field(default_factory=list)
    remark: str = ""

    def __str__(self) -> str:
        if len(self.all) < 2:
            return "–"
        cuts = quantiles(self.all, n=100, method="inclusive")
        return f"{number(cuts[49])} / {number(cuts[94])}"


def number(value: float) -> str:
    return f"{value:.1f}" if value < 100 else f"{value:,.0f}"


async def writes(way: Way, samples: int, seconds: float) -> Times:
    """The times from writes to their events; fewer where they take longer than so many seconds."""
    chance = random.Random(3)
    times, lost = Times(), 0
    end = time.perf_counter() + seconds
    for sample in range(samples):
        await asyncio.sleep(chance.uniform(*way.pause))
        if time.perf_counter() > end:
            break
        text = f"Write number {sample} of {way.name}"
        way.channel.forget()
        written = await way.write(text)
        try:
            async with asyncio.timeout(EVENT_SECONDS):
                while True:
                    message = await way.channel.next()
                    if await way.tells(message.text, text):
                        break
        except TimeoutError:
            lost += 1
            continue
        times.all.append(1000 * (message.at - written))
    times.remark = f"{len(times.all)} writes" + (f", {lost} without an event in {EVENT_SECONDS} s" if lost else "")
    return times


async def questions(ask: Callable[[int], Awaitable[bytes]], samples: int, seconds: float) -> tuple[Times, bytes]:
    """The times of a question, and its last answer. The first three do not count."""
    times, answer = Times(), b""
    end = time.perf_counter() + seconds
    for sample in range(-3, samples):
        begun = time.perf_counter()
        answer = await ask(sample)
        if sample >= 0:
            times.all.append(1000 * (time.perf_counter() - begun))
        if time.perf_counter() > end:
            break
    return times, answer
