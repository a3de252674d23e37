"""`search` and `context` take the same query, from options, from a request file, or from both."""

import json
from pathlib import Path
from typing import Any

import pytest
import typer

import passageway
from passageway.cli.app import app
from passageway_server.planner import limits
from tests.client import embedders
from tests.client.cli.shell import Cli, write

NODES: list[dict[str, Any]] = [
    {"id": "n1", "type": "note", "name": "red rose", "properties": {"size": 1, "kind": "x"}},
    {"id": "n2", "type": "note", "name": "red house", "properties": {"size": 20, "kind": "y"}},
    {"id": "n3", "type": "page", "name": "red book", "properties": {"size": 300, "kind": "x"}},
    {"id": "n4", "type": "page", "name": "red_sky", "properties": {"size": 2, "kind": "y"}},
    {"id": "old", "type": "page", "name": "red door", "status": "retracted"},
]
FILE = {"query": {"text": "red", "rescore": "size", "limit": 3, "vars": {"k": "x", "s": 0}}}
EMBEDDER = ("--embedder", "tests.client.embedders:by_words")
CALLS = ["search", "context"]
QUERY = (
    *("--where", "--var", "--type", "--text-field", "--max-edits", "--vector", "--vector-field"),
    *("--embedder", "--limit", "--sort", "--rescore"),
)


@pytest.fixture
def place(cli: Cli, tmp_path: Path) -> tuple[str | Path, ...]:
    """The option of a folder whose collection ``c`` has vectors of names in the field ``v``, and others in ``w``."""
    data = ("--data", tmp_path / "data")
    fields = ("--field", "v:vector:4", "--field", "w:vector:4", "--field", "kind:keyword")
    assert cli("collection", "create", "c", *fields, *data).code == 0
    nodes = write(tmp_path / "n.jsonl", NODES)
    ended = cli("load", "c", "--nodes", nodes, *EMBEDDER, "--embed", "v=name", *data)
    assert ended.code == 0, ended.err
    return data


@pytest.fixture
def request_file(tmp_path: Path) -> Path:
    file = tmp_path / "request.json"
    file.write_text(json.dumps(FILE))
    return file


def found(cli: Cli, call: str, *arguments: str | Path) -> list[str]:
    """The ids that *call* finds, best first; of a context its seeds."""
    ended = cli(call, "c", *arguments, "--type-cap", "0", "--json")
    assert ended.code == 0, ended.err
    hits = ended.json.get("hits" if call == "search" else "seeds", [])
    return [hit["node"]["id"] for hit in hits]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    ("options", "ids"),
    [
        ([], ["n3", "n2", "n4"]),
        (["--limit", "2"], ["n3", "n2"]),
        (["--type", "note"], ["n2", "n1"]),
        (["--rescore", "-size"], ["n1", "n4", "n2"]),
        (["--rescore", "-size", "--where", "kind = $k"], ["n1", "n3"]),
        (["--where", "kind = $k AND size > $s", "--var", "k=y"], ["n2", "n4"]),
        (["rose"], ["n1"]),
    ],
)
def test_an_option_beside_a_file_changes_its_member_alone(
    cli: Cli,
    place: tuple[str | Path, ...],
    request_file: Path,
    call: str,
    options: list[str],
    ids: list[str],
) -> None:
    assert found(cli, call, *options, "--request", request_file, *place) == ids


def test_an_option_of_a_search_inside_a_walk_leaves_the_rest_of_the_file(
    cli: Cli, place: tuple[str | Path, ...], tmp_path: Path
) -> None:
    file = tmp_path / "request.json"
    file.write_text('{"seeds": ["n1", "n2", "n3"], "hops": [{}], "search": {"limit": 1}}')

    ended = cli("expand", "c", "--search-where", "kind = x", "--request", file, *place, "--json")

    assert [hit["node"]["id"] for hit in ended.json["search"]] == ["n1"]


def test_both_calls_have_the_options_of_a_query() -> None:
    commands: dict[str, Any] = getattr(typer.main.get_command(app), "commands")  # noqa: B009

    for call in CALLS:
        options = {option for each in commands[call].params for option in each.opts}
        assert set(QUERY) <= options


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    ("options", "ids"),
    [
        (["rad", "--max-edits", "1", "--sort", "-size", "--limit", "2"], ["n3", "n2"]),
        (["x", "--text-field", "kind", "--sort", "size"], ["n1", "n3"]),
        (["red", "--rescore", "size * $f", "--var", "f=-1", "--limit", "1"], ["n1"]),
    ],
)
def test_options_are_those_of_the_library(
    cli: Cli, place: tuple[str | Path, ...], call: str, options: list[str], ids: list[str]
) -> None:
    assert found(cli, call, *options, *place) == ids


