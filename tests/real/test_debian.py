"""Debian's package graph: what the engine answers is what other programs agreed on."""

from itertools import pairwise
from typing import Any

import pytest

import passageway
from passageway import EdgeSpec, Hop

EXPANSIONS, PATHS = 60, 20


@pytest.mark.parametrize("number", range(EXPANSIONS))
def test_expand_reproduces_an_expansion_of_other_programs(
    number: int, caller: passageway.CollectionClient, expected: dict[str, Any]
) -> None:
    want = expected["expand"][number]

    got = caller.expand(
        want["seeds"],
        hops=[Hop(direction="out", decay=0.5)] * want["hops"],
        include_seeds=False,
        limit=len(want["top"]),
        fields=["name"],
        content_max_chars=0,
    )

    assert got.total == want["total"]
    scores = {hit.node.id: hit.score for hit in got.hits if hit.node and hit.score is not None}
    assert scores == pytest.approx(dict(want["top"]), rel=1e-6)
    assert list(scores.values()) == sorted(scores.values(), reverse=True)


@pytest.mark.parametrize("number", range(PATHS))
def test_paths_reproduces_a_path_query_of_other_programs(
    number: int, caller: passageway.CollectionClient, expected: dict[str, Any]
) -> None:
    want = expected["paths"][number]

    got = caller.paths(
        [want["source"]],
        [want["target"]],
        edges=[EdgeSpec(direction="out")],
        max_depth=want["max_depth"],
        k=want["k"],
        max_frontier=100_000,
        fields=["name"],
        content_max_chars=0,
    )

    assert [path.length for path in got.paths] == want["lengths"]
    assert len({tuple(path.node_ids) for path in got.paths}) == len(got.paths)
    for path in got.paths:
        assert (path.node_ids[0], path.node_ids[-1]) == (want["source"], want["target"])
        walked = [(edge.source, edge.target) for edge in path.edges]
        assert walked == list(pairwise(path.node_ids))
        assert len(walked) == path.length


@pytest.mark.parametrize("number", range(PATHS))
def test_a_path_that_other_programs_found_can_be_walked_and_is_as_short_as_ours(
    number: int, caller: passageway.CollectionClient, expected: dict[str, Any]
) -> None:
    want = expected["paths"][number]
    example = want["example"]

    steps = [
        caller.paths([here], [there], edges=[EdgeSpec(direction="out")], max_depth=1, k=1).paths
        for here, there in pairwise(example)
    ]

    assert (example[0], example[-1]) == (want["source"], want["target"])
    assert [path.length for paths in steps for path in paths] == [1] * want["lengths"][0]


def test_every_expectation_is_asked_for(expected: dict[str, Any]) -> None:
    assert (len(expected["expand"]), len(expected["paths"])) == (EXPANSIONS, PATHS)
