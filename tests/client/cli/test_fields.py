"""Declared fields are changed one by one: those that a command does not name stay as they are."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.client.cli.shell import Cli


@pytest.fixture
def staff(cli: Cli, tmp_path: Path) -> Path:
    """A folder with the empty collection ``staff``, three fields of which are declared."""
    made = cli(
        *("collection", "create", "staff", "--field", "salary:int", "--field", "born:time"),
        *("--field", "aliases:keyword:repeated", "--field-reader", "salary=group:hr"),
        *("--data", tmp_path / "data"),
    )
    assert made.code == 0, made.err
    return tmp_path / "data"


def fields(cli: Cli, data: Path) -> dict[str, dict[str, Any]]:
    """The declared fields by name: the kind of each, and what else is said of it."""
    (collection,) = cli("collection", "list", "--data", data, "--json").json["collections"]
    told = ("kind", "repeated", "readers", "dimensions", "similarity")
    return {
        field["name"]: {key: field[key] for key in told if key in field}
        for field in collection["fields"]
    }


def test_a_field_that_is_declared_later_leaves_the_others(cli: Cli, staff: Path) -> None:
    before = fields(cli, staff)

    ended = cli("collection", "update", "staff", "--field", "office:keyword", "--data", staff)

    assert ended.code == 0, ended.err
    assert fields(cli, staff) == {**before, "office": {"kind": "keyword"}}


def test_a_field_made_another_kind_keeps_its_readers(cli: Cli, staff: Path) -> None:
    ended = cli("collection", "update", "staff", "--field", "salary:float", "--data", staff)

    assert ended.code == 0, ended.err
    assert fields(cli, staff)["salary"] == {"kind": "float", "readers": ["group:hr"]}


def test_a_field_of_vectors_says_how_they_are_compared(cli: Cli, staff: Path) -> None:
    vector: dict[str, Any] = {"kind": "vector", "dimensions": 3}
    for text, declared in (
        ("face:vector:3:dot", {**vector, "similarity": "dot"}),
        ("face:vector:3:cosine", {**vector, "similarity": "cosine"}),
        ("face:vector:3", vector),
    ):
        ended = cli("collection", "update", "staff", "--field", text, "--data", staff)

        assert ended.code == 0, ended.err
        assert fields(cli, staff)["face"] == declared


def test_a_field_that_is_dropped_goes_alone(cli: Cli, staff: Path) -> None:
    ended = cli("collection", "update", "staff", "--drop-field", "born", "--data", staff)

    assert ended.code == 0, ended.err
    assert ended.out.startswith("fields: ")
    assert list(fields(cli, staff)) == ["salary", "aliases"]


def test_one_command_drops_declares_and_says_who_reads(cli: Cli, staff: Path) -> None:
    ended = cli(
        *("collection", "update", "staff", "--drop-field", "aliases", "--field", "due:time"),
        *("--field-reader", "due=public", "--data", staff),
    )

    assert ended.code == 0, ended.err
    assert list(fields(cli, staff)) == ["salary", "born", "due"]
    assert fields(cli, staff)["due"] == {"kind": "time", "readers": ["public"]}


def test_the_fields_of_a_file_take_the_place_of_all(cli: Cli, staff: Path, tmp_path: Path) -> None:
    file = tmp_path / "c.json"
    file.write_text(json.dumps({"fields": [{"name": "office", "kind": "keyword"}]}))

    ended = cli(
        *("collection", "update", "staff", "--file", file, "--field", "floor:int", "--data", staff)
    )

    assert ended.code == 0, ended.err
    assert list(fields(cli, staff)) == ["office", "floor"]


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        (["--field", "face:vector:3:angle"], "NAME:vector:DIMENSIONS:dot"),
        (["--drop-field", "nope"], "--drop-field: no field 'nope' is declared"),
        (["--drop-field", "born", "--field", "born:int"], "born stands here twice"),
        (["--field", "due:int", "--field", "due:time"], "due stands here twice"),
        (["--drop-field", "born", "--field-reader", "born=public"], "no field 'born' is declared"),
    ],
)
def test_what_cannot_be_changed_is_told_and_nothing_is(
    cli: Cli, staff: Path, arguments: list[str], remedy: str
) -> None:
    before = fields(cli, staff)

    ended = cli("collection", "update", "staff", *arguments, "--data", staff)

    assert ended.code == 2
    assert remedy in ended.err
    assert fields(cli, staff) == before
