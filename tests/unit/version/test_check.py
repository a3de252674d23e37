"""What a batch, or a change of settings, is refused for: every fault at once, with its place."""

import math

import pytest

from passageway_server.errors import InvalidRequest
from passageway_server.values.collections import (
    CollectionSettings,
    FieldDeclaration,
    Kind,
)
from passageway_server.values.records import (
    Batch,
    EdgeRecord,
    NodeRecord,
    Properties,
)
from tests.unit.version.making import collection, faults, node, records


@pytest.mark.parametrize("weight", [math.nan, math.inf, -math.inf, -1.0, -5e-324])
def test_a_weight_that_is_no_weight_is_refused_with_its_place(weight: float) -> None:
    kept = collection()
    fine = EdgeRecord("e0", "a", "b", weight=0.0)

    found = faults(kept, Batch(put_edges=(fine, EdgeRecord("e1", "a", "b", weight=weight))))

    assert found == ["batch.put_edges[1].weight"]


def test_a_batch_with_faults_changes_nothing_and_names_them_all() -> None:
    kept = collection()
    before = kept.current
    bad = Batch(
        put_nodes=(NodeRecord("ok"), NodeRecord(""), NodeRecord("n\0", readers=(" x",))),
        put_edges=(EdgeRecord("e", "a", "x" * 1025),),
        delete_nodes=("",),
    )

    found = faults(kept, bad)

    assert found == [
        "batch.delete_nodes[0]",
        "batch.put_nodes[1].id",
        "batch.put_nodes[2].id",
        "batch.put_nodes[2].readers[0]",
        "batch.put_edges[0].target",
    ]
    assert kept.current is before


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ({"p": "text"}, {"p": 1}),
        ({"p": 1}, {"p": True}),
        ({"p": [1.5]}, {"p": "x"}),
        ({"p": False}, {"p": 0}),
    ],
)
def test_a_name_has_one_kind_in_a_set_of_fields(first: Properties, then: Properties) -> None:
    kept = collection()
    kept.apply(Batch(put_nodes=(NodeRecord("a", properties=first),)))

    found = faults(kept, Batch(put_nodes=(NodeRecord("b", properties=then),)))
    kept.apply(Batch(put_edges=(EdgeRecord("e", "a", "a", properties=then),)))

    assert found == ["batch.put_nodes[0].properties.p"]
    assert records(kept.current).put_edges[0].properties == then


def test_a_property_cannot_bear_the_name_of_a_link_field() -> None:
    kept = collection()
    kept.apply(Batch(put_nodes=(node("a", rel=["b"]),)))

    as_link = faults(kept, Batch(put_nodes=(NodeRecord("b", properties={"rel": "x"}),)))
    as_span = faults(kept, Batch(put_nodes=(NodeRecord("b", properties={"PART_OF": "x"}),)))
    kept.apply(Batch(put_nodes=(NodeRecord("b", properties={"prop": "x"}),)))
    as_property = faults(kept, Batch(put_nodes=(node("c", prop=["a"]),)))

    assert as_link == ["batch.put_nodes[0].properties.rel"]
    assert as_span == ["batch.put_nodes[0].properties.PART_OF"]
    assert as_property == ["batch.put_nodes[0].links.prop"]


def test_a_field_is_declared_over_values_that_fit_and_refused_over_those_that_do_not() -> None:
    kept = collection()
    kept.apply(Batch(put_nodes=(NodeRecord("a", properties={"n": 1, "k": "x"}),)))

    def declare(*fields: FieldDeclaration) -> None:
        kept.update(lambda now: CollectionSettings(now.name, fields=fields))

    declare(FieldDeclaration("n", Kind.INT), FieldDeclaration("k", Kind.KEYWORD))
    with pytest.raises(InvalidRequest):
        declare(FieldDeclaration("n", Kind.KEYWORD))
    with pytest.raises(InvalidRequest):
        declare(FieldDeclaration("k", Kind.TEXT))
    declare()
    kept.apply(Batch(put_nodes=(NodeRecord("b", properties={"n": 1.5}),)))

    assert records(kept.current).put_nodes[0].properties == {"k": "x", "n": 1}
