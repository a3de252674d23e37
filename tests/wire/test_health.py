"""Standard health: what Check and Watch say of the server and of collections, to whom, and when it drains."""

from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from passageway.v1 import read_pb2, store_pb2
from passageway_server.authz.identity import Nobody
from passageway_server.errors import ReadOnly
from passageway_server.version.store import Store
from passageway_server.wire.health import Health
from tests.wire.serving import Failed, Keys, Metadata, Wire, guarded, served


def check(wire: Wire, service: str = "", metadata: Metadata = ()) -> str:
    """The status of a service, or the code that refuses it."""
    request = health_pb2.HealthCheckRequest(service=service)
    stub = health_pb2_grpc.HealthStub(wire.channel)
    try:
        answer = stub.Check(request, timeout=60, metadata=metadata)
    except grpc.RpcError as error:
        return Failed(error).code
    return name_of(answer)


def watch(wire: Wire, service: str = "", metadata: Metadata = ()) -> Iterator[str]:
    """The statuses of a service as they come; raises `Failed`."""
    request = health_pb2.HealthCheckRequest(service=service)
    stub = health_pb2_grpc.HealthStub(wire.channel)
    try:
        yield from map(name_of, stub.Watch(request, timeout=60, metadata=metadata))
    except grpc.RpcError as error:
        raise Failed(error) from None


def name_of(answer: health_pb2.HealthCheckResponse) -> str:
    return health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status)


def test_health_of_the_server_is_for_everyone(keys: Keys) -> None:
    with served(guarded(keys)) as wire:
        assert check(wire) == "SERVING"
        assert next(watch(wire)) == "SERVING"


def test_health_of_a_collection_is_for_admins_alone(keys: Keys) -> None:
    with served(guarded(keys)) as wire:
        wire.create("c", keys.of("root"))

        assert check(wire, "c", keys.of("root")) == "SERVING"
        assert check(wire, "absent", keys.of("root")) == "NOT_FOUND"
        assert check(wire, "c", keys.of("ada")) == "NOT_FOUND"
        assert check(wire, "c") == "NOT_FOUND"


def test_a_watch_of_a_collection_says_what_a_check_says(keys: Keys) -> None:
    with served(guarded(keys)) as wire:
        wire.create("c", keys.of("root"))

        assert next(watch(wire, "c", keys.of("root"))) == "SERVING"
        assert next(watch(wire, "absent", keys.of("root"))) == "SERVICE_UNKNOWN"
        assert next(watch(wire, "c", keys.of("ada"))) == "SERVICE_UNKNOWN"
        assert next(watch(wire, "c")) == "SERVICE_UNKNOWN"


def test_a_damaged_collection_does_not_serve_and_the_others_do(tmp_path: Path, keys: Keys) -> None:
    settings = guarded(keys, data=tmp_path / "data")
    with served(settings) as wire:
        for name in ("broken", "whole"):
            wire.create(name, keys.of("root"))
    (tmp_path / "data" / "broken" / "CURRENT").write_bytes(b"nonsense\n")

    with served(settings) as wire:
        assert check(wire) == "SERVING"
        assert check(wire, "broken", keys.of("root")) == "NOT_SERVING"
        assert next(watch(wire, "broken", keys.of("root"))) == "NOT_SERVING"
        assert check(wire, "broken", keys.of("ada")) == "NOT_FOUND"
        assert check(wire, "whole", keys.of("root")) == "SERVING"
        describe = read_pb2.DescribeRequest(collection="broken")
        with pytest.raises(Failed, match="FAILED_PRECONDITION") as refused:
            wire.unary(
                "GraphService/Describe", describe, read_pb2.DescribeResponse, keys.of("root")
            )
    assert refused.value.info.reason == "SNAPSHOT_DAMAGED"


def test_a_collection_of_which_no_snapshot_can_be_written_does_not_serve_and_is_read_and_written(
    tmp_path: Path, keys: Keys
) -> None:
    with served(guarded(keys, data=tmp_path / "data")) as wire:
        wire.create("unsaved", keys.of("root"))
        store = wire.server._store
        assert isinstance(store, Store)
        store.checkpoints.failed["unsaved"] = ValueError("more than 1000000 values")

        assert check(wire) == "SERVING"
        assert check(wire, "unsaved", keys.of("root")) == "NOT_SERVING"
        put = store_pb2.ApplyRequest(collection="unsaved")
        wire.unary("StoreService/Apply", put, store_pb2.ApplyResponse, keys.of("root"))


def test_a_collection_that_takes_no_commits_does_not_serve_and_the_server_does(
    keys: Keys, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served(guarded(keys)) as wire:
        for name in ("stuck", "whole"):
            wire.create(name, keys.of("root"))
        stuck = wire.server._store.collection("stuck")
        monkeypatch.setattr(stuck._committing, "read_only", ReadOnly("stuck/log/1.log", "no sync"))

        assert check(wire) == "SERVING"
        assert check(wire, "stuck", keys.of("root")) == "NOT_SERVING"
        assert next(watch(wire, "stuck", keys.of("root"))) == "NOT_SERVING"
        assert check(wire, "stuck", keys.of("ada")) == "NOT_FOUND"
        assert check(wire, "whole", keys.of("root")) == "SERVING"
        describe = read_pb2.DescribeRequest(collection="stuck")
        wire.unary("GraphService/Describe", describe, read_pb2.DescribeResponse, keys.of("root"))
        put = store_pb2.ApplyRequest(collection="stuck")
        with pytest.raises(Failed, match="FAILED_PRECONDITION") as refused:
            wire.unary("StoreService/Apply", put, store_pb2.ApplyResponse, keys.of("root"))
    assert refused.value.info.reason == "READ_ONLY"


def test_a_watch_tells_the_present_status_and_ends_with_the_server() -> None:
    with served() as wire:
        known, unknown = watch(wire), watch(wire, "absent")
        first = [next(known), next(unknown)]
        wire.server.stop()

        assert first == ["SERVING", "SERVICE_UNKNOWN"]
        assert list(known) == list(unknown) == ["NOT_SERVING"]


def test_a_watch_that_comes_while_the_server_drains_is_told_and_ended() -> None:
    with served() as wire:
        wire.server._health.drain()

        assert check(wire) == "NOT_SERVING"
        assert list(watch(wire)) == ["NOT_SERVING"]


def test_a_bug_in_a_watch_leaves_as_an_id(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*_: object) -> None:
        raise KeyError("row-of-ada")

    monkeypatch.setattr(Health, "_status", breaks)
    with served() as wire, pytest.raises(Failed) as refused:
        next(watch(wire))

    assert refused.value.code == "INTERNAL"
    assert "row-of-ada" not in f"{refused.value.text}{refused.value.status}"


def test_a_watch_whose_caller_has_gone_leaves_nothing_behind() -> None:
    health = Health(Store.open(), Nobody())
    sent: list[object] = []

    gone = Mock(spec=grpc.ServicerContext)
    gone.add_callback.return_value = False
    health.watch(health_pb2.HealthCheckRequest(), gone, sent.append)

    assert (sent, len(health._watching)) == ([], 0)


def test_one_watch_too_many_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("passageway_server.wire.health._MOST_WATCHES", 2)
    with served() as wire:
        held = [watch(wire), watch(wire)]
        assert [next(each) for each in held] == ["SERVING", "SERVING"]

        with pytest.raises(Failed, match="RESOURCE_EXHAUSTED") as refused:
            next(watch(wire))

    assert refused.value.info.reason == "MAX_STREAMS"
    assert refused.value.info.metadata == {"limit": "2", "parameter": "watches"}
