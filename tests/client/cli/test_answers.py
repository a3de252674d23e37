"""Every call answers as a table for people and as one JSON document for machines."""

import json
from pathlib import Path

import pytest

import passageway
from tests.client.cli.shell import Cli, write


def test_expand_shows_hits_best_first(cli: Cli, folder: Path) -> None:
    ended = cli("expand", "notes", "a", "--hop", "calls decay=0.5", "--hop", "*", "--data", folder)

    lines = ended.out.splitlines()
    assert lines[0].split() == ["score", "hop", "id", "type", "name", "via"]
    assert lines[1].split() == ["1.00000", "0", "a", "service", "Alpha"]
    assert lines[-1] == "3 of 3 nodes"


def test_expand_as_json_is_the_answer_of_the_library(cli: Cli, folder: Path) -> None:
    ended = cli(
        *("expand", "notes", "a", "--hop", "calls direction=out", "--with-edges"),
        *("--with-subgraph", "--no-seeds", "--data", folder, "--json"),
    )

    with passageway.open(folder) as client:
        answer = client.collection("notes").expand(
            ["a"],
            hops=[passageway.Hop(["calls"], direction="out")],
            with_edges=True,
            with_subgraph=True,
            include_seeds=False,
        )
    assert _timeless(ended.json) == _timeless(answer.to_dict())


def test_a_request_file_gives_what_flags_give_and_flags_win(
    cli: Cli, folder: Path, tmp_path: Path
) -> None:
    file = tmp_path / "request.json"
    file.write_text(
        json.dumps(
            {
                "seeds": [{"ids": ["a"], "weight": 2}],
                "hops": [{"edges": {"types": ["calls"], "direction": "DIRECTION_BOTH"}}],
                "limit": 1,
                "read": {"project": ""},
            }
        )
    )

    answer = cli(
        "expand", "notes", "--request", file, "--limit", "5", "--data", folder, "--json"
    ).json

    assert [hit["node"]["id"] for hit in answer["hits"]] == ["a", "b"]
    assert answer["hits"][0]["score"] == 2


@pytest.mark.parametrize(
    ("document", "cause"),
    [
        ("[]", "expected is one object"),
        ("{", "no JSON"),
        ('{"lmit": 3}', "unknown lmit; known are seeds, at_version"),
        ('{"hops": [{"decoy": 1}]}', "decoy"),
        ('{"hops": {"types": ["x"]}}', "hops: expected is a list"),
        ('{"read": "x"}', "read: expected is an object"),
        ('{"read": [1]}', "read: expected is an object"),
        ('{"limit": "x"}', "limit: takes a whole number, not the string 'x'"),
        ('{"filter": 5}', "filter: takes a string, not an int"),
        ('{"fields": "name"}', "fields: write ['name'], a list of strings"),
        ('{"seeds": [5]}', "seeds: expected an object"),
        ('{"vars": {"x": {"a": 1}}}', "vars: an object"),
        ('{"vars": 5}', "vars: expected is an object"),
        ('{"propagate": "mean"}', "none of sum, max"),
        ('{"at_version": "a", "at_least_version": "b"}', "exclude each other"),
    ],
)
def test_a_wrong_request_file_is_told(
    cli: Cli, folder: Path, tmp_path: Path, document: str, cause: str
) -> None:
    (tmp_path / "r.json").write_text(document)

    ended = cli("expand", "notes", "--request", tmp_path / "r.json", "--data", folder)

    assert ended.code == 2
    assert cause in ended.err


def test_paths_show_each_edge_as_it_points(cli: Cli, folder: Path) -> None:
    ended = cli("paths", "notes", "--from", "c", "--to", "a", "--edges", "calls", "--data", folder)

    assert "c <-calls- b <-calls- a" in ended.out
    assert cli(*("paths", "notes", "--from", "c", "--to", "a", "--data", folder, "--json")).json[
        "paths"
    ][0]["node_ids"] == ["c", "a"]


