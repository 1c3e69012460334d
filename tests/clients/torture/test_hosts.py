"""Links to other machines under faults: every revision of each is here once, and every edit is there once."""

import asyncio
import os
import random
import signal
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import AsyncExitStack, closing, suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed, WebSocketException

from gateway import Gateway, eventually
from hosts import SECONDS, bridges, dial, differences, here, mirrored, read, same, state, steps
from socket_client import Refused, Socket, opened
from torture.clock import Jumping
from torture.mount import Filler, Mounted, mounted

pytestmark = pytest.mark.anyio

NAMES = ("box", "pod", "wsl")
BREAKS_OF_A_ROUND = 5
SESSIONS = 7
TRICKLE = str(Path(__file__).with_name("trickle.py"))


class Broken(Exception):
    """The gateway went while it was asked."""


class Person:
    """A client of a gateway that is killed at times: it connects anew."""

    def __init__(self, gateway: Gateway):
        self.gateway = gateway
        self.stack = AsyncExitStack()
        self.socket: Socket | None = None

    async def ask(self, kind: str, **fields) -> dict:
        """The answer. Raises [`Broken`] where the gateway went meanwhile: it may be done, or not."""
        if self.socket is None or self.socket.closed:
            await self.close()
            # Nothing was asked yet.
            await eventually(self._open, SECONDS, f"a connection to {self.gateway.data_dir}")
        try:
            return await self.socket.ask(kind, **fields)
        except (ConnectionClosed, OSError) as error:
            raise Broken from error
        except AssertionError as error:
            if not self.socket.closed:
                raise
            raise Broken from error

    async def surely(self, kind: str, **fields) -> dict:
        """The answer to a question, asked again where the gateway goes."""
        while True:
            with suppress(Broken):
                return await self.ask(kind, **fields)

    async def _open(self) -> bool:
        try:
            token = await asyncio.to_thread(lambda: self.gateway.token)
            self.socket = await self.stack.enter_async_context(opened(self.gateway, token))
        except (OSError, WebSocketException, TimeoutError, ValueError, LookupError):
            return False
        return True

    async def close(self) -> None:
        stack, self.stack = self.stack, AsyncExitStack()
        with suppress(ConnectionClosed, OSError):
            await stack.aclose()


class Box:
    """A host, with somebody who writes lists there without a pause. Its gateway is started by who dials to it."""

    def __init__(self, name: str, gateway: Gateway, chance: random.Random):
        self.name, self.gateway, self.chance = name, gateway, chance
        self.person = Person(gateway)
        self.sessions: list[str] = []
        self.written = 0

    async def write(self) -> None:
        while True:
            todos = [{"content": f"Step {self.chance.randrange(9)}"} for _ in range(self.chance.randrange(1, 6))]
            with suppress(Broken):
                label = f"run {self.chance.randrange(SESSIONS)}"
                session = (await self.person.ask("todo.write", session=label, todos=todos))["sessionId"]
                if session not in self.sessions:
                    self.sessions.append(session)
                self.written += 1
            # Not all that the machine can do: there are three of them, and what they write has to be fetched.
            await asyncio.sleep(0.02)

    async def more(self, count: int) -> None:
        goal = self.written + count

        async def met() -> bool:
            return self.written >= goal

        await eventually(met, SECONDS, f"{count} more lists on {self.name}")