@pytest.mark.parametrize("call", CALLS)
def test_the_vector_of_the_text_is_made_by_the_command(
    cli: Cli, place: tuple[str | Path, ...], tmp_path: Path, call: str
) -> None:
    file = tmp_path / "v.json"
    file.write_text(json.dumps(embedders.by_words(["red house"])[0].tolist()))
    request = tmp_path / "request.json"
    request.write_text('{"query": {"text": "red house"}}')
    field = ("--vector-field", "v", *place, "--json")

    given = cli(call, "c", "red house", "--vector", file, *field).json
    made = cli(call, "c", "red house", *EMBEDDER, *field).json
    of_file = cli(call, "c", "--request", request, *EMBEDDER, *field).json

    hits = "hits" if call == "search" else "seeds"
    assert given[hits][0]["matched"] == ["lexical", "vector"]
    assert made[hits] == of_file[hits] == given[hits]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--where", "size > 1", *EMBEDDER], 2, "give TEXT"),
        (["red", *EMBEDDER, "--vector", "v.json"], 2, "--embedder and --vector exclude"),
        (["red", "--embedder", "tests.client.embedders:broken"], 1, "no model"),
    ],
)
def test_a_vector_that_cannot_be_made_is_told_before_anything_is_opened(
    cli: Cli,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    call: str,
    options: list[str],
    code: int,
    said: str,
) -> None:
    (tmp_path / "v.json").write_text("[1, 2]")
    monkeypatch.chdir(tmp_path)

    ended = cli(call, "n", *options, "--data", "D")

    assert ended.code == code
    assert said in ended.err
    assert ended.out == ""


@pytest.mark.parametrize("call", CALLS)
def test_the_help_tells_what_is_left_out_and_when_a_server_makes_vectors(
    cli: Cli, place: tuple[str | Path, ...], call: str
) -> None:
    told = " ".join(cli(call, "--help").out.split())

    assert "[default: (current)]" in told.partition("--evidence <")[2].partition(" --bounds")[0]
    field = told.partition("--vector-field FIELD")[2].partition(" --embedder MODULE")[0]
    assert "an embedder makes the vector of TEXT only where this names the field" in field
    assert found(cli, call, "door", *place) == []
    assert found(cli, call, "door", "--evidence", "all", *place) == ["old"]


def test_what_a_name_and_a_query_exclude_is_told_by_its_options(
    cli: Cli, place: tuple[str | Path, ...], request_file: Path
) -> None:
    both = cli("context", "c", "red", "--limit", "2", "--id", "n1", *place)
    of_file = cli("context", "c", "--id", "n1", "--request", request_file, *place)

    assert (both.code, of_file.code) == (2, 2)
    assert "--id excludes TEXT, --limit" in both.err
    assert "--request" in of_file.err


def test_a_column_tells_what_matched_where_several_lists_did(
    cli: Cli, place: tuple[str | Path, ...]
) -> None:
    near = ("red", *EMBEDDER, "--vector-field", "v")

    one = cli("search", "c", "red", *place).out
    lists = cli("search", "c", *near, *place).out
    named = cli("search", "c", "red red_sky", *place).out

    assert "matched" not in one
    assert lists.splitlines()[0].split() == ["id", "type", "name", "score", "matched"]
    assert "lexical, vector" in lists
    assert "lexical, identifier" in named


def test_a_search_inside_a_walk_says_how_much_it_found(
    cli: Cli, place: tuple[str | Path, ...]
) -> None:
    walk = ("expand", "c", "n1", "n2", "n3", "--hop", "*", "--limit", "1", "--search-where")

    some = cli(*walk, "kind = x", *place).out.partition("\n\n")[2].splitlines()
    none = cli(*walk, "kind = z", *place).out.partition("\n\n")[2].splitlines()

    assert some[0].split() == ["found", "type", "name", "score"]
    assert some[-1] == "found 2 of 3 nodes"
    assert none == ["found 0 of 3 nodes"]


def test_the_help_of_a_search_inside_a_walk_tells_its_limit(cli: Cli) -> None:
    told = " ".join(cli("expand", "--help").out.partition("--search-where")[2].split())

    assert f", {limits.QUERY_MATCHES.absent} at most" in told


def test_a_query_of_several_lists_stands_in_a_file(
    cli: Cli, place: tuple[str | Path, ...], tmp_path: Path
) -> None:
    file = tmp_path / "more.json"
    file.write_text('{"query": {"also": [{"text": "house"}]}}')

    ended = cli("search", "c", "rose", "--request", file, *place, "--json").json

    with passageway.open(place[1]) as client:
        query = passageway.Query("rose", also=[passageway.Query("house")])
        answer = client.collection("c").search(query)
    assert ended["hits"] == answer.to_dict()["hits"]
    assert {hit["node"]["id"] for hit in ended["hits"]} == {"n1", "n2"}
