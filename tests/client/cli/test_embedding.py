"""`passageway load --embedder`: records get vectors of their texts, where they have none."""

from pathlib import Path
from typing import Any

import pytest

import passageway
from tests.client import embedders
from tests.client.cli.shell import Cli, write

EMBEDDER = ("--embedder", "tests.client.embedders:by_words")
LINES: list[dict[str, Any]] = [
    {"id": "a", "name": "ants", "content": "and bees"},
    {"id": "b", "name": "wasps", "properties": {"v": [1, 2, 3, 4]}},
    {"id": "c", "properties": {"note": "a note", "notes": ["two", "notes"]}},
]


@pytest.fixture
def folder(cli: Cli, tmp_path: Path) -> Path:
    """A folder with the empty collection ``c``, of which a field is declared a vector."""
    made = cli("collection", "create", "c", "--field", "v:vector:4", "--data", tmp_path / "data")
    assert made.code == 0, made.err
    return tmp_path / "data"


@pytest.fixture
def nodes(tmp_path: Path) -> Path:
    return write(tmp_path / "nodes.jsonl", LINES)


def vectors(folder: Path) -> dict[str, list[float] | None]:
    """What each row holds."""
    with passageway.open(folder) as client:
        rows = client.collection("c").get(["a", "b", "c", "a#0"], fields=["v"]).nodes
        return {row.id: row.properties.get("v") for row in rows}  # type: ignore[misc]


def made_of(text: str) -> list[float]:
    vector: list[float] = embedders.by_words([text])[0].astype("<f4").tolist()
    return vector


def test_records_without_a_vector_get_that_of_name_and_content(
    cli: Cli, folder: Path, nodes: Path, tmp_path: Path
) -> None:
    passages = write(tmp_path / "p.jsonl", [{"id": "a#0", "parent_id": "a", "content": "bees"}])

    ended = cli(
        *("load", "c", "--nodes", nodes, "--passages", passages),
        *(*EMBEDDER, "--embed", "v", "--data", folder),
    )

    assert ended.code == 0, ended.err
    assert vectors(folder) == {
        "a": made_of("ants\nand bees"),
        "b": [1.0, 2.0, 3.0, 4.0],
        "c": None,
        "a#0": made_of("bees"),
    }


def test_it_may_be_made_of_other_properties(cli: Cli, folder: Path, nodes: Path) -> None:
    ended = cli(
        "load", "c", "--nodes", nodes, *EMBEDDER, "--embed", "v=note,notes", "--data", folder
    )

    assert ended.code == 0, ended.err
    assert vectors(folder)["c"] == made_of("a note\ntwo\nnotes")


def test_vectors_that_were_made_and_records_without_a_text_are_counted(
    cli: Cli, folder: Path, nodes: Path, tmp_path: Path
) -> None:
    passages = write(tmp_path / "p.jsonl", [{"id": "a#0", "parent_id": "a", "content": "bees"}])
    load = ("load", "c", "--nodes", nodes, "--passages", passages, "--data", folder)

    told = cli(*load, *EMBEDDER, "--embed", "v")
    counted = cli(*load, *EMBEDDER, "--embed", "v", "--json").json
    plain = cli(*load, "--json").json

    assert "2 vectors made; 1 node or passage without a text for one\n" in told.err
    assert counted["vectors"] == {"made": 2, "without_text": 1}
    assert "vectors" not in plain


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (("--embed", "v"), 2, "--embedder"),
        (EMBEDDER, 2, "--embed FIELD"),
        ((*EMBEDDER, "--embed", "=name"), 2, "expected is FIELD"),
        (("--embedder", "tests.client.embedders:broken", "--embed", "v"), 1, "no model"),
        (("--embedder", "tests.client.embedders:none", "--embed", "v"), 1, "AttributeError"),
    ],
)
def test_what_cannot_be_done_is_told_before_anything_is_loaded(
    cli: Cli, folder: Path, nodes: Path, options: tuple[str, ...], code: int, said: str
) -> None:
    ended = cli("load", "c", "--nodes", nodes, *options, "--data", folder)

    assert ended.code == code
    assert said in ended.err
    assert vectors(folder) == {}


def test_an_embedder_that_fails_midway_stops_the_load_with_what_is_in(
    cli: Cli, folder: Path, nodes: Path
) -> None:
    ended = cli(
        *("load", "c", "--nodes", nodes, "--embedder", "tests.client.embedders:uneven"),
        *("--embed", "v=name", "--data", folder),
    )

    assert ended.code == 1
    assert "nothing" in ended.err or "0 nodes" in ended.err