def test_two_callers_get_their_own_rows(cli: Cli, folder: Path) -> None:
    ask = ("expand", "notes", "a", "--hop", "calls", "--hop", "calls", "--data", folder)

    public = cli(*ask, "--principal", "public").out
    engineer = cli(*ask, "--principal", "group:eng").out

    assert public.endswith("2 of 2 nodes\n")
    assert engineer.endswith("3 of 3 nodes\n")


def test_lookup_takes_values_apart_from_the_filter(cli: Cli, folder: Path) -> None:
    ended = cli(
        "lookup", "notes", "id = $who AND size >= $least", "--var", "who=a", "--var", "least=2",
        "--data", folder, "--json",
    )  # fmt: skip

    assert [node["id"] for node in ended.json["nodes"]] == ["a"]


def test_lookup_shows_properties_as_columns(cli: Cli, folder: Path) -> None:
    ended = cli("lookup", "notes", 'type = "service"', "--field", "size", "--data", folder)

    assert ended.out.splitlines()[0].split() == ["id", "type", "size"]
    assert ended.out.splitlines()[-1] == "3 of 3 rows"


def test_control_characters_of_rows_never_reach_the_terminal(cli: Cli, folder: Path) -> None:
    ended = cli("lookup", "notes", 'type = "odd"', "--data", folder)

    assert "\u001b" not in ended.out
    assert "x\\u001b[31m" in ended.out
    assert "line break" in ended.out


def test_slice_shows_the_window_and_says_when_it_is_all(cli: Cli, folder: Path) -> None:
    ended = cli("slice", "notes", "m", "--data", folder)

    assert ended.out == (
        "m: 2 of 2 spans, the whole text\n\n[0] m#0\nFirst part.\n\n[1] m#1\nSecond part.\n"
    )


def test_pages_join_to_the_text(cli: Cli, folder: Path) -> None:
    text, more = "", list[str]()
    while True:
        page = cli(
            *("slice", "notes", "m", "--page", "content", "--max-chars", "7", *more),
            *("--data", folder, "--json"),
        ).json["page"]
        text += page["text"]
        if "next_offset" not in page:
            break
        more = ["--offset", str(page["next_offset"]), "--sha256", page["sha256"]]

    assert text == "First part. Second part."


def test_a_page_names_the_next_one(cli: Cli, folder: Path) -> None:
    ended = cli("slice", "notes", "m", "--page", "content", "--max-chars", "7", "--data", folder)

    assert ended.out == "First p\n"
    assert ended.err.startswith("7 of 24 characters; next: --offset 7 --sha256 ")


def test_get_shows_whole_rows_and_names_those_that_are_none(cli: Cli, folder: Path) -> None:
    ended = cli("get", "notes", "m", "nobody", "--data", folder)

    assert "First part. Second part." in ended.out
    assert ended.err == "not found: nobody\n"


def test_a_number_is_shown_alike_by_id_in_a_table_and_as_a_metric(cli: Cli, tmp_path: Path) -> None:
    nodes = write(tmp_path / "n.jsonl", [{"id": "a", "properties": {"size": 44_699}}])
    data = ("--data", tmp_path / "data")
    assert cli("load", "notes", "--nodes", nodes, *data).code == 0

    row = cli("get", "notes", "a", *data).out
    table = cli("lookup", "notes", "--metric", "sum:size", *data).out

    assert ["size", "44699"] in [line.split() for line in row.splitlines()]
    assert ["a", "44699"] in [line.split() for line in table.splitlines()]
    assert ["sum:size", "44699"] in [line.split() for line in table.splitlines()]


@pytest.mark.parametrize("fields", [["type", "size", "id", "name"], ["name", "id", "size", "type"]])
def test_facets_and_metrics_come_in_the_order_asked(
    cli: Cli, folder: Path, fields: list[str]
) -> None:
    asked = [part for field in fields for part in ("--facet", field, "--metric", f"count:{field}")]

    lines = cli("lookup", "notes", "--page-size", "0", *asked, "--data", folder).out.splitlines()

    heads = [line.split()[0] for line in lines if line.endswith("count")]
    assert heads == fields
    counts = [line.split()[0] for line in lines if line.startswith("count:")]
    assert counts == [f"count:{field}" for field in fields]


