"""Versions of commits are what would be derived anew, however they came about."""

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from passageway_server.columns.gates import BY_STATUS
from passageway_server.values.collections import (
    CollectionSettings,
    EdgeType,
    FieldDeclaration,
    Kind,
    Ontology,
)
from passageway_server.values.records import Batch, EdgeRecord, NodeRecord, PassageRecord
from passageway_server.version.store import Store
from passageway_server.version.version import Version
from tests.unit.version.batches import random_batch
from tests.unit.version.inside import anew, held, inside
from tests.unit.version.making import PUBLIC


@pytest.mark.parametrize("seed", range(40))
def test_versions_of_commits_are_what_would_be_derived_anew_while_many_are_held(seed: int) -> None:
    rng, kept = Random(seed), Store.open().create(PUBLIC)
    versions: list[tuple[Version, dict[str, Any]]] = []

    for _ in range(15):
        for _ in range(rng.choice((0, 0, 0, 2))):
            kept.apply(random_batch(rng), prepare=False)
            versions.append((kept.current, held(kept.current)))
        kept.apply(random_batch(rng))
        versions.append((kept.current, held(kept.current)))
        if rng.random() < 0.15:
            kept.merge()
        if rng.random() < 0.15:
            weight = EdgeType("T", default_weight=rng.choice((1.0, 3.0)))
            readers = rng.choice((("public",), ("group:d",)))
            settings = replace(
                PUBLIC, default_readers=readers, ontology=Ontology(edge_types=(weight,))
            )
            kept.update(lambda _, settings=settings: settings)  # type: ignore[misc]

    for version, before in versions:
        assert held(version) == before
        assert inside(version) == anew(version)


