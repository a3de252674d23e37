"""Files that a command writes: plain, gzip or Zstandard, or stdout.

A file appears under its name once it is whole, readable by its owner alone: an export holds every private row. A pipe
or a device of that name is written to, not replaced.
"""

import gzip
import os
import sys
import tempfile
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Protocol, cast

import zstandard

from passageway.cli.failures import Failure
from passageway.cli.lines import STDIN

_PARTIAL = ".partial"


class Target(Protocol):
    """Takes bytes; Failure when its file does not."""

    def write(self, content: bytes, /) -> object:
        """Write all of *content*."""
        ...


@contextmanager
def written(name: str) -> Generator[Target]:
    """The file *name*, packed as its suffix says; ``-`` is stdout. Failure names it when it cannot be written."""
    if name == STDIN:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path = Path(name)
    with named(name):
        replaced = path.is_file() or not path.exists()
    if replaced:
        yield from _replaced(name, path)
    else:
        yield from _opened(name, path, suffix=path.suffix)


@contextmanager
def named(name: str) -> Generator[None]:
    """An error of the system in its block is a Failure of the file, or folder, *name*."""
    try:
        yield
    except OSError as fault:
        raise Failure(f"{name}: {fault.strerror}; name one that can be written") from fault


class _Named:
    """A file whose errors bear its name."""

    def __init__(self, name: str, file: IO[bytes]) -> None:
        self._name, self._file = name, file

    def write(self, content: bytes, /) -> None:
        with named(self._name):
            self._file.write(content)


def _replaced(name: str, path: Path) -> Generator[Target]:
    # Through a symbolic link: it stays, and what it leads to is replaced.
    whole = path.resolve()
    with named(name):
        made, partial = tempfile.mkstemp(dir=whole.parent, prefix=whole.name, suffix=_PARTIAL)
        os.close(made)
    try:
        yield from _opened(name, Path(partial), suffix=path.suffix)
        with named(name):
            Path(partial).replace(whole)
    finally:
        Path(partial).unlink(missing_ok=True)


def _opened(name: str, path: Path, *, suffix: str) -> Generator[Target]:
    # What is done with the target may fail by itself: opening and closing alone are errors of this file.
    with ExitStack() as files:
        with named(name):
            raw = files.enter_context(path.open("wb"))
            file = files.enter_context(_packed(suffix, raw))
        yield _Named(name, file)
        with named(name):
            files.close()


@contextmanager
def _packed(suffix: str, raw: IO[bytes]) -> Generator[IO[bytes]]:
    if suffix == ".gz":
        # No time and no name inside: the same rows give the same bytes.
        with gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) as file:
            yield cast(IO[bytes], file)
    elif suffix == ".zst":
        with zstandard.ZstdCompressor(level=9).stream_writer(raw, closefd=False) as file:
            yield file
    else:
        yield raw
