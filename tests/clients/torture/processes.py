"""The processes that have one data folder, found by it: a shim starts gateways of its own."""

import os
import signal
from contextlib import contextmanager, suppress
from pathlib import Path

from gateway import END_SECONDS, Gateway, until


def of_folder(gateway: Gateway) -> list[int]:
    """The processes that were started with this data folder and have not ended."""
    found = []
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        # One that has just ended has no command line, or no folder any more.
        with suppress(OSError):
            if str(gateway.data_dir).encode() in line.read_bytes().split(b"\0"):
                found.append(int(line.parent.name))
    return found


def kill_all(gateway: Gateway) -> None:
    """A power cut: `kill -9` to whoever has the folder, and to who comes after it."""

    def nobody() -> bool:
        there = of_folder(gateway)
        for process in there:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        if gateway.process is not None and gateway.process.poll() is not None:
            gateway.process = None
        return not there

    until(nobody, END_SECONDS, "nobody has the folder any more")


def stands_still(process: int) -> bool:
    """True if all threads are in the state T (proc_pid_stat(5): the first word after the name in brackets)."""
    try:
        lines = [thread.read_text() for thread in Path(f"/proc/{process}/task").glob("*/stat")]
    except OSError:
        # A thread that has just ended: look again.
        return False
    return {line.rpartition(")")[2].split()[0] for line in lines} == {"T"}


@contextmanager
def stopped(process: int):
    """SIGSTOP, and SIGCONT at the end.

    Begins when the last thread stands still: one takes the signal when it is next scheduled, the others go on until
    then, and on a machine with much to do may read and pass on what comes in meanwhile.
    """
    os.kill(process, signal.SIGSTOP)
    try:
        until(lambda: stands_still(process), END_SECONDS, "all of its threads are stopped")
        yield
    finally:
        os.kill(process, signal.SIGCONT)
