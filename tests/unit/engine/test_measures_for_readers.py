"""What is measured for some readers tells them nothing of other rows, nor of runs for others."""

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings

from passageway.v1.types_pb2 import FIELD_KIND_KEYWORD
from passageway_server.values.collections import Direction
from passageway_server.values.queries import EdgeSpec
from passageway_server.values.records import Batch, NodeRecord
from passageway_server.values.requests import Measure
from passageway_server.version.store import Store
from tests import peers
from tests.properties.rebuilds import (
    among_other_hidden_rows,
    batch_of,
    readable,
    settings_of,
)
from tests.properties.strategies import edge_counts, node_counts, seeds
from tests.properties.worlds import random_world
from tests.unit.engine.measured_graphs import of_edges
from tests.unit.engine.measuring import filled, in_this_process, members, run, seen

pytestmark = pytest.mark.usefixtures("in_this_process")
__all__ = ["in_this_process"]


@given(seed=seeds, nodes=node_counts, edges=edge_counts)
@settings(max_examples=40)
def test_hidden_rows_change_nothing_of_what_the_principals_are_told(
    seed: int, nodes: int, edges: int
) -> None:
    drawn = random_world(seed, nodes, edges)
    drawn.settings.ClearField("membership")
    principals = tuple(sorted(drawn.callers[0].held))
    caller = peers.Caller(principals=frozenset(principals))
    visible = batch_of(readable(drawn.world, caller))
    known = settings_of(readable(drawn.world, caller))
    others = among_other_hidden_rows(Random(seed), visible)
    told: list[Any] = []

    for which, batches in ((drawn.settings, drawn.batches), (known, [visible]), (known, others)):
        store = filled(which, batches)
        specs = (EdgeSpec(direction=Direction.BOTH),)
        for measure in (Measure.PAGERANK, Measure.DEGREE, Measure.COMMUNITIES):
            run(store, measure, principals=principals, edges=specs, property=f"measured-{measure}")
        last = run(
            store, Measure.COMMUNITIES, principals=principals, seed=seed, property="measured-again"
        )
        told.append((last[2:], seen(store.collection("c").current, principals)))

    assert told[0] == told[1]
    assert told[0] == told[2]


def test_a_community_is_read_by_who_holds_all_its_principals() -> None:
    store = of_edges(("a", "b"))
    store.collection("c").apply(Batch(put_nodes=(NodeRecord("z", readers=("group:b",)),)))

    run(store, Measure.COMMUNITIES, principals=("group:b", "group:a", "group:b"))

    version = store.collection("c").current
    both, one = (
        seen(version, ("public", *held))[0] for held in (("group:a", "group:b"), ("group:b",))
    )
    communities = [readers for type, _, readers, _ in both.values() if type == "community"]
    assert communities == [("group:a & group:b",)] * 2
    assert "community" not in {row[0] for row in one.values()}


@given(seed=seeds, nodes=node_counts, edges=edge_counts)
@settings(max_examples=40)
def test_runs_of_another_audience_change_nothing_of_what_the_principals_are_told(
    seed: int, nodes: int, edges: int
) -> None:
    drawn = random_world(seed, nodes, edges)
    drawn.settings.ClearField("membership")
    principals = tuple(sorted(drawn.callers[0].held))
    others = (*principals, "group:others")
    caller = peers.Caller(principals=frozenset(principals))
    known, visible = (
        settings_of(readable(drawn.world, caller)),
        batch_of(readable(drawn.world, caller)),
    )
    theirs = drawn.settings.fields.add(name="theirs", kind=FIELD_KIND_KEYWORD)
    theirs.readers.append("group:others")
    whole, rebuilt = filled(drawn.settings, drawn.batches), filled(known, [visible])
    parts: dict[str, Any] = {"property": "ours", "seed": seed}

    run(whole, Measure.COMMUNITIES, principals=others, property="theirs", seed=seed)
    told = [
        run(one, Measure.COMMUNITIES, principals=principals, **parts) for one in (whole, rebuilt)
    ]
    run(whole, Measure.COMMUNITIES, principals=others, property="theirs", resolution=2.0)

    assert told[0][2:] == told[1][2:]
    assert shown(whole, principals) == shown(rebuilt, principals)


def shown(store: Store, principals: tuple[str, ...]) -> tuple[dict[str, Any], list[Any]]:
    """What *principals* see; of a community its readers are not compared, which they are not shown."""
    rows, edges = seen(store.collection("c").current, principals)
    return {
        id: (type, name, () if type == "community" else readers, properties)
        for id, (type, name, readers, properties) in rows.items()
    }, edges


def test_a_community_of_two_audiences_is_read_by_both_until_a_writer_fills_it() -> None:
    store = of_edges(("a", "b"))
    run(store, Measure.COMMUNITIES, principals=("group:eng",), property="of_eng")
    (community,) = members(store)
    run(store, Measure.COMMUNITIES, principals=("group:hr",), property="of_hr")
    told = NodeRecord(community, "community", content="ours", readers=("group:eng", "group:hr"))
    store.collection("c").apply(Batch(put_nodes=(told,)))

    run(store, Measure.COMMUNITIES, property="of_all")

    version = store.collection("c").current
    for held, reads in ((("group:eng",), True), (("group:hr",), True), ((), False)):
        rows, edges = seen(version, ("public", *held))
        assert (community in rows) is reads
        assert (len(edges) == 3) is reads
