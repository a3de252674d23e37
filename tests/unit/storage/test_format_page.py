"""The page of the format says what the code does."""

import re
from pathlib import Path
from typing import cast

from passageway_server.storage.data_folder import DataFolder
from passageway_server.storage.npy import head, is_storable
from passageway_server.storage.records import decode
from tests.unit.storage.disks import publish

PAGE = Path(__file__).parents[3] / "snapshots" / "README.md"


def keys_after(line: str) -> list[str]:
    """The first column of the table that follows *line* in the page."""
    rows = PAGE.read_text("utf-8").split(line, 1)[1].split("|\n\n", 1)[0]
    return re.findall(r"^\| `(\w+)` \|", rows, re.MULTILINE)


def test_the_keys_of_a_manifest_are_those_of_the_page(folder: DataFolder, root: Path) -> None:
    publish(folder.collection("debian"), 1)
    manifest = root / "debian/snapshots/0000000000000001/manifest.msgpack"

    outer = decode(manifest.read_bytes(), "outer")
    body = outer["body"]
    assert isinstance(body, bytes)
    inner = decode(body, "inner")
    arrays = cast("dict[str, dict[str, object]]", inner["arrays"])

    assert list(outer) == keys_after("## `manifest.msgpack`")
    assert list(inner) == keys_after("The keys of the body:")
    assert all(list(array) == keys_after("Each value of `arrays`:") for array in arrays.values())


def test_the_small_files_are_as_long_as_the_page_says(folder: DataFolder, root: Path) -> None:
    publish(folder.collection("debian"), 1)

    assert (root / "FORMAT").read_bytes() == b"1\n"
    assert (root / "LOCK").read_bytes() == b""
    assert (root / "debian/CURRENT").stat().st_size == 26


def test_the_dtypes_of_the_page_can_be_stored() -> None:
    row = next(line for line in PAGE.read_text("utf-8").splitlines() if "`dtype` | string" in line)
    dtypes = [dtype.replace("\\", "") for dtype in re.findall(r"`([\\|<][^`]*)`", row)]

    assert len(dtypes) == 12
    assert all(is_storable(dtype) for dtype in dtypes)


def test_a_head_is_spelled_as_on_the_page() -> None:
    assert b"{'descr': '<i4', 'fortran_order': False, 'shape': (3,), } " in head("<i4", (3,))
    assert "{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }" in PAGE.read_text("utf-8")
