"""A mistyped folder is told, not made: only load, serve and `collection create` make one, and none in what is not theirs."""

import subprocess
import sys
from pathlib import Path

import pytest

import passageway
from tests.client.cli.shell import Cli, write

READS = [
    ("describe",),
    ("describe", "notes"),
    ("get", "notes", "a"),
    ("lookup", "notes"),
    ("slice", "notes", "a"),
    ("expand", "notes", "a"),
    ("paths", "notes", "--from", "a", "--to", "b"),
    ("export", "notes", "--nodes", "-"),
    ("collection", "list"),
    ("collection", "update", "notes", "--description", "x"),
    ("collection", "delete", "notes", "--yes"),
    ("snapshot", "create", "notes"),
    ("snapshot", "list", "notes"),
    ("snapshot", "restore", "notes", "first", "--into", "back"),
    ("snapshot", "delete", "notes", "first"),
]
SERVE = ("serve", "--listen", "127.0.0.1:0")
MAKERS = [("load", "notes", "--nodes", "/dev/null"), ("collection", "create", "notes")]


@pytest.mark.parametrize("command", READS, ids=" ".join)
def test_a_folder_that_is_not_there_is_told_and_not_made(
    cli: Cli, tmp_path: Path, command: tuple[str, ...]
) -> None:
    (tmp_path / "empty").mkdir()
    for name in ("NOTHERE", "empty"):
        ended = cli(*command, "--data", tmp_path / name)

        assert ended.code == 1
        assert ended.err == (
            f"passageway: {tmp_path / name}: no data folder here;"
            " `passageway load` or `collection create` makes one (FOLDER_MISSING)\n"
        )
    assert [path.name for path in tmp_path.rglob("*")] == ["empty"]


@pytest.mark.parametrize("command", MAKERS, ids=" ".join)
def test_what_makes_collections_makes_the_folder(
    cli: Cli, tmp_path: Path, command: tuple[str, ...]
) -> None:
    assert cli(*command, "--data", tmp_path / "new").code == 0

    assert cli("describe", "--data", tmp_path / "new").out == "collection\nnotes\n"


@pytest.mark.parametrize("command", [*READS, *MAKERS, SERVE], ids=" ".join)
def test_a_folder_of_somebody_else_is_left_alone(
    cli: Cli, tmp_path: Path, command: tuple[str, ...]
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "letters.txt").write_text("x")
    (home / "photos").mkdir()

    ended = cli(*command, "--data", home)

    assert ended.code == 1
    assert f"{home}: no FORMAT here, but letters.txt and 1 more" in ended.err
    assert sorted(path.name for path in home.iterdir()) == ["letters.txt", "photos"]


@pytest.mark.parametrize("command", [("describe",), *MAKERS, SERVE], ids=" ".join)
def test_a_file_is_no_folder(cli: Cli, tmp_path: Path, command: tuple[str, ...]) -> None:
    file = write(tmp_path / "n.jsonl", [{"id": "a"}])

    ended = cli(*command, "--data", file)

    assert ended.code == 1
    assert f"{file}: a file, not a folder" in ended.err


def test_a_folder_that_was_begun_or_a_disk_that_is_new_is_no_other_ones(
    cli: Cli, tmp_path: Path
) -> None:
    for name in ("LOCK", "FORMAT.partial"):
        (tmp_path / name).touch()
    (tmp_path / "lost+found").mkdir()

    assert cli("describe", "--data", tmp_path).code == 1
    assert cli("collection", "create", "notes", "--data", tmp_path).code == 0


def test_python_makes_a_folder_only_when_asked(tmp_path: Path) -> None:
    with pytest.raises(passageway.FailedPrecondition) as raised:
        passageway.open(tmp_path / "new")
    assert raised.value.reason == "FOLDER_MISSING"
    assert not (tmp_path / "new").exists()

    passageway.open(tmp_path / "new", create=True).close()
    passageway.open(tmp_path / "new").close()


def test_a_folder_in_use_names_who_holds_it(cli: Cli, folder: Path) -> None:
    program = "import sys, passageway; c = passageway.open(sys.argv[1]); print(flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", program, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout
        other.stdout.readline()
        elsewhere = cli("describe", "--data", folder)
        other.communicate(b"\n")
    with passageway.open(folder):
        here = cli("describe", "--data", folder)

    told = f" (pid {other.pid})" if Path("/proc/locks").exists() else ""
    assert f"is in use by another process{told}: a server, a load or an open client" in (
        elsewhere.err
    )
    assert "FOLDER_IN_USE" in here.err


@pytest.fixture
def damaged(cli: Cli, folder: Path) -> Path:
    """The folder, whose one collection is damaged and has a named snapshot that is whole."""
    assert cli("snapshot", "create", "notes", "first", "--data", folder).code == 0
    (folder / "notes" / "CURRENT").write_bytes(b"nonsense\n")
    return folder


def test_a_damaged_collection_is_listed_with_what_is_wrong(cli: Cli, damaged: Path) -> None:
    assert cli("collection", "create", "whole", "--data", damaged).code == 0

    listed = cli("collection", "list", "--data", damaged)
    as_json = cli("collection", "list", "--data", damaged, "--json").json["collections"]
    described = cli("describe", "--data", damaged)

    assert "notes/CURRENT" in listed.out
    assert [(one["name"], "damage" in one) for one in as_json] == [
        ("notes", True),
        ("whole", False),
    ]
    assert described.out.split() == ["collection", "whole"]
    assert described.err.startswith("notes is damaged: notes/CURRENT: ")


def test_a_folder_of_damaged_collections_alone_says_so(cli: Cli, damaged: Path) -> None:
    ended = cli("describe", "--data", damaged)

    assert ended.out == "no collections\n"
    assert "notes is damaged" in ended.err
    assert "damaged" not in cli("describe", "--data", damaged, "--principal", "public").err


def test_a_damaged_collection_is_not_exported_in_part(
    cli: Cli, damaged: Path, tmp_path: Path
) -> None:
    ended = cli("export", "notes", "--dir", tmp_path / "backup", "--data", damaged)

    assert ended.code == 1
    assert "notes/CURRENT" in ended.err
    assert list((tmp_path / "backup").iterdir()) == []


def test_a_damaged_collection_comes_back_from_a_named_snapshot_before_it_is_deleted(
    cli: Cli, damaged: Path
) -> None:
    restored = cli("snapshot", "restore", "notes", "first", "--into", "back", "--data", damaged)
    deleted = cli("collection", "delete", "notes", "--yes", "--data", damaged)

    assert restored.out == "made back: 5 nodes, 2 passages, 3 edges\n"
    assert deleted.out == "deleted notes and its named snapshots first\n"
    assert cli("lookup", "back", "--page-size", "0", "--data", damaged).out == "0 of 7 rows\n"


def test_the_question_names_the_snapshots_that_go_too(
    cli: Cli, damaged: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def confirm(question: str, *, err: bool) -> bool:
        asked.append(question)
        return False

    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("typer.confirm", confirm)

    ended = cli("collection", "delete", "notes", "--data", damaged)

    assert ended.err == "passageway: nothing was deleted\n"
    assert asked == ["delete collection notes with its rows and its named snapshots first?"]
