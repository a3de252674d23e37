"""A load that stopped goes on after what was acknowledged, and one that is made anew loads everything."""

import io
import os
import sys
from pathlib import Path
from typing import Any

import grpc
import pytest

from passageway import LoadResponse
from passageway._generated import methods
from passageway.cli.lines import Source
from passageway.cli.progress import Progress
from passageway.cli.resuming import name_of
from passageway.v1 import read_pb2, store_pb2
from tests.client.cli.shell import Cli, write
from tests.client.fake import Failure, FakeServer

NODES: list[dict[str, Any]] = [{"id": f"n{number}"} for number in range(5)]
EDGES: list[dict[str, Any]] = [
    {"id": f"e{number}", "source": "n0", "target": f"n{number}"} for number in range(1, 4)
]


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two records a batch."""
    monkeypatch.setattr("passageway.cli.batches.RECORDS", 2)


@pytest.fixture
def options(tmp_path: Path) -> list[str | Path]:
    """Three batches of nodes, and two of edges."""
    nodes, edges = write(tmp_path / "n.jsonl", NODES), write(tmp_path / "e.jsonl", EDGES)
    return ["--nodes", nodes, "--edges", edges, "--data", tmp_path / "data"]


def stop_after(batches: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C when so many batches are acknowledged."""
    told: list[LoadResponse] = []

    def interrupt(_: Progress, answer: LoadResponse) -> None:
        told.append(answer)
        if len(told) == batches:
            raise KeyboardInterrupt

    monkeypatch.setattr(Progress, "loaded", interrupt)


