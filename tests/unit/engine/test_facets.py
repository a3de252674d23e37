"""Facets over columns agree with counts over plain dicts."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from passageway_server.authz.callers import Caller
from passageway_server.engine.facets import FacetPlan, count_values
from passageway_server.engine.predicate import KnownField, Over, Source
from passageway_server.errors import Cancelled
from passageway_server.values.collections import Kind
from passageway_server.values.halt import Halt
from passageway_server.values.records import Batch, NodeRecord
from tests.unit.engine.bound import all_gates, version_of
from tests.unit.engine.drawn_columns import PROSE, Drawn, batches, fields
from tests.unit.engine.plain_measures import facet

OVER: list[Over] = ["nodes", "edges"]
TAG = KnownField("tag", Source.PROPERTY, Kind.KEYWORD)


@pytest.mark.parametrize("over", OVER)
@given(batch=batches(), limit=st.sampled_from([None, 0, 1, 2, 3, 100]))
def test_columns_agree_with_plain_rows(over: Over, batch: Batch, limit: int | None) -> None:
    drawn = Drawn(batch, over)
    names = [name for name in fields(over) if name not in PROSE]
    plans = {name: FacetPlan(drawn.field(name), limit) for name in names}

    found = count_values(drawn.version, drawn.gate, drawn.numbers(), plans, over=over)

    assert {name: list(map(tuple, buckets)) for name, buckets in found.items()} == {
        name: facet(drawn.plain.values(), name, limit) for name in names
    }


@given(batches(), st.data())
def test_only_the_rows_asked_about_count(batch: Batch, data: st.DataObject) -> None:
    drawn = Drawn(batch, "nodes")
    ids = data.draw(st.lists(st.sampled_from(sorted(drawn.plain)), unique=True))

    found = count_values(
        drawn.version,
        drawn.gate,
        drawn.numbers(ids),
        {name: FacetPlan(drawn.field(name), None) for name in ("tag", "related", "size")},
    )

    rows = [drawn.plain[id] for id in ids]
    for name, buckets in found.items():
        assert list(map(tuple, buckets)) == facet(rows, name, None)


def test_a_link_to_a_hidden_row_is_no_value() -> None:
    version = version_of(
        Batch(
            put_nodes=(
                NodeRecord("a", links={"related": ("b", "hidden", "absent")}),
                NodeRecord("b", links={"related": ("b", "hidden")}),
                NodeRecord("hidden", readers=("user:eve",)),
            )
        )
    )
    plans = {"f": FacetPlan(KnownField("related", Source.LINK, Kind.LINK), None)}
    rows = version.nodes.ids.find_all(["a", "b"])

    def counted(caller: Caller) -> list[tuple[str, int]]:
        found = count_values(version, all_gates(version, caller).read, rows, plans)
        return [(bucket.value, bucket.rows) for bucket in found["f"]]

    assert counted(Caller.holding(())) == [("b", 2)]
    assert counted(Caller.holding(["user:eve"])) == [("b", 2), ("hidden", 2)]


def test_whole_numbers_far_apart_are_counted_like_those_that_are_near() -> None:
    sizes = [0, 10**12, 7, 10**12, -(10**15)]
    put = [NodeRecord(f"n{i}", properties={"size": size}) for i, size in enumerate(sizes)]
    version = version_of(Batch(put_nodes=tuple(put)))
    plans = {"f": FacetPlan(KnownField("size", Source.PROPERTY, Kind.INT), None)}

    found = count_values(version, all_gates(version).read, np.arange(5), plans)

    assert found["f"] == [("1000000000000", 2), ("-1000000000000000", 1), ("0", 1), ("7", 1)]


def test_where_the_time_is_spent_facets_have_no_key_and_a_caller_that_is_gone_gets_none() -> None:
    version = version_of(Batch(put_nodes=(NodeRecord("a", properties={"tag": "x"}),)))
    read, halt = all_gates(version).read, Halt()
    gate = replace(read, halt=halt)
    halt.time_out()

    assert count_values(version, gate, np.arange(1), {"f": FacetPlan(TAG, 10)}) == {}
    halt.cancel()
    with pytest.raises(Cancelled):
        count_values(version, gate, np.arange(1), {"f": FacetPlan(TAG, 10)})
