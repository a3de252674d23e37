"""What of older versions may be read today: what its readers had then and have by now."""

from dataclasses import replace

import pytest

from passageway_server.values.records import Batch, EdgeRecord, NodeRecord, PassageRecord
from tests.unit.version.making import collection, node, records
from tests.unit.version.opening import EVE, PUBLIC, open_edges, open_rows, put, restored


def test_a_revoked_row_is_gone_from_older_versions_at_once() -> None:
    kept = collection()
    open_to_all = kept.apply(put("public", id="a")).version
    assert open_rows(kept.at(open_to_all), "public") == ["a"]

    kept.apply(put("user:eve"))

    assert open_rows(kept.at(open_to_all), "public") == []
    assert open_rows(kept.at(open_to_all), "user:eve") == []  # who was not among its readers then
    assert open_rows(kept.at(open_to_all), "public", "user:eve") == ["a"]
    assert open_rows(kept.at(open_to_all), admin=True) == ["a"]


def test_a_row_that_was_opened_since_is_not_open_in_older_versions() -> None:
    kept = collection()
    closed = kept.apply(put("user:eve")).version

    kept.apply(put("public"))

    assert open_rows(kept.at(closed), "public") == []
    assert open_rows(kept.at(closed), "user:eve") == []
    assert open_rows(kept.at(closed), "public", "user:eve") == ["a"]


def test_a_row_that_is_opened_again_is_open_again_in_older_versions() -> None:
    kept = collection()
    first = kept.apply(put("public")).version
    kept.apply(put("user:eve"))
    assert open_rows(kept.at(first), "public") == []

    kept.apply(put("public"))

    assert open_rows(kept.at(first), "public") == ["a"]


def test_a_span_is_revoked_with_its_parent_and_by_its_own_readers() -> None:
    kept = collection()
    spans = (PassageRecord("s", "a", 0), PassageRecord("t", "a", 1))
    first = kept.apply(replace(put("public"), put_passages=spans)).version

    kept.apply(Batch(put_passages=(PassageRecord("s", "a", 0, readers=EVE),)))
    assert open_rows(kept.at(first), "public") == ["a", "t"]
    kept.apply(put("user:ada"))

    assert open_rows(kept.at(first), "public") == []
    assert open_rows(kept.at(first), "public", "user:ada") == ["a", "t"]
    assert open_rows(kept.at(first), "public", "user:ada", "user:eve") == ["a", "s", "t"]


@pytest.mark.parametrize("moved", [True, False])
def test_a_span_that_left_its_parent_goes_with_it_all_the_same(moved: bool) -> None:
    kept = collection()
    kept.apply(Batch(put_nodes=(node("b"),)))
    first = kept.apply(replace(put("public"), put_passages=(PassageRecord("s", "a"),))).version
    if moved:
        kept.apply(Batch(put_passages=(PassageRecord("s", "b"),)))
    else:
        kept.apply(Batch(recut_parents=("a",)))
    assert open_rows(kept.at(first), "public") == ["a", "b", "s"]

    kept.apply(put("user:eve"))

    assert open_rows(kept.at(first), "public") == ["b"]


def test_a_deleted_row_is_for_those_whom_it_was_for_last() -> None:
    kept = collection()
    first = kept.apply(put("public")).version
    second = kept.apply(Batch(put_nodes=(node("b"),), delete_nodes=("a",))).version
    assert open_rows(kept.at(first), "public") == ["a"]

    kept.apply(put("user:eve"))
    assert open_rows(kept.at(first), "public") == []
    kept.apply(Batch(delete_nodes=("a",)))

    assert open_rows(kept.at(first), "public") == []
    assert open_rows(kept.at(first), "public", "user:eve") == ["a"]
    assert open_rows(kept.at(second), "public") == ["b"]


def test_what_is_put_again_after_it_was_deleted_is_judged_by_its_newest_readers() -> None:
    kept = collection()
    first = kept.apply(put("user:eve")).version
    kept.apply(Batch(delete_nodes=("a",)))

    kept.apply(put("public"))
    assert open_rows(kept.at(first), "public") == []
    assert open_rows(kept.at(first), "public", "user:eve") == ["a"]
    kept.apply(put("user:ada"))

    assert open_rows(kept.at(first), "public", "user:eve") == []


def test_a_span_that_dangles_now_is_nobodys_in_older_versions() -> None:
    kept = collection()
    first = kept.apply(replace(put("public"), put_passages=(PassageRecord("s", "a"),))).version
    kept.apply(Batch(delete_nodes=("a",)))

    kept.apply(Batch(put_passages=(PassageRecord("s", "a"),)))

    assert open_rows(kept.at(first), "public") == ["a"]
    assert open_rows(kept.at(first), admin=True) == ["a"]


def test_other_default_readers_hold_for_older_versions_too() -> None:
    kept = collection()
    first = kept.apply(Batch(put_nodes=(node("a"), NodeRecord("own", readers=PUBLIC)))).version

    kept.update(lambda settings: replace(settings, default_readers=EVE))

    assert open_rows(kept.at(first), "public") == ["own"]
    assert open_rows(kept.at(first), "public", "user:eve") == ["a", "own"]


def test_an_edge_is_revoked_by_its_own_readers_alone() -> None:
    kept = collection()
    ends = (node("a"), node("b"))
    edges = tuple(EdgeRecord(id, "a", "b") for id in ("e", "f", "g"))
    first = kept.apply(Batch(put_nodes=ends, put_edges=edges)).version

    kept.apply(Batch(put_edges=(EdgeRecord("e", "a", "b", readers=EVE),), delete_edges=("f",)))
    kept.apply(Batch(put_edges=(EdgeRecord("g", "a", "b", readers=EVE),)))
    kept.apply(Batch(delete_edges=("g",)))

    assert open_edges(kept.at(first), "public") == ["f"]
    assert open_edges(kept.at(first), "public", "user:eve") == ["e", "f", "g"]
    assert open_rows(kept.at(first), "public") == ["a", "b"]
    kept.apply(put("user:eve"))
    assert open_edges(kept.at(first), "public") == []


def test_a_restore_is_a_version_by_which_older_ones_are_judged() -> None:
    kept = collection()
    kept.apply(Batch(put_nodes=(node("x"), NodeRecord("a", readers=EVE))))
    snapshot = kept.current
    open_to_all = kept.apply(put("public", "user:eve")).version
    kept.apply(put("user:eve", "user:ada", id="late"))
    kept.apply(Batch(delete_nodes=("x",), put_edges=(EdgeRecord("e", "a", "late"),)))
    newest = kept.current

    restored(kept, snapshot)

    assert records(kept.current) == records(snapshot)
    assert kept.current.identity.number == newest.identity.number + 1
    assert open_rows(kept.at(open_to_all), "public") == ["x"]
    assert open_rows(kept.at(open_to_all), "user:eve", "public") == ["a", "x"]
    assert open_rows(kept.at(newest.token), "user:ada") == ["late"]  # as it was last
    kept.apply(put("user:bob", id="late"))
    assert open_rows(kept.at(newest.token), "user:ada") == []