@pytest.mark.parametrize(
    ("filter", "told"), [("id = nope", "0 of 0 edges"), ("id = ab", "1 of 1 edge")]
)
def test_edges_are_counted_as_edges(cli: Cli, folder: Path, filter: str, told: str) -> None:
    ended = cli("lookup", "notes", filter, "--kind", "edges", "--data", folder)

    assert ended.out.splitlines()[-1] == told


def test_describe_shows_types_routes_and_fields(cli: Cli, folder: Path) -> None:
    out = cli("describe", "notes", "--data", folder).out

    assert ["service", "3"] in [line.split() for line in out.splitlines()]
    assert ["service", "calls", "service", "2"] in [line.split() for line in out.splitlines()]
    assert cli("describe", "--data", folder).out.split() == ["collection", "notes"]


def test_a_page_of_a_lookup_has_its_size_by_two_names(cli: Cli, folder: Path) -> None:
    for option in ("--page-size", "--limit"):
        assert (
            len(cli("lookup", "notes", option, "2", "--data", folder, "--json").json["nodes"]) == 2
        )


def test_describe_leaves_one_line_free_between_what_there_is(cli: Cli, tmp_path: Path) -> None:
    data = tmp_path / "data"
    cli("collection", "create", "empty", "--data", data)
    cli("load", "nodes", "--nodes", write(tmp_path / "n.jsonl", [{"id": "a"}]), "--data", data)

    empty = cli("describe", "empty", "--data", data).out
    nodes = cli("describe", "nodes", "--data", data).out

    assert empty.startswith("no rows\n\nversion ")
    assert "\n\n\n" not in nodes
    assert "\n\nversion " in nodes


def test_collections_are_made_changed_listed_and_deleted(cli: Cli, folder: Path) -> None:
    made = cli("collection", "create", "more", "--default-reader", "public", "--data", folder)
    changed = cli("collection", "update", "more", "--description", "More", "--data", folder)
    listed = cli("collection", "list", "--data", folder, "--json").json
    deleted = cli("collection", "delete", "more", "--yes", "--data", folder)

    assert made.out == "created more\n"
    assert changed.out == "description:  -> More\n"
    assert [one["name"] for one in listed["collections"]] == ["more", "notes"]
    assert listed["collections"][0]["default_readers"] == ["public"]
    assert deleted.out == "deleted more\n"
    assert cli("describe", "--data", folder, "--json").json["collections"] == ["notes"]


def test_a_snapshot_becomes_a_collection_again(cli: Cli, folder: Path) -> None:
    assert cli("snapshot", "create", "notes", "first", "--data", folder).code == 0
    assert "first" in cli("snapshot", "list", "notes", "--data", folder).out

    restored = cli("snapshot", "restore", "notes", "first", "--into", "back", "--data", folder)

    assert restored.code == 0, restored.err
    assert cli("lookup", "back", "--data", folder).out.endswith("7 of 7 rows\n")
    assert cli("snapshot", "delete", "notes", "first", "--data", folder).code == 0
    assert cli("snapshot", "list", "notes", "--data", folder, "--json").json == {"snapshots": []}


def test_a_collection_is_taken_back_to_a_snapshot_when_that_is_said(
    cli: Cli, folder: Path, tmp_path: Path
) -> None:
    at = ("--data", folder)
    assert cli("snapshot", "create", "notes", "first", *at).code == 0
    nodes = write(tmp_path / "more.jsonl", [{"id": "more"}])
    before = cli("load", "notes", "--nodes", nodes, *at, "--json").json["version"]

    refused = cli("snapshot", "restore", "notes", "first", *at)
    restored = cli("snapshot", "restore", "notes", "first", "--in-place", *at)

    assert refused.code == 2
    assert restored.out == "took back notes: 5 nodes, 2 passages, 3 edges\n"
    assert cli("get", "notes", "more", *at).err == "not found: more\n"
    assert "first" in cli("snapshot", "list", "notes", *at).out
    shown = cli("describe", "notes", *at)
    assert shown.out.splitlines()[-1].split()[0] == "version"
    assert shown.out.split()[-1] != before


