"""Errors as statuses: every fault at once, limits by name, and never more than a peer takes."""

import json

import pytest
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2

from passageway.v1 import graph_pb2, query_pb2, read_pb2, store_pb2, types_pb2
from passageway_server.authz.callers import OPERATOR
from passageway_server.errors import (
    AlreadyExists,
    BeforeAudience,
    Fault,
    FollowerOnly,
    Forbidden,
    InvalidRequest,
    LimitExceeded,
    LogDamaged,
    NotBuilt,
    NotFound,
    PassagewayError,
    ReadOnly,
    RevisionsMoved,
    SnapshotDamaged,
    TextChanged,
    Unauthenticated,
    VersionGone,
    VersionLate,
    VersionMoved,
)
from passageway_server.wire.errors import Failure, failure
from passageway_server.wire.local import LocalServer, Reply


def told(error: Exception) -> Failure:
    return failure(error, call="GraphService/Get")


def status(failed: Failure | Reply) -> status_pb2.Status:
    return status_pb2.Status.FromString(failed.details)


def info(failed: Failure) -> error_details_pb2.ErrorInfo:
    found = error_details_pb2.ErrorInfo()
    assert any(detail.Unpack(found) for detail in status(failed).details)
    return found


def violations(failed: Failure | Reply) -> list[tuple[str, str]]:
    found = error_details_pb2.BadRequest()
    for detail in status(failed).details:
        if detail.Unpack(found):
            return [(one.field, one.description) for one in found.field_violations]
    return []


@pytest.mark.parametrize(
    ("error", "code", "reason"),
    [
        (InvalidRequest.one("limit", "is 7"), "INVALID_ARGUMENT", "INVALID_REQUEST"),
        (NotFound("row", "a"), "NOT_FOUND", "NOT_FOUND"),
        (AlreadyExists("collection", "c"), "ALREADY_EXISTS", "ALREADY_EXISTS"),
        (NotBuilt(["rank"]), "UNIMPLEMENTED", "NOT_BUILT"),
        (Unauthenticated(), "UNAUTHENTICATED", "UNAUTHENTICATED"),
        (Forbidden("writer"), "PERMISSION_DENIED", "ROLE_MISSING"),
        (BeforeAudience("admin"), "PERMISSION_DENIED", "BEFORE_AUDIENCE"),
        (VersionGone("b", oldest="a"), "FAILED_PRECONDITION", "VERSION_GONE"),
        (TextChanged(), "FAILED_PRECONDITION", "TEXT_CHANGED"),
        (VersionLate("b", newest="a"), "UNAVAILABLE", "VERSION_LATE"),
        (VersionMoved("a", newest="b"), "ABORTED", "VERSION_MOVED"),
        (RevisionsMoved(["x"], newest="b"), "ABORTED", "REVISIONS_MOVED"),
        (ReadOnly("c/log/1.log", "no sync"), "FAILED_PRECONDITION", "READ_ONLY"),
        (FollowerOnly("DATA"), "FAILED_PRECONDITION", "REPLICA"),
        (LogDamaged("c/log/1.log", offset=7, found="?"), "FAILED_PRECONDITION", "LOG_DAMAGED"),
        (ValueError("row-of-ada"), "INTERNAL", "INTERNAL"),
    ],
)
def test_an_error_has_its_code_and_a_stable_reason(
    error: Exception, code: str, reason: str
) -> None:
    failed = told(error)

    assert failed.code == code
    assert (info(failed).reason, info(failed).domain) == (reason, "passageway")
    assert status(failed).message == failed.message
    if isinstance(error, PassagewayError):
        assert failed.message == str(error)
    else:
        assert str(error) not in str(status(failed))


def test_a_limit_comes_with_its_number_and_the_parameter_to_lower() -> None:
    failed = told(LimitExceeded("MAX_NODES", limit=7, parameter="max_nodes", advice="raise it"))

    assert failed.code == "RESOURCE_EXHAUSTED"
    assert info(failed).reason == "MAX_NODES"
    assert dict(info(failed).metadata) == {"limit": "7", "parameter": "max_nodes"}


def test_a_version_that_is_gone_comes_with_the_oldest_that_is_not() -> None:
    assert info(told(VersionGone("b", oldest="a"))).metadata["oldest"] == "a"


def test_a_version_that_is_gone_may_be_of_another_collection_too() -> None:
    assert (
        "is not kept, or is none of this collection;" in told(VersionGone("b", oldest="a")).message
    )


@pytest.mark.parametrize(
    "error", [SnapshotDamaged("c/file", "?"), LogDamaged("c/log/1.log", offset=7, found="?")]
)
def test_of_what_is_damaged_repair_is_the_first_thing_to_do(error: PassagewayError) -> None:
    assert "; `passageway repair FOLDER --dry-run` shows" in told(error).message


def test_a_version_that_moved_or_is_late_comes_with_the_newest() -> None:
    for error in (VersionMoved("a", newest="b"), VersionLate("c", newest="b")):
        assert dict(info(told(error)).metadata) == {"newest": "b"}


def test_a_version_that_is_late_says_when_to_ask_again() -> None:
    retry = error_details_pb2.RetryInfo()
    details = status(told(VersionLate("b", newest="a"))).details

    assert [detail.Unpack(retry) for detail in details] == [False, True]
    assert 0 < retry.retry_delay.nanos < 1_000_000_000


def test_revisions_that_moved_are_named_by_their_ids() -> None:
    metadata = info(told(RevisionsMoved(["b", 'a"\n', "ä"], newest="v"))).metadata

    assert json.loads(metadata["ids"]) == ['a"\n', "b", "ä"]
    assert (metadata["newest"], metadata["count"]) == ("v", "3")


