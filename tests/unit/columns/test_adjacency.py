"""An adjacency that was changed has the edges, in the order, of one that was packed from scratch."""

from random import Random

import numpy as np
import pytest

from passageway_server.columns import since
from passageway_server.columns.adjacency import Adjacency
from tests.unit.columns import histories

SEEDS = range(60)


def same(found: Adjacency, wanted: Adjacency) -> bool:
    names = wanted.arrays()
    return all(np.array_equal(array, names[name]) for name, array in found.arrays().items())


@pytest.mark.parametrize("seed", SEEDS)
def test_versions_held_at_once_each_have_their_own_edges(seed: int) -> None:
    states = histories.history(Random(seed))

    for state in states:
        for found, wanted in zip((state.out, state.into), state.packed(), strict=True):
            assert same(found.merged(), wanted)
            rows = np.arange(state.rows)
            degrees = np.diff(wanted.offsets)
            assert (found.most_edges(rows) >= degrees).all()
            assert sorted(found.keys_at(rows).tolist()) == sorted(wanted.stored.tolist())


@pytest.mark.parametrize("seed", SEEDS)
def test_the_edges_of_some_rows_are_theirs(seed: int) -> None:
    random = Random(seed)
    state = histories.history(random)[-1]
    rows = np.array(random.sample(range(state.rows), state.rows // 2), dtype=np.int32)

    slots = state.out.slots_of(rows)

    found = list(zip(rows[slots.owners], slots.others, slots.classes, slots.stored, strict=True))
    wanted = [
        (source, target, number, key)
        for key, (source, target, _, number) in state.edges.items()
        if source in rows and source != target
    ]
    assert sorted(found) == sorted(wanted)
    parts = list(state.out.parts_of(rows, 3))
    assert all(len(part) <= 3 for part in parts)
    again = [zip(rows[p.owners], p.others, p.classes, p.stored, strict=True) for p in parts]
    assert sorted(edge for part in again for edge in part) == sorted(found)


def test_a_version_made_of_a_merged_one_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(since, "_GARBAGE", 4)
    random = Random(7)
    state = histories.history(random)[-1]
    state = histories.State(state.edges, state.rows, state.out.merged(), state.into.merged())

    for _ in range(50):
        state = histories.changed(random, state)
        assert same(state.out.merged(), state.packed()[0])
        changes = state.out.since
        assert changes is None or len(changes.added) <= 2 * int(changes.counts.sum()) + 40


def test_an_edge_that_is_not_there_cannot_be_removed() -> None:
    state = histories.begun({1: (0, 1, 0.5, 0)}, rows=2)
    nothing = histories.edge_list({})

    for other in ({1: (0, 1, 0.25, 0)}, {2: (0, 1, 0.5, 0)}):
        with pytest.raises(KeyError):
            state.out.changed(histories.edge_list(other), nothing, rows=2, reverse=False)


def test_rows_alone_are_added_without_edges() -> None:
    state = histories.begun({1: (0, 1, 0.5, 0)}, rows=2)

    longer = histories.after(state, state.edges, 50)

    assert longer.out.most_edges(np.arange(50)).tolist() == [1, *[0] * 49]
    assert same(longer.out.merged(), longer.packed()[0])
    with pytest.raises(ValueError, match="beside its base"):
        longer.out.arrays()
