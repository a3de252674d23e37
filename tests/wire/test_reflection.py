"""Standard reflection: where it is on, what it lists, and who may ask."""

import grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from passageway_server.wire.server import Settings
from tests.wire.serving import Failed, Keys, Metadata, Wire, guarded, served


def reflected(wire: Wire, metadata: Metadata = ()) -> list[str] | str:
    """The services that reflection lists, or the code that refuses it."""
    stub = reflection_pb2_grpc.ServerReflectionStub(wire.channel)
    request = reflection_pb2.ServerReflectionRequest(list_services="")
    try:
        (answer,) = stub.ServerReflectionInfo(iter([request]), timeout=60, metadata=metadata)
    except grpc.RpcError as error:
        return Failed(error).code
    return sorted(service.name for service in answer.list_services_response.service)


def test_reflection_is_on_where_nobody_is_asked_who_they_are() -> None:
    with served() as wire:
        assert reflected(wire) == [
            "grpc.health.v1.Health",
            "grpc.reflection.v1alpha.ServerReflection",
            "passageway.v1.GraphService",
            "passageway.v1.StoreService",
        ]


def test_reflection_is_off_with_tokens_unless_asked_for(keys: Keys) -> None:
    with served(guarded(keys)) as wire:
        assert reflected(wire, keys.of("ada")) == "UNIMPLEMENTED"
    asked_for = Settings(listen="127.0.0.1:0", tokens=keys.file, reflection=True)
    with served(asked_for) as wire:
        assert "passageway.v1.GraphService" in reflected(wire, keys.of("ada"))
        assert reflected(wire) == "UNAUTHENTICATED"


def test_reflection_can_be_switched_off() -> None:
    with served(Settings(listen="127.0.0.1:0", reflection=False)) as wire:
        assert reflected(wire) == "UNIMPLEMENTED"
