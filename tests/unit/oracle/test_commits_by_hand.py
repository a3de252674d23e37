"""The oracle's writes in time: guards, keys, retention, snapshots and what a stream is told, worked out by hand."""

from dataclasses import replace
from hashlib import sha256

import pytest

from passageway.v1 import store_pb2, types_pb2
from tests.oracle import Refused
from tests.oracle.askers import Asker
from tests.oracle.history import Counted, Guard, History
from tests.unit.oracle.dated import WRITER, edges, guarded, history, put, rows
from tests.unit.oracle.small import batch, edge, node, nodes, number, span

EMPTY = sha256(
    b'{"content":"","name":"","project":"","properties":{},"status":"","type":""}'
).hexdigest()
NAMED = sha256(
    b'{"content":"","name":"x","project":"","properties":{},"status":"","type":""}'
).hexdigest()
SPAN = sha256(
    b'{"content":"","name":"","project":"","properties":{},"status":"","type":"passage"}'
).hexdigest()


def versions(kept: History) -> list[int]:
    return [*kept.retained]


def test_the_last_eight_versions_are_retained() -> None:
    kept = history(*[batch() for _ in range(9)])

    assert versions(kept) == [2, 3, 4, 5, 6, 7, 8, 9]
    assert rows(kept, 1) == "FAILED_PRECONDITION"


def test_as_many_are_retained_as_the_settings_say() -> None:
    kept = history(batch(), batch(), retain_versions=2)

    assert versions(kept) == [1, 2]


def test_retaining_fewer_lets_versions_go_and_more_brings_none_back() -> None:
    kept = history(batch(), batch(), batch())
    kept.update(store_pb2.Collection(retain_versions=2), "retain_versions")
    fewer = versions(kept)
    kept.update(store_pb2.Collection(), "retain_versions")
    more = versions(kept)

    assert (fewer, more) == ([3, 4], [3, 4, 5])


def test_a_commit_follows_the_newest_version_or_fails() -> None:
    kept = history(batch(node("a")))

    assert guarded(kept, guard=Guard(if_version=0)) == "ABORTED if_version"
    assert guarded(kept, guard=Guard(if_version=1)) == "2"
    assert guarded(kept, guard=Guard(if_version=1)) == "ABORTED if_version"


def test_a_row_has_the_revision_that_it_was_read_with_or_the_commit_fails() -> None:
    kept = history(batch(node("a"), span("s", "a")))

    assert guarded(kept, guard=Guard(if_revisions={"a": EMPTY, "s": SPAN})) == "2"
    assert guarded(kept, node("a", name="x"), guard=Guard(if_revisions={"a": EMPTY})) == "3"
    assert (
        guarded(kept, guard=Guard(if_revisions={"a": EMPTY, "s": SPAN})) == "ABORTED if_revisions"
    )
    assert kept.moved({"s": "", "a": EMPTY, "b": NAMED, "c": ""}, writer=WRITER) == ["a", "b", "s"]


def test_a_row_that_must_not_be_there_is_not() -> None:
    kept = history(batch(span("dangling", "missing")))
    absent = Guard(if_revisions={"a": ""})

    assert guarded(kept, node("a"), guard=absent) == "2"
    assert guarded(kept, node("a", name="x"), guard=absent) == "ABORTED if_revisions"
    assert guarded(kept, guard=Guard(if_revisions={"dangling": ""})) == "ABORTED if_revisions"
    assert guarded(kept, guard=Guard(if_revisions={"dangling": SPAN})) == "3"


def test_readers_that_changed_do_not_stop_an_edit() -> None:
    kept = history(batch(node("a")), batch(node("a", readers=["user:eve"])))

    assert guarded(kept, guard=Guard(if_revisions={"a": EMPTY})) == "3"


def test_a_writer_is_guarded_by_what_it_may_read_of_a_row_before_an_audience_too() -> None:
    pay = store_pb2.Field(name="pay", kind=types_pb2.FIELD_KIND_INT, readers=["group:hr"])
    kept = history(batch(node("a", properties={"pay": number(7)})), fields=[pay])
    paid = sha256(
        b'{"content":"","name":"","project":"","properties":{"pay":7},"status":"","type":""}'
    ).hexdigest()
    hr = Asker("hr", frozenset({"public", "group:hr"}))
    before_all = replace(hr, audiences=(frozenset({"public"}),))

    for writer, revision, other in ((WRITER, EMPTY, paid), (hr, paid, EMPTY)):
        assert kept.moved({"a": revision}, writer=writer) == []
        assert kept.moved({"a": other}, writer=writer) == ["a"]
    assert kept.moved({"a": paid}, writer=before_all) == []


def test_the_same_key_again_gives_the_first_answer_and_applies_nothing() -> None:
    kept = history()
    key = Guard(idempotency_key="k")

    first = guarded(kept, node("a"), guard=key)
    put(kept, delete_nodes=["a"])

    assert (first, guarded(kept, node("a"), guard=key)) == ("1", "1")
    assert (rows(kept), kept.newest) == ("", 2)


