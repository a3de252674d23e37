"""Numbers by row agree with a set of pairs, at every version."""

from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from passageway_server.columns import row_sets
from passageway_server.columns.row_sets import RowSets, numbers_of, pairs_of, rows_of

LEAST, MOST = -(1 << 31), (1 << 31) - 1


def packed(pairs: set[tuple[int, int]]) -> NDArray[np.int64]:
    rows, numbers = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2).T
    return pairs_of(rows, numbers)


@pytest.mark.parametrize("few", [3, 65_536])
@pytest.mark.parametrize("seed", range(20))
def test_what_is_added_and_taken_away_is_there_or_not(
    monkeypatch: pytest.MonkeyPatch, seed: int, few: int
) -> None:
    monkeypatch.setattr(row_sets, "_FEW", few)
    rng = Random(seed)
    every = [(row, number) for row in range(6) for number in (LEAST, -1, 0, 7, MOST)]
    plain = set(rng.sample(every, rng.randint(0, 20)))
    held = RowSets(packed(plain))
    versions: list[tuple[RowSets, set[tuple[int, int]]]] = []

    for _ in range(12):
        versions.append((held, set(plain)))
        gone = set(rng.sample(sorted(plain), rng.randint(0, len(plain))))
        left = [pair for pair in every if pair not in plain or pair in gone]
        new = set(rng.sample(left, rng.randint(0, min(5, len(left)))))
        held, plain = held.changed(packed(gone), packed(new)), (plain - gone) | new

    for version, expected in [*versions, (held, plain)]:
        pairs = zip(
            rows_of(version.whole).tolist(), numbers_of(version.whole).tolist(), strict=True
        )
        assert list(pairs) == sorted(expected)
        assert len(version) == len(expected)
        for row in range(7):
            at = [number for other, number in sorted(expected) if other == row]
            assert sorted(version.at(np.array([row])).tolist()) == at
        assert len(version.at(np.arange(6))) == len(expected)


def test_stored_pairs_that_do_not_ascend_or_are_at_other_rows_are_refused() -> None:
    pairs = pairs_of(np.array([0, 2]), np.array([5, 5]))

    assert len(RowSets.checked(pairs, rows=3)) == 2
    for wrong, rows in ((pairs[::-1], 3), (pairs, 2), (pairs[[0, 0]], 3), (pairs - (1 << 32), 3)):
        with pytest.raises(ValueError, match=r"pairs|row"):
            RowSets.checked(wrong, rows=rows)
