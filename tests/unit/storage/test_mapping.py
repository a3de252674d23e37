"""An array of a mapped file grows where it stands, once, and the file stays as it is."""

import errno
import mmap
import os
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from passageway_server.columns.growing import Growing
from passageway_server.storage import mapping
from passageway_server.storage.disk import DiskDirectory

HEAD = 64
SIZES = (504, 505, 1000, 100_000)  # with the head: a page, a little more, within one, many


@pytest.fixture(autouse=True)
def of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small files get room too."""
    monkeypatch.setattr(mapping, "_FROM", HEAD)


def values(count: int) -> NDArray[np.int64]:
    return np.arange(1, count + 1, dtype=np.int64)


def mapped(folder: Path, count: int) -> NDArray[np.int64]:
    """The values of a file with a head before them."""
    directory = DiskDirectory(folder)
    directory.write("a", [b"h" * HEAD, values(count).tobytes()])
    found = directory.map_file("a", length=HEAD + 8 * count)
    return found[HEAD:].view(np.int64)


def address(array: NDArray[np.generic]) -> int:
    return int(array.__array_interface__["data"][0])


@pytest.mark.parametrize("count", SIZES)
def test_what_is_added_stands_behind_the_mapped_values_and_in_no_file(
    tmp_path: Path, count: int
) -> None:
    array = mapped(tmp_path, count)
    before = (tmp_path / "a").read_bytes()
    added = values(max(1, count // 4))

    longer = Growing(array).extended(added)

    assert address(longer.array) == address(array)
    assert longer.array.tolist() == [*values(count).tolist(), *added.tolist()]
    assert array.tolist() == values(count).tolist()
    assert (tmp_path / "a").read_bytes() == before


def test_the_room_is_for_one_and_others_move(tmp_path: Path) -> None:
    array = mapped(tmp_path, 1000)
    first, second = Growing(array).extended(values(3)), Growing(array).extended(values(3) * 7)

    assert address(first.array) == address(array) != address(second.array)
    assert first.array[1000:].tolist() == [1, 2, 3]
    assert second.array[1000:].tolist() == [7, 14, 21]


def test_the_room_of_one_that_is_gone_is_taken_again(tmp_path: Path) -> None:
    array = mapped(tmp_path, 1000)
    base = Growing(array)

    for number in range(20):
        longer = base.extended(values(3) * number)

        assert address(longer.array) == address(array)
        assert longer.array[1000:].tolist() == [number, 2 * number, 3 * number]
        del longer


def test_the_room_is_not_taken_again_while_a_part_of_it_is_held(tmp_path: Path) -> None:
    array = mapped(tmp_path, 1000)
    part = Growing(array).extended(values(3)).array[1001:1003]

    other = Growing(array).extended(values(3) * 7)

    assert address(other.array) != address(array)
    assert part.tolist() == [2, 3]


def test_what_finds_no_room_moves(tmp_path: Path) -> None:
    array = mapped(tmp_path, 1000)

    longer = Growing(array).extended(values(1000))

    assert address(longer.array) != address(array)
    assert longer.array.tolist() == [*values(1000).tolist(), *values(1000).tolist()]


@pytest.mark.parametrize("there", [504, 2 * mmap.PAGESIZE + 504])
def test_a_file_that_ends_early_is_an_error_of_the_disk(tmp_path: Path, there: int) -> None:
    (tmp_path / "a").write_bytes(bytes(there))
    with (tmp_path / "a").open("rb") as file, pytest.raises(OSError, match=os.strerror(errno.EIO)):
        mapping.mapped(file.fileno(), there + 96)


def test_an_array_that_does_not_end_with_its_file_has_no_room(tmp_path: Path) -> None:
    array = mapped(tmp_path, 1000)

    assert mapping.with_room(array[:999]) is None
    assert mapping.with_room(values(5)) is None
    assert mapping.with_room(array) is not None


def test_a_mapped_array_cannot_be_written(tmp_path: Path) -> None:
    array = mapped(tmp_path, 1000)

    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1


def test_a_file_is_let_go_with_the_last_array_of_it(tmp_path: Path) -> None:
    held = f"{os.fspath((tmp_path / 'a').resolve())}\n"
    array = Growing(mapped(tmp_path, 1000)).extended(values(3)).array
    maps = Path("/proc/self/maps")
    if not maps.is_file():
        pytest.skip("this system does not list what is mapped")
    assert held in maps.read_text(encoding="utf-8")

    del array

    assert held not in maps.read_text(encoding="utf-8")


def test_where_no_room_is_promised_a_file_is_mapped_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> int:
        raise MemoryError

    monkeypatch.setattr(mapping, "_map", refused)
    array = mapped(tmp_path, 1000)

    longer = Growing(array).extended(values(3))

    assert longer.array.tolist() == [*values(1000).tolist(), 1, 2, 3]
