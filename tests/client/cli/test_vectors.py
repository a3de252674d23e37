"""Vectors go through files as lists of numbers, and come back to the last bit."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from passageway.cli import vectors
from passageway.cli.batches import batches
from passageway.cli.lines import Lines, Source
from passageway.cli.resuming import name_of
from tests.client.cli.shell import Cli, write

LINES: list[dict[str, Any]] = [
    {"id": "a", "properties": {"v": [0.1, -2.5, 3.4e38]}},
    {"id": "b", "properties": {"v": [1, 2, 3], "w": [1.5, 2.5]}},
    {"id": "c"},
]


@pytest.fixture
def folder(cli: Cli, tmp_path: Path) -> Path:
    """A folder with the empty collection ``c``, of which a field is declared a vector, another floats."""
    made = cli(
        *("collection", "create", "c", "--field", "v:vector:3", "--field", "w:float:repeated"),
        *("--data", tmp_path / "data"),
    )
    assert made.code == 0, made.err
    return tmp_path / "data"


def lines_of(file: Path) -> list[str]:
    return file.read_text().splitlines()


def test_an_export_of_vectors_loads_to_the_same_export(
    cli: Cli, folder: Path, tmp_path: Path
) -> None:
    source = tmp_path / "source.jsonl"
    source.write_text("".join(f"{json.dumps(line)}\n" for line in LINES))
    assert cli("load", "c", "--nodes", source, "--data", folder).code == 0
    first, second = tmp_path / "first", tmp_path / "second"

    assert cli("export", "c", "--dir", first, "--data", folder).code == 0
    loaded = cli(
        *("load", "copy", "--collection-file", first / "collection.json"),
        *("--nodes", first / "nodes.jsonl.zst", "--data", folder),
    )
    assert loaded.code == 0, loaded.err
    for name, kept in (("c", first), ("copy", second)):
        plain = kept.with_suffix(".jsonl")
        assert cli("export", name, "--nodes", plain, "--data", folder).code == 0

    exported = lines_of(first.with_suffix(".jsonl"))
    assert exported == lines_of(second.with_suffix(".jsonl"))
    assert json.loads(exported[1])["properties"] == {"v": [1.0, 2.0, 3.0], "w": [1.5, 2.5]}


@pytest.mark.parametrize(
    "kind", [pa.list_(pa.float32()), pa.list_(pa.float32(), 3), pa.list_(pa.float64())]
)
def test_a_column_of_lists_holds_vectors(
    cli: Cli, folder: Path, tmp_path: Path, kind: pa.DataType
) -> None:
    vectors = pa.array([[0.5, -2.5, 2.0**100], None], kind)
    file = tmp_path / "nodes.parquet"
    parquet.write_table(pa.table({"id": ["a", "b"], "properties.v": vectors}), file)

    ended = cli("load", "c", "--nodes", file, "--data", folder)

    assert ended.code == 0, ended.err
    found = cli("get", "c", "a", "b", "--field", "v", "--data", folder, "--json").json["nodes"]
    assert [node.get("properties") for node in found] == [{"v": [0.5, -2.5, 2.0**100]}, None]


def test_a_vector_of_another_length_is_told_with_its_line(
    cli: Cli, folder: Path, tmp_path: Path
) -> None:
    source = tmp_path / "source.jsonl"
    source.write_text('{"id": "a"}\n{"id": "b", "properties": {"v": [1, 2]}}\n')

    ended = cli("load", "c", "--nodes", source, "--data", folder)

    assert ended.code == 1
    assert "source.jsonl:2:" in ended.err
    assert "is a vector of 3 numbers, found 2" in ended.err


def saved(path: Path, rows: Any, dtype: str = "<f4") -> Path:
    """The file of an array."""
    np.save(path, np.array(rows, dtype=dtype))
    return path


def listed(path: Path, *ids: str) -> Path:
    """A file of ids, one a line."""
    path.write_text("".join(f"{one}\n" for one in ids))
    return path


def held(cli: Cli, folder: Path, *ids: str) -> list[Any]:
    """The vector of each row, None where it has none."""
    found = cli("get", "c", *ids, "--field", "v", "--data", folder, "--json").json["nodes"]
    return [node.get("properties", {}).get("v") for node in found]


@pytest.mark.parametrize("dtype", ["<f2", "<f4", "<f8"])
@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_rows_of_an_array_go_into_the_records_of_their_ids(
    cli: Cli, folder: Path, tmp_path: Path, dtype: str, suffix: str
) -> None:
    nodes, passages = (
        tmp_path / f"n{suffix}",
        write(tmp_path / "p.jsonl", [{"id": "p", "parent_id": "a"}]),
    )
    if suffix == ".parquet":
        parquet.write_table(pa.table({"id": ["a", "b", "c"]}), nodes)
    else:
        write(nodes, [*LINES[:2], {"id": "c"}])
    matrix = saved(tmp_path / "v.npy", [[4, 5, 6.5], [7, 8, 9.5], [0, 0, 0], [1, 2, 3.5]], dtype)
    ids = listed(tmp_path / "ids.txt", "c", "p", "nobody", "a")

    ended = cli(
        *("load", "c", "--nodes", nodes, "--passages", passages, "--data", folder),
        *("--vectors", f"v={matrix}", "--vector-ids", ids),
    )

    assert ended.code == 0, ended.err
    of_line = [1.0, 2.0, 3.0] if suffix == ".jsonl" else None
    assert held(cli, folder, "a", "b", "c", "p") == [[1, 2, 3.5], of_line, [4, 5, 6.5], [7, 8, 9.5]]
    assert "ids.txt: 1 id of no node or passage of this load" in ended.err


def test_vectors_count_in_the_size_of_a_batch(
    cli: Cli, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("passageway.cli.batches.BYTES", 100)
    nodes = write(tmp_path / "n.jsonl", [{"id": f"n{number}"} for number in range(9)])
    matrix = saved(tmp_path / "v.npy", np.ones((9, 3)))
    ids = listed(tmp_path / "ids.txt", *(f"n{number}" for number in range(9)))
    plain = [*batches([Lines(Source(str(nodes)))], [], [])]

    read = vectors.read([f"v={matrix}"], str(ids))
    made = [*batches([Lines(Source(str(nodes)))], [], [], vectors=read)]

    assert [len(batch.puts.put_nodes) for batch in plain] == [9]
    assert [len(batch.puts.put_nodes) for batch in made] == [5, 4]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--vectors", "v=v.npy"], "--vector-ids FILE"),
        (["--vector-ids", "ids.txt"], "--vectors FIELD=FILE.npy"),
        (["--vectors", "v.npy", "--vector-ids", "ids.txt"], "expected is FIELD=FILE.npy"),
        (
            ["--vectors", "v=v.npy", "--vectors", "v=v.npy", "--vector-ids", "ids.txt"],
            "once for each",
        ),
    ],
)
def test_options_of_vectors_that_do_not_go_together_are_told(
    cli: Cli,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: list[str],
    told: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    saved(tmp_path / "v.npy", [[1, 2, 3]])
    nodes = write(tmp_path / "n.jsonl", [{"id": "a"}])

    ended = cli("load", "c", "--nodes", nodes, *options, "--data", folder)

    assert ended.code == 2
    assert told in ended.err


def test_files_that_hold_no_vectors_are_told(cli: Cli, folder: Path, tmp_path: Path) -> None:
    nodes, ids = write(tmp_path / "n.jsonl", [{"id": "a"}]), listed(tmp_path / "ids.txt", "a")
    good, short = saved(tmp_path / "good.npy", [[1, 2, 3]]), tmp_path / "short.npy"
    short.write_bytes(good.read_bytes()[:-1])
    (tmp_path / "empty.npy").write_bytes(b"")
    (tmp_path / "text.npy").write_text("1 2 3")
    np.save(tmp_path / "turned.npy", np.asfortranarray(np.ones((3, 2), dtype="<f4")))

    def told(matrix: Path, identifiers: Path = ids) -> str:
        ended = cli(
            *("load", "c", "--nodes", nodes, "--vectors", f"v={matrix}"),
            *("--vector-ids", identifiers, "--data", folder),
        )
        assert ended.code == 1
        return ended.err

    assert "short.npy: 139 bytes, and its head tells of 140; copy it again" in told(short)
    assert "empty.npy: it is empty" in told(tmp_path / "empty.npy")
    assert "text.npy: no matrix of floats" in told(tmp_path / "text.npy")
    assert "turned.npy: no matrix of floats (its columns" in told(tmp_path / "turned.npy")
    assert "missing.npy: No such file" in told(tmp_path / "missing.npy")
    assert "type <i8 in the shape (1, 3)" in told(saved(tmp_path / "ints.npy", [[1, 2, 3]], "<i8"))
    assert "in the shape (3,)" in told(saved(tmp_path / "flat.npy", [1, 2, 3]))
    assert "2 rows, and" in told(saved(tmp_path / "two.npy", np.ones((2, 3))))
    assert "twice.txt:2: an id that came before" in told(
        good, listed(tmp_path / "twice.txt", "a", "a")
    )
    assert "gap.txt:2: no id" in told(good, listed(tmp_path / "gap.txt", "a", "", "b"))
    assert "found 2" in told(saved(tmp_path / "other.npy", [[1, 2]]))
    assert "finite" in told(saved(tmp_path / "nan.npy", [[1, np.nan, 3]]))
    assert cli("get", "c", "a", "--data", folder, "--json").json.get("nodes", []) == []


def test_a_load_with_other_vectors_is_another_load(tmp_path: Path) -> None:
    nodes, ids = write(tmp_path / "n.jsonl", [{"id": "a"}]), listed(tmp_path / "ids.txt", "a")

    def name(row: list[float]) -> str:
        given = vectors.read([f"v={saved(tmp_path / 'v.npy', [row])}"], str(ids))
        assert given is not None
        return name_of("c", {"nodes": [Source(str(nodes))]} | given.sources)

    assert name([1, 2, 3]) == name([1, 2, 3]) != name([1, 2, 4])


def test_a_search_takes_a_vector_from_a_file_or_stdin(
    cli: Cli, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes = tmp_path / "nodes.jsonl"
    nodes.write_text(
        '{"id": "near", "name": "red", "properties": {"v": [1, 1, 0]}}\n'
        '{"id": "far", "name": "blue", "properties": {"v": [-1, 1, 0]}}\n'
    )
    assert cli("load", "c", "--nodes", nodes, "--data", folder).code == 0
    file = tmp_path / "v.json"
    file.write_text("[2, 2, 0]")

    alone = cli("search", "c", "--vector", file, "--data", folder, "--json").json
    monkeypatch.setattr(sys, "stdin", io.StringIO("[2, 2, 0]"))
    both = cli(
        *("search", "c", "blue", "--vector", "-", "--vector-field", "v"),
        *("--data", folder, "--json"),
    ).json

    assert [(hit["node"]["id"], round(hit["score"], 9)) for hit in alone["hits"]] == [
        ("near", 1),
        ("far", 0),
    ]
    assert [hit["matched"] for hit in both["hits"]] == [["lexical", "vector"], ["vector"]]


@pytest.mark.parametrize("text", ["[]", "{}", '["1"]', "[true]", "[1"])
def test_what_is_no_vector_is_told(cli: Cli, folder: Path, tmp_path: Path, text: str) -> None:
    file = tmp_path / "v.json"
    file.write_text(text)

    ended = cli("search", "c", "--vector", file, "--data", folder)

    assert ended.code == 2
    assert "--vector" in ended.err