class Scene:
    """Three hosts, the gateway here, and edits that are made here."""

    def __init__(self, gateway: Gateway, boxes: list[Box], chance: random.Random):
        self.gateway, self.boxes, self.chance = gateway, boxes, chance
        self.person = Person(gateway)
        self.edits: list[str] = []
        self.in_doubt: list[str] = []
        self.breaks: Counter[str] = Counter()

    async def edit(self) -> None:
        """Sends a message or adds a step, of which each has its own text."""
        box = self.chance.choice(self.boxes)
        if not box.sessions:
            return
        text = f"Mine {len(self.edits) + len(self.in_doubt)}."
        said = {"text": text} if self.chance.random() < 0.6 else {"content": text}
        kind = "note.send" if "text" in said else "todo.add"
        try:
            await self.person.ask(kind, sessionId=self.chance.choice(box.sessions), **said)
        except Refused as refused:
            # It is not here yet, or has as many edits as may wait.
            assert refused.code in ("SESSION_NOT_FOUND", "LIMIT_EXCEEDED"), refused
        except Broken:
            self.in_doubt.append(text)
        else:
            self.edits.append(text)

    async def bridge(self, box: Box) -> int:
        """The process that bridges to a host; waits for it."""

        async def met() -> list[int]:
            if not (found := bridges(box.gateway)):
                await self.person.surely("hosts.test", name=box.name)
            return found

        return (await eventually(met, SECONDS, f"a bridge to {box.name}"))[0]

    async def cut(self, box: Box) -> None:
        _signal(await self.bridge(box), signal.SIGKILL)

    async def freeze(self, box: Box) -> None:
        await self._frozen(box, await self.bridge(box))

    async def freeze_gateway(self, box: Box) -> None:
        await self._frozen(None, box.gateway.runtime["pid"])

    async def _frozen(self, box: Box | None, process: int) -> None:
        """Stops a process for as long as it takes to write and to edit something."""
        _signal(process, signal.SIGSTOP)
        try:
            for one in self.boxes if box is None else [box]:
                if box is not None:
                    await one.more(2)
            for _ in range(3):
                await self.edit()
        finally:
            _signal(process, signal.SIGCONT)

    async def kill_there(self, box: Box) -> None:
        await self.bridge(box)
        process = box.gateway.runtime["pid"]
        _signal(process, signal.SIGKILL)

        async def met() -> bool:
            await self.person.surely("hosts.test", name=box.name)
            with suppress(OSError, ValueError):
                return box.gateway.runtime["pid"] != process
            return False

        await eventually(met, SECONDS, f"another gateway on {box.name}")

    async def kill_here(self, _: Box) -> None:
        self.gateway.kill()
        await asyncio.to_thread(self.gateway.start)

    async def break_something(self) -> None:
        ways = {self.cut: 10, self.freeze: 3, self.freeze_gateway: 1, self.kill_there: 3, self.kill_here: 3}
        [way] = self.chance.choices(list(ways), ways.values())
        # It comes while something is under way, or when all is quiet.
        for _ in range(self.chance.randrange(4)):
            await self.edit()
        await self.chance.choice(self.boxes).more(self.chance.randrange(1, 4))
        await way(self.chance.choice(self.boxes))
        self.breaks[way.__name__] += 1

    async def settled(self) -> None:
        """Waits until nothing is under way any more."""
        for box in self.boxes:
            await self.person.surely("hosts.test", name=box.name)

            async def met(box: Box = box) -> bool:
                hosts = (await self.person.surely("hosts.list"))["hosts"]
                [host] = [host for host in hosts if host["name"] == box.name]
                return (
                    host["state"] == "up"
                    and host["sending"] == 0
                    and not differences(self.gateway, box.name, box.gateway)
                )

            try:
                await eventually(met, SECONDS, f"all of {box.name} is here")
            except AssertionError as error:
                hosts = (await self.person.surely("hosts.list"))["hosts"]
                found = "\n".join(one[:2_000] for one in differences(self.gateway, box.name, box.gateway)[:3])
                raise AssertionError(f"{error}; {hosts}\n{found}") from None

    def made(self) -> Counter[str]:
        """The edits of ours that the hosts have, with how often."""
        found: Counter[str] = Counter()
        for box in self.boxes:
            with closing(read(box.gateway)) as database:
                bodies = database.execute("SELECT body FROM edits").fetchall()
            for text in [*self.edits, *self.in_doubt]:
                found[text] += sum(f'"{text}"' in body for (body,) in bodies)
        return found


