"""Several lists become one by the ranks of their rows, whether scores are worked out or bounded."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from passageway_server.engine.found import LEXICAL, VECTOR, Bounds, Found
from passageway_server.engine.fusion import fused
from passageway_server.values.halt import UNHALTED


def of(scores: dict[int, float], by: int = LEXICAL) -> Found:
    return Found(np.array(list(scores), dtype=np.int32), np.array(list(scores.values())), by)


def bounded(scores: dict[int, float], below: list[float], above: list[float]) -> Found:
    """The same where scores are bounded so far *below* and *above*."""
    rows, exact = np.array(list(scores), dtype=np.int32), np.array(list(scores.values()))
    low, high = exact - below[: len(exact)], exact + above[: len(exact)]

    def worked_out(places: NDArray[np.integer]) -> NDArray[np.float64]:
        some: NDArray[np.float64] = exact[places]
        return some

    return Found(rows, Bounds(low, high, worked_out), VECTOR)


def scores_of(found: Found) -> dict[int, float]:
    return dict(zip(found.rows.tolist(), found.scores.tolist(), strict=True))


def plain(*lists: dict[int, float]) -> dict[int, float]:
    scores: dict[int, float] = {}
    for one in lists:
        for row, score in one.items():
            rank = 1 + sum(other > score for other in one.values())
            scores[row] = scores.get(row, 0.0) + 1 / (60 + rank)
    return scores


def test_a_row_in_two_lists_has_the_shares_of_both_ranks() -> None:
    found = fused([of({7: 3.0, 5: 2.0}), of({5: 0.9, 9: 0.1}, VECTOR)], UNHALTED)

    assert scores_of(found) == {7: 1 / 61, 5: 1 / 62 + 1 / 61, 9: 1 / 62}
    assert found.by.tolist() == [LEXICAL | VECTOR, LEXICAL, VECTOR]


def test_equal_scores_share_a_rank_and_the_next_is_skipped() -> None:
    found = fused([of({1: 2.0, 2: 2.0, 3: 1.0}), of({})], UNHALTED)

    assert scores_of(found) == {1: 1 / 61, 2: 1 / 61, 3: 1 / 63}


def test_no_rows_make_no_list() -> None:
    assert len(fused([of({}), of({}, VECTOR)], UNHALTED)) == 0


few = st.sampled_from([-1.0, -0.5, 0.0, 0.25, 0.25 + 2**-50, 0.5, 1.0])
some = st.dictionaries(st.integers(0, 40), few | st.floats(-2, 2), max_size=25)
widths = st.lists(st.sampled_from([0.0, 1e-12, 0.1, 0.3, 5.0]), min_size=25, max_size=25)


@given(st.lists(some, min_size=1, max_size=3), some, widths, widths, st.integers(0, 12))
def test_bounds_come_to_the_same(
    lists: list[dict[int, float]],
    last: dict[int, float],
    below: list[float],
    above: list[float],
    limit: int,
) -> None:
    found = fused([*map(of, lists), bounded(last, below, above)], UNHALTED)
    expected = plain(*lists, last)

    assert found.bounds is not None
    exact = np.array([expected[row] for row in found.rows.tolist()])
    assert (found.bounds.low <= exact).all()
    assert (exact <= found.bounds.high).all()
    leading = np.flatnonzero(found.leading(limit))
    assert scores_of(found.at(leading)) == {
        row: expected[row] for row in found.rows[leading].tolist()
    }
    in_order = sorted(expected, key=lambda row: (-expected[row], row))
    assert set(in_order[:limit]) <= {*found.rows[leading].tolist()}
    assert scores_of(found) == expected


@pytest.mark.parametrize(("first", "limit"), list(product((0.0, 0.1), (1, 2, 3))))
def test_a_row_whose_bounds_reach_the_last_place_is_kept(first: float, limit: int) -> None:
    found = bounded({1: 0.9, 2: 0.5, 3: 0.5, 4: 0.4}, [first] * 4, [0.1] * 4)

    leading = found.rows[found.leading(limit)].tolist()

    assert {1, 2, 3, 4}.issuperset(leading)
    assert set([1, 2, 3][:limit]) <= {*leading}
    assert (4 in leading) == (limit > 1)
