"""What a server is told of the disk, and what it says of it."""

from pathlib import Path

import pytest

from passageway.v1 import read_pb2, store_pb2
from passageway_server.errors import SettingInvalid
from passageway_server.version.durability import Durability
from passageway_server.wire.opening import durability
from passageway_server.wire.settings import Settings
from tests.wire.serving import Wire, served


def put(wire: Wire, *ids: str) -> str:
    request = store_pb2.ApplyRequest(collection="c")
    for id in ids:
        request.batch.put_nodes.add(id=id)
    return wire.unary("StoreService/Apply", request, store_pb2.ApplyResponse).version


def present(wire: Wire, *ids: str) -> list[str]:
    request = read_pb2.GetRequest(collection="c", ids=ids)
    found = wire.unary("GraphService/Get", request, read_pb2.GetResponse)
    return [node.id for node in found.nodes]


def events(caplog: pytest.LogCaptureFixture) -> dict[str, str]:
    return {record.getMessage(): record.levelname for record in caplog.records}


def test_settings_become_what_the_store_goes_by() -> None:
    told = Settings(fsync="interval", checkpoint_bytes=5, checkpoint_seconds=7.5)

    assert durability(Settings()) == Durability()
    assert durability(told) == Durability("interval", 5, 7.5)


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        (Settings(checkpoint_bytes=0), "checkpoint_bytes 0"),
        (Settings(checkpoint_seconds=0.0), "checkpoint_seconds 0.0"),
        (Settings(checkpoint_seconds=float("nan")), "checkpoint_seconds nan"),
    ],
)
def test_a_checkpoint_that_never_ends_is_refused(settings: Settings, fault: str) -> None:
    with pytest.raises(SettingInvalid, match=fault):
        durability(settings)


def test_a_server_that_acknowledges_early_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    early = Settings(tmp_path / "data", "127.0.0.1:0", fsync="interval")
    with served(early) as wire:
        wire.create("c")
        put(wire, "a")
        assert present(wire, "a") == ["a"]
    with served(Settings(tmp_path / "data", "127.0.0.1:0")) as wire:
        assert present(wire, "a") == ["a"]

    warned = [record for record in caplog.records if record.levelname == "WARNING"]
    assert [record.getMessage() for record in warned] == [
        "a crash may take the last 100 ms of what is acknowledged"
    ]


def test_what_a_crash_left_half_written_is_a_line_of_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = Settings(tmp_path / "data", "127.0.0.1:0")
    with served(settings) as wire:
        wire.create("c")
        put(wire, "a")
    newest = max((tmp_path / "data" / "c" / "log").glob("*.log"))
    with newest.open("ab") as log:
        log.write(b"\x55" * 100)

    with served(settings) as wire:
        assert present(wire, "a") == ["a"]

    assert events(caplog).get("recovered") == "WARNING"
    (told,) = [
        record.__dict__["passageway_fields"]
        for record in caplog.records
        if record.getMessage() == "recovered"
    ]
    assert (told["kind"], told["bytes"]) == ("tail", 100)
    assert (tmp_path / "data" / told["kept"]).read_bytes() == b"\x55" * 100