@pytest.mark.parametrize("seed", range(20))
def test_so_are_they_where_what_stands_aside_joins_the_rest_again_and_again(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    for module in ("patches", "row_sets", "terms"):
        monkeypatch.setattr(f"passageway_server.columns.{module}._FEW", 5)
    monkeypatch.setattr("passageway_server.version.changes._FEW", 12)
    monkeypatch.setattr("passageway_server.version.writer._MERGE_FROM", 40)
    rng, kept = Random(seed), Store.open().create(PUBLIC)
    versions: list[tuple[Version, dict[str, Any]]] = []

    for _ in range(30):
        kept.apply(random_batch(rng), prepare=rng.random() < 0.7)
        versions.append((kept.current, held(kept.current)))

    for version, before in versions:
        assert held(version) == before
        assert inside(version) == anew(version)


@pytest.mark.parametrize("seed", range(20))
def test_versions_of_a_stream_hold_their_documents_where_the_last_one_does(seed: int) -> None:
    rng, kept = Random(seed), Store.open().create(PUBLIC)
    ids = [f"n{i}" for i in range(9)]
    kept.apply(Batch(put_nodes=tuple(map(NodeRecord, ids))), prepare=False)
    versions: list[tuple[Version, dict[str, Any]]] = []
    for number in range(6):
        edges = [
            EdgeRecord(
                f"e{number}-{i}", rng.choice(ids), rng.choice(ids), weight=rng.choice((None, 0.5))
            )
            for i in range(rng.randrange(40))
        ]
        again = rng.choice(((), (EdgeRecord("e0-0", "n1", "n2"),)))
        kept.apply(Batch(put_edges=(*edges, *again)), prepare=False)
        versions.append((kept.current, held(kept.current)))

    kept.prepare()

    assert kept.current.docs.source.place is not None
    for version, before in versions:
        assert held(version) == before
        assert inside(version) == anew(version)


def test_a_stream_of_edges_is_held_once_by_all_its_versions() -> None:
    kept = Store.open().create(PUBLIC)
    for number in range(3):
        edge = EdgeRecord(f"e{number}", "a", "b")
        kept.apply(
            Batch(put_nodes=(NodeRecord("a"), NodeRecord("b")), put_edges=(edge,)), prepare=False
        )
    streamed = [kept.at(token) for token in kept.retained.kept][1:]

    kept.prepare()

    assert len({id(version.docs.source.place) for version in streamed}) == 3
    assert all(version.docs.source.place is not None for version in streamed)
    assert [version.docs.ids.take(range(len(version.docs))) for version in streamed] == [
        ["e0"],
        ["e0", "e1"],
        ["e0", "e1", "e2"],
    ]


def test_a_commit_that_is_given_up_leaves_no_trace_in_the_next() -> None:
    kept = Store.open().create(PUBLIC)
    kept.apply(
        Batch(
            put_nodes=(NodeRecord("a", links={"rel": ("b",)}), NodeRecord("b")),
            put_edges=(EdgeRecord("e", "a", "b"),),
        )
    )
    base = kept.current
    given_up = kept.apply(Batch(delete_nodes=("b",), put_nodes=(NodeRecord("z"),)))
    kept._committing.current = kept._committing.newest = base

    kept.apply(Batch(put_nodes=(NodeRecord("c", links={"rel": ("a",)}, readers=("group:c",)),)))

    assert kept.current.token == given_up.version
    assert inside(kept.current) == anew(kept.current)
    assert inside(base) == anew(base)


def test_a_change_of_texts_alone_carries_the_adjacency_over() -> None:
    kept = Store.open().create(PUBLIC)
    kept.apply(Batch(put_nodes=(NodeRecord("a", links={"rel": ("b",)}), NodeRecord("b"))))
    before = kept.current

    kept.apply(Batch(put_nodes=(NodeRecord("b", content="other"),)))

    assert kept.current.out is before.out
    assert kept.current.gates is before.gates


def test_a_row_that_expires_does_not_stop_a_change_of_fields() -> None:
    kept = Store.open().create(PUBLIC)
    kept.apply(Batch(put_nodes=(NodeRecord("a", properties={"expires_at": "2030-01-01"}),)))

    kept.update(lambda _: CollectionSettings("c", fields=(FieldDeclaration("n", Kind.INT),)))
    kept.apply(Batch(put_nodes=(NodeRecord("b", properties={"expires_at": "2031-01-01", "n": 1}),)))

    assert kept.current.fields.kind("expires_at") == Kind.TIME
    assert kept.current.gates.expires.tolist().count(1) == 1


def test_another_default_weight_orders_the_edges_anew() -> None:
    kept = Store.open().create(PUBLIC)
    kept.apply(
        Batch(
            put_nodes=(NodeRecord("a", links={"rel": ("b",)}), NodeRecord("b")),
            put_edges=(EdgeRecord("e", "a", "b", weight=2.0),),
        )
    )

    heavier = Ontology(edge_types=(EdgeType("rel", default_weight=5.0),))
    kept.update(lambda _: CollectionSettings("c", ontology=heavier))

    assert kept.current.out.weights.tolist() == [5.0, 2.0]


@pytest.mark.parametrize("status", ["expired", "  Expired \n", " " * 60 + "RETRACTED"])
def test_a_status_retires_however_it_is_spaced_and_cased(status: str) -> None:
    kept = Store.open().create(PUBLIC)

    kept.apply(Batch(put_nodes=(NodeRecord("a", status=status), NodeRecord("b", status="open"))))

    gates = kept.current.gates
    assert gates.retired_by[gates.of].tolist() == [BY_STATUS, 0]


def test_documents_at_a_span_of_a_span_go_with_a_recut_even_if_its_id_comes_again() -> None:
    kept = Store.open().create(PUBLIC)
    kept.apply(
        Batch(
            put_nodes=(NodeRecord("a"), NodeRecord("b")),
            put_passages=(PassageRecord("s", "a"), PassageRecord("t", "s")),
            put_edges=(EdgeRecord("e", "b", "t"),),
        )
    )

    kept.apply(Batch(recut_parents=("a",), put_passages=(PassageRecord("t", "b"),)))

    assert kept.state.edges == 0
