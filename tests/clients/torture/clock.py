"""Gateways whose clock is the test's (libfaketime); their clients go by the real one."""

import asyncio
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path

import httpx2

from gateway import Gateway, eventually

# Tells the program under test another time; a file says by how much, and is read each time.
LIBRARIES = [
    found
    for folder in ("lib/*/faketime", "lib64/faketime", "lib/faketime")
    for found in Path("/usr").glob(f"{folder}/libfaketimeMT.so.1")
]
NOTICED_SECONDS = 60


class Clocked(Gateway):
    """A gateway that goes by a clock of the test's."""

    faked: dict[str, str] = {}

    def __init__(self, folder: Path):
        super().__init__(folder)
        assert LIBRARIES, "libfaketime is not there: apt-get install libfaketime"
        self.clock = folder / "clock"

    def set(self, clock: str) -> None:
        # Whole at once: it is read at any moment.
        new = self.clock.with_suffix(".new")
        new.write_text(f"{clock}\n")
        new.rename(self.clock)

    def command(self, *arguments: str) -> list[str]:
        command = super().command(*arguments)
        if arguments[0] != "serve":
            return command
        variables = {"LD_PRELOAD": LIBRARIES[0], "FAKETIME_TIMESTAMP_FILE": self.clock, **self.faked}
        return ["env", *(f"{name}={value}" for name, value in variables.items()), *command]


class Jumping(Clocked):
    """The time of day jumps; what passes goes on as it does."""

    faked = {
        "FAKETIME_NO_CACHE": "1",
        # Time that only runs on does so in a jump, too.
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }

    def __init__(self, folder: Path):
        super().__init__(folder)
        self.jump("+0")

    def jump(self, by: str) -> None:
        """From now on the clock is off by so much."""
        self.set(by)


class Fast(Clocked):
    """All time passes faster, that of every timer too, and can be skipped."""

    # The file is read once a second.
    faked = {"FAKETIME_CACHE_DURATION": "0"}

    def __init__(self, folder: Path, rate: float):
        super().__init__(folder)
        self.rate, self.ahead = rate, 0
        self.set(self._says())

    def _says(self) -> str:
        return f"+{self.ahead} x{self.rate:g}"

    async def now(self) -> datetime:
        async with httpx2.AsyncClient(timeout=NOTICED_SECONDS, trust_env=False, verify=False) as http:
            return parsedate_to_datetime((await http.get(f"{self.address}/health")).headers["date"])

    async def skip(self, minutes: float) -> None:
        """All that is due meanwhile is due at once. A WebSocket that was just asked whether it is there is cut."""
        goal = await self.now() + timedelta(minutes=minutes)
        self.ahead += round(minutes * 60)
        self.set(self._says())

        async def is_over() -> bool:
            try:
                return await self.now() >= goal
            except httpx2.RemoteProtocolError:
                # A connection that was just opened is as old as the leap is long, and is closed.
                return False

        await eventually(is_over, NOTICED_SECONDS, f"{minutes} minutes are over")
        # Longer than it takes the gateway to look what is due.
        await asyncio.sleep(30 / self.rate)
