"""Edge documents that stand in slots agree with plain arrays, whatever came before and stands beside."""

from random import Random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from passageway_server.columns.adjacency import Adjacency
from passageway_server.columns.by_row import ByRow
from passageway_server.columns.edge_classes import EdgeClasses
from passageway_server.columns.edge_list import EdgeList
from passageway_server.columns.in_slots import BARE, DEAD, InSlots
from passageway_server.columns.nodes import DOC_FILL, Docs
from passageway_server.columns.patches import UNPATCHED
from passageway_server.columns.standing import in_slots, place_in
from passageway_server.columns.stored import link_keys
from passageway_server.columns.terms import Terms

ROWS = 9
CLASSES = EdgeClasses.none().interned(
    np.repeat(np.arange(4, dtype=np.int32), 3), np.tile(np.array([2, 5, 7], dtype=np.int32), 4)
)
Columns = dict[str, NDArray[Any]]


def drawn(rng: Random, count: int) -> Columns:
    """Some are dead, some self-loops, and row 0 stands for nothing: those at it dangle."""
    draw: dict[str, Any] = {
        "alive": [rng.random() < 0.8 for _ in range(count)],
        "source": [rng.randrange(ROWS) for _ in range(count)],
        "target": [rng.randrange(ROWS) for _ in range(count)],
        "type": [rng.randrange(4) for _ in range(count)],
        "weight": [rng.choice((float("nan"), 0.5, 2.0, rng.random())) for _ in range(count)],
        "readers": [rng.choice((2, 5, 7)) for _ in range(count)],
    }
    columns = {name: np.array(draw[name], dtype=kind) for name, (kind, _) in DOC_FILL.items()}
    for name, (_, nothing) in DOC_FILL.items():
        columns[name][columns["alive"] == 0] = nothing
    return columns


def docs_of(columns: Columns) -> Docs:
    return Docs(Terms.of(), {}, **{name: ByRow.of(part) for name, part in columns.items()})


def walked(columns: Columns) -> NDArray[np.int64]:
    source, target = columns["source"], columns["target"]
    return np.flatnonzero(columns["alive"] & (source != target) & (source > 0) & (target > 0))


def out_of(columns: Columns) -> Adjacency:
    """The documents that are walked, by source, and a link of each row to the next."""
    docs, near = walked(columns), np.arange(1, ROWS - 1)
    weights = np.where(np.isnan(columns["weight"]), 1.0, columns["weight"])
    links = link_keys(near, np.zeros(len(near), dtype=np.bool_))
    edges = EdgeList(
        sources=np.concatenate((near, columns["source"][docs])).astype(np.int32),
        targets=np.concatenate((near + 1, columns["target"][docs])).astype(np.int32),
        weights=np.concatenate((np.ones(len(near)), weights[docs])),
        classes=CLASSES.numbers(
            np.concatenate((near * 0, columns["type"][docs])).astype(np.int32),
            np.concatenate((near * 0 + 2, columns["readers"][docs])).astype(np.int32),
        ),
        stored=np.concatenate((links, docs)).astype(np.int32),
    )
    return Adjacency.build(edges, rows=ROWS, reverse=False)


def same(held: Docs, columns: Columns, rng: Random) -> None:
    count = len(columns["alive"])
    some = np.array([rng.randrange(count) for _ in range(rng.choice((1, 5, 200)))], dtype=np.int64)
    together = ByRow.read_all(held.by_row().values(), some)
    for (name, array), read in zip(held.by_row().items(), together, strict=True):
        expected = columns[name]
        np.testing.assert_array_equal(array.whole, expected)
        np.testing.assert_array_equal(array[some], expected[some])
        np.testing.assert_array_equal(read, expected[some])
        np.testing.assert_array_equal(array[int(some[0])], expected[some[0]])
        assert array.whole.dtype == array[some].dtype == array.dtype == expected.dtype
        assert not array.whole.flags.writeable


@pytest.mark.parametrize("at_once", [3, 1 << 18])
@pytest.mark.parametrize("seed", range(40))
def test_documents_in_slots_are_those_that_were_put(
    monkeypatch: pytest.MonkeyPatch, seed: int, at_once: int
) -> None:
    monkeypatch.setattr("passageway_server.columns.in_slots.AT_ONCE", at_once)
    rng = Random(seed)
    columns = drawn(rng, rng.choice((1, 40, 300)))

    held = Docs(Terms.of(), {}, **in_slots(docs_of(columns), out_of(columns), CLASSES))

    same(held, columns, rng)
    place_in(held, out_of(columns), CLASSES).check(rows=ROWS, types=4, sets=8)


