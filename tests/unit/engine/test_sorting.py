"""Orders over columns agree with orders over plain dicts, and go on after any position."""

from dataclasses import replace
from datetime import datetime
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from passageway_server.engine.predicate import KnownField, Over, Source
from passageway_server.engine.sorting import SortKey, after, first_rows, sort_values
from passageway_server.errors import Cancelled
from passageway_server.values.collections import Kind
from passageway_server.values.halt import Halt
from passageway_server.values.records import Batch, NodeRecord
from tests.unit.engine.bound import all_gates, version_of
from tests.unit.engine.drawn_columns import Drawn, batches, fields
from tests.unit.engine.plain_measures import counting, in_order, to_micros

OVER: list[Over] = ["nodes", "edges"]
NAME = KnownField("name", Source.BUILT_IN, Kind.KEYWORD)


@st.composite
def sorts(draw: st.DrawFn) -> tuple[Over, list[str]]:
    over = draw(st.sampled_from(OVER))
    keys = st.tuples(st.sampled_from(["", "-"]), st.sampled_from(fields(over))).map("".join)
    return over, draw(st.lists(keys, max_size=3))


def keys_of(drawn: Drawn, names: list[str]) -> tuple[SortKey, ...]:
    return tuple(
        SortKey(drawn.field(name.removeprefix("-")), name.startswith("-")) for name in names
    )


@given(batches(), sorts(), st.integers(0, 9))
def test_the_first_rows_are_those_of_a_sort_of_plain_rows(
    batch: Batch, sort: tuple[Over, list[str]], limit: int
) -> None:
    over, names = sort
    drawn = Drawn(batch, over)

    found = first_rows(
        drawn.version, drawn.gate, drawn.numbers(), keys_of(drawn, names), limit, over=over
    )

    assert drawn.ids(found) == in_order(drawn.plain, names)[:limit]


@given(batches(), sorts())
def test_what_comes_after_a_row_is_the_rest_of_the_order(
    batch: Batch, sort: tuple[Over, list[str]]
) -> None:
    over, names = sort
    drawn = Drawn(batch, over)
    keys, numbers = keys_of(drawn, names), drawn.numbers()
    ordered = in_order(drawn.plain, names)
    for place, id in enumerate(ordered):
        values = sort_values(
            drawn.version, drawn.gate, int(drawn.numbers([id])[0]), keys, over=over
        )
        behind = after(drawn.version, drawn.gate, numbers, keys, values, id, over=over)

        assert list(values) == [_as_json(counting(drawn.plain[id], name)) for name in names]
        assert set(drawn.ids(numbers[behind])) == set(ordered[place + 1 :])


@given(batches(), sorts(), st.data())
def test_a_position_where_no_row_stands_any_more_parts_the_others_as_it_did(
    batch: Batch, sort: tuple[Over, list[str]], data: st.DataObject
) -> None:
    over, names = sort
    drawn = Drawn(batch, over)
    keys = keys_of(drawn, names)
    ordered = in_order(drawn.plain, names)
    place = data.draw(st.integers(0, len(ordered) - 1))
    gone = ordered[place]
    values = sort_values(drawn.version, drawn.gate, int(drawn.numbers([gone])[0]), keys, over=over)
    left = drawn.numbers([id for id in ordered if id != gone])

    behind = after(drawn.version, drawn.gate, left, keys, values, gone, over=over)

    assert set(drawn.ids(left[behind])) == set(ordered[place + 1 :])


def test_a_position_between_the_values_of_all_rows_parts_them() -> None:
    put = [NodeRecord(f"n{i}", properties={"size": i}) for i in range(4)]
    version = version_of(Batch(put_nodes=(*put, NodeRecord("lacking"))))
    gate, rows = all_gates(version).read, np.arange(5)

    def ids(value: float | str, *, descending: bool) -> list[str]:
        keys = (SortKey(KnownField("size", Source.PROPERTY, Kind.INT), descending),)
        behind = after(version, gate, rows, keys, (value,), "")
        return version.nodes.ids.take(rows[behind])

    assert ids(1.5, descending=False) == ["n2", "n3", "lacking"]
    assert ids(1.5, descending=True) == ["n0", "n1", "lacking"]
    assert ids(1, descending=False) == ["n1", "n2", "n3", "lacking"]
    assert ids("of another kind", descending=False) == ["lacking"]


def test_many_rows_of_long_and_like_names_are_ordered_by_code_point() -> None:
    stems = ["", "x" * 6, "x" * 7, "x" * 8, "x" * 56, "x" * 57, "x" * 200]
    ends = ["", "\0", "a", "ab", "\u00e9", "\uffff", "\U0001f600"]
    names = [stem + end for stem, end in product(stems, ends)]
    put = [NodeRecord(f"n{i}", name=name) for i, name in enumerate(names * 2)]
    version = version_of(Batch(put_nodes=tuple(put)))
    rows = np.random.default_rng(1).permutation(len(put))
    keys = (SortKey(NAME),)
    expected = [
        record.id
        for record in sorted(put, key=lambda record: (record.name == "", record.name, record.id))
    ]
    for limit in (1, 3, 40, len(put)):
        found = first_rows(version, all_gates(version).read, rows, keys, limit)

        assert version.nodes.ids.take(found) == expected[:limit]


@pytest.mark.parametrize("limit", [1, 3])
def test_a_sort_ends_when_its_caller_has_gone(limit: int) -> None:
    halt = Halt()
    halt.cancel()
    version = version_of(Batch(put_nodes=tuple(NodeRecord(f"n{i}") for i in range(3))))
    read = all_gates(version).read
    gate = replace(read, halt=halt)

    with pytest.raises(Cancelled):
        first_rows(version, gate, np.arange(3), (SortKey(NAME),), limit)


def _as_json(value: Any) -> Any:
    return to_micros(value) if isinstance(value, datetime) else value
