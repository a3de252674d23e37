"""Arrays by row of which a commit changes a few agree with plain ones, at every version."""

from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from passageway_server.columns import patches
from passageway_server.columns.by_row import ByRow
from passageway_server.columns.patches import UNPATCHED


@pytest.fixture(params=[5, 65_536])
def few(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Patches are made one with the rest after a few, or after many."""
    monkeypatch.setattr(patches, "_FEW", request.param)


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("seed", range(30))
def test_rows_that_are_put_again_and_added_are_those_of_an_array(seed: int) -> None:
    rng = Random(seed)
    plain = np.arange(rng.randint(0, 40), dtype=np.int32)
    array = ByRow.of(plain.copy())
    versions: list[tuple[ByRow[np.int32], NDArray[np.int32]]] = []

    for _ in range(20):
        versions.append((array, plain.copy()))
        if rng.random() < 0.3:
            more = np.array([rng.randint(0, 99) for _ in range(rng.randint(0, 9))], dtype=np.int32)
            array, plain = array.extended(more), np.concatenate((plain, more))
        else:
            rows = np.array(rng.sample(range(len(plain)), rng.randint(0, min(8, len(plain)))))
            values = np.array([rng.randint(0, 99) for _ in rows], dtype=np.int32)
            array = array.put(rows.astype(np.int32), values)
            plain[rows.astype(np.int64)] = values

    for held, expected in [*versions, (array, plain)]:
        some = np.array([rng.randrange(len(expected)) for _ in range(30) if len(expected)], int)
        assert len(held) == len(expected)
        assert held[some].tolist() == expected[some].tolist()
        assert [held[int(row)] for row in some[:5]] == expected[some[:5]].tolist()
        many = np.resize(some, 3000 if len(some) else 0)
        assert held[many].tolist() == expected[many].tolist()
        assert held.whole.tolist() == expected.tolist()
        assert held.whole is held.whole
        assert held[some].tolist() == expected[some].tolist()
        assert not held.whole.flags.writeable


def test_arrays_that_share_their_patches_find_them_once() -> None:
    shared = UNPATCHED.extended(np.array([1, 3], dtype=np.int32))
    left = ByRow.of(np.arange(4)).patched(shared, np.array([10, 30]))
    right = ByRow.of(np.arange(4) * 2.0).patched(shared, np.array([0.1, 0.3]))

    both = ByRow.read_all((left, right), np.array([3, 0, 1]))

    assert [part.tolist() for part in both] == [[30, 0, 10], [0.3, 0.0, 0.1]]


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("seed", range(30))
def test_rows_of_one_value_take_nothing_until_another_comes(seed: int) -> None:
    rng, value = Random(seed), np.int32(7)
    array = ByRow.of(np.full(rng.randint(1, 90), value)).settled()
    plain = np.full(len(array), value)

    for _ in range(12):
        if rng.random() < 0.5:
            more = np.array(rng.choices((7, 7, 7, 8), k=rng.randint(0, 4)), dtype=np.int32)
            array, plain = array.extended(more), np.concatenate((plain, more))
        elif rng.random() < 0.5:
            rows = np.array(rng.sample(range(len(plain)), 1), dtype=np.int32)
            new = np.array(rng.choices((7, 9)), dtype=np.int32)
            array, plain = array.put(rows, new), np.concatenate((plain,))
            plain[rows] = new
        else:
            array = array.settled()
            assert array.settled() is array
            assert any(array.stored.strides) != (len(set(plain.tolist())) == 1)
        some = np.array([rng.randrange(len(plain)) for _ in range(9)])
        again = ByRow.of(array.stored)
        for held in (array, again):
            assert held.whole.tolist() == plain.tolist()
            assert held[some].tolist() == plain[some].tolist()
            assert held[int(some[0])] == plain[some[0]]
            assert held.dtype == held[some].dtype == np.int32


def test_a_whole_is_not_compared_in_passing() -> None:
    array = ByRow.of(np.arange(3))

    with pytest.raises(TypeError, match=r"take \.whole"):
        _ = array == 1
    assert np.asarray(array).tolist() == [0, 1, 2]


@pytest.mark.parametrize("seed", range(20))
def test_the_latest_entry_of_a_row_is_found_and_of_other_rows_none(seed: int) -> None:
    rng, held, latest = Random(seed), UNPATCHED, dict[int, int]()

    for _ in range(10):
        rows = sorted(rng.sample(range(60), rng.randint(0, 10)))
        latest |= {row: held.size + place for place, row in enumerate(rows)}
        held = held.extended(np.array(rows, dtype=np.int32))

    assert dict(zip(held.rows.tolist(), held.entries.tolist(), strict=True)) == dict(
        sorted(latest.items())
    )
    assert [held.entry(row) for row in range(100)] == [latest.get(row, -1) for row in range(100)]
    for asked in (np.arange(100), np.resize(np.arange(100), 5000)):
        places, entries = held.find(asked)
        assert places.tolist() == [i for i, row in enumerate(asked.tolist()) if row in latest]
        assert entries.tolist() == [latest[row] for row in asked[places].tolist()]


@pytest.mark.parametrize("values", [(0.0, -0.0), (-0.0, 0.0), (np.nan, -np.nan), (np.nan, np.nan)])
def test_a_column_of_one_value_takes_no_other_for_it(values: tuple[float, float]) -> None:
    first, second = (np.full(100, value) for value in values)
    both = np.concatenate((first, second))

    extended = ByRow.filled(np.float64(values[0]), 100).extended(second)
    settled = ByRow.of(both.copy()).settled()

    for column in (extended, extended.settled(), settled):
        assert column.whole.tobytes() == both.tobytes()
        assert column[np.array([3, 150])].tobytes() == both[[3, 150]].tobytes()


def test_a_column_of_nan_alone_is_of_one_value() -> None:
    settled = ByRow.of(np.full(100, np.nan)).settled()

    assert settled.stored.strides == (0,)


def test_patches_do_not_keep_the_array_that_their_rows_are_a_part_of() -> None:
    touched = np.arange(100_000, dtype=np.int32)

    held = UNPATCHED.extended(touched[:3])

    assert held.rows.base is None
    assert held.rows.tolist() == [0, 1, 2]