def test_how_many_versions_are_kept_is_a_setting(cli: Cli, folder: Path) -> None:
    at = ("--data", folder)
    made = cli("collection", "create", "new", "--retain-versions", "3", *at, "--json").json
    cli("collection", "create", "usual", *at)
    usual = cli("collection", "update", "usual", "--retain-versions", "50", *at)
    assert usual.out == "retain_versions: 8 -> 50\n"
    changed = cli("collection", "update", "new", "--retain-versions", "100", *at)

    assert made["retain_versions"] == 3
    assert changed.out == "retain_versions: 3 -> 100\n"


def test_the_language_of_words_is_a_setting(cli: Cli, folder: Path) -> None:
    at = ("--data", folder)
    made = cli("collection", "create", "new", "--language", "german", *at, "--json").json
    changed = cli("collection", "update", "new", "--language", "french", *at)
    refused = cli("collection", "update", "new", "--language", "klingon", *at)

    assert made["language"] == "german"
    assert changed.out == "language: german -> french\n"
    assert (refused.code, "klingon" in refused.err) == (1, True)


def test_a_read_is_of_a_version_and_shows_revisions(cli: Cli, folder: Path) -> None:
    ask = ("a", "--data", folder, "--json")
    newest = cli("get", "notes", *ask).json
    same = cli("get", "notes", *ask, "--at-version", newest["version"]).json
    later = cli("get", "notes", *ask, "--at-least-version", newest["version"]).json
    gone = cli("get", "notes", *ask, "--at-version", "0" * 32)
    table = cli("lookup", "notes", "id = a", "--field", "revision", "--data", folder).out

    assert same == later == newest
    assert (gone.code, "(VERSION_GONE)" in gone.err) == (1, True)
    revision = newest["nodes"][0]["revision"]
    assert table.splitlines()[1].split() == ["a", "service", revision]


def test_nothing_is_said_in_words(cli: Cli, tmp_path: Path) -> None:
    data = ("--data", tmp_path / "data")
    assert cli("collection", "create", "new", *data).code == 0

    assert cli("snapshot", "list", "new", *data).out == "no named snapshots\n"
    assert cli("describe", "new", *data).out.startswith("no rows\n")
    assert cli("lookup", "new", *data).out == "0 of 0 rows\n"
    assert cli("collection", "delete", "new", "--yes", *data).out == "deleted new\n"
    assert cli("collection", "list", *data).out == "no collections\n"
    assert cli("describe", *data).out == "no collections\n"


def test_one_is_told_as_one(cli: Cli, folder: Path) -> None:
    path = cli("paths", "notes", "--from", "a", "--to", "b", "--data", folder)
    row = cli("lookup", "notes", "id = a", "--data", folder)

    assert path.out.splitlines()[-1].startswith("1 path, ")
    assert row.out.endswith("1 of 1 row\n")


def _timeless(answer: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in answer.items() if name != "took_us"}


def test_a_property_never_stands_in_the_place_of_a_built_in(cli: Cli, tmp_path: Path) -> None:
    properties = {"id": "other", "name": "theirs", "size": 3}
    nodes = write(tmp_path / "n.jsonl", [{"id": "a", "name": "ours", "properties": properties}])
    assert cli("load", "notes", "--nodes", nodes, "--data", tmp_path / "data").code == 0

    row = cli("get", "notes", "a", "--data", tmp_path / "data").out
    table = cli("lookup", "notes", "--data", tmp_path / "data").out

    shown = [line.split() for line in row.splitlines() if line]
    assert len(dict(shown)["revision"]) == 64
    assert [line for line in shown if line[0] != "revision"] == [
        ["id", "a"],
        ["name", "ours"],
        ["properties.id", "other"],
        ["properties.name", "theirs"],
        ["size", "3"],
    ]
    assert table.splitlines()[0].split() == [
        "id",
        "name",
        "properties.id",
        "properties.name",
        "size",
    ]


def test_var_takes_what_is_no_json_as_text(cli: Cli, folder: Path) -> None:
    ended = cli("lookup", "notes", "id = $x", "--var", "x=NaN", "--data", folder, "--json")

    assert ended.json["total"] == 0
