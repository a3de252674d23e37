"""Commands on behalf of others and before an audience, and the settings that say who is a member and who reads a field."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from passageway_server.wire.server import Server, Settings
from tests.client.cli.shell import Cli, Ended
from tests.client.cli.test_server import token


class Desk:
    """A server with an admin and a gateway, over the small collection."""

    def __init__(self, cli: Cli, folder: Path, files: list[str | Path]) -> None:
        file = folder / "tokens.toml"
        self._tokens = {
            "root": token(cli, file, "root", "--roles", "admin"),
            "bridge": token(cli, file, "bridge", "--roles", "delegate"),
        }
        self.server = Server(Settings(folder / "served", listen="127.0.0.1:0", tokens=file))
        self._cli = cli
        assert self.ask("root", "load", "notes", *files).code == 0

    def ask(self, who: str, *arguments: str | Path) -> Ended:
        place = ("--server", self.server.address, "--token", self._tokens[who])
        return self._cli(*arguments, *place)


@pytest.fixture
def desk(cli: Cli, tmp_path: Path, files: list[str | Path]) -> Iterator[Desk]:
    made = Desk(cli, tmp_path, files)
    yield made
    made.server.stop()


COUNT = ("lookup", "notes", 'type = "service"', "--json")


def count(ended: Ended) -> int:
    assert ended.code == 0, ended.err
    return len(ended.json["nodes"])


def test_a_gateway_asks_for_others_and_everybody_for_an_audience(desk: Desk) -> None:
    behalf = ("--on-behalf-of", "user:ada", "--on-behalf-of", "group:eng")

    assert count(desk.ask("bridge", *COUNT)) == 2
    assert count(desk.ask("bridge", *COUNT, *behalf)) == 3
    assert count(desk.ask("bridge", *COUNT, *behalf, "--audience", "user:bob")) == 2
    both = ("--audience", '["user:bob", "group:eng"]', "--audience", "group:eng")
    assert count(desk.ask("bridge", *COUNT, *behalf, *both)) == 3
    assert count(desk.ask("root", *COUNT, "--audience", "group:eng")) == 3


def test_acting_for_others_without_the_role_is_a_failure(desk: Desk, cli: Cli) -> None:
    ended = cli(*COUNT, "--server", desk.server.address, "--on-behalf-of", "user:ada")

    assert ended.code == 1
    assert "UNAUTHENTICATED" in ended.err


def settings(cli: Cli, data: Path) -> dict[str, Any]:
    (found,) = cli("collection", "list", "--json", "--data", data).json["collections"]
    return cast(dict[str, Any], found)


def readers(collection: dict[str, Any]) -> dict[str, Any]:
    return {field["name"]: field.get("readers") for field in collection["fields"]}


def test_membership_and_readers_of_fields_are_set_and_changed(cli: Cli, tmp_path: Path) -> None:
    data = tmp_path / "data"
    made = cli(
        *("collection", "create", "staff", "--field", "salary:int", "--field", "born:time"),
        *("--field-reader", "salary=group:hr", "--field-reader", "salary=team:a & level:b"),
        *("--membership", "user:{sub}", "--member-edge", "MEMBER_OF", "--member-edge", "PART_OF"),
        *("--member-depth", "5", "--data", data),
    )
    assert made.code == 0, made.err
    first = settings(cli, data)

    changed = cli(
        *("collection", "update", "staff", "--field-reader", "born=group:x"),
        *("--membership", "{sub}", "--member-edge", "M", "--data", data),
    )

    assert first["membership"] == {
        "node_id_template": "user:{sub}",
        "edge_types": ["MEMBER_OF", "PART_OF"],
        "max_depth": 5,
    }
    assert readers(first) == {"salary": ["group:hr", "team:a & level:b"], "born": None}
    assert changed.code == 0, changed.err
    assert "membership: " in changed.out
    second = settings(cli, data)
    assert second["membership"] == {"node_id_template": "{sub}", "edge_types": ["M"]}
    assert readers(second) == {"salary": ["group:hr", "team:a & level:b"], "born": ["group:x"]}


def test_a_file_takes_membership_away(cli: Cli, tmp_path: Path) -> None:
    data, file = tmp_path / "data", tmp_path / "c.json"
    member = ("--membership", "{sub}", "--member-edge", "M")
    assert cli("collection", "create", "staff", *member, "--data", data).code == 0
    file.write_text(json.dumps({"membership": None}))

    ended = cli("collection", "update", "staff", "--file", file, "--data", data)

    assert ended.code == 0, ended.err
    assert "membership" not in settings(cli, data)


def test_an_export_keeps_who_reads_what(cli: Cli, tmp_path: Path) -> None:
    data, backup = tmp_path / "data", tmp_path / "backup"
    made = cli(
        *("collection", "create", "staff", "--field", "salary:int", "--data", data),
        *("--field-reader", "salary=group:hr", "--membership", "{sub}", "--member-edge", "M"),
    )
    assert made.code == 0, made.err

    assert cli("export", "staff", "--dir", backup, "--data", data).code == 0

    kept = json.loads((backup / "collection.json").read_text())
    assert kept["fields"][0]["readers"] == ["group:hr"]
    assert kept["membership"] == {"node_id_template": "{sub}", "edge_types": ["M"]}
