"""Page tokens: of one collection, caller and request; anything else opens nothing, and is told nothing."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from passageway_server.authz.callers import Caller
from passageway_server.errors import InvalidRequest, LimitExceeded
from passageway_server.service.lookup import lookup
from passageway_server.service.pages import FOREIGN
from passageway_server.values.collections import CollectionSettings, FieldDeclaration, Kind
from passageway_server.values.queries import Bounds, Facet, Metric, MetricOp, ReadOptions
from passageway_server.values.records import Batch, NodeRecord
from passageway_server.values.requests import LookupKind, LookupRequest
from passageway_server.version.store import Store

ADA = Caller.known("ada", principals=["group:eng"], roles=())
ROWS = tuple(
    NodeRecord(f"n{i}", "t", properties={"size": i % 3, "tag": "x"}, readers=("public",))
    for i in range(9)
)
ASKED = LookupRequest("c", sort=("-size",), page_size=2, vars={"a": 1, "b": "x"})


def filled(store: Store, *names: str) -> Store:
    for name in names:
        store.create(CollectionSettings(name)).apply(Batch(put_nodes=ROWS))
    return store


@pytest.fixture(scope="module")
def store() -> Store:
    return filled(Store.open(), "c", "d")


def token_of(store: Store, request: LookupRequest = ASKED, caller: Caller = ADA) -> str:
    token = lookup(store, caller, request).next_page_token
    assert token
    return token


def faults(store: Store, request: LookupRequest, caller: Caller = ADA) -> list[str]:
    with pytest.raises(InvalidRequest) as refused:
        lookup(store, caller, request)
    assert FOREIGN in refused.value.faults
    return [fault.field for fault in refused.value.faults]


OTHERS: Mapping[str, LookupRequest] = {
    "collection": replace(ASKED, collection="d"),
    "read": replace(ASKED, read=ReadOptions(current=True)),
    "kind": replace(ASKED, kind=LookupKind.EDGES, sort=("-weight",)),
    "filter": replace(ASKED, filter="type = t"),
    "join": replace(ASKED, field="id", from_filter="id:*", from_field="id"),
    "max_values": replace(ASKED, max_values=65_536),
    "vars": replace(ASKED, vars={"a": 1.0, "b": "x"}),
    "sort": replace(ASKED, sort=("size",)),
    "fields": replace(ASKED, fields=("id",)),
    "content_max_chars": replace(ASKED, content_max_chars=500),
    "facets": replace(ASKED, facets={"f": Facet("type")}),
    "metrics": replace(ASKED, metrics={"m": Metric("size", MetricOp.MAX)}),
    "bounds": replace(ASKED, bounds=Bounds.CLAMP),
}


@pytest.mark.parametrize("request_", OTHERS.values(), ids=OTHERS)
def test_a_token_of_another_request_is_refused(store: Store, request_: LookupRequest) -> None:
    token = token_of(store)

    assert faults(store, replace(request_, page_token=token)) == ["page_token"]


def test_size_and_time_may_differ_and_so_may_the_order_of_maps(store: Store) -> None:
    token = token_of(store)
    again = replace(
        ASKED, page_size=9, timeout_ms=60_000, vars={"b": "x", "a": 1}, page_token=token
    )

    answer = lookup(store, ADA, again)

    assert [row.id for row in answer.nodes] == ["n8", "n1", "n4", "n7", "n0", "n3", "n6"]
    assert (answer.total, answer.next_page_token) == (9, "")


def test_a_token_is_its_callers_alone_whatever_groups_that_has(store: Store) -> None:
    token = token_of(store)
    more = Caller.known("ada", principals=["group:ops"], roles=("writer",))
    others = [
        Caller.known("bob", principals=["group:eng"], roles=()),
        Caller.holding(["user:ada", "group:eng"]),
        Caller.holding(()),
        ADA.before([["group:ops"]]),
    ]

    assert lookup(store, more, replace(ASKED, page_token=token)).nodes[0].id == "n8"
    for other in others:
        assert faults(store, replace(ASKED, page_token=token), other) == ["page_token"]


def test_callers_without_a_name_are_told_by_what_they_hold(store: Store) -> None:
    one, other = Caller.holding(["group:a"]), Caller.holding(["group:b"])
    request = replace(ASKED, page_token=token_of(store, caller=one))

    assert lookup(store, Caller.holding(["group:a"]), request).nodes
    assert faults(store, request, other) == ["page_token"]
    assert faults(store, request, one.before([["group:b"]])) == ["page_token"]


def test_whatever_is_changed_of_a_token_it_opens_nothing(store: Store) -> None:
    token = token_of(store)
    swapped = [
        token[:i] + ("A" if token[i] != "A" else "B") + token[i + 1 :] for i in range(len(token))
    ]
    forged = [
        *swapped, token[:-1], token + "A", token + "=", token + "\n", f" {token}", token[:43], "A",
        "\u00e9", "\U0001f600", "x" * 100_000, token.replace("-", "+").replace("_", "/") + "+",
    ]  # fmt: skip

    for one in forged:
        assert faults(store, replace(ASKED, page_token=one)) == ["page_token"]


def test_a_bad_token_is_named_with_all_other_faults(store: Store) -> None:
    request = replace(ASKED, page_token="AAAA", filter="bogus = 1", sort=("nope",))

    assert sorted(faults(store, request)) == ["filter", "page_token", "sort[0]"]


def test_a_collection_that_was_made_anew_takes_no_token_of_the_one_before() -> None:
    times = iter(range(1, 1000))
    store = filled(Store.open(now=lambda: next(times)), "c")
    request = replace(ASKED, page_token=token_of(store))
    store.delete("c")
    filled(store, "c")

    assert faults(store, request) == ["page_token"]


def test_a_token_holds_after_a_restart_and_is_none_of_another_store(tmp_path: Path) -> None:
    store = filled(Store.open(tmp_path / "data"), "c")
    request = replace(ASKED, page_token=token_of(store))
    store.close()

    opened = Store.open(tmp_path / "data")
    assert [row.id for row in lookup(opened, ADA, request).nodes] == ["n8", "n1"]
    opened.close()
    other = filled(Store.open(), "c")
    assert faults(other, request) == ["page_token"]


def test_a_field_that_has_another_kind_by_now_leaves_no_place_to_go_on_from() -> None:
    store = Store.open()
    declared = (FieldDeclaration("size", Kind.INT),)
    kept = store.create(CollectionSettings("c", fields=declared))
    kept.apply(Batch(put_nodes=ROWS))
    request = replace(ASKED, page_token=token_of(store))
    kept.apply(Batch(delete_nodes=tuple(row.id for row in ROWS)))
    kept.update(lambda settings: replace(settings, fields=()))
    kept.apply(Batch(put_nodes=tuple(replace(row, properties={"size": "big"}) for row in ROWS)))

    assert faults(store, request) == ["page_token"]


def with_contents(*contents: str) -> Store:
    store = Store.open()
    put = tuple(NodeRecord(f"n{i}", content=text) for i, text in enumerate(contents))
    store.create(CollectionSettings("c", default_readers=("public",))).apply(Batch(put_nodes=put))
    return store


def test_a_long_sort_value_is_kept_whole() -> None:
    store = with_contents(*("x" * 4095 + end for end in "abc"))
    request = LookupRequest("c", sort=("-content",), page_size=1)

    shown: list[str] = []
    token = ""
    while True:
        answer = lookup(store, ADA, replace(request, page_token=token))
        shown += [row.id for row in answer.nodes]
        token = answer.next_page_token
        if not token:
            break

    assert shown == ["n2", "n1", "n0"]


@pytest.mark.parametrize("value", ["x" * 4097, "\u00e9" * 2049])
def test_no_page_goes_on_after_a_longer_sort_value(value: str) -> None:
    store = with_contents("a", value, value + "z")
    request = LookupRequest("c", sort=("name", "content"), page_size=2)

    with pytest.raises(LimitExceeded, match="content") as refused:
        lookup(store, ADA, request)

    assert (refused.value.limit_reason, refused.value.parameter) == ("SORT_VALUE_BYTES", "sort")
    for page_size in (1, 3):  # it does not end at such a row, or no page follows
        assert len(lookup(store, ADA, replace(request, page_size=page_size)).nodes) == page_size


def test_a_key_to_sort_by_stands_in_a_token_once() -> None:
    store = with_contents("x" * 100, "y" * 100)
    once = token_of(store, LookupRequest("c", sort=("content",), page_size=1))
    again = LookupRequest("c", sort=("content", "content"), page_size=1)

    token = token_of(store, again)

    assert len(token) == len(once)
    assert [row.id for row in lookup(store, ADA, replace(again, page_token=token)).nodes] == ["n1"]


def test_the_length_of_a_token_tells_nothing_of_rows_that_are_not_shown() -> None:
    request = LookupRequest("c", sort=("content",), page_size=1)

    lengths = {len(token_of(with_contents("a", other), request)) for other in ("b", "b" * 5000)}

    assert len(lengths) == 1
