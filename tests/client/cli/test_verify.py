"""`verify` tells what is wrong with a folder's files and changes nothing; `repair` saves what can be read."""

import shutil
from pathlib import Path

import pytest

import passageway
from passageway import Batch, Node
from tests.client.cli.shell import Cli


def files(folder: Path) -> dict[str, bytes]:
    """All files but the lock, which those who look take."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != "LOCK"
    }


def flip(file: Path, at: int) -> None:
    held = bytearray(file.read_bytes())
    held[at] ^= 0x10
    file.write_bytes(held)


@pytest.fixture
def killed(folder: Path, tmp_path: Path) -> Path:
    """A folder as a kill leaves it: three commits are in the log, and in no snapshot."""
    copy = tmp_path / "killed"
    with passageway.open(folder) as client:
        for number in range(3):
            client.collection("notes").apply(Batch(put_nodes=[Node(f"n{number}")]))
        shutil.copytree(folder, copy)
    return copy


def segment(folder: Path) -> Path:
    """The log segment that holds the latest commits."""
    return max((folder / "notes" / "log").glob("*.log"))


def test_a_whole_folder_has_no_damage(cli: Cli, folder: Path) -> None:
    before = files(folder)

    ended = cli("verify", folder)

    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("read 1 collection, ")
    assert ended.out.endswith("; no damage\n")
    assert files(folder) == before


def test_json_tells_the_same(cli: Cli, killed: Path) -> None:
    told = cli("verify", killed, "--json").json

    assert (told["collections"], told["damaged"], told["findings"]) == (["notes"], False, [])
    assert told["commits"] >= 3


def test_a_tail_that_a_crash_left_is_told_and_is_no_damage(cli: Cli, killed: Path) -> None:
    with segment(killed).open("ab") as log:
        log.write(b"\x55" * 100)

    ended = cli("verify", killed)

    assert ended.code == 0
    assert "tail" in ended.out
    assert ended.out.endswith("; no damage\n")
    assert cli("lookup", "notes", "--page-size", "0", "--data", killed).out == "0 of 10 rows\n"


@pytest.mark.parametrize(
    "pattern", ["snapshots/*/*.npy", "snapshots/*/manifest.msgpack", "CURRENT"]
)
def test_damage_is_told_by_its_file(cli: Cli, folder: Path, pattern: str) -> None:
    file = max((folder / "notes").glob(pattern), key=lambda file: file.stat().st_size)
    flip(file, file.stat().st_size // 2)
    before = files(folder)

    ended = cli("verify", folder)

    assert ended.code == 1
    assert str(file.relative_to(folder)).rpartition("/")[0].split("/")[0] in ended.out
    assert "damage" in ended.out
    assert f"`passageway repair {folder}`" in ended.err
    assert files(folder) == before


def test_damage_in_the_log_is_told_by_its_offset(cli: Cli, killed: Path) -> None:
    flip(segment(killed), 100)

    ended = cli("verify", killed, "--json")

    (finding,) = [one for one in ended.json["findings"] if one["kind"] == "damage"]
    assert ended.code == 1
    assert finding["file"] == f"notes/log/{segment(killed).name}"
    assert finding["offset"] is not None
    assert "is damaged" in ended.err


def test_repair_saves_what_can_be_read_and_tells_what_is_lost(cli: Cli, killed: Path) -> None:
    flip(segment(killed), 100)
    refused = cli("get", "notes", "a", "--data", killed)

    repaired = cli("repair", killed)

    assert (refused.code, repaired.code) == (1, 0)
    assert "LOG_DAMAGED" in refused.err
    assert "notes: lost " in repaired.out
    assert cli("verify", killed).code == 0
    assert cli("get", "notes", "a", "--data", killed).code == 0
    assert list((killed / "notes" / "quarantine").iterdir())


def test_a_repair_of_a_whole_folder_changes_nothing(cli: Cli, killed: Path) -> None:
    before = files(killed)

    ended = cli("repair", killed, "--json")

    assert (ended.code, ended.json["lost"], ended.json["damaged"]) == (0, [], False)
    assert files(killed) == before


@pytest.mark.parametrize("command", ["verify", "repair"])
def test_a_folder_that_is_none_or_in_use_is_refused(
    cli: Cli, folder: Path, tmp_path: Path, command: str
) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").touch()

    missing, foreign = cli(command, tmp_path / "none"), cli(command, tmp_path / "other")
    with passageway.open(folder):
        held = cli(command, folder)

    assert [each.code for each in (missing, foreign, held)] == [1, 1, 1]
    assert "FOLDER_MISSING" in missing.err
    assert "FOLDER_FOREIGN" in foreign.err
    assert "FOLDER_IN_USE" in held.err
    assert not (tmp_path / "none").exists()
