"""Every scenario, through every door: each caller sees what the file says, and the whole answer is one and the same."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from passageway.v1 import read_pb2
from tests.oracle import Refused
from tests.oracle.answers import answer_over, graph_at
from tests.oracle.lookup import place_in
from tests.peers import Caller
from tests.scenarios.answers import Answer
from tests.scenarios.doors import DOORS, Entered, House, furnished
from tests.scenarios.reading import Scenario, observed, read
from tests.scenarios.steps import perform_in_oracle

SCENARIOS = [read(file) for file in sorted(Path(__file__).parent.glob("*.yaml"))]
each_scenario = pytest.mark.parametrize(
    "scenario", SCENARIOS, ids=lambda scenario: scenario.settings.name
)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with furnished(tmp_path_factory.mktemp("house"), SCENARIOS) as furnished_house:
        yield furnished_house


@pytest.fixture(scope="module", params=DOORS)
def door(house: House, request: pytest.FixtureRequest) -> Iterator[Entered]:
    with DOORS[request.param](house) as entered:
        yield entered


@pytest.fixture(scope="module")
def in_process(house: House) -> Iterator[Entered]:
    with DOORS["in process"](house) as entered:
        yield entered


@each_scenario
def test_each_caller_sees_what_the_scenario_says(
    scenario: Scenario, door: Entered, in_process: Entered
) -> None:
    callers = [one for one in scenario.sees if door.takes(scenario, one)]
    answers = {caller: door.converse(scenario, caller) for caller in callers}

    seen = {caller: observed(scenario, told) for caller, told in answers.items()}
    assert seen == {caller: scenario.sees[caller] for caller in callers}
    assert answers == {caller: in_process.converse(scenario, caller) for caller in callers}


@each_scenario
def test_the_oracle_tells_the_same_story(scenario: Scenario) -> None:
    seen = {caller: observed(scenario, _heard(scenario, caller)) for caller in scenario.sees}

    assert seen == scenario.sees, scenario.name


def _heard(scenario: Scenario, caller: Caller) -> list[Answer]:
    """What the oracle answers, page by page."""
    history = perform_in_oracle(scenario.settings, scenario.steps)[scenario.asked]
    request, after = scenario.request, None
    pages: list[Answer] = []
    while not pages or pages[-1].next_page:
        try:
            graph = graph_at(history, caller.asker, scenario.as_of)
            told = answer_over(graph, scenario.method, request, now_us=0, after=after)
        except Refused as refused:
            return [*pages, Answer(refused.code)]
        pages.append(Answer.of_bytes(scenario.call, told.SerializeToString()))
        if isinstance(request, read_pb2.LookupRequest) and pages[-1].next_page:
            assert isinstance(told, read_pb2.LookupResponse)
            last = told.edges[-1].id if told.edges else told.nodes[-1].id
            after = place_in(graph, request, last, now_us=0)
            request = scenario.after(pages[-1]).request
        if scenario.meanwhile is not None and len(pages) == 1:
            history.apply(scenario.meanwhile, writer=caller.asker)
    return pages
