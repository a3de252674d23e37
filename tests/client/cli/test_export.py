"""Loading an export gives the collection back, and exporting that gives the same files."""

import stat
from pathlib import Path

import pytest

from tests.client.cli.shell import Cli


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
def test_an_export_loads_to_the_same_export(
    cli: Cli, folder: Path, tmp_path: Path, suffix: str
) -> None:
    first = [tmp_path / f"first-{kind}{suffix}" for kind in ("n", "e", "p")]
    second = [tmp_path / f"second-{kind}{suffix}" for kind in ("n", "e", "p")]
    flags = ("--nodes", "--edges", "--passages")

    def options(files: list[Path]) -> list[str | Path]:
        return [part for pair in zip(flags, files, strict=True) for part in pair]

    assert cli("export", "notes", *options(first), "--data", folder).code == 0
    assert cli("load", "copy", *options(first), "--data", folder).code == 0
    assert cli("export", "copy", *options(second), "--data", folder).code == 0

    assert [file.read_bytes() for file in first] == [file.read_bytes() for file in second]
    assert not list(tmp_path.glob("*.partial"))


def test_a_folder_of_an_export_holds_the_settings_too(
    cli: Cli, folder: Path, tmp_path: Path
) -> None:
    cli("collection", "update", "notes", "--description", "Ours", "--data", folder)
    target = tmp_path / "backup"

    assert cli("export", "notes", "--dir", target, "--data", folder).code == 0

    ended = cli(
        *("load", "back", "--collection-file", target / "collection.json", "--data", folder),
        *("--nodes", target / "nodes.jsonl.zst", "--edges", target / "edges.jsonl.zst"),
        *("--passages", target / "passages.jsonl.zst", "--json"),
    )
    assert ended.json["nodes"] == 5
    assert "Ours" in cli("describe", "back", "--data", folder).out


def test_records_go_to_stdout_and_counts_to_stderr(cli: Cli, folder: Path) -> None:
    ended = cli("export", "notes", "--edges", "-", "--data", folder)

    assert ended.out.splitlines()[0] == (
        '{"id": "ab", "source": "a", "target": "b", "type": "calls", "weight": 0.5}'
    )
    assert ended.err == "notes: 3 edges\n"


def test_a_file_that_cannot_be_written_is_named(cli: Cli, folder: Path, tmp_path: Path) -> None:
    ended = cli("export", "notes", "--nodes", tmp_path / "no" / "n.jsonl", "--data", folder)

    assert ended.code == 1
    assert "n.jsonl: No such file" in ended.err


def test_a_failed_export_leaves_what_was_there(cli: Cli, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "n.jsonl").write_text("before")

    assert cli("export", "nothing", "--nodes", tmp_path / "n.jsonl", "--data", folder).code == 1

    assert (tmp_path / "n.jsonl").read_text() == "before"
    assert not list(tmp_path.glob("*.partial"))


def test_a_folder_that_cannot_be_made_is_named(cli: Cli, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")

    taken = cli("export", "notes", "--dir", tmp_path / "file", "--data", folder)
    inside = cli("export", "notes", "--dir", tmp_path / "file" / "in", "--data", folder)

    assert (taken.code, inside.code) == (1, 1)
    assert f"{tmp_path / 'file'}: File exists" in taken.err
    assert f"{tmp_path / 'file' / 'in'}: Not a directory" in inside.err


def test_an_export_is_for_its_owner_alone(cli: Cli, folder: Path, tmp_path: Path) -> None:
    assert cli("export", "notes", "--dir", tmp_path / "backup", "--data", folder).code == 0

    files = list((tmp_path / "backup").iterdir())
    assert len(files) == 4
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
