"""What is done to a trial ends as on the disk."""

import errno
from pathlib import Path

import pytest

from passageway_server.storage.directory import Directory
from passageway_server.storage.disk import DiskDirectory
from passageway_server.storage.trial import Trial


@pytest.fixture(params=["disk", "trial"])
def directory(request: pytest.FixtureRequest, tmp_path: Path) -> Directory:
    """Two files, two empty folders and two full ones."""
    for name in ("root", "beside"):
        (tmp_path / name).mkdir()
    disk = DiskDirectory(tmp_path / "root")
    for each in ("one", "two"):
        disk.write(f"file-{each}", [each.encode()])
        for kind in ("empty", "full"):
            disk.make_folder(f"{kind}-{each}")
        disk.write(f"full-{each}/inside", [b"inside"])
    beside = DiskDirectory(tmp_path / "beside")
    return Trial(disk, beside) if request.param == "trial" else disk


@pytest.mark.parametrize(
    ("old", "new", "codes"),
    [
        ("file-one", "empty-two", {errno.EISDIR}),
        ("file-one", "full-two", {errno.EISDIR}),
        ("empty-one", "file-two", {errno.ENOTDIR}),
        ("full-one", "file-two", {errno.ENOTDIR}),
        ("full-one", "full-two", {errno.ENOTEMPTY, errno.EEXIST}),
        ("nothing", "file-two", {errno.ENOENT}),
    ],
)
def test_what_cannot_take_a_place_stays_in_its_own(
    directory: Directory, old: str, new: str, codes: set[int]
) -> None:
    before = directory.entries("")

    with pytest.raises(OSError, match=r".") as raised:
        directory.rename(old, new)

    assert raised.value.errno in codes
    assert directory.entries("") == before


@pytest.mark.parametrize(
    ("old", "new"), [("file-one", "file-two"), ("full-one", "empty-two"), ("full-one", "new")]
)
def test_what_takes_a_place_has_left_its_own(directory: Directory, old: str, new: str) -> None:
    directory.rename(old, new)

    names = [entry.name for entry in directory.entries("")]
    assert new in names
    assert old not in names
    held = directory.read(new if old == "file-one" else f"{new}/inside", limit=9)
    assert held == (b"one" if old == "file-one" else b"inside")
