"""`verify` tells what is wrong with a folder's files and changes nothing; `repair` saves what can be read."""

import shutil
from pathlib import Path

import pytest

import passageway
from passageway import Batch, Node
from passageway_server.storage.data_folder import DataFolder
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
    columns, collection, verdict = ended.out.splitlines()
    assert columns.split() == ["collection", "snapshots", "commits", "state"]
    assert (collection.split()[0], collection.split()[-1]) == ("notes", "whole")
    assert verdict == "no damage in 1 collection"
    assert files(folder) == before


def test_a_folder_without_collections_has_no_damage(cli: Cli, tmp_path: Path) -> None:
    DataFolder.open(tmp_path / "empty").close()

    verified, repaired = cli("verify", tmp_path / "empty"), cli("repair", tmp_path / "empty")

    assert (verified.code, verified.out) == (0, "no damage in 0 collections\n")
    assert (repaired.code, repaired.out) == (0, "nothing to repair\n")


def test_json_tells_the_same(cli: Cli, killed: Path) -> None:
    told = cli("verify", killed, "--json").json

    (collection,) = told["collections"]
    assert (told["damaged"], told["findings"]) == (False, [])
    assert (collection["name"], collection["refused"]) == ("notes", "")
    assert collection["commits"] >= 3


def test_a_tail_that_a_crash_left_is_told_and_is_no_damage(cli: Cli, killed: Path) -> None:
    with segment(killed).open("ab") as log:
        log.write(b"\x55" * 100)

    ended = cli("verify", killed)

    assert ended.code == 0
    assert "whole, with a tail" in ended.out
    assert "never acknowledged" in ended.out
    assert ended.out.endswith("no damage in 1 collection\n")
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
    assert str(file.relative_to(folder)) in ended.out
    assert "damage in 1 of 1 collection\n" in ended.out
    assert f"`passageway repair {folder}" in ended.err
    assert files(folder) == before


def test_damage_in_the_log_is_told_by_its_offset(cli: Cli, killed: Path) -> None:
    flip(segment(killed), 100)

    ended = cli("verify", killed, "--json")

    (finding,) = [one for one in ended.json["findings"] if one["kind"] == "damage"]
    assert ended.code == 1
    assert finding["file"] == f"notes/log/{segment(killed).name}"
    assert finding["offset"] is not None
    assert [one["refused"] for one in ended.json["collections"]] == ["LOG_DAMAGED"]
    assert "is damaged" in ended.err


def test_repair_saves_what_can_be_read_and_tells_what_is_lost(cli: Cli, killed: Path) -> None:
    flip(segment(killed), 100)
    refused = cli("get", "notes", "a", "--data", killed)
    before = files(killed)

    tried = cli("repair", killed, "--dry-run")
    assert files(killed) == before
    repaired = cli("repair", killed)

    assert (refused.code, tried.code, repaired.code) == (1, 1, 1)
    assert "LOG_DAMAGED" in refused.err
    assert "; `passageway repair FOLDER --dry-run` shows what can be kept; or " in refused.err
    assert "notes would lose 3 acknowledged commits, " in tried.out
    assert "notes lost 3 acknowledged commits, " in repaired.out
    assert "\na repair would:\n  " in tried.out
    assert "\nthe repair took these steps:\n  " in repaired.out
    assert "acknowledged commits would be lost" in tried.err
    assert "acknowledged commits are lost" in repaired.err
    assert tried.out.endswith("nothing was changed\n")
    assert cli("verify", killed).code == 0
    assert cli("get", "notes", "a", "--data", killed).code == 0
    assert list((killed / "notes" / "quarantine").iterdir())


def test_a_repair_of_a_whole_folder_changes_nothing(cli: Cli, killed: Path) -> None:
    before = files(killed)

    ended = cli("repair", killed, "--json")

    assert (ended.code, ended.json["lost"], ended.json["damaged"]) == (0, [], False)
    assert (ended.json["dry_run"], ended.json["steps"], ended.json["left"]) == (False, [], [])
    assert files(killed) == before


def test_a_repair_that_loses_nothing_says_so_and_ends_well(cli: Cli, killed: Path) -> None:
    flip(killed / "notes/LOG", 3)

    tried = cli("repair", killed, "--dry-run", "--json")
    ended = cli("repair", killed)

    assert (tried.code, ended.code, ended.err) == (0, 0, "")
    assert (tried.json["dry_run"], tried.json["lost"]) == (True, [])
    assert all(f"  {step}\n" in ended.out for step in tried.json["steps"])
    assert "no acknowledged commit is lost\n" in ended.out
    assert cli("get", "notes", "n2", "--data", killed).code == 0


def test_a_collection_that_cannot_be_saved_is_said_to_stay_as_it_is(cli: Cli, killed: Path) -> None:
    for manifest in (killed / "notes").glob("snapshots/*/manifest.msgpack"):
        flip(manifest, 80)
    before = files(killed)

    ended = cli("repair", killed)

    assert ended.code == 1
    assert "leave notes as it is" in ended.out
    assert "notes stayed as before, and not served" in ended.err
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
