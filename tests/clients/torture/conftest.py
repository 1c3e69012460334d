"""The number of rounds and the random seed: both can be given, so that a failure can be repeated."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

# A round takes seconds, in a debug build on a busy machine of two cores more of them.
TEST_SECONDS = 300
ROUND_SECONDS = 60


def pytest_collection_modifyitems(config, items) -> None:
    seconds = TEST_SECONDS + ROUND_SECONDS * (config.getoption("torture_rounds") or 0)
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.timeout(seconds))


@pytest.fixture
def rounds(request) -> Callable[[int], range]:
    """As many rounds as the command line asks for, else the few that a test names."""
    asked = request.config.getoption("torture_rounds")
    return lambda few: range(asked or few)


@pytest.fixture
def chance(request) -> random.Random:
    """Each test has its own, so that it does the same alone and among others."""
    return random.Random(f"{request.config.getoption('torture_seed')} {request.node.name}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.failed:
        given = f"--torture-seed {item.config.getoption('torture_seed')}"
        if asked := item.config.getoption("torture_rounds"):
            given += f" --torture-rounds {asked}"
        report.sections.append(("torture", f"the same again: {given}"))
    return report