def sent(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The ids of each batch that is loaded from now on."""
    batches: list[list[str]] = []

    def note(_: Progress, answer: LoadResponse) -> None:
        batches.append([f"{answer.nodes} nodes", f"{answer.edges} edges"])

    monkeypatch.setattr(Progress, "loaded", note)
    return batches


def rows(cli: Cli, folder: str | Path) -> tuple[int, int]:
    counted = [
        cli("lookup", "notes", *kind, "--page-size", "0", "--data", folder, "--json").json["total"]
        for kind in ((), ("--kind", "edges"))
    ]
    return counted[0], counted[1]


@pytest.mark.parametrize("batches", [1, 3, 4])
def test_a_load_goes_on_after_what_was_acknowledged(
    cli: Cli, options: list[str | Path], monkeypatch: pytest.MonkeyPatch, batches: int
) -> None:
    with monkeypatch.context() as patched:
        stop_after(batches, patched)
        stopped = cli("load", "notes", *options)
    assert stopped.code == 130
    assert "the same command with --resume goes on after them" in stopped.err
    loaded = sent(monkeypatch)

    ended = cli("load", "notes", *options, "--resume", "--json")

    assert ended.code == 0, ended.err
    told = ended.json
    assert (told["nodes"], told["edges"], told["dangling_edges"]) == (5, 3, 0)
    # A batch that was on its way when Ctrl-C came may be in as well.
    assert told["resumed_after"] in (batches, batches + 1)
    assert len(loaded) == 5 - told["resumed_after"]
    assert rows(cli, options[-1]) == (5, 3)


def test_a_load_that_was_done_has_nothing_left(cli: Cli, options: list[str | Path]) -> None:
    first = cli("load", "notes", *options, "--json").json

    again = cli("load", "notes", *options, "--resume")

    assert again.out.startswith("notes: 5 nodes, 0 passages, 3 edges in ")
    assert again.out.endswith("went on after what was loaded before: 5 batches were in\n")
    told = cli("load", "notes", *options, "--resume", "--json").json
    assert told == {**first, "resumed_after": 5}


def test_a_load_without_resume_loads_everything_again(
    cli: Cli, options: list[str | Path], tmp_path: Path
) -> None:
    assert cli("load", "notes", *options).code == 0
    other = write(tmp_path / "other.jsonl", [{"id": "n3", "name": "changed"}])
    assert cli("load", "notes", "--nodes", other, "--data", options[-1]).code == 0

    assert cli("load", "notes", *options).code == 0

    (node,) = cli("get", "notes", "n3", "--data", options[-1], "--json").json["nodes"]
    assert "name" not in node


def test_the_latest_of_two_loads_is_the_one_that_goes_on(
    cli: Cli, options: list[str | Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cli("load", "notes", *options).code == 0
    with monkeypatch.context() as patched:
        stop_after(1, patched)
        assert cli("load", "notes", *options).code == 130

    told = cli("load", "notes", *options, "--resume", "--json").json

    assert told["resumed_after"] in (1, 2)


def test_other_files_are_loaded_from_their_beginning(
    cli: Cli, options: list[str | Path], tmp_path: Path
) -> None:
    assert cli("load", "notes", *options).code == 0
    write(tmp_path / "n.jsonl", [*NODES, {"id": "more"}])

    ended = cli("load", "notes", *options, "--resume")

    assert ended.err == "nothing of these files is known to be in: all of them is loaded\n"
    assert "6 nodes" in ended.out
    assert "0 batches were in" in ended.out


def test_a_first_load_may_ask_to_go_on(cli: Cli, options: list[str | Path]) -> None:
    ended = cli("load", "notes", *options, "--resume", "--json")

    assert (ended.json["nodes"], ended.json["resumed_after"]) == (5, 0)


def test_lines_that_are_in_are_not_read_as_records(
    cli: Cli, options: list[str | Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "n.jsonl"
    head, *others = file.read_text().splitlines(keepends=True)
    monkeypatch.setattr("passageway.cli.resuming._HEAD", len(head))
    assert cli("load", "notes", *options).code == 0
    file.write_text(head + "".join("x" * (len(line) - 1) + "\n" for line in others))

    ended = cli("load", "notes", *options, "--resume")

    assert ended.code == 0
    assert "5 batches were in" in ended.out


def test_files_that_make_fewer_batches_than_are_in_were_changed(
    cli: Cli, options: list[str | Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "n.jsonl"
    head, *others = file.read_text().splitlines(keepends=True)
    monkeypatch.setattr("passageway.cli.resuming._HEAD", len(head))
    assert cli("load", "notes", *options).code == 0
    file.write_text(head + " " * (len("".join(others)) - 1) + "\n")

    ended = cli("load", "notes", *options, "--resume")

    assert ended.code == 1
    assert "these files make 3 batches, and 5 of them are said to be in" in ended.err


def test_another_collection_has_loads_of_its_own(cli: Cli, options: list[str | Path]) -> None:
    assert cli("load", "notes", *options).code == 0

    told = cli("load", "others", *options, "--resume", "--json").json

    assert (told["nodes"], told["resumed_after"]) == (5, 0)


def test_a_collection_that_was_made_anew_has_nothing_of_a_load(
    cli: Cli, options: list[str | Path]
) -> None:
    assert cli("load", "notes", *options).code == 0
    assert cli("collection", "delete", "notes", "--yes", "--data", options[-1]).code == 0

    told = cli("load", "notes", *options, "--resume", "--json").json

    assert (told["nodes"], told["resumed_after"]) == (5, 0)


def test_a_server_that_ends_the_load_is_gone_on_with_where_it_stopped(
    cli: Cli, tmp_path: Path
) -> None:
    file = write(tmp_path / "n.jsonl", NODES)
    server = FakeServer()
    unavailable = Failure(grpc.StatusCode.UNAVAILABLE, "stopping", "STOPPING")
    server.answers(methods.DESCRIBE, *[read_pb2.DescribeResponse(collections=["notes"])] * 2)
    server.answers(methods.LOAD, store_pb2.LoadResponse(batch=1, nodes=2), unavailable)
    command = ("load", "notes", "--nodes", file, "--server", server.target)
    first = cli(*command)
    server.answers(
        methods.LOAD,
        store_pb2.LoadResponse(version="v1", batch=1),
        store_pb2.LoadResponse(version="v2", batch=1, nodes=2),
        store_pb2.LoadResponse(version="v3", batch=2, nodes=3, dangling_edges=4),
    )

    second = cli(*command, "--resume", "--json")

    server.stop()
    assert "before it were loaded 2 nodes" in first.err
    loads = [call.requests for call in server.asked if call.path == methods.LOAD.path]
    assert [request.resume for request in loads[1]] == [True]
    name = loads[1][0].idempotency_key
    assert [request.idempotency_key.startswith(f"{name}/") for request in loads[0]] == [True, True]
    assert [request.idempotency_key.rpartition("/")[2] for request in loads[2]] == ["2", "3"]
    assert [[node.id for node in request.batch.put_nodes] for request in loads[2]] == [
        ["n2", "n3"],
        ["n4"],
    ]
    told = second.json
    assert (told["version"], told["nodes"], told["dangling_edges"]) == ("v3", 5, 4)


def test_stdin_and_pipes_have_no_name(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(tmp_path / "n.jsonl", NODES)
    os.mkfifo(tmp_path / "pipe")
    whole, missing = Source(str(file)), Source(str(tmp_path / "none"))

    assert name_of("c", {"nodes": [whole]})
    assert name_of("c", {"nodes": [whole], "edges": [Source("-")]}) == ""
    assert name_of("c", {"nodes": [Source(str(tmp_path / "pipe"))]}) == ""
    assert name_of("c", {"nodes": [missing]}) == ""
    monkeypatch.setattr("passageway.cli.batches.RECORDS", 1)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"id": "a"}\n{"id": 3}\n')))
    ended = cli("load", "notes", "--nodes", "-", "--data", tmp_path / "data")
    assert "Loading again is safe once it is put right" in ended.err
    assert "--resume" not in ended.err


def test_a_name_is_of_the_collection_the_files_and_how_they_are_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = (Source(str(write(tmp_path / name, NODES))) for name in ("a", "b"))
    names = [
        name_of("c", {"nodes": [one]}),
        name_of("d", {"nodes": [one]}),
        name_of("c", {"nodes": [other]}),
        name_of("c", {"nodes": [one, other]}),
        name_of("c", {"nodes": [other, one]}),
        name_of("c", {"passages": [one]}),
    ]
    write(tmp_path / "a", NODES[1:])
    names.append(name_of("c", {"nodes": [one]}))
    write(tmp_path / "a", [*NODES[1:], NODES[0]])
    names.append(name_of("c", {"nodes": [one]}))
    monkeypatch.setattr("passageway.cli.batches.RECORDS", 3)
    names.append(name_of("c", {"nodes": [one]}))
    monkeypatch.setattr("passageway.cli.resuming.version", "{} 99".format)
    names.append(name_of("c", {"nodes": [one]}))

    assert len(set(names)) == len(names)
    assert all(len(name.encode()) < 64 for name in names)
