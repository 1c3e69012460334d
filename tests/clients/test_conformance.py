"""The protocol's own conformance suite: all its scenarios for servers, in every version of the protocol it knows.

What fails must stand in tests/conformance/expected-failures.yml with its reason, and what stands there must fail. The
suite speaks HTTP only; stdio has the same server behind it and other tests.
"""

import asyncio
from collections import defaultdict
from functools import cache

import pytest

import agent
from conformance import suite
from conformance.keyed import keyed

# Without the suite one test fails, and the other files' tests still run.
SCENARIOS = suite.scenarios() if suite.PROGRAM.exists() else []
EXPECTED = suite.expected()
# Scenarios that the suite rightly skips: our tools stay the same, and we have no prompts.
LEFT_OUT = {f"sep-2575-server-sends-{what}-list-changed-on-subscription" for what in ("tools", "prompts")}
LABEL = "conformance"


@pytest.fixture(scope="module")
def results(lasting, tmp_path_factory):
    """The checks of a version's scenarios, which is run when it is first asked for."""

    async def leave_a_list() -> None:
        async with agent.connected(lasting, label=LABEL) as client:
            await agent.write(client, [{"content": "Read the specification", "status": "in_progress"}])

    # So that there is a resource to list and to read.
    asyncio.run(leave_a_list())
    with keyed(lasting) as address:
        yield cache(lambda version: suite.run(f"{address}/mcp/{LABEL}", version, tmp_path_factory.mktemp(version)))


# G1
@pytest.mark.parametrize(("version", "scenario"), SCENARIOS)
def test_scenario(results, version, scenario):
    scenarios, printed = results(version)
    assert scenarios.get(scenario), f"the suite has no result for it:\n{printed}"
    found = defaultdict(dict)
    for check in scenarios[scenario]:
        found[check["status"]][check["id"]] = check.get("errorMessage")
    failed = found["FAILURE"] | found["WARNING"]
    expected = EXPECTED.get(scenario, set())
    assert {check: why for check, why in failed.items() if check not in expected} == {}
    healed = expected - failed.keys()
    assert not healed, f"these do not fail any more: take them out of {suite.EXPECTED.name}"
    left_out = found["SKIPPED"].keys() - LEFT_OUT
    assert not left_out or version == suite.EXTENSION, "the suite has not tried these"


def test_the_suite_is_there_and_knows_what_is_expected_to_fail():
    assert SCENARIOS, f"run `npm ci` in {suite.FOLDER}"
    assert not EXPECTED.keys() - {scenario for _version, scenario in SCENARIOS}
