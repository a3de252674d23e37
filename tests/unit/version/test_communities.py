"""One community of several audiences, and of writers: who may read it in the end, and what no run touches."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from passageway_server.values.collections import FieldDeclaration, Kind
from passageway_server.values.records import Batch, EdgeRecord, NodeRecord, PassageRecord
from passageway_server.version.collection import Collection
from passageway_server.version.store import Store
from tests.unit.version.making import PUBLIC, records
from tests.unit.version.partitions import (
    ABC,
    belonging,
    community_id,
    edge_id,
    filled,
    partition,
)

AB = community_id("ab")
ENG, HR = "group:eng", "group:hr & level:senior"
AS_MADE = NodeRecord(AB, "community", readers=(ENG,))


def found(kept: Collection, id: str = AB) -> NodeRecord | PassageRecord | None:
    """What stands at an id."""
    every = records(kept.current)
    rows: list[NodeRecord | PassageRecord] = [*every.put_nodes, *every.put_passages]
    return next((row for row in rows if row.id == id), None)


def readers(kept: Collection, id: str = AB) -> tuple[str, ...]:
    node = found(kept, id)
    assert node is not None
    return node.readers


def named(kept: Collection, name: str, id: str = "a") -> object:
    node = found(kept, id)
    assert node is not None
    return node.properties.get(name)


def edges(kept: Collection, type: str = "BELONGS_TO") -> set[tuple[str, str]]:
    every = records(kept.current)
    return {(edge.source, edge.target) for edge in every.put_edges if edge.type == type}


def test_each_run_opens_what_runs_made_to_its_own_readers_too() -> None:
    kept = filled()

    for name, audience in (("e", ENG), ("p", "public"), ("h", HR), ("e2", ENG)):
        partition(kept, name, "ab", "c", readers=audience)

    assert found(kept) == replace(AS_MADE, readers=(ENG, HR, "public"))
    assert belonging(kept) == {"ab": "ab", "c": "c"}
    assert {named(kept, name) for name in ("e", "p", "h", "e2")} == {AB}


def test_a_second_run_of_an_audience_changes_nothing_of_what_it_made() -> None:
    kept = filled()
    partition(kept, "e", "ab", "c", readers=ENG)
    before = kept.current

    partition(kept, "e", "ab", "c", readers=ENG)

    assert records(kept.current) == records(before)
    assert kept.current.gates is before.gates
    assert kept.current.out is before.out


def test_whom_a_writer_closed_an_empty_community_to_a_run_opens_it_again() -> None:
    kept = filled()
    partition(kept, "e", "ab", "c", readers="public")
    kept.apply(Batch(put_nodes=(AS_MADE,)))

    partition(kept, "e", "ab", "c", readers="public")

    assert readers(kept) == (ENG, "public")


CHANGES: dict[str, dict[str, Any]] = {
    "name": {"name": "The two"},
    "content": {"content": "secret"},
    "project": {"project": "p"},
    "status": {"status": "open"},
    "covered": {"covered": True},
    "property": {"properties": {"k": "v"}},
    "its own measure": {"properties": {"p": "mine"}},
    "link": {"links": {"about": ("c",)}},
    "default readers": {"readers": ()},
}
BESIDE: dict[str, Batch] = {
    "a span": Batch(put_passages=(PassageRecord("s", AB, 0, content="secret"),)),
    "a span of others": Batch(put_passages=(PassageRecord("s", AB, 0, readers=(HR,)),)),
    "an edge from it": Batch(put_edges=(EdgeRecord("s", AB, "c", "LED_BY"),)),
    "an edge to it": Batch(put_edges=(EdgeRecord("s", "c", AB, "LEADS"),)),
    "an edge of the type": Batch(put_edges=(EdgeRecord("s", "c", AB, "BELONGS_TO"),)),
    "more on an edge of runs": Batch(
        put_edges=(
            EdgeRecord(edge_id(AB, "a"), "a", AB, "BELONGS_TO", properties={"why": "secret"}),
        )
    ),
    "a weight": Batch(put_edges=(EdgeRecord(edge_id(AB, "a"), "a", AB, "BELONGS_TO", weight=0.5),)),
    "a link to it": Batch(put_nodes=(NodeRecord("d", links={"about": (AB,)}),)),
    "a mention": Batch(put_passages=(PassageRecord("c#0", "c", 0, mentions=(AB,)),)),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_a_writer_filled_no_run_opens_closes_or_changes(change: dict[str, Any]) -> None:
    kept = filled()
    partition(kept, "e", "ab", "c", readers=ENG)
    theirs = replace(AS_MADE, **change)
    kept.apply(Batch(put_nodes=(theirs,)))

    for name, audience in (("p", "public"), ("h", HR), ("e", ENG)):
        written = partition(kept, name, "ab", "c", readers=audience)

    assert found(kept) == theirs
    assert (written.rows, written.communities) == (3, 2)
    assert {("a", AB), ("b", AB)} <= edges(kept)
    assert named(kept, "p") == named(kept, "h") == AB


@pytest.mark.parametrize("beside", BESIDE.values(), ids=BESIDE)
def test_what_a_writer_put_beside_a_community_no_run_opens(beside: Batch) -> None:
    kept = filled()
    partition(kept, "e", "ab", "c", readers=ENG)
    kept.apply(beside)
    before = records(kept.current)

    partition(kept, "p", "ab", "c", readers="public")

    assert found(kept) == AS_MADE
    assert records(kept.current).put_edges == before.put_edges
    assert named(kept, "p") == AB


def test_a_hidden_community_of_a_writer_is_led_to_and_stays_hidden() -> None:
    kept = filled()
    theirs = replace(AS_MADE, content="secret")
    kept.apply(Batch(put_nodes=(theirs,)))

    partition(kept, "p", "ab", "c")

    assert found(kept) == theirs
    assert edges(kept) == {("a", AB), ("b", AB), ("c", community_id("c"))}


@pytest.mark.parametrize(
    "theirs",
    [
        NodeRecord(AB, "doc", readers=(ENG,)),
        NodeRecord(AB, "doc", content="precious"),
        NodeRecord(AB),
        PassageRecord(AB, "b", 0, type="community", readers=(ENG,)),
        PassageRecord(AB, "absent", 0),
    ],
)
def test_a_row_of_another_type_stays_and_only_the_property_is_written(
    theirs: NodeRecord | PassageRecord,
) -> None:
    kept = filled()
    if isinstance(theirs, NodeRecord):
        kept.apply(Batch(put_nodes=(theirs,)))
    else:
        kept.apply(Batch(put_passages=(theirs,)))

    for name in ("p", "q", "p"):
        written = partition(kept, name, "ab", "c")

    assert found(kept) == theirs
    assert (written.rows, written.communities) == (3, 2)
    assert edges(kept) == {("c", community_id("c"))}
    assert named(kept, "p") == named(kept, "q") == AB
    partition(kept, "p", "a", "bc")
    assert found(kept) == theirs


def test_a_span_that_waits_for_its_parent_is_not_opened_by_a_run() -> None:
    kept = filled()
    kept.apply(Batch(put_passages=(PassageRecord("s", AB, 0, content="secret"),)))

    partition(kept, "p", "ab", "c")

    assert found(kept) is None
    assert edges(kept) == {("c", community_id("c"))}
    assert named(kept, "p") == AB


def test_an_edge_of_a_writer_that_has_the_id_of_one_stays() -> None:
    kept = filled()
    theirs = EdgeRecord(edge_id(AB, "a"), "b", "c", "R", weight=3.0, readers=(ENG,))
    kept.apply(Batch(put_edges=(theirs,)))

    partition(kept, "p", "ab", "c")

    assert theirs in records(kept.current).put_edges
    assert edges(kept) == {("b", AB), ("c", community_id("c"))}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_former_community_that_a_writer_filled_stays_without_the_edges_of_runs(
    change: dict[str, Any],
) -> None:
    kept = filled()
    partition(kept, "e", "ab", "c", readers=ENG)
    theirs = replace(AS_MADE, **change)
    kept.apply(Batch(put_nodes=(theirs,), put_edges=(EdgeRecord("s", "a", AB, "BELONGS_TO"),)))

    partition(kept, "e", "a", "bc", readers=ENG)

    assert found(kept) == theirs
    assert found(kept, community_id("c")) is None
    assert edges(kept) == {
        ("a", AB),
        ("a", community_id("a")),
        ("b", community_id("bc")),
        ("c", community_id("bc")),
    }


def test_a_former_community_with_a_span_stays_and_so_does_the_span() -> None:
    kept = filled()
    partition(kept, "e", "ab", "c", readers=ENG)
    kept.apply(Batch(put_passages=(PassageRecord("s", AB, 0, content="secret"),)))

    partition(kept, "e", "a", "bc", readers=ENG)

    assert found(kept) == AS_MADE
    assert found(kept, "s") is not None


def test_a_former_community_goes_once_no_property_of_any_audience_names_it() -> None:
    kept = filled()
    partition(kept, "e", "ab", "c", readers=ENG)
    partition(kept, "p", "ab", "c", readers="public")

    partition(kept, "p", "a", "bc", readers="public")
    assert readers(kept) == (ENG, "public")
    partition(kept, "e", "a", "bc", readers=ENG)

    assert found(kept) is None
    assert readers(kept, community_id("bc")) == (ENG, "public")


def test_a_field_with_readers_takes_communities_too() -> None:
    kept = filled(FieldDeclaration("e", Kind.KEYWORD, readers=(ENG,)))

    partition(kept, "e", "ab", "c", readers=ENG)
    partition(kept, "p", "ab", "c")

    assert readers(kept) == (ENG, "public")


@pytest.mark.parametrize("restart", [False, True])
def test_after_a_restart_or_compaction_runs_know_what_is_whose(
    tmp_path: Path, restart: bool
) -> None:
    store = Store.open(tmp_path)

    def again(kept: Collection) -> Collection:
        nonlocal store
        if not restart:
            kept.merge()
            return kept
        store.close()
        store = Store.open(tmp_path)
        return store.collection("c")

    kept = store.create(PUBLIC)
    kept.apply(ABC)
    partition(kept, "e", "ab", "c", readers=ENG)
    filled_since = NodeRecord(community_id("c"), "community", content="secret", readers=(ENG,))
    kept.apply(Batch(put_nodes=(filled_since,)))
    kept = again(kept)

    partition(kept, "p", "ab", "c")
    kept = again(kept)
    partition(kept, "h", "ab", "c", readers=HR)
    kept = again(kept)

    assert readers(kept) == (ENG, HR, "public")
    assert found(kept, community_id("c")) == filled_since
    for name in ("e", "p", "h"):
        partition(kept, name, "abc", readers="public")
        kept = again(kept)
    assert found(kept) is None
    assert found(kept, community_id("c")) == filled_since
    assert edges(kept) == {(one, community_id("abc")) for one in "abc"}
    store.close()
