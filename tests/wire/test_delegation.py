"""A gateway that acts for others, over gRPC."""

import base64

import pytest
from google.protobuf.message import Message
from grpc_health.v1 import health_pb2

from passageway.v1 import store_pb2
from tests.wire.acting import (
    AUDIENCE,
    BEHALF,
    CALLS,
    keys,
    refused,
    seen,
    told,
    told_to,
    wire,
)
from tests.wire.serving import Failed, Keys, Wire, served

__all__ = ["keys", "wire"]


@pytest.mark.parametrize(("call", "request_", "answer"), CALLS)
@pytest.mark.parametrize("delegate", ["bridge", "loader", "root"])
def test_a_delegate_sees_what_the_listed_see_and_nothing_of_its_own(
    wire: Wire, keys: Keys, delegate: str, call: str, request_: Message, answer: type[Message]
) -> None:
    ada = told_to(wire, call, request_, answer, keys.of("ada"))

    acting = (*keys.of(delegate), *told(BEHALF, "user:ada", "group:eng"))

    assert told_to(wire, call, request_, answer, acting) == ada
    everybody = (*keys.of(delegate), *told(BEHALF))
    as_bob_alone = (*keys.of(delegate), *told(BEHALF, "user:bob"))
    bob = told_to(wire, call, request_, answer, keys.of("bob"))
    assert told_to(wire, call, request_, answer, as_bob_alone) == bob
    assert told_to(wire, call, request_, answer, everybody) == bob  # nothing here is bob's


def test_membership_is_of_who_is_acted_for(wire: Wire, keys: Keys) -> None:
    assert seen(wire, keys.of("ada")) == {"open", "eng", "red", "adas", "both"}
    listed = (*keys.of("bridge"), *told(BEHALF, "user:ada"))
    assert seen(wire, listed) == {"open", "red", "adas"}
    assert seen(wire, (*keys.of("bridge"), *told(BEHALF, "team:red"))) == {"open", "red"}


def test_a_writer_does_not_write_for_others_but_before_them(wire: Wire, keys: Keys) -> None:
    put = store_pb2.ApplyRequest(collection="closed")
    loader = keys.of("loader")

    for metadata in (told(BEHALF, "user:ada"), told(BEHALF, "user:loader", "group:secret")):
        with pytest.raises(Failed) as failed:
            wire.unary("StoreService/Apply", put, store_pb2.ApplyResponse, (*loader, *metadata))
        assert (failed.value.code, failed.value.info.reason) == (
            "PERMISSION_DENIED",
            "ROLE_MISSING",
        )
        with pytest.raises(Failed, match="PERMISSION_DENIED"):
            list(wire.load([store_pb2.LoadRequest(collection="c")], (*loader, *metadata)))
    put.collection = "c"
    wire.unary(
        "StoreService/Apply", put, store_pb2.ApplyResponse, (*loader, *told(AUDIENCE, "user:bob"))
    )


def test_an_admin_does_not_care_for_collections_on_behalf_of_others(wire: Wire, keys: Keys) -> None:
    with pytest.raises(Failed, match="PERMISSION_DENIED"):
        wire.unary(
            "StoreService/DeleteCollection",
            store_pb2.DeleteCollectionRequest(name="c"),
            store_pb2.DeleteCollectionResponse,
            (*keys.of("root"), *told(BEHALF, "user:root")),
        )


def test_acting_for_others_takes_the_role(wire: Wire, keys: Keys) -> None:
    code, _, text = refused(wire, (*keys.of("ada"), *told(BEHALF, "user:bob")))

    assert code == "PERMISSION_DENIED"
    assert "delegate" in text
    assert refused(wire, told(BEHALF, "user:bob"))[0] == "UNAUTHENTICATED"


@pytest.mark.parametrize("name", [BEHALF, AUDIENCE])
def test_every_bad_value_is_refused_with_one_text(wire: Wire, keys: Keys, name: str) -> None:
    long = base64.urlsafe_b64encode(b"[]" + b" " * (49152 - 1)).decode()
    bad = [(name, value) for value in ("", "?", "W10==", "W10,W10", "bnVsbA", long)]
    bad += [*told(name, "a&b"), *told(name, *["a"] * 1001)]

    answers = [refused(wire, (*keys.of("bridge"), each)) for each in bad]

    code, fields, text = answers[0]
    assert (code, fields) == ("INVALID_ARGUMENT", [name])
    assert answers == [(code, fields, text)] * len(bad)


def test_each_limit_is_allowed_at_its_value_and_not_past_it(wire: Wire, keys: Keys) -> None:
    bridge = keys.of("bridge")
    longest = base64.urlsafe_b64encode(b'["user:ada"]' + b" " * (49152 - 12)).decode()
    assert len(longest) == 64 * 1024

    assert seen(wire, (*bridge, (BEHALF, longest))) == {"open", "red", "adas"}
    most = ["user:ada", *(f"g{number}" for number in range(999))]
    assert seen(wire, (*bridge, *told(BEHALF, *most))) == {"open", "red", "adas"}
    sixteen = told(AUDIENCE, "user:ada") * 16
    assert seen(wire, (*keys.of("ada"), *sixteen)) == {"open", "red", "adas"}
    seventeen = (*keys.of("ada"), *sixteen, *told(AUDIENCE, "user:ada"))
    assert refused(wire, seventeen)[:2] == ("INVALID_ARGUMENT", [AUDIENCE])
    twice = told(BEHALF, "user:ada") * 2
    assert refused(wire, (*bridge, *twice))[:2] == ("INVALID_ARGUMENT", [BEHALF])


def test_health_of_a_collection_is_not_for_those_an_admin_acts_for(wire: Wire, keys: Keys) -> None:
    def status(*metadata: tuple[str, str]) -> str:
        call = wire.channel.unary_unary(
            "/grpc.health.v1.Health/Check",
            request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
            response_deserializer=health_pb2.HealthCheckResponse.FromString,
        )
        try:
            call(health_pb2.HealthCheckRequest(service="c"), metadata=metadata)
        except Exception as error:
            return Failed(error).code  # type: ignore[arg-type]
        return "OK"

    assert status(*keys.of("root")) == "OK"
    for more in (told(BEHALF), told(AUDIENCE), ((BEHALF, "?"),)):
        assert status(*keys.of("root"), *more) == "NOT_FOUND"


def test_in_mode_none_everybody_may_act_for_others() -> None:
    with served() as wire:
        wire.create("c")
        put = store_pb2.ApplyRequest(collection="c")
        put.batch.put_nodes.add(id="adas", readers=["user:ada"])
        put.batch.put_nodes.add(id="open")
        wire.unary("StoreService/Apply", put, store_pb2.ApplyResponse)

        assert seen(wire, ()) == {"adas", "open"}
        assert seen(wire, told(BEHALF)) == {"open"}
        assert seen(wire, told(AUDIENCE, "user:ada")) == {"adas", "open"}