def test_the_same_key_with_another_batch_is_refused() -> None:
    kept = history()
    key = Guard(idempotency_key="k")
    guarded(kept, node("a"), guard=key)

    assert guarded(kept, node("b"), guard=key) == "INVALID_ARGUMENT idempotency_key"


def test_a_key_is_of_one_writer() -> None:
    kept = history()
    key = Guard(idempotency_key="k")
    other = replace(WRITER, sub="other")

    assert guarded(kept, node("a"), guard=key) == "1"
    assert guarded(kept, node("b"), guard=key, writer=other) == "2"


def test_a_key_is_looked_at_before_any_guard() -> None:
    kept = history()
    fresh = Guard(if_version=0, if_revisions={"a": ""}, idempotency_key="k")

    assert guarded(kept, node("a"), guard=fresh) == "1"
    assert guarded(kept, node("a"), guard=fresh) == "1"
    assert guarded(kept, node("b"), guard=fresh) == "INVALID_ARGUMENT idempotency_key"


def test_what_is_wrong_with_a_batch_is_told_last() -> None:
    kept = history(batch(node("a")))
    guards = [
        Guard(if_version=0, if_revisions={"a": NAMED}, idempotency_key="k"),
        Guard(if_revisions={"a": NAMED}, idempotency_key="k"),
        Guard(idempotency_key="k"),
    ]

    told: list[str] = []
    for guard in guards:
        with pytest.raises(Refused) as refused:
            kept.apply(batch(), guard, writer=WRITER, faults=["batch.put_nodes[0].id"])
        told.extend(refused.value.fields)

    assert told == ["if_version", "if_revisions", "batch.put_nodes[0].id"]
    assert guarded(kept, node("b"), guard=guards[2]) == "2"


def test_a_batch_that_failed_leaves_no_key() -> None:
    kept = history(batch())
    late = Guard(if_version=0, idempotency_key="k")

    assert guarded(kept, node("a"), guard=late) == "ABORTED if_version"
    assert guarded(kept, node("b"), guard=replace(late, if_version=1)) == "2"


@pytest.mark.parametrize(
    ("key", "told"),
    [("k" * 256, "1"), ("k" * 257, "INVALID_ARGUMENT idempotency_key"), ("é" * 128, "1")],
)
def test_a_key_has_at_most_256_bytes(key: str, told: str) -> None:
    assert guarded(history(), guard=Guard(idempotency_key=key)) == told


def test_a_restore_in_place_is_the_next_version_and_keeps_keys() -> None:
    kept = history(batch(node("a")), retain_versions=5)
    kept.keep("s")
    key = Guard(idempotency_key="k")
    first = guarded(kept, node("b"), guard=key)
    kept.update(store_pb2.Collection(retain_versions=1), "retain_versions")

    assert kept.restore("s") == 4
    assert rows(kept) == "a"
    assert kept.now.settings.retain_versions == 5
    assert guarded(kept, node("b"), guard=key) == first
    assert (rows(kept), versions(kept)) == ("a", [3, 4])


def test_what_is_put_after_a_restore_comes_after_what_was_restored() -> None:
    kept = history(batch(*nodes("a b"), edge("a", "b", id="z")))
    kept.keep("s")
    put(kept, edge("a", "b", id="y"), delete_edges=["z"])
    kept.restore("s")
    put(kept, edge("a", "b", id="x"))

    numbers = kept.now.edge_numbers
    assert edges(kept) == "x z"
    assert numbers["z"] < numbers["x"]


def test_a_restore_into_a_new_name_begins_a_history_of_its_own() -> None:
    kept = history(batch(node("a")))
    guarded(kept, node("b"), guard=Guard(idempotency_key="k"))
    kept.keep("s")
    other = kept.restored("s")

    assert (rows(other), versions(other)) == ("a b", [0])
    assert guarded(other, node("c"), guard=Guard(idempotency_key="k")) == "1"
    assert rows(kept) == "a b"


def test_each_batch_of_a_stream_is_told_its_version_and_the_counts_so_far() -> None:
    kept = history()
    links = {"to": types_pb2.StringList(values=["x", "x", "y"])}

    told = kept.load(
        [
            batch(node("a", links=links), edge("a", "z")),
            batch(node("x"), span("s", "m", mentions=["a", "z"])),
            batch(*nodes("m y z"), delete_edges=["none"]),
        ],
        writer=WRITER,
    )

    assert told == [
        Counted(version=1, batch=1, nodes=1, edges=1, passages=0, dangling_edges=3),
        Counted(version=2, batch=2, nodes=2, edges=1, passages=1, dangling_edges=5),
        Counted(version=3, batch=3, nodes=5, edges=1, passages=1, dangling_edges=0),
    ]
