"""Lookup: a filter, a semi-join in fields of its own, or both; by id, with a total."""

import pytest

from passageway_server.authz.callers import Caller
from passageway_server.errors import InvalidRequest
from passageway_server.service.lookup import lookup
from passageway_server.values.answers import LookupAnswer
from passageway_server.values.collections import CollectionSettings
from passageway_server.values.queries import Bounds, ReadOptions
from passageway_server.values.records import Batch, NodeRecord
from passageway_server.values.requests import LookupRequest
from passageway_server.version.store import Store

EVERYBODY = Caller.holding(())
PUT = (
    *(NodeRecord(f"n{i:02}", "t", properties={"size": i}) for i in reversed(range(20))),
    NodeRecord("ada", "user", properties={"groups": ["x", "y"]}, project="p"),
    NodeRecord("doc", "doc", properties={"acl": ["y"]}, links={"by": ("ada",)}),
    NodeRecord("old", "doc", properties={"acl": ["x"]}, status="superseded"),
    NodeRecord("secret", "doc", readers=("user:eve",), properties={"acl": ["y"]}),
)


@pytest.fixture(scope="module")
def store() -> Store:
    made = Store.open()
    kept = made.create(CollectionSettings("c", default_readers=("public",)))
    kept.apply(Batch(put_nodes=PUT))
    return made


def found(store: Store, request: LookupRequest) -> tuple[list[str], int]:
    answer = lookup(store, EVERYBODY, request)
    return [node.id for node in answer.nodes], answer.total


def test_rows_come_by_id_ten_at_most_unless_asked(store: Store) -> None:
    assert found(store, LookupRequest("c", filter="type = t")) == (
        [f"n{i:02}" for i in range(10)],
        20,
    )
    assert found(store, LookupRequest("c", page_size=3)) == (["ada", "doc", "n00"], 23)
    assert found(store, LookupRequest("c", page_size=0)) == ([], 23)


def test_the_parts_select_alone_or_with_a_filter(store: Store) -> None:
    join = LookupRequest("c", field="acl", from_filter="id = ada", from_field="groups")
    both = LookupRequest(
        "c", field="acl", from_filter="id = ada", from_field="groups", filter="status = superseded"
    )

    assert found(store, join) == (["doc", "old"], 2)
    assert found(store, both) == (["old"], 1)


def test_scope_holds_outside_the_inner_query_only(store: Store) -> None:
    scoped = LookupRequest(
        "c",
        ReadOptions(current=True, project="p"),
        field="id",
        from_filter="id = doc",
        from_field="by",
    )

    assert found(store, scoped) == (["ada"], 1)
    assert found(store, LookupRequest("c", ReadOptions(current=True), filter="type = doc")) == (
        ["doc"],
        1,
    )


def test_all_faults_of_a_lookup_come_at_once(store: Store) -> None:
    request = LookupRequest(
        "c",
        filter="bogus = 1",
        field="acl",
        from_filter="a =",
        max_values=0,
        page_size=10_001,
        content_max_chars=50_001,
        fields=("id", "nothing"),
        vars={"x": float("inf")},
    )

    with pytest.raises(InvalidRequest) as refused:
        lookup(store, EVERYBODY, request)

    assert [fault.field for fault in refused.value.faults] == [
        "vars.x",
        "page_size",
        "content_max_chars",
        "max_values",
        "fields[1]",
        "filter",
        "from_field",
        "from_filter",
    ]


@pytest.mark.parametrize(
    ("request_", "path"),
    [
        (LookupRequest("c", field="acl", from_filter="id:*", from_field="size"), "field"),
        (LookupRequest("c", field="nope", from_filter="id:*", from_field="id"), "field"),
        (LookupRequest("c", field="id", from_filter="id:*", from_field="nope"), "from_field"),
        (
            LookupRequest("c", field="id", from_filter="id:*", from_field="id", max_values=22),
            "max_values",
        ),
    ],
)
def test_a_fault_of_the_parts_names_the_part(
    store: Store, request_: LookupRequest, path: str
) -> None:
    with pytest.raises(InvalidRequest) as refused:
        lookup(store, EVERYBODY, request_)

    assert [fault.field for fault in refused.value.faults] == [path]


def test_clamped_numbers_are_reported(store: Store) -> None:
    request = LookupRequest("c", page_size=20_000, max_values=0, bounds=Bounds.CLAMP)

    answer: LookupAnswer = lookup(store, EVERYBODY, request)

    assert answer.applied == {"page_size": 10_000, "max_values": 1}
    assert len(answer.nodes) == answer.total == 23
