"""Every scenario, through every door: each caller sees what the file says, and the whole answer is one and the same."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.oracle import Refused, World, answer
from tests.scenarios.answers import Answer
from tests.scenarios.doors import DOORS, Ask, House, furnished
from tests.scenarios.reading import Scenario, observed, read

SCENARIOS = [read(file) for file in sorted(Path(__file__).parent.glob("*.yaml"))]
each_scenario = pytest.mark.parametrize(
    "scenario", SCENARIOS, ids=lambda scenario: scenario.settings.name
)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with furnished(tmp_path_factory.mktemp("house"), SCENARIOS) as furnished_house:
        yield furnished_house


@pytest.fixture(scope="module", params=DOORS)
def ask(house: House, request: pytest.FixtureRequest) -> Iterator[Ask]:
    with DOORS[request.param](house) as through_the_door:
        yield through_the_door


@pytest.fixture(scope="module")
def ask_in_process(house: House) -> Iterator[Ask]:
    with DOORS["in process"](house) as through_the_door:
        yield through_the_door


@each_scenario
def test_each_caller_sees_what_the_scenario_says(
    scenario: Scenario, ask: Ask, ask_in_process: Ask
) -> None:
    answers = {caller: ask(scenario, caller) for caller in scenario.sees}

    assert {who: observed(scenario, told) for who, told in answers.items()} == scenario.sees
    assert answers == {caller: ask_in_process(scenario, caller) for caller in scenario.sees}


@each_scenario
def test_the_oracle_tells_the_same_story(scenario: Scenario) -> None:
    world = World.of(scenario.settings, scenario.batches)
    seen = {}
    for caller in scenario.sees:
        try:
            told = answer(
                world,
                scenario.method,
                scenario.request,
                principals=caller.held,
                admin=caller.admin,
                now_us=0,
            )
            heard = Answer.of_bytes(scenario.call, told.SerializeToString())
        except Refused as refused:
            heard = Answer(refused.code)
        seen[caller] = observed(scenario, heard)

    assert seen == scenario.sees, scenario.name
