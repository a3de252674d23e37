"""Loading keeps whole batches: a bad line is told by its place, and nothing of its batch stays."""

import gzip
import io
import json
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import zstandard
from pyarrow import parquet as pq

from tests.client.cli.shell import EDGES, NODES, Cli, write


def test_a_load_tells_its_counts_and_what_dangles(
    cli: Cli, files: list[str | Path], tmp_path: Path
) -> None:
    ended = cli("load", "notes", *files, "--data", tmp_path / "data")

    assert ended.code == 0
    assert ended.out.startswith("notes: 5 nodes, 2 passages, 3 edges in ")
    assert ended.out.endswith("1 dangling edge; skipped nothing\n")
    assert ended.err == ""


def test_json_tells_the_same(cli: Cli, files: list[str | Path], tmp_path: Path) -> None:
    ended = cli("load", "notes", *files, "--data", tmp_path / "data", "--json")

    told = ended.json
    assert told.pop("version")
    assert told == {
        "collection": "notes",
        "nodes": 5,
        "passages": 2,
        "edges": 3,
        "dangling_edges": 1,
        "skipped": 0,
    }


def test_parquet_files_load_with_all_that_lines_hold_and_are_counted(
    cli: Cli, tmp_path: Path
) -> None:
    tables: dict[str, dict[str, Any]] = {
        "nodes": {
            "id": ["ada", "bob"],
            "type": ["person", None],
            "readers": [["group:eng"], None],
            "properties.age": [36, None],
        },
        "links": {"id": ["eve"], "links.KNOWS": [["ada", "bob"]]},
        "edges": {"id": ["e"], "source": ["ada"], "target": ["bob"], "weight": [0.5]},
        "passages": {"id": ["ada#0"], "parent_id": ["ada"], "index": [0], "content": ["Born."]},
    }
    for name, columns in tables.items():
        pq.write_table(pa.table(columns), tmp_path / f"{name}.parquet")
    data = tmp_path / "data"

    ended = cli(
        "load", "notes", "--nodes", tmp_path / "nodes.parquet", "--nodes",
        tmp_path / "links.parquet", "--edges", tmp_path / "edges.parquet", "--passages",
        tmp_path / "passages.parquet", "--data", data, "--json",
    )  # fmt: skip

    assert ended.code == 0
    told = ended.json
    assert (told["nodes"], told["passages"], told["edges"]) == (3, 1, 1)
    exported = tmp_path / "exported"
    assert cli("export", "notes", "--dir", exported, "--data", data).code == 0
    lines = (exported / "nodes.jsonl.zst").read_bytes()
    with zstandard.ZstdDecompressor().stream_reader(io.BytesIO(lines)) as unpacked:
        nodes = [json.loads(line) for line in unpacked.read().splitlines()]
    assert nodes == [
        {"id": "ada", "type": "person", "readers": ["group:eng"], "properties": {"age": 36}},
        {"id": "bob"},
        {"id": "eve", "links": {"KNOWS": ["ada", "bob"]}},
    ]


def test_loading_again_replaces(cli: Cli, files: list[str | Path], folder: Path) -> None:
    before = cli("lookup", "notes", "--data", folder, "--json").json

    assert cli("load", "notes", *files, "--data", folder).code == 0

    after = cli("lookup", "notes", "--data", folder, "--json").json
    assert after["nodes"] == before["nodes"]
    assert after["total"] == before["total"]


def test_packed_files_and_repeated_options_load_alike(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "n.gz").write_bytes(gzip.compress(json.dumps(NODES[0]).encode()))
    (tmp_path / "n.zst").write_bytes(
        zstandard.ZstdCompressor().compress(json.dumps(NODES[1]).encode())
    )

    ended = cli(
        *("load", "notes", "--nodes", tmp_path / "n.gz", "--nodes", tmp_path / "n.zst"),
        *("--data", tmp_path / "data", "--json"),
    )

    assert ended.json["nodes"] == 2


def test_stdin_is_a_source(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"id": "a"}\n')))

    ended = cli("load", "notes", "--nodes", "-", "--data", tmp_path / "data", "--json")

    assert ended.json["nodes"] == 1