@pytest.mark.parametrize("seed", range(40))
def test_rows_put_again_added_or_left_out_are_taken_along_into_other_slots(seed: int) -> None:
    rng = Random(seed)
    columns, later = drawn(rng, 60), drawn(rng, rng.choice((0, 20)))
    again, written = np.sort(rng.sample(range(60), 9)).astype(np.int32), drawn(rng, 9)
    held = in_slots(docs_of(columns), out_of(columns), CLASSES)
    patches = UNPATCHED.extended(again)
    changed = {
        name: array.extended(later[name]).patched(patches, written[name])
        for name, array in held.items()
    }
    columns = {name: np.concatenate((part, later[name])) for name, part in columns.items()}
    for name, part in columns.items():
        part[again] = written[name]

    docs = Docs(Terms.of(), {}, **changed)
    kept = np.flatnonzero(columns["alive"])
    alive = {name: part[kept] for name, part in columns.items()}

    same(docs, columns, rng)
    same(Docs(Terms.of(), {}, **in_slots(docs, out_of(columns), CLASSES)), columns, rng)
    if len(kept):
        same(Docs(Terms.of(), {}, **in_slots(docs, out_of(alive), CLASSES, kept)), alive, rng)


def test_documents_that_stand_in_the_slots_already_stay_as_they_are() -> None:
    columns = drawn(Random(1), 30)
    out = out_of(columns)
    held = in_slots(docs_of(columns), out, CLASSES)

    again = in_slots(Docs(Terms.of(), {}, **held), out, CLASSES)

    assert all(again[name] is held[name] for name in DOC_FILL)


def test_who_looks_at_all_documents_has_an_array_that_nobody_keeps() -> None:
    columns = drawn(Random(1), 3000)
    held = in_slots(docs_of(columns), out_of(columns), CLASSES)

    assert all(array.whole is not array.whole for array in held.values())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("slot", 10_000),
        ("slot", -10_000),
        ("aside.source", ROWS),
        ("aside.target", -1),
        ("aside.type", 4),
        ("aside.type", -1),
        ("aside.readers", 8),
    ],
)
def test_numbers_of_what_is_not_there_are_refused(name: str, value: int) -> None:
    columns = drawn(Random(2), 60)
    out = out_of(columns)
    arrays = {n: a.copy() for n, a in InSlots.of(docs_of(columns), out, CLASSES).arrays().items()}
    arrays[name][0] = value

    with pytest.raises(ValueError, match="a document"):
        InSlots.from_arrays(arrays, out, CLASSES).check(rows=ROWS, types=4, sets=8)


@pytest.mark.parametrize("at_once", [3, 1 << 18])
@pytest.mark.parametrize("bare", [0, BARE])
def test_a_document_in_the_slot_of_another_edge_is_refused(
    monkeypatch: pytest.MonkeyPatch, at_once: int, bare: int
) -> None:
    monkeypatch.setattr("passageway_server.columns.in_slots.AT_ONCE", at_once)
    columns = drawn(Random(2), 60)
    out = out_of(columns)
    arrays = InSlots.of(docs_of(columns), out, CLASSES).arrays()
    slot = arrays["slot"].copy()
    last = np.flatnonzero(slot >= 0)[-1]
    others = np.flatnonzero(out.stored != last)
    for other in (others[0], others[-1]):
        slot[last] = other | bare

        with pytest.raises(ValueError, match="in the slot of another edge"):
            InSlots.from_arrays(arrays | {"slot": slot}, out, CLASSES).check(
                rows=ROWS, types=4, sets=8
            )


@pytest.mark.parametrize("at_once", [3, 1 << 18])
@pytest.mark.parametrize("elsewhere", [DEAD, ~1])
def test_a_document_whose_edge_stands_in_a_slot_is_neither_dead_nor_aside(
    monkeypatch: pytest.MonkeyPatch, at_once: int, elsewhere: int
) -> None:
    monkeypatch.setattr("passageway_server.columns.in_slots.AT_ONCE", at_once)
    columns = drawn(Random(2), 60)
    out = out_of(columns)
    arrays = InSlots.of(docs_of(columns), out, CLASSES).arrays()
    slot = arrays["slot"].copy()
    slot[np.flatnonzero(slot >= 0)[-1]] = elsewhere

    with pytest.raises(ValueError, match="does not stand in the slot of its edge"):
        InSlots.from_arrays(arrays | {"slot": slot}, out, CLASSES).check(rows=ROWS, types=4, sets=8)
