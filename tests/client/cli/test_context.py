"""`passageway context` prints the text, and on stderr how full it is and what is left out."""

from pathlib import Path

import pytest

import passageway
from tests.client.cli.shell import Cli


def test_a_context_is_its_text_and_a_note_of_what_is_left_out(cli: Cli, folder: Path) -> None:
    whole = cli("context", "notes", "--id", "a", "--data", folder)
    short = cli(
        *("context", "notes", "--id", "a", "--hops", "3", "--token-budget", "256"),
        *("--reserve-bytes", "200", "--data", folder),
    )

    with passageway.open(folder) as client:
        answer = client.collection("notes").context(["a"])
    assert whole.out == f"{answer.context}\n"
    assert whole.out.startswith("[a] service: Alpha\n")
    assert "left out" not in whole.err
    assert "left out: " in short.err
    assert "a larger --token-budget holds more" in short.err


def test_one_value_that_is_left_out_is_told_as_one(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def short(*_: object, **__: object) -> passageway.ContextResponse:
        return passageway.ContextResponse(truncated=True, omitted_properties=1)

    monkeypatch.setattr(passageway.CollectionClient, "context", short)

    ended = cli("context", "notes", "Alpha", "--data", folder)

    assert "left out: 0 rows, 0 edges, 1 value; " in ended.err


def test_words_and_ids_give_one_document(cli: Cli, folder: Path) -> None:
    by_words = cli(
        *("context", "notes", "Alpha", "--type", "service", "--limit", "1", "--hops", "0"),
        *("--measure", "text", "--data", folder, "--json"),
    ).json
    by_ids = cli(
        *("context", "notes", "--id", "a", "--id", "nix", "--hops", "0", "--data", folder),
        "--json",
    ).json

    assert by_words["nodes"] == by_ids["nodes"]
    assert by_ids["unresolved"] == ["nix"]
    assert by_words["seeds"][0]["matched"] == ["lexical"]


def test_ids_that_are_not_found_are_told(cli: Cli, folder: Path) -> None:
    ended = cli("context", "notes", "--id", "nix", "--data", folder)

    assert ended.out == ""
    assert "not found: nix" in ended.err


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        (["context", "n", "--data", "D"], "give TEXT, --vector, --where or --id"),
        (["slice", "n", "a", "--token-budget", "300", "--data", "D"], "go with --page"),
    ],
)
def test_what_is_missing_is_named(cli: Cli, arguments: list[str], remedy: str) -> None:
    ended = cli(*arguments)

    assert ended.code == 2
    assert remedy in ended.err