def test_a_bad_line_stops_the_load_and_earlier_batches_stay(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("passageway.cli.batches.RECORDS", 2)
    lines: list[dict[str, Any]] = [
        {"id": "a", "readers": ["public"]},
        {"id": "b"},
        {"id": "c"},
        {"id": "d", "nam": ""},
    ]
    file = write(tmp_path / "n.jsonl", lines)

    ended = cli("load", "notes", "--nodes", file, "--data", tmp_path / "data")

    assert ended.code == 1
    assert f'{file}:4:13: ["nam"]: unknown key' in ended.err
    assert "before it were loaded 2 nodes, 0 passages, 0 edges" in ended.err
    found = cli("lookup", "notes", "--data", tmp_path / "data", "--json").json
    assert [node["id"] for node in found["nodes"]] == ["a", "b"]


def test_what_the_server_refuses_is_told_by_its_line(cli: Cli, tmp_path: Path) -> None:
    edges: list[dict[str, Any]] = [
        EDGES[0],
        {**EDGES[1], "weight": -0.5},
        {**EDGES[2], "source": ""},
    ]
    file = write(tmp_path / "e.jsonl", edges)

    ended = cli("load", "notes", "--edges", file, "--data", tmp_path / "data")

    assert ended.code == 1
    column = file.read_text().splitlines()[1].index("-0.5") + 1
    assert f"{file}:2:{column}: weight: " in ended.err
    assert f"{file}:3:" in ended.err
    assert ended.err.endswith(
        "\nstopped: nothing was loaded. The collection notes was made, and is empty\n"
    )


@pytest.mark.parametrize(
    ("lines", "rest"),
    [(10, None), (11, "and 1 more fault"), (90, "and 80 more faults"),
     (2000, "and at least 90 more faults")],
)  # fmt: skip
def test_faults_that_are_not_told_are_counted(
    cli: Cli, tmp_path: Path, lines: int, rest: str | None
) -> None:
    file = write(tmp_path / "n.jsonl", [{"id": ""}] * lines)

    ended = cli("load", "notes", "--nodes", file, "--data", tmp_path / "data")

    told = ended.err.partition("\nstopped: ")[0].splitlines()
    assert [line.partition(": ")[2] for line in told[1:10]] == ["id: an id is not empty"] * 9
    assert told[10:] == ([rest] if rest else [])


def test_a_property_of_another_kind_is_told_by_its_line(cli: Cli, tmp_path: Path) -> None:
    nodes: list[dict[str, Any]] = [
        {"id": "a", "properties": {"size": 1}},
        {"id": "b", "properties": {"size": "big"}},
    ]
    file = write(tmp_path / "n.jsonl", nodes)

    ended = cli("load", "notes", "--nodes", file, "--data", tmp_path / "data")

    assert ended.code == 1
    assert f"{file}:2:36: " in ended.err
    assert "size" in ended.err


def test_a_file_of_settings_makes_the_collection(cli: Cli, tmp_path: Path) -> None:
    settings = {
        "description": "Notes",
        "fields": [{"name": "published", "kind": "time"}],
        "default_readers": ["public"],
        "ontology": {"edge_types": [{"name": "calls", "default_weight": 0.25}]},
    }
    (tmp_path / "c.json").write_text(json.dumps(settings))
    nodes = write(
        tmp_path / "n.jsonl",
        [{"id": "a", "properties": {"published": "2025-06-01T12:00:00+02:00"}}],
    )
    data = tmp_path / "data"

    ended = cli(
        *(
            "load",
            "notes",
            "--collection-file",
            tmp_path / "c.json",
            "--nodes",
            nodes,
            "--data",
            data,
        )
    )

    assert ended.code == 0, ended.err
    found = cli("get", "notes", "a", "--data", data, "--principal", "public", "--json").json
    assert found["nodes"][0]["properties"] == {"published": "2025-06-01T10:00:00Z"}


def test_settings_of_a_collection_that_exists_are_not_applied(
    cli: Cli, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "c.json").write_text('{"description": "new"}')

    ended = cli("load", "notes", "--collection-file", tmp_path / "c.json", "--data", folder)

    assert ended.code == 0
    assert "notes exists" in ended.err
    assert "new" not in cli("collection", "list", "--data", folder).out


def test_what_a_windows_editor_wrote_loads(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "n.jsonl").write_bytes(b"\xef\xbb\xbf" + b'{"id": "a"}\r\n')

    ended = cli("load", "notes", "--nodes", tmp_path / "n.jsonl", "--data", tmp_path / "data")

    assert ended.out.startswith("notes: 1 node, ")


def test_a_record_that_no_message_holds_is_told_by_its_line(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("passageway.cli.batches.RECORD_BYTES", 100)
    file = write(tmp_path / "n.jsonl", [{"id": "a"}, {"id": "b", "content": "x" * 100}])

    ended = cli("load", "notes", "--nodes", file, "--data", tmp_path / "data")

    assert ended.code == 1
    assert f"{file}:2:1: a record of 105 bytes; one has at most 100" in ended.err
    assert "before it were loaded 1 node" in ended.err


def test_a_damaged_collection_is_told_as_damaged(
    cli: Cli, files: list[str | Path], folder: Path
) -> None:
    for manifest in (folder / "notes").rglob("manifest.msgpack"):
        manifest.write_bytes(b"nothing")

    ended = cli("load", "notes", *files, "--data", folder)

    assert ended.code == 1
    assert "(SNAPSHOT_DAMAGED)" in ended.err
    assert "delete it first" not in ended.err
