"""Columns of a Parquet file are looked at before anything is made: of times, whether their fields are declared."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet as pq

from passageway import Client, Collection, PermissionDenied
from tests.client.cli.shell import Cli

TIME = datetime(2025, 6, 1, tzinfo=UTC)


def table(path: Path, **properties: Any) -> Path:
    columns = {f"properties.{name}": [value] * 20 for name, value in properties.items()}
    pq.write_table(pa.table({"id": [f"n{row}" for row in range(20)], **columns}), path)
    return path


def told(*faults: str, remedy: str) -> str:
    return "\n".join([f"passageway: {faults[0]}", *faults[1:], f"nothing was loaded; {remedy}\n"])


def test_an_undeclared_time_is_told_once_and_nothing_is_made(cli: Cli, tmp_path: Path) -> None:
    file, data = table(tmp_path / "n.parquet", published=TIME, size=1), tmp_path / "data"
    create = "passageway collection create g --field published:time"

    refused = cli("load", "g", "--nodes", file, "--data", data)

    assert refused.code == 1
    assert refused.err == told(
        f"{file}: the column properties.published holds times, and published is not declared as time",
        remedy=f"`{create}` declares it, then load again",
    )
    assert cli(*create.split()[1:], "--data", data).code == 0
    assert cli("load", "g", "--nodes", file, "--data", data).out.startswith("g: 20 nodes")


def test_of_a_collection_that_is_there_the_update_is_told(cli: Cli, tmp_path: Path) -> None:
    one = table(tmp_path / "one.parquet", published=TIME, due=TIME)
    lists = table(tmp_path / "lists.parquet", published=[TIME])
    data = tmp_path / "data"
    cli("collection", "create", "g", "--field", "due:time", "--data", data)
    update = "passageway collection update g --field published:time:repeated"

    refused = cli("load", "g", "--nodes", one, "--nodes", lists, "--data", data)

    assert refused.err == told(
        f"{one}: the column properties.published holds times, and published is not declared as time",
        f"{lists}: the column properties.published holds lists of times, and published is not declared"
        " as time:repeated",
        remedy=f"`{update}` declares it, then load again",
    )
    assert cli(*update.split()[1:], "--data", data).code == 0
    both = cli("load", "g", "--nodes", one, "--nodes", lists, "--data", data)
    assert both.code == 0, both.err


def test_settings_of_a_file_declare_too(cli: Cli, tmp_path: Path) -> None:
    nodes, data = table(tmp_path / "n.parquet", published=TIME), tmp_path / "data"
    settings = tmp_path / "c.json"
    settings.write_text("{}")
    ask = ("load", "g", "--collection-file", settings, "--nodes", nodes, "--data", data)

    refused = cli(*ask)
    settings.write_text('{"fields": [{"name": "published", "kind": "time"}]}')

    assert (
        f"`passageway collection create g --file {settings} --field published:time`" in refused.err
    )
    assert cli(*ask).code == 0


def test_the_time_of_retirement_is_declared_always(cli: Cli, tmp_path: Path) -> None:
    file = table(tmp_path / "n.parquet", expires_at=TIME)

    assert cli("load", "g", "--nodes", file, "--data", tmp_path / "data").code == 0


def test_a_caller_who_may_not_see_settings_is_not_refused_for_them(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(*_: object) -> Collection:
        raise PermissionDenied("this call needs the role admin")

    file, data = table(tmp_path / "n.parquet", published=TIME), tmp_path / "data"
    cli("collection", "create", "g", "--field", "published:time", "--data", data)
    monkeypatch.setattr(Client, "get_collection", denied)

    assert cli("load", "g", "--nodes", file, "--data", data).code == 0


def test_files_that_are_no_tables_of_records_are_told_before_anything_is_made(
    cli: Cli, tmp_path: Path
) -> None:
    unknown = tmp_path / "unknown.parquet"
    pq.write_table(pa.table({"id": ["a"], "nam": ["A"]}), unknown)
    (tmp_path / "broken.parquet").write_text("PAR")
    data = tmp_path / "data"

    for file, fault in (
        (unknown, "the column nam is none of"),
        (tmp_path / "broken.parquet", "not to be read"),
    ):
        ended = cli("load", "g", "--nodes", file, "--data", data)
        assert ended.code == 1
        assert ended.err.startswith(f"passageway: {file}: {fault}")
        assert "stopped" not in ended.err
    assert not data.exists()
