"""Runs a command over a bad line: its bytes come late, in pieces of any size, both ways. `trickle.py SEED COMMAND…`."""

import os
import random
import subprocess
import sys
import threading
import time

MOST_BYTES = 900
MOST_SECONDS = 0.004


def carry(source: int, target: int, chance: random.Random) -> None:
    """From one end to the other, until either is gone."""
    try:
        while data := os.read(source, chance.randint(1, MOST_BYTES)):
            time.sleep(chance.uniform(0, MOST_SECONDS))
            while data:
                data = data[os.write(target, data[: chance.randint(1, MOST_BYTES)]) :]
    except OSError:
        pass
    os.close(target)


def main() -> None:
    seed, *command = sys.argv[1:]
    there = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    up = (0, there.stdin.fileno(), random.Random(f"{seed} up"))
    threading.Thread(target=carry, args=up, daemon=True).start()
    carry(there.stdout.fileno(), 1, random.Random(f"{seed} down"))
    # Python closes these once more, and they are gone.
    os._exit(0)


main()
