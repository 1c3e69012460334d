"""The used part of a process's heap, seen from outside. The free part is no leak, and hides none.

It goes by the chunks of glibc's allocator: each says its size, and whether the one before it is in use."""

import struct
from contextlib import suppress
from pathlib import Path

from torture.processes import stopped

# One arena, that never takes memory elsewhere, keeps nothing at hand for a thread and joins what is freed.
WALKABLE = {
    "MALLOC_ARENA_MAX": "1",
    "MALLOC_MMAP_MAX_": "0",
    "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0:glibc.malloc.mxfast=0",
}

FLAGS = 7
PREVIOUS_IN_USE = 1
SMALLEST = 32
TRIES = 20


class Torn(Exception):
    """It was looked at in the middle of a change."""


def in_use(process: int) -> int:
    """Bytes of the heap that the program has not freed."""
    for _ in range(TRIES):
        with suppress(Torn), stopped(process):
            return walk(heap(process))
    raise AssertionError("its heap is no heap of glibc's")


def heap(process: int) -> bytes:
    folder = Path(f"/proc/{process}")
    [line] = [line for line in (folder / "maps").read_text().splitlines() if line.endswith("[heap]")]
    start, end = (int(part, 16) for part in line.split()[0].split("-"))
    with (folder / "mem").open("rb", buffering=0) as memory:
        memory.seek(start)
        return memory.read(end - start)


def walk(memory: bytes) -> int:
    used, at = 0, 0
    while True:
        size = size_at(memory, at) & ~FLAGS
        if size < SMALLEST or at + size > len(memory):
            raise Torn
        if at + size == len(memory):
            # The rest at the end.
            return used
        if size_at(memory, at + size) & PREVIOUS_IN_USE:
            used += size
        at += size


def size_at(memory: bytes, chunk: int) -> int:
    return struct.unpack_from("<Q", memory, chunk + 8)[0]
