"""Classes of edges: each pair of type and reader set has one number, in every version that shares them."""

import random

import numpy as np
import pytest
from numpy.typing import NDArray

from passageway_server.columns import edge_classes as module
from passageway_server.columns.edge_classes import EdgeClasses
from passageway_server.columns.edge_gate import EdgeGate, tables

Pairs = list[tuple[int, int]]


def columns(pairs: Pairs) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    types, gates = np.array(pairs, dtype=np.int32).reshape(-1, 2).T
    return types, gates


def stands_for(classes: EdgeClasses) -> Pairs:
    return list(zip(classes.types.tolist(), classes.gates.tolist(), strict=True))


def drawn(rng: random.Random) -> Pairs:
    return [(rng.randrange(5), rng.randrange(9)) for _ in range(rng.randrange(12))]


def test_a_pair_keeps_its_class_whatever_comes_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_FEW", 3)
    rng = random.Random(5)
    for _ in range(50):
        classes, seen, held = EdgeClasses.none(), Pairs(), list[tuple[EdgeClasses, Pairs]]()
        for _ in range(6):
            pairs = drawn(rng)
            seen += [pair for pair in dict.fromkeys(pairs) if pair not in seen]
            if rng.random() < 0.3:
                classes.interned(*columns(drawn(rng)))  # a commit that was given up
            if rng.random() < 0.2:
                classes = EdgeClasses.from_arrays(classes.arrays())
            classes = classes.interned(*columns(pairs))
            numbers = classes.numbers(*columns(pairs))
            assert [stands_for(classes)[number] for number in numbers] == pairs
            assert sorted(stands_for(classes)) == sorted(seen)
            held.append((classes, stands_for(classes)))
        for earlier, pairs in held:
            assert stands_for(earlier) == pairs == stands_for(classes)[: len(pairs)]


def test_pairs_that_are_all_there_add_nothing() -> None:
    classes = EdgeClasses.none().interned(*columns([(1, 2), (0, 2), (1, 2)]))

    assert classes.interned(*columns([(0, 2)])) is classes
    assert classes.interned(*columns([])) is classes


def test_a_pair_without_a_class_has_no_number() -> None:
    classes = EdgeClasses.none().interned(*columns([(1, 2)]))

    for pair in ((1, 3), (2, 2), (2, 1)):
        with pytest.raises(KeyError):
            classes.numbers(*columns([pair]))
        with pytest.raises(KeyError):
            EdgeClasses.none().numbers(*columns([pair]))


@pytest.mark.parametrize(
    ("types", "gates"), [([0, 3], [0, 0]), ([0, 0], [0, 2]), ([-1], [0]), ([0], [-1]), ([0], [])]
)
def test_stored_classes_of_what_is_not_there_are_refused(
    types: list[int], gates: list[int]
) -> None:
    classes = EdgeClasses.adopted(np.array(types, np.int32), np.array(gates, np.int32))

    with pytest.raises(ValueError, match="edge class"):
        classes.check(types=3, sets=2)


FOUR = EdgeClasses.adopted(*columns([(0, 0), (1, 0), (0, 1), (2, 1)]))
HOLDS = np.array([0, 1], dtype=np.uint8)


def test_what_a_table_says_of_a_type_holds_for_its_classes_that_the_caller_may_read() -> None:
    gate = EdgeGate(FOUR, HOLDS)

    assert gate.held.tolist() == [0, 0, 1, 1]
    assert gate.passing(np.empty(0, np.uint8)).tolist() == [0, 0, 1, 1]
    assert gate.passing(np.array([0, 1, 1], np.uint8)).tolist() == [0, 0, 0, 1]
    assert gate.passing(np.array([5, 1, 300], np.uint16)).tolist() == [0, 0, 5, 300]
    assert [gate.of_type(type).tolist() for type in (0, 1, -1)] == [[0, 0, 1, 0], [0] * 4, [0] * 4]


def test_what_was_asked_before_is_found_again_and_is_that_of_its_own_caller() -> None:
    kept = tables()
    ada, eve = EdgeGate(FOUR, HOLDS, kept), EdgeGate(FOUR, 1 - HOLDS, kept)
    table = np.array([1, 1, 0], dtype=np.uint8)

    first = ada.passing(table)

    assert ada.passing(table.copy()) is first
    assert not first.flags.writeable
    assert ada.of_type(1) is ada.of_type(1)
    assert ada.held is ada.held
    assert ada.passing(table.astype(np.uint16)).dtype == np.uint16
    assert (first.tolist(), eve.passing(table).tolist()) == ([0, 0, 1, 0], [1, 1, 0, 0])