@pytest.mark.parametrize("id", ["{:04}", "😀" * 200 + "{:04}", "\n" * 1000 + "{:04}"])
def test_ids_past_what_a_peer_takes_are_counted_alone(id: str) -> None:
    ids = [id.format(number) for number in range(1000)]

    failed = told(RevisionsMoved(ids, newest="v" * 32))

    named = json.loads(info(failed).metadata["ids"])
    assert named == ids[: len(named)]
    assert len(named) <= 100
    assert info(failed).metadata["count"] == "1000"
    assert len(failed.details) < 5000


def test_each_fault_is_one_violation() -> None:
    failed = told(InvalidRequest([Fault("a", "x"), Fault("b[0].c", "y\n  ^")]))

    assert violations(failed) == [("a", "x"), ("b[0].c", "y\n  ^")]


@pytest.mark.parametrize("character", ["x", "😀", "\n"])
def test_a_status_fits_into_the_metadata_of_a_peer(character: str) -> None:
    faults = [Fault(f"batch.put_nodes[{i}].id", character * 2000) for i in range(1000)]

    failed = told(InvalidRequest(faults))

    assert len(failed.details) < 5000
    assert len(failed.message.encode()) <= 1024
    assert violations(failed)[0][0] == "batch.put_nodes[0].id"
    assert violations(failed)[-1][1].startswith("and at least 99")


@pytest.mark.parametrize(("found", "rest"), [(99, "and"), (100, "and at least")])
def test_faults_that_are_left_out_are_counted_as_far_as_they_were_looked_for(
    found: int, rest: str
) -> None:
    failed = told(InvalidRequest([Fault("x" * 200, "y")] * found))

    *shown, (field, last) = violations(failed)
    assert (field, last) == ("", f"{rest} {found - len(shown)} more faults")


def reply(method: str, request: Message) -> Reply:
    server = LocalServer()
    settings = store_pb2.Collection(name="c", default_readers=["public"])
    create = store_pb2.CreateCollectionRequest(collection=settings).SerializeToString()
    assert server.call("StoreService/CreateCollection", create, caller=OPERATOR).code == "OK"
    return server.call(method, request.SerializeToString(), caller=OPERATOR)


def test_faults_of_the_message_and_of_its_plan_come_together() -> None:
    request = graph_pb2.ExpandRequest(collection="c", limit=-7)
    request.seeds.add(ids=["a"])
    request.hops.add().edges.direction = 9  # type: ignore[assignment]
    request.vars["x"].double_value = float("nan")

    answer = reply("GraphService/Expand", request)

    assert answer.code == "INVALID_ARGUMENT"
    fields = [field for field, _ in violations(answer)]
    assert sorted(fields) == ["hops[0].edges.direction", "limit", "vars.x"]


@pytest.mark.parametrize(
    ("field", "request_"),
    [
        ("bounds", graph_pb2.PathsRequest(collection="c", sources=["a"], targets=["b"], bounds=9)),  # type: ignore[arg-type]
        ("mode", graph_pb2.PathsRequest(collection="c", sources=["a"], targets=["b"], mode=9)),  # type: ignore[arg-type]
        ("read.evidence", graph_pb2.PathsRequest(
            collection="c", sources=["a"], targets=["b"], read=query_pb2.ReadOptions(evidence=9))),  # type: ignore[arg-type]
    ],
)  # fmt: skip
def test_an_enum_that_the_contract_does_not_have_is_a_fault(field: str, request_: Message) -> None:
    answer = reply("GraphService/Paths", request_)

    assert [path for path, _ in violations(answer)] == [field]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("nan", types_pb2.Value(double_value=float("nan"))),
        ("inf", types_pb2.Value(doubles=types_pb2.DoubleList(values=[1.0, float("-inf")]))),
    ],
)
def test_a_number_that_is_not_finite_is_refused_in_vars_and_in_puts(
    name: str, value: types_pb2.Value
) -> None:
    lookup = read_pb2.LookupRequest(collection="c", vars={name: value})
    apply = store_pb2.ApplyRequest(collection="c")
    apply.batch.put_nodes.add(id="a")
    apply.batch.put_nodes.add(id="b").properties[name].CopyFrom(value)

    assert [f for f, _ in violations(reply("GraphService/Lookup", lookup))] == [f"vars.{name}"]
    assert [f for f, _ in violations(reply("StoreService/Apply", apply))] == [
        f"batch.put_nodes[1].properties.{name}"
    ]


def test_a_cut_preview_or_a_span_must_not_overwrite_a_row() -> None:
    apply = store_pb2.ApplyRequest(collection="c")
    apply.batch.put_nodes.add(id="a", content_truncated=True).span.parent_id = "b"
    apply.batch.put_nodes.add(id="b", revision="ignored")

    answer = reply("StoreService/Apply", apply)

    assert [field for field, _ in violations(answer)] == [
        "batch.put_nodes[0].content_truncated",
        "batch.put_nodes[0].span",
    ]


def test_weights_that_are_none_are_refused_with_their_place() -> None:
    apply = store_pb2.ApplyRequest(collection="c")
    for weight in (0.0, -1.0, float("nan"), float("inf")):
        apply.batch.put_edges.add(id=f"e{weight}", source="a", target="b", weight=weight)

    answer = reply("StoreService/Apply", apply)

    assert [field for field, _ in violations(answer)] == [
        f"batch.put_edges[{i}].weight" for i in (1, 2, 3)
    ]
