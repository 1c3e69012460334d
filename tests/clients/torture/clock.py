"""Gateways whose clock is the test's (libfaketime); their clients go by the real one."""

from pathlib import Path

from gateway import Gateway, eventually
from socket_client import opened

# Tells the program under test another time; a file says by how much, and is read each time.
LIBRARIES = [
    found
    for folder in ("lib/*/faketime", "lib64/faketime", "lib/faketime")
    for found in Path("/usr").glob(f"{folder}/libfaketimeMT.so.1")
]
NOTICED_SECONDS = 60


class Clocked(Gateway):
    """A gateway that goes by a clock of the test's."""

    variables: dict[str, str] = {}

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
        variables = {"LD_PRELOAD": LIBRARIES[0], "FAKETIME_TIMESTAMP_FILE": self.clock, **self.variables}
        return ["env", *(f"{name}={value}" for name, value in variables.items()), *command]


class Jumping(Clocked):
    """The time of day jumps; what passes goes on as it does."""

    variables = {
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
    variables = {"FAKETIME_CACHE_DURATION": "0"}

    def __init__(self, folder: Path, rate: float):
        super().__init__(folder)
        self.rate, self.ahead = rate, 0
        self.set(self._says())

    def _says(self) -> str:
        return f"+{self.ahead} x{self.rate:g}"

    async def uptime(self) -> int:
        async with opened(self) as socket:
            return (await socket.ask("gateway.status"))["uptime"]

    async def skip(self, minutes: float) -> None:
        """What is due meanwhile is due at once, as after a sleep of the machine."""
        seconds = round(minutes * 60)
        goal = await self.uptime() + seconds
        self.ahead += seconds
        self.set(self._says())

        async def is_there() -> bool:
            return await self.uptime() >= goal

        await eventually(is_there, NOTICED_SECONDS, f"{minutes} minutes are over")
