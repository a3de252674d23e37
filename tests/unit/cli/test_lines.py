"""Lines of plain and packed files are the same lines; a packed file that ends early is no shorter file."""

import gzip
import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from passageway.cli.failures import Failure
from passageway.cli.lines import Lines, Source

TEXT = b'{"id": "a"}\n\n{"id": "b\xc3\xa9"}\r\n{"id": "c"}'
LINES = [(1, b'{"id": "a"}'), (2, b""), (3, b'{"id": "b\xc3\xa9"}\r'), (4, b'{"id": "c"}')]


def zstd(content: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(content)


PACKED = {
    "plain.jsonl": TEXT,
    "packed.jsonl.gz": gzip.compress(TEXT),
    "packed.jsonl.zst": zstd(TEXT),
    "parts.jsonl.gz": gzip.compress(TEXT[:9]) + gzip.compress(TEXT[9:]),
    "parts.jsonl.zst": zstd(TEXT[:9]) + zstd(b"") + zstd(TEXT[9:]),
    "gzip.jsonl": gzip.compress(TEXT),
    "zstd.jsonl": zstd(TEXT),
    "marked.jsonl": b"\xef\xbb\xbf" + TEXT,
    "marked.jsonl.gz": gzip.compress(b"\xef\xbb\xbf" + TEXT),
}


def lines_of(folder: Path, name: str, content: bytes) -> Lines:
    (folder / name).write_bytes(content)
    return Lines(Source(str(folder / name)))


@pytest.mark.parametrize("name", PACKED)
def test_every_packing_gives_the_same_numbered_lines(tmp_path: Path, name: str) -> None:
    lines = lines_of(tmp_path, name, PACKED[name])

    assert list(lines) == LINES
    assert lines.read == lines.source.size == len(PACKED[name])


@pytest.mark.parametrize(
    "content", [TEXT, gzip.compress(TEXT), zstd(TEXT)], ids=["plain", "gzip", "zstd"]
)
def test_stdin_is_known_by_its_first_bytes(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    assert list(Lines(Source("-"))) == LINES
    assert Source("-").size is None


@pytest.mark.parametrize("name", ["packed.jsonl.gz", "packed.jsonl.zst"])
@pytest.mark.parametrize("kept", range(16))
def test_a_packed_file_that_was_cut_is_refused(tmp_path: Path, name: str, kept: int) -> None:
    content = PACKED[name][: len(PACKED[name]) * kept // 16]

    with pytest.raises(Failure, match=r"incomplete|no gzip data|no zstd data"):
        list(lines_of(tmp_path, name, content))


def test_a_file_that_is_not_packed_as_its_name_says_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Failure, match=r"a\.gz: no gzip data"):
        list(lines_of(tmp_path, "a.gz", TEXT))
    with pytest.raises(Failure, match=r"a\.zst: no zstd data"):
        list(lines_of(tmp_path, "a.zst", TEXT))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing.jsonl")

    with pytest.raises(Failure, match=r"missing\.jsonl: No such file"):
        list(Lines(Source(missing)))
    with pytest.raises(Failure, match=r"missing\.jsonl: No such file"):
        _ = Source(missing).size


def test_an_empty_plain_file_has_no_lines(tmp_path: Path) -> None:
    assert list(lines_of(tmp_path, "empty.jsonl", b"")) == []


def test_zeros_after_gzip_are_the_padding_of_a_tape(tmp_path: Path) -> None:
    padded = gzip.compress(TEXT[:9]) + bytes(700) + gzip.compress(TEXT[9:]) + bytes(5000)

    assert list(lines_of(tmp_path, "padded.jsonl.gz", padded)) == LINES
    with pytest.raises(Failure, match="no gzip data"):
        list(lines_of(tmp_path, "zeros.jsonl.gz", bytes(100) + padded))
    with pytest.raises(Failure, match="no zstd data"):
        list(lines_of(tmp_path, "padded.jsonl.zst", zstd(TEXT) + bytes(100)))


@pytest.mark.parametrize(
    ("name", "pack", "most"),
    [("bomb.gz", gzip.compress, 2 << 20), ("bomb.zst", zstd, 32 << 20)],
)
def test_a_small_file_never_becomes_a_large_chunk(
    tmp_path: Path, name: str, pack: Callable[[bytes], bytes], most: int
) -> None:
    content = bytes(100 << 20)
    lines = lines_of(tmp_path, name, pack(content))

    sizes = [len(chunk) for chunk in lines._unpacked()]

    assert sum(sizes) == len(content)
    assert max(sizes) <= most


def test_a_line_that_does_not_end_is_refused_with_its_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("passageway.cli.lines.LONGEST_LINE", 5000)
    content = b"a\n" + b"b" * 5000 + b"\n" + b"c" * 5001

    read = iter(lines_of(tmp_path, "long.jsonl.gz", gzip.compress(content)))

    assert [next(read), next(read)] == [(1, b"a"), (2, b"b" * 5000)]
    with pytest.raises(Failure, match=r"long\.jsonl\.gz:3: a line of more than 5,000 bytes"):
        next(read)
