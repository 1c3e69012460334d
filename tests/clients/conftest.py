"""The gateway that each test gets, and its output when a test fails."""

import secrets
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gateway import BINARY, Gateway

FOLDERS = pytest.StashKey[list[Gateway]]()


def pytest_addoption(parser) -> None:
    group = parser.getgroup("torture")
    group.addoption("--torture-rounds", type=int, metavar="N", help="how often each fault comes [default: a few times]")
    group.addoption(
        "--torture-seed", type=int, metavar="S", help="what chance begins with [default: with rounds the system's]"
    )


def pytest_configure(config) -> None:
    if config.option.torture_seed is None:
        # The short run is the same each time: a change is judged by what it changed.
        config.option.torture_seed = secrets.randbelow(2**32) if config.option.torture_rounds else 1


def pytest_report_header(config) -> str:
    return f"torture: --torture-seed {config.option.torture_seed}"


@pytest.fixture(scope="session", autouse=True)
def the_binary_is_there() -> None:
    if not Path(BINARY).exists():
        pytest.exit(f"{BINARY} is not there: build it with `cargo build -p sightline-cli`, or set SIGHTLINE_BIN", 2)


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def data_folder(request, tmp_path: Path) -> Iterator[Gateway]:
    """A data folder that no gateway has yet."""
    gateway = Gateway(tmp_path)
    request.node.stash.setdefault(FOLDERS, []).append(gateway)
    yield gateway
    gateway.leave_nothing()


@pytest.fixture
def gateway(data_folder: Gateway) -> Gateway:
    """A gateway that runs, on a port of its own. It is ended by SIGTERM, and that has to work."""
    return data_folder.start()


@pytest.fixture(scope="session")
def lasting(request, tmp_path_factory) -> Iterator[Gateway]:
    """A gateway that many tests use one after another, each with sessions of its own."""
    gateway = Gateway(tmp_path_factory.mktemp("lasting"))
    request.session.stash.setdefault(FOLDERS, []).append(gateway)
    gateway.start()
    # While the code that it printed is good.
    assert gateway.token
    yield gateway
    gateway.leave_nothing()


@pytest.fixture
def hosts(tmp_path: Path) -> Iterator[Callable[[str], Gateway]]:
    """Gateways of other machines, by their names. None of them runs yet."""
    made: list[Gateway] = []

    def host(name: str) -> Gateway:
        folder = tmp_path / name
        folder.mkdir()
        made.append(Gateway(folder))
        return made[-1]

    yield host
    for gateway in made:
        gateway.leave_nothing()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.failed:
        used = item.session.stash.get(FOLDERS, []) if "lasting" in item.fixturenames else []
        for gateway in item.stash.get(FOLDERS, []) + used:
            for log in gateway.logs:
                report.sections.append((f"sightline, {log.name}", log.read_text(errors="replace")[-20_000:]))
    return report
