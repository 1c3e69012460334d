"""The resources of a gateway's process, seen from outside: descriptors, threads, children, memory."""

import os
import re
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from gateway import Gateway
from torture.heap import in_use

# States of connections that no process holds, and of the port itself (`TIME_WAIT`, `LISTEN`).
ENDED = ("06", "0A")


@dataclass(frozen=True)
class Measure:
    descriptors: Counter
    threads: Counter
    children: int
    # Of the heap, and all that is no file's, in KiB.
    in_use: int
    anonymous: int

    def __str__(self) -> str:
        held = ", ".join(f"{count} {kind}" for kind, count in sorted(self.descriptors.items()))
        threads = sum(self.threads.values())
        memory = f"{self.in_use} KiB in use, {self.anonymous} KiB anonymous"
        return f"{memory}, {threads} threads, {self.children} children; descriptors: {held}"


def measure(gateway: Gateway) -> Measure:
    folder = Path(f"/proc/{gateway.process.pid}")
    threads = list(threads_of(folder))
    return Measure(
        Counter(kind(gateway, name) for name in names(folder / "fd")),
        Counter(name for name, _ in threads),
        sum(len(children) for _, children in threads),
        in_use(gateway.process.pid) // 1024,
        anonymous(folder),
    )


def is_alone(gateway: Gateway) -> bool:
    """Nobody is connected, neither by what the gateway says nor by what the system knows of its port."""
    port = f":{gateway.port:04X}"
    for line in Path(f"/proc/{gateway.process.pid}/net/tcp").read_text().splitlines()[1:]:
        local, _, state = line.split()[1:4]
        if local.endswith(port) and state not in ENDED:
            return False
    return True


def threads_of(folder: Path):
    """The name of each thread, and its children."""
    for thread in (folder / "task").iterdir():
        # One that has just ended has neither.
        with suppress(FileNotFoundError, ProcessLookupError):
            yield (thread / "comm").read_text().strip(), (thread / "children").read_text().split()


def names(folder: Path):
    for number in os.listdir(folder):
        # A descriptor that has just been closed has no name any more.
        with suppress(FileNotFoundError):
            yield os.readlink(folder / number)


def kind(gateway: Gateway, name: str) -> str:
    """`socket`, `eventpoll`, or the file's name without what is another each time."""
    return re.sub(r"^anon_inode:|:|[\[\]]|[\d-]{4,}.*", "", Path(name).name if name.startswith("/") else name)


def anonymous(folder: Path) -> int:
    lines = (folder / "smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Anonymous:"))


def slope(values: list[float]) -> float:
    """The growth from one value to the next, by the line that fits best."""
    middle = (len(values) - 1) / 2
    steps = [at - middle for at in range(len(values))]
    return sum(step * value for step, value in zip(steps, values, strict=True)) / sum(step * step for step in steps)
