"""`passageway analyze`: the measure is written, and the command tells what it covers."""

from pathlib import Path
from unittest.mock import patch

import pytest

import passageway
from passageway import AnalyzeResponse
from tests.client.cli.shell import Cli


def test_a_measure_is_written_and_told_in_a_table(cli: Cli, folder: Path) -> None:
    ended = cli(
        *("analyze", "notes", "degree", "--as-principal", "public", "--property", "out"),
        *("--edges", "calls direction=out", "--data", folder),
    )

    assert ended.code == 0
    head, row = ended.out.splitlines()
    assert head.split() == ["collection", "measure", "property", "nodes", "version"]
    assert row.split()[:4] == ["notes", "degree", "out", "6"]
    assert ended.err == ""
    found = cli("lookup", "notes", "out = 1", "--json", "--data", folder).json
    assert [node["id"] for node in found["nodes"]] == ["a"]


def test_json_has_the_version_and_the_counts(cli: Cli, folder: Path) -> None:
    ended = cli(
        *("analyze", "notes", "communities", "--as-principal", "public", "--as-principal"),
        *("group:eng", "--seed", "7", "--resolution", "0.5", "--json", "--data", folder),
    )

    assert ended.code == 0
    assert ended.json.keys() == {
        *("collection", "measure", "property", "version", "nodes", "communities")
    }
    assert (ended.json["measure"], ended.json["property"]) == ("communities", "community")
    assert ended.json["nodes"] == 7
    assert ended.json["communities"] >= 2


@pytest.mark.parametrize("measure", ["pagerank", "degree"])
def test_only_communities_are_counted(cli: Cli, folder: Path, measure: str) -> None:
    ended = cli("analyze", "notes", measure, "--as-principal", "public", "--json", "--data", folder)

    assert ended.json["property"] == measure
    assert "communities" not in ended.json


def test_it_is_told_when_no_row_took_part(cli: Cli, tmp_path: Path) -> None:
    assert cli("collection", "create", "empty", "--data", tmp_path / "D").code == 0

    ended = cli(
        *("analyze", "empty", "degree", "--as-principal", "group:a", "--as-principal", "group:b"),
        *("--json", "--data", tmp_path / "D"),
    )

    assert (ended.code, ended.json["nodes"]) == (0, 0)
    assert ended.err == (
        "no row took part: nobody who holds group:a and group:b reads a row of empty\n"
    )


def test_pagerank_takes_alpha(cli: Cli, folder: Path) -> None:
    common = ("analyze", "notes", "pagerank", "--as-principal", "public", "--data", folder)

    assert cli(*common, "--alpha", "0.5").code == 0
    refused = cli(*common, "--alpha", "1")

    assert refused.code == 1
    assert refused.err.startswith("passageway: alpha: ")


@pytest.mark.parametrize(
    "wrong",
    [
        ("communities",),
        ("betweenness", "--as-principal", "public"),
        ("degree", "--as-principal", "public", "--edges", "nope=1"),
        ("degree", "--as-principal", "public", "--seed", "-1"),
    ],
)
def test_what_makes_no_sense_is_wrong_usage(cli: Cli, folder: Path, wrong: tuple[str, ...]) -> None:
    assert cli("analyze", "notes", *wrong, "--data", folder).code == 2


def test_a_property_that_takes_no_measure_is_named(cli: Cli, folder: Path) -> None:
    ended = cli(
        *("analyze", "notes", "degree", "--as-principal", "public"),
        *("--property", "related", "--data", folder),
    )

    assert ended.code == 1
    assert ended.err.startswith("passageway: property: 'related' is a link field")


@pytest.mark.parametrize(
    ("last", "told"),
    [
        (AnalyzeResponse(done=0.3), "whole or not at all"),
        (AnalyzeResponse(done=0.9), "whole or not at all"),
        (AnalyzeResponse(done=1.0, version="v9"), "interrupted after all was written"),
    ],
)
def test_an_interrupt_tells_what_it_left(
    cli: Cli, folder: Path, last: AnalyzeResponse, told: str
) -> None:
    def interrupted(*_: object, **__: object):  # type: ignore[no-untyped-def]  # noqa: ANN202
        yield last
        raise KeyboardInterrupt

    with patch.object(passageway.CollectionClient, "analyze", interrupted):
        ended = cli("analyze", "notes", "degree", "--as-principal", "public", "--data", folder)

    assert ended.code == 130
    assert told in ended.err
