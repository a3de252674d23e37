"""A load that stops, whatever ended it, tells what was acknowledged and what to do."""

import gzip
from pathlib import Path

import grpc
import pytest

from passageway import Client, LoadResponse
from passageway._generated import methods
from passageway.cli.progress import Progress
from passageway.v1 import read_pb2, store_pb2
from tests.client.cli.shell import Cli, write
from tests.client.fake import Failure as Refused
from tests.client.fake import FakeServer, Hangs
from tests.client.proxy import Proxy


def test_a_file_that_was_cut_keeps_the_batches_before_and_counts_them(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("passageway.cli.batches.RECORDS", 2)
    whole = write(tmp_path / "n.jsonl", [{"id": f"n{number}"} for number in range(5)])
    (tmp_path / "cut.gz").write_bytes(gzip.compress(whole.read_bytes())[:-6])

    ended = cli("load", "notes", "--nodes", tmp_path / "cut.gz", "--data", tmp_path / "data")

    assert ended.code == 1
    assert "cut.gz: the gzip data ends early" in ended.err
    assert "before it were loaded 4 nodes, 0 passages, 0 edges" in ended.err
    assert cli("lookup", "notes", "--data", tmp_path / "data").out.endswith("4 of 4 rows\n")


@pytest.mark.parametrize(
    "status",
    [grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.INTERNAL],
)
def test_a_load_that_the_server_ends_counts_what_was_acknowledged(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: grpc.StatusCode
) -> None:
    monkeypatch.setattr("passageway.cli.batches.RECORDS", 1)
    file = write(tmp_path / "n.jsonl", [{"id": "a"}, {"id": "b"}, {"id": "c"}])
    server = FakeServer()
    server.answers(methods.DESCRIBE, read_pb2.DescribeResponse(collections=["notes"]))
    server.answers(
        methods.LOAD, store_pb2.LoadResponse(batch=1, nodes=1), Refused(status, "enough")
    )

    ended = cli("load", "notes", "--nodes", file, "--server", server.target)

    server.stop()
    assert ended.code == 1
    assert f"enough ({status.name})" in ended.err
    assert "a batch that was not acknowledged is kept whole or not at all" in ended.err
    assert "before it were loaded 1 node, 0 passages, 0 edges" in ended.err


def test_an_interrupted_load_counts_what_was_acknowledged(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(progress: Progress, answer: LoadResponse) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Progress, "loaded", interrupt)
    file = write(tmp_path / "n.jsonl", [{"id": "a"}])

    ended = cli("load", "notes", "--nodes", file, "--data", tmp_path / "data")

    assert ended.code == 130
    assert "before it were loaded 1 node" in ended.err


def test_an_interrupt_before_the_first_batch_or_after_the_last_is_told_too(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    file = write(tmp_path / "n.jsonl", [{"id": "a"}])
    ask = ("load", "notes", "--nodes", file, "--data", tmp_path / "data")
    with monkeypatch.context() as patched:
        patched.setattr(Client, "describe", interrupt)
        early = cli(*ask)
    with monkeypatch.context() as patched:
        patched.setattr(Client, "close", interrupt)
        late = cli(*ask)

    assert (early.code, late.code) == (130, 130)
    assert early.err == "passageway: interrupted before anything was loaded\n"
    assert "interrupted after all was loaded: 1 node, 0 passages, 0 edges" in late.err


def test_a_load_whose_server_is_killed_counts_what_was_acknowledged(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("passageway.cli.batches.RECORDS", 1)
    file = write(tmp_path / "n.jsonl", [{"id": "a"}, {"id": "b"}])
    server = FakeServer()
    proxy = Proxy(server.port)
    server.answers(methods.DESCRIBE, read_pb2.DescribeResponse(collections=["notes"]))
    server.answers(methods.LOAD, store_pb2.LoadResponse(batch=1, nodes=1), Hangs())

    def kill(progress: Progress, answer: LoadResponse) -> None:
        proxy.close()

    monkeypatch.setattr(Progress, "loaded", kill)

    ended = cli("load", "notes", "--nodes", file, "--server", proxy.target)

    server.stop()
    assert ended.code == 1
    assert f"the connection to {proxy.target} was lost before the answer" in ended.err
    assert "before it were loaded 1 node, 0 passages, 0 edges" in ended.err
    start = f"Start the server at {proxy.target} again where it is down"
    assert f"{start}: then the same command with --resume goes on after them" in ended.err
    assert "lost again" not in ended.err


def test_a_first_load_that_fails_says_that_the_collection_was_made(
    cli: Cli, tmp_path: Path
) -> None:
    file = write(tmp_path / "n.jsonl", [{"nope": 1}])

    first = cli("load", "notes", "--nodes", file, "--data", tmp_path / "data")
    second = cli("load", "notes", "--nodes", file, "--data", tmp_path / "data")

    assert "The collection notes was made, and is empty" in first.err
    assert "was made" not in second.err


@pytest.mark.parametrize("nothing", ["stopped: nothing was loaded", "stopped: no batch was"])
def test_a_load_of_which_nothing_is_in_has_nothing_to_go_on_after(
    cli: Cli, tmp_path: Path, nothing: str
) -> None:
    refused = nothing == "stopped: nothing was loaded"
    status = grpc.StatusCode.PERMISSION_DENIED if refused else grpc.StatusCode.INTERNAL
    file = write(tmp_path / "n.jsonl", [{"id": "a"}])
    server = FakeServer()
    server.answers(methods.DESCRIBE, read_pb2.DescribeResponse(collections=["notes"]))
    server.answers(methods.LOAD, Refused(status, "enough"))

    ended = cli("load", "notes", "--nodes", file, "--server", server.target)

    server.stop()
    assert ended.code == 1
    assert nothing in ended.err
    assert "--resume" not in ended.err
    assert ("kept whole or not at all" in ended.err) is not refused
