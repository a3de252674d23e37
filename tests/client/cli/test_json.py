"""Whatever a command does, with --json its stdout is one JSON document."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from passageway.cli.app import app
from tests.client.cli.shell import Cli

ALL: dict[str, list[str]] = {
    "token new": ["--sub", "ada"],
    "collection create": ["more"],
    "collection update": ["notes", "--description", "Ours"],
    "collection list": [],
    "collection delete": ["notes", "--yes"],
    "load": ["notes", "--nodes", "/dev/null"],
    "export": ["notes", "--nodes", "/dev/null"],
    "snapshot create": ["notes", "second"],
    "snapshot list": ["notes"],
    "snapshot restore": ["notes", "first", "--into", "back"],
    "snapshot delete": ["notes", "first"],
    "describe": ["notes"],
    "get": ["notes", "m", "nobody"],
    "lookup": ["notes"],
    "search": ["notes", "words"],
    "context": ["notes", "words"],
    "slice": ["notes", "m"],
    "expand": ["notes", "a", "--hop", "*", "--with-subgraph"],
    "paths": ["notes", "--from", "a", "--to", "c"],
    "analyze": ["notes", "degree", "--as-principal", "public"],
    "verify": [],
    "repair": [],
}
"""Every command that takes --json, with what it needs."""


def test_no_command_is_left_out() -> None:
    commands = dict(_commands(typer.main.get_command(app), ""))

    assert {name for name, options in commands.items() if "--json" in options} == set(ALL)


@pytest.mark.parametrize("name", ALL)
def test_a_command_prints_one_document(cli: Cli, folder: Path, name: str) -> None:
    assert cli("snapshot", "create", "notes", "first", "--data", folder).code == 0
    places = {"token new": [], "verify": [str(folder)], "repair": [str(folder)]}
    place = places.get(name, ["--data", str(folder)])

    ended = cli(*name.split(), *ALL[name], *place, "--json")

    assert ended.code == 0, ended.err
    assert isinstance(ended.json, dict)
    assert ended.out.count("\n") == 1


def test_a_new_token_comes_with_its_entry(cli: Cli) -> None:
    ended = cli("token", "new", "--sub", "ada", "--json")

    assert ended.json["entry"].strip().startswith("[[token]]")
    assert ended.json["token"] not in ended.json["entry"]
    assert ended.err == ""


def _commands(command: Any, name: str) -> Iterator[tuple[str, list[str]]]:
    """Commands by their names, with their options; typer brings its own click, so they are told by what they have."""
    inner = getattr(command, "commands", None)
    if inner is None:
        yield name, [option for each in command.params for option in each.opts]
        return
    for part, each in inner.items():
        yield from _commands(each, f"{name} {part}".strip())
