"""The same commands against a server that takes tokens."""

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from passageway_server.wire.server import Server, Settings
from tests.client.cli.shell import Cli, Ended


def token(cli: Cli, file: Path, sub: str, *options: str) -> str:
    """A new token, whose entry is appended to *file* as the shell does it."""
    made = cli("token", "new", "--sub", sub, *options)
    assert made.code == 0
    with file.open("a") as entries:
        entries.write(made.out)
    return made.err.strip()


class Shop:
    """A server with three callers."""

    def __init__(self, cli: Cli, folder: Path) -> None:
        file = folder / "tokens.toml"
        self.tokens = {
            "admin": token(cli, file, "root", "--roles", "admin"),
            "eng": token(cli, file, "ada", "--principals", "group:eng"),
            "reader": token(cli, file, "bob"),
        }
        self.server = Server(Settings(folder / "served", listen="127.0.0.1:0", tokens=file))
        self._cli = cli

    def ask(self, who: str, *arguments: str | Path) -> Ended:
        """A command of one of the callers."""
        place = ("--server", self.server.address, "--token", self.tokens[who])
        return self._cli(*arguments, *place)


@pytest.fixture
def shop(cli: Cli, tmp_path: Path, files: list[str | Path]) -> Iterator[Shop]:
    """The server, loaded."""
    made = Shop(cli, tmp_path)
    loaded = made.ask("admin", "load", "notes", *files)
    assert loaded.code == 0, loaded.err
    yield made
    made.server.stop()


def test_an_entry_holds_no_token(cli: Cli) -> None:
    made = cli("token", "new", "--sub", "ada", "--principals", "group:eng", "--roles", "reader")

    (entry,) = tomllib.loads(made.out)["token"]
    assert entry["sub"] == "ada"
    assert entry["principals"] == ["group:eng"]
    assert made.err.strip() not in made.out


def test_each_caller_gets_its_rows(shop: Shop) -> None:
    ask = ("lookup", "notes", 'type = "service"')

    assert shop.ask("eng", *ask).out.endswith("3 of 3 rows\n")
    assert shop.ask("reader", *ask).out.endswith("2 of 2 rows\n")


def test_a_reader_cannot_load_or_export(shop: Shop, files: list[str | Path]) -> None:
    for arguments in (("load", "notes", *files), ("export", "notes", "--nodes", "-")):
        ended = shop.ask("reader", *arguments)

        assert ended.code == 1
        assert "ROLE_MISSING" in ended.err


def test_a_bad_token_is_refused_in_words(shop: Shop, cli: Cli) -> None:
    for given in (("--token", "nonsense"), ()):
        ended = cli("describe", "--server", shop.server.address, *given)

        assert ended.code == 1
        assert "set PASSAGEWAY_TOKEN (or --token) to a token of the server's file" in ended.err
        assert "UNAUTHENTICATED" in ended.err


def test_the_environment_names_server_and_token(
    shop: Shop, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PASSAGEWAY_SERVER", shop.server.address)
    monkeypatch.setenv("PASSAGEWAY_TOKEN", shop.tokens["eng"])

    assert cli("describe").out.split() == ["collection", "notes"]


def test_a_bad_line_on_the_way_to_a_server_keeps_earlier_batches(
    shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("passageway.cli.batches.RECORDS", 10)
    lines = [f'{{"id": "n{number:03}"}}' for number in range(45)] + ['{"id": 7}']
    (tmp_path / "many.jsonl").write_text("\n".join(lines))

    ended = shop.ask("admin", "load", "many", "--nodes", tmp_path / "many.jsonl")

    assert ended.code == 1
    assert "many.jsonl:46:8: id: a number" in ended.err
    assert "before it were loaded 40 nodes" in ended.err
    assert shop.ask("admin", "lookup", "many", "--page-size", "0").out == "0 of 40 rows\n"


def test_what_a_server_refuses_is_told_by_its_line(
    shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("passageway.cli.batches.RECORDS", 10)
    lines = [f'{{"id": "e{n}", "source": "a", "target": "b"}}' for n in range(25)]
    lines[13] = lines[13].replace("}", ', "weight": -1}')
    (tmp_path / "edges.jsonl").write_text("\n".join(lines))

    ended = shop.ask("admin", "load", "many", "--edges", tmp_path / "edges.jsonl")

    assert ended.code == 1
    assert "edges.jsonl:14:55: weight: " in ended.err
    assert "before it were loaded 0 nodes, 0 passages, 10 edges" in ended.err
