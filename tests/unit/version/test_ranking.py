"""Ranks go with the ids, whatever comes when."""

from random import Random

import numpy as np
import pytest

from passageway_server.columns.terms import Terms
from passageway_server.version import ranking
from passageway_server.version.ranking import Ranking


def assert_goes_by_id(held: Ranking, ids: Terms) -> None:
    by_id = sorted(range(len(ids)), key=lambda row: ids[row].encode())
    assert np.argsort(held.rank, kind="stable").tolist() == by_id
    assert held.rows.tolist() == by_id
    assert len(np.unique(held.rank)) == len(ids)
    assert held.rank.min(initial=0) >= 0


@pytest.mark.parametrize("seed", range(20))
def test_ids_that_come_later_are_ranked_among_the_others(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    rng = Random(seed)
    monkeypatch.setattr(ranking, "_RECENT", rng.choice((3, 1000)))
    monkeypatch.setattr(ranking, "_DEALT", rng.choice((0, 2000, 3 << 29)))
    letters = "aé\U0001f600zZ0"
    words = ["".join(rng.choices(letters, k=rng.randint(1, 4))) for _ in range(300)]
    terms = Terms.of(words[: rng.randint(0, 100)])
    held = Ranking.of(terms)

    for start in range(100, 300, 25):
        terms, _ = terms.interned(words[start : start + 25])
        before = held.rank
        held = held.extended(terms)
        assert_goes_by_id(held, terms)
        assert len(before) <= len(held.rank)


def test_ids_that_count_on_leave_the_ranks_of_others_alone() -> None:
    terms = Terms.of(["a", "b", *(f"n{i:06d}" for i in range(1000)), "z"])
    held = Ranking.of(terms)
    first = held.rank

    for start in range(1000, 3000, 50):
        terms, _ = terms.interned([f"n{i:06d}" for i in range(start, start + 50)])
        held = held.extended(terms)

    assert_goes_by_id(held, terms)
    assert held.rank[: len(first)].tolist() == first.tolist()
