"""Lines of JSONL files: plain, gzip or Zstandard, from a file or from stdin.

The suffix of a file says how it is packed; stdin, and a file without such a suffix, is known by its first bytes. A
packed file that ends early is an error, never a short file. A byte order mark before the first line is no part of it.
"""

import sys
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import BinaryIO, Protocol

import zstandard

from passageway.cli.failures import Failure

CHUNK = 1 << 18
STEP = 1 << 10
"""Stored bytes that are unpacked at once: Zstandard makes at most 32 MiB of them, gzip 1 MiB."""

BLOCK = 8 << 20
"""Bytes of lines that are read before the first of them is looked at."""

LONGEST_LINE = 64 << 20
"""Bytes of one line; beyond it the input is no JSONL."""

STDIN = "-"
_MARK = b"\xef\xbb\xbf"
_SUFFIXES = {".gz": "gzip", ".zst": "zstd"}
_MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}


@dataclass(frozen=True, slots=True)
class Source:
    """A file that was named, or stdin."""

    name: str

    @property
    def label(self) -> str:
        """How messages name it."""
        return "stdin" if self.name == STDIN else self.name

    @property
    def size(self) -> int | None:
        """Bytes as they are stored; None for stdin."""
        if self.name == STDIN:
            return None
        try:
            return Path(self.name).stat().st_size
        except OSError as fault:
            raise Failure(f"{self.name}: {fault.strerror}; name a file that can be read") from fault


def numbered(first: int, block: bytes) -> Iterator[tuple[int, bytes]]:
    """The lines of a block whose first has the number *first*."""
    return enumerate(block.split(b"\n"), start=first)


def too_long(source: str, number: int) -> str:
    """What is said of a line that is longer than any record."""
    return (
        f"{source}:{number}: a line of more than {LONGEST_LINE:,} bytes; "
        "the input is to be JSONL, one record a line"
    )


def _unmarked(number: int, block: bytes) -> bytes:
    return block.removeprefix(_MARK) if number == 1 else block


class _Unpacker(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


class Lines:
    """The lines of a source with their numbers, from 1; ``read`` counts its stored bytes."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.read = 0

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        for first, block in self.blocks():
            for number, line in numbered(first, block):
                self._check_length(number, len(line))
                yield number, line

    def blocks(self) -> Iterator[tuple[int, bytes]]:
        """Whole lines, some `BLOCK` bytes at once, with the number of the first."""
        number, held, size = 1, list[bytes](), 0
        for chunk in self._until_broken():
            if isinstance(chunk, Failure):
                whole, end, _ = b"".join(held).rpartition(b"\n")
                if end:
                    yield number, _unmarked(number, whole)
                raise chunk
            held.append(chunk)
            size += len(chunk)
            if size < BLOCK:
                continue
            block, end, rest = b"".join(held).rpartition(b"\n")
            if end:
                yield number, _unmarked(number, block)
                number += block.count(b"\n") + 1
            self._check_length(number, len(rest))
            held, size = [rest], len(rest)
        if size:
            yield number, _unmarked(number, b"".join(held).removesuffix(b"\n"))

    def _until_broken(self) -> Iterator[bytes | Failure]:
        """The content, and at its end what broke it off: what came before is not lost."""
        try:
            yield from self._unpacked()
        except Failure as fault:
            yield fault

    def _check_length(self, number: int, length: int) -> None:
        if length > LONGEST_LINE:
            raise Failure(too_long(self.source.label, number))

    def _unpacked(self) -> Iterator[bytes]:
        """The content in chunks; a file of several packed parts is their concatenation."""
        chunks = self._stored()
        first = next(chunks, b"")
        packing = self._packing(first)
        if packing is None:
            yield first
            yield from chunks
            return
        unpacker: _Unpacker | None = None
        whole = False
        try:
            for pending in _steps(chain([first], chunks)):
                if unpacker is None and whole:
                    pending = _next_part(packing, pending)
                while pending:
                    unpacker = unpacker or _unpacker(packing)
                    yield unpacker.decompress(pending)
                    pending = b""
                    if unpacker.eof:
                        pending = _next_part(packing, unpacker.unused_data)
                        unpacker, whole = None, True
        except (zlib.error, zstandard.ZstdError) as fault:
            raise Failure(
                f"{self.source.label}: no {packing} data at byte {self.read:,} or before it ({fault}); "
                "give the file as it was packed, or rename it"
            ) from fault
        if unpacker is not None or not self.read:
            raise Failure(
                f"{self.source.label}: the {packing} data ends early, at byte {self.read:,}; "
                "the file is incomplete: copy it again"
            )

    def _packing(self, first: bytes) -> str | None:
        if self.source.name != STDIN and Path(self.source.name).suffix in _SUFFIXES:
            return _SUFFIXES[Path(self.source.name).suffix]
        return next((name for magic, name in _MAGIC.items() if first.startswith(magic)), None)

    def _stored(self) -> Iterator[bytes]:
        if self.source.name == STDIN:
            yield from self._chunks(sys.stdin.buffer)
            return
        try:
            with Path(self.source.name).open("rb") as file:
                yield from self._chunks(file)
        except OSError as fault:
            raise Failure(
                f"{self.source.label}: {fault.strerror}; name a file that can be read"
            ) from fault

    def _chunks(self, file: BinaryIO) -> Iterator[bytes]:
        while chunk := file.read(CHUNK):
            self.read += len(chunk)
            yield chunk


def _steps(chunks: Iterable[bytes]) -> Iterator[bytes]:
    for chunk in chunks:
        for at in range(0, len(chunk), STEP):
            yield chunk[at : at + STEP]


def _next_part(packing: str, rest: bytes) -> bytes:
    """*rest* of what follows a whole part, without the zeros that tapes pad gzip files with."""
    return rest.lstrip(b"\0") if packing == "gzip" else rest


def _unpacker(packing: str) -> _Unpacker:
    if packing == "gzip":
        return zlib.decompressobj(wbits=31)
    return zstandard.ZstdDecompressor().decompressobj()