def _signal(process: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(process, number)


# H1, H7
async def test_breaks_at_random_lose_nothing_and_double_nothing(
    gateway, hosts, rounds: Callable[[int], range], chance: random.Random
):
    boxes = [Box(name, hosts(name), random.Random(chance.random())) for name in NAMES]
    scene = Scene(gateway, boxes, chance)
    for box in boxes:
        await scene.person.ask("hosts.list")
        await mirrored(scene.person.socket, box.name, dial(box.gateway))
    writers = [asyncio.create_task(box.write()) for box in boxes]
    try:
        for _ in rounds(8):
            for _ in range(BREAKS_OF_A_ROUND):
                await scene.break_something()
                for writer in writers:
                    assert not writer.done(), writer.exception()
    finally:
        for writer in writers:
            writer.cancel()
        await asyncio.gather(*writers, return_exceptions=True)
    await scene.settled()
    made = scene.made()
    assert {text: made[text] for text in scene.edits if made[text] != 1} == {}, "each once"
    assert all(made[text] <= 1 for text in scene.in_doubt), made
    assert len(scene.edits) >= 10 and len(scene.breaks) >= 4, (scene.edits, scene.breaks)
    lists = [box.written for box in boxes]
    print(f"{scene.breaks}; {lists} lists, {len(scene.edits)} edits, {len(scene.in_doubt)} in doubt")
    for person in [scene.person, *(box.person for box in boxes)]:
        await person.close()


# H1, H11
async def test_over_a_slow_line_all_comes_and_nobody_gives_up(gateway, hosts, chance: random.Random):
    box = hosts("box").start()
    async with opened(gateway) as user, opened(box) as there:
        for number in range(24):
            todos = [{"content": f"{number} {place} {'x' * 300}"} for place in range(20)]
            session = (await there.ask("todo.write", session=f"run {number % 3}", todos=todos))["sessionId"]
        command = [sys.executable, TRICKLE, str(chance.random()), *dial(box)]
        await user.ask("events.subscribe")
        await mirrored(user, "box", command)
        await same(gateway, "box", box)
        [bridge] = bridges(box)
        await user.ask("note.send", sessionId=session, text="Mine.")

        async def is_made() -> bool:
            edits = (await there.ask("session.get", sessionId=session))["edits"]
            return [edit["kind"] for edit in edits] == ["note"]

        await eventually(is_made, SECONDS, "the message is there")
        assert bridges(box) == [bridge], "it is the same connection"


# H6
@pytest.mark.parametrize("off", ["+1h", "-1h"])
async def test_a_host_whose_clock_is_off_has_ages_of_ours(gateway, tmp_path, off: str):
    (tmp_path / "box").mkdir()
    box = Jumping(tmp_path / "box")
    box.jump(off)
    box.start()
    try:
        async with opened(gateway) as user, opened(box) as there:
            await mirrored(user, "box", dial(box))
            begun = datetime.now(UTC)
            todos = [{"content": "Read", "status": "in_progress"}, {"content": "Fix"}]
            session = (await there.ask("todo.write", session="api", todos=todos))["sessionId"]
            await here(user, session, "Read", "Fix")
            there_at = (await there.ask("session.get", sessionId=session))["session"]["lastActivityAt"]
            off_by = (datetime.fromisoformat(there_at) - begun).total_seconds()
            assert 3_000 < abs(off_by) < 4_200, "the host's clock is off"
            told = await user.ask("session.get", sessionId=session)
            [shown] = [one for one in (await user.ask("session.list"))["sessions"] if one["sessionId"] == session]
            times = [told["session"]["lastActivityAt"], told["session"]["stateAt"], shown["lastActivityAt"]]
            times.append(told["todos"][0]["statusAt"])
            ages = [(datetime.now(UTC) - datetime.fromisoformat(at)).total_seconds() for at in times]
            assert all(-5 < age < SECONDS for age in ages), ages
            assert shown["state"] == "running", shown
            # Edits find their way, and what is kept is as it is there.
            await user.ask("todo.add", sessionId=session, content="Mine")
            await here(user, session, "Read", "Fix", "Mine")
        await same(gateway, "box", box)
    finally:
        box.leave_nothing()


SMALL = 'mount -t tmpfs -o size=8m,mode=700 sightline-test "$DIR"'


@pytest.fixture
def small(tmp_path):
    (tmp_path / "small").mkdir()
    with mounted(tmp_path / "small", SMALL) as gateway:
        yield gateway.start()


async def filled(gateway: Mounted, socket: Socket, ask: Callable[[int], dict]) -> Filler:
    """Fills a disk until a change is refused."""
    filler = Filler(gateway.data_dir)
    filler.fill()
    for turn in range(1_000):
        try:
            await socket.ask("todo.write", **ask(turn))
        except Refused as refused:
            assert refused.code == "STORAGE", refused
            return filler
    raise AssertionError("a full disk, and nothing is refused")


def long_list(turn: int) -> dict:
    return {"session": "filling", "todos": [{"content": f"{turn} {'x' * 1_500}"}]}


async def shown_as(socket: Socket, name: str, word: str) -> None:
    async def met() -> bool:
        return word in (await state(socket, name)).get("problem", "")

    await eventually(met, SECONDS, f"{name} has a problem with a word of {word!r}")


# H1, H7, H11
async def test_a_host_whose_disk_is_full_gets_its_edits_when_there_is_room(gateway, small):
    command = small.command("dial-stdio")
    async with opened(gateway) as user, opened(small) as there:
        await mirrored(user, "box", command)
        session = (await there.ask("todo.write", session="api", todos=[{"content": "Read"}]))["sessionId"]
        await here(user, session, "Read")
        filler = await filled(small, there, long_list)
        await user.ask("todo.add", sessionId=session, content="One")
        await user.ask("todo.add", sessionId=session, content="Two")
        await shown_as(user, "box", "full")
        assert len((await user.ask("session.get", sessionId=session))["session"]["sending"]) == 2
        filler.free()
        await user.ask("hosts.test", name="box")
        await here(user, session, "Read", "One", "Two")
        await same(gateway, "box", small)


# H1, H11
async def test_where_the_disk_here_is_full_it_all_comes_when_there_is_room(small, hosts):
    box = hosts("box").start()
    async with opened(small) as user, opened(box) as there:
        await mirrored(user, "box", dial(box))
        session = (await there.ask("todo.write", session="api", todos=[{"content": "Read"}]))["sessionId"]
        await here(user, session, "Read")
        filler = await filled(small, user, long_list)
        for number in range(20):
            await there.ask("todo.write", session=f"run {number % 4}", todos=[{"content": f"{number} {'x' * 1_500}"}])
        await shown_as(user, "box", "full")
        assert await steps(user, session) == ["Read"], "what is here can be read"
        filler.free()
        await user.ask("hosts.test", name="box")
        await same(small, "box", box)
