"""The page of the format says what the code does."""

import re
import struct
from pathlib import Path
from typing import cast

from passageway_server.columns.hashing import hashes_of
from passageway_server.storage.data_folder import DataFolder
from passageway_server.storage.log.frames import LOG_LIMITS
from passageway_server.storage.npy import head, is_storable
from passageway_server.storage.records import DEFAULT_LIMITS, decode
from tests.unit.storage.disks import commit, logged, publish, version

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

    assert (root / "FORMAT").read_bytes() == b"2\n"
    assert (root / "LOCK").read_bytes() == b""
    assert (root / "debian/CURRENT").stat().st_size == 26
    assert (root / "debian/LOG").stat().st_size == 26


def test_strings_have_the_hashes_that_the_page_gives() -> None:
    section = PAGE.read_text("utf-8").split("### Hashes of strings", 1)[1].split("\n## ", 1)[0]
    told = re.findall(r"^\| (.*) \| `0x(\w{16})` \|$", section, re.MULTILINE)
    strings = ["" if name == "the empty one" else name.strip("`") for name, _ in told]

    assert len(told) == 3
    assert hashes_of([each.encode() for each in strings]).tolist() == [int(h, 16) for _, h in told]


def test_the_dtypes_of_the_page_can_be_stored() -> None:
    row = next(line for line in PAGE.read_text("utf-8").splitlines() if "`dtype` | string" in line)
    dtypes = [dtype.replace("\\", "") for dtype in re.findall(r"`([\\|<][^`]*)`", row)]

    assert len(dtypes) == 12
    assert all(is_storable(dtype) for dtype in dtypes)


def test_a_head_is_spelled_as_on_the_page() -> None:
    assert b"{'descr': '<i4', 'fortran_order': False, 'shape': (3,), } " in head("<i4", (3,))
    assert "{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }" in PAGE.read_text("utf-8")


LAYOUT = {"8 bytes": "8s", "uint32": "I", "uint64": "Q"}


def fields_after(line: str) -> list[tuple[int, str, str]]:
    """Offset, type and name of each field in the table that follows *line*."""
    rows = PAGE.read_text("utf-8").split(line, 1)[1].split("|\n\n", 1)[0]
    found = re.findall(r"^\| (\d+) \| (\w[\w ]*) \| `(\w+)` \|", rows, re.MULTILINE)
    return [(int(offset), kind, name) for offset, kind, name in found]


def unpacked(fields: list[tuple[int, str, str]], content: bytes) -> dict[str, object]:
    return {
        name: struct.unpack_from("<" + LAYOUT[kind], content, offset)[0]
        for offset, kind, name in fields
    }


def crc32c(content: bytes) -> int:
    """CRC-32C, a bit at a time."""
    crc = 0xFFFFFFFF
    for byte in content:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def test_a_log_can_be_read_by_the_page_alone(folder: DataFolder, root: Path) -> None:
    publish(folder.collection("debian"), 1)
    log = logged(folder.collection("debian"), 3)
    log.roll()
    log.append(4, commit(4))
    log.close()
    before, content = ((root / f"debian/log/{number:016d}.log").read_bytes() for number in (2, 4))

    header = unpacked(fields_after("## The log"), content)
    frame = unpacked(fields_after("no part of it, and damage that costs nothing."), content[64:])
    payload = content[64 + 24 :]

    assert header == {
        "magic": b"\x93PSGLOG\n",
        "format": 1,
        "reserved": 0,
        "first": 4,
        "salt": header["salt"],
        "after": 3,
        "previous_length": len(before),
        "previous_checksum": crc32c(before),
        "identity": version(1).token[:8].encode(),
        "checksum": crc32c(content[:60]),
    }
    assert frame == {
        "length": len(payload),
        "checksum": crc32c(struct.pack("<QIQQ", header["salt"], len(payload), 4, 3) + payload),
        "number": 4,
        "durable_upto": 3,
    }
    assert decode(payload, "payload") == commit(4)


def test_the_limit_of_a_payload_is_that_of_the_page() -> None:
    assert f"1 to {LOG_LIMITS.bytes:,}" in PAGE.read_text("utf-8")
    assert LOG_LIMITS.depth == DEFAULT_LIMITS.depth
    assert LOG_LIMITS.values == DEFAULT_LIMITS.values
