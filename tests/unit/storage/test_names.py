"""Names that come from outside, and what becomes a path."""

from pathlib import Path

import pytest

from passageway_server.errors import InvalidRequest, NotFound
from passageway_server.storage.data_folder import DataFolder
from passageway_server.storage.disk import DiskDirectory
from passageway_server.storage.names import is_array_name, is_name
from tests.unit.storage.disks import NOON, publish, some_arrays

HOSTILE = [
    "",
    ".",
    "..",
    "../debian",
    "a/b",
    "/etc",
    "a\\b",
    "a\0",
    "a\n",
    "Debian",
    "CURRENT",
    "-a",
    "_a",
    "a.partial",
    "a b",
    "é",
    "ａ",
    "١",
    "😀",
    "\u202ea",
    "a" * 64,
    "%2e%2e",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_never_becomes_a_path(folder: DataFolder, root: Path, name: str) -> None:
    publish(folder.collection("debian"), 1)
    before = sorted(root.rglob("*"))

    with pytest.raises(InvalidRequest) as refused:
        folder.collection(name)
    with pytest.raises(InvalidRequest):
        folder.collection("debian").create_named(name, created_at=NOON)
    with pytest.raises(NotFound):
        folder.collection("debian").open_named(name)
    with pytest.raises(NotFound):
        folder.collection("debian").delete_named(name)

    assert refused.value.faults[0].field == "collection"
    assert sorted(root.rglob("*")) == before


@pytest.mark.parametrize("name", ["a", "0", "debian-12_x", "a" * 63])
def test_a_plain_name_is_taken(name: str) -> None:
    assert is_name(name)


@pytest.mark.parametrize("name", ["", ".", "a..b", ".a", "a.", "a/b", "A", "a\n", "a" * 121, "é"])
def test_an_array_with_a_hostile_name_is_not_written(folder: DataFolder, name: str) -> None:
    assert not is_array_name(name)
    with pytest.raises(ValueError, match="cannot name an array"):
        publish(folder.collection("debian"), 1, arrays={name: some_arrays()["nodes.kind"]})

    assert folder.names() == []


@pytest.mark.parametrize("path", ["/etc/passwd", "../x", "a/../../x", "a\0"])
def test_a_directory_reaches_nothing_outside(tmp_path: Path, path: str) -> None:
    with pytest.raises(ValueError, match="leads out"):
        DiskDirectory(tmp_path).read(path, limit=1)
