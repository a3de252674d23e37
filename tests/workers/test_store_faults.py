"""A store that cannot be reached, or where nothing is: the log, and who starts there, hear where, why and what to do."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from passageway_server.errors import NothingPublished, ReadFailed, StoreReadFailed
from passageway_server.wire.replica import Replica
from passageway_server.wire.server import Server, Settings
from tests.workers.objects import ObjectServer, object_server
from tests.workers.serving import Line, wait_until

MISSING = "s3://no-such-bucket/some/prefix"


@pytest.fixture(scope="module")
def objects() -> Iterator[ObjectServer]:
    with object_server() as server:
        yield server


def primary(data: Path, publish: str) -> Server:
    return Server(Settings(data, "127.0.0.1:0", publish=publish))


def replica(follow: str, cache: Path | None = None) -> Server:
    return Replica(Settings(listen="127.0.0.1:0", follow=follow, cache=cache))


def fields(caplog: pytest.LogCaptureFixture, event: str) -> list[dict[str, str]]:
    return [
        vars(record)["passageway_fields"]
        for record in caplog.records
        if record.getMessage() == event
    ]


def test_what_cannot_be_published_is_logged_with_its_place_and_cause(
    objects: ObjectServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with objects.in_environment(), caplog.at_level("INFO", logger="passageway.server"):
        server = primary(tmp_path / "data", MISSING)
        try:
            wait_until(lambda: fields(caplog, "not published") != [])
        finally:
            server.stop()

    (line,) = fields(caplog, "not published")
    assert (line["reason"], line["where"], line["collection"]) == ("WRITE_FAILED", MISSING, "")
    assert "NoSuchBucket" in line["text"]
    assert "bucket and prefix" in line["text"]
    assert "disk" not in line["text"]


def test_what_cannot_be_followed_is_logged_with_its_place_and_cause(
    objects: ObjectServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with objects.in_environment():
        url = objects.new_url()
        first = primary(tmp_path / "data", url)
        Line(first.address).create("c")
        first.stop()
        replica(url, tmp_path / "cache").stop()
    with objects.away(), caplog.at_level("INFO", logger="passageway.server"):
        server = replica(f"{url}?signature=hidden", tmp_path / "cache")
        try:
            wait_until(lambda: fields(caplog, "not followed") != [])
        finally:
            server.stop()

    line = fields(caplog, "not followed")[0]
    assert (line["reason"], line["where"]) == ("READ_FAILED", url)
    assert "http://127.0.0.1:1/" in line["text"]
    assert "hidden" not in line["text"]


def test_where_nobody_publishes_a_replica_says_so(objects: ObjectServer) -> None:
    with objects.in_environment():
        for url in (objects.new_url(), MISSING):
            with pytest.raises(NothingPublished) as refused:
                replica(url)
            assert refused.value.url == url
            assert f"serve --publish {url}" in str(refused.value)


def test_an_endpoint_without_tls_that_was_not_allowed_is_told_of_the_store(
    objects: ObjectServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with objects.in_environment():
        url = objects.new_url()
        monkeypatch.delenv("AWS_ALLOW_HTTP")
        with pytest.raises(StoreReadFailed, match="AWS_ALLOW_HTTP=true") as refused:
            replica(url)

    assert refused.value.reason == ReadFailed.reason
    assert "disk" not in str(refused.value)
