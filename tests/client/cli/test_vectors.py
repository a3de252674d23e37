"""Vectors go through files as lists of numbers, and come back to the last bit."""

import json
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from tests.client.cli.shell import Cli

LINES = [
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
    vectors = pa.array([[0.5, -2.5, 1e30], None], kind)
    file = tmp_path / "nodes.parquet"
    parquet.write_table(pa.table({"id": ["a", "b"], "properties.v": vectors}), file)

    ended = cli("load", "c", "--nodes", file, "--data", folder)

    assert ended.code == 0, ended.err
    found = cli("get", "c", "a", "b", "--field", "v", "--data", folder, "--json").json["nodes"]
    numbers = [node.get("properties") for node in found]
    assert numbers == [{"v": pytest.approx([0.5, -2.5, 1e30], rel=1e-7)}, None]


def test_a_vector_of_another_length_is_told_with_its_line(
    cli: Cli, folder: Path, tmp_path: Path
) -> None:
    source = tmp_path / "source.jsonl"
    source.write_text('{"id": "a"}\n{"id": "b", "properties": {"v": [1, 2]}}\n')

    ended = cli("load", "c", "--nodes", source, "--data", folder)

    assert ended.code == 1
    assert "source.jsonl:2:" in ended.err
    assert "is a vector of 3 numbers, found 2" in ended.err
