"""The name by which a server knows a load of files again, so that it can go on where it stopped.

The same files, given in the same way, are cut into the same batches, so a place among the batches is a place in the
files.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from passageway.cli import batches
from passageway.cli.failures import Failure
from passageway.cli.lines import STDIN, Source

_HEAD = 64 << 10  # bytes of each file that its load is known by


def name_of(
    collection: str, sources: Mapping[str, Sequence[Source]], *, options: Sequence[str] = ()
) -> str:
    """The name of a load of *sources*, by the kind of their records; "" where one of them can be read but once.

    It is made of how the files are named, of their sizes and beginnings, and of what decides where they are cut: what a
    batch holds, the *options* that change it, and the releases of this package and of Arrow.
    """
    if not all(map(_can_be_read_again, (source for each in sources.values() for source in each))):
        return ""
    told = [
        collection,
        {
            kind: [(source.name, source.size, _head(source)) for source in each]
            for kind, each in sources.items()
        },
        (batches.RECORDS, batches.BYTES, batches.RECORD_BYTES),
        [_release(package) for package in ("passageway", "pyarrow")],
        *options,
    ]
    digest = hashlib.sha256(json.dumps(told, ensure_ascii=True).encode()).hexdigest()
    return f"load/{digest[:32]}"


def _release(package: str) -> str:
    """Its version, "" where it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _can_be_read_again(source: Source) -> bool:
    return source.name != STDIN and Path(source.name).is_file()


def _head(source: Source) -> str:
    try:
        with Path(source.name).open("rb") as file:
            return hashlib.sha256(file.read(_HEAD)).hexdigest()
    except OSError as fault:
        raise Failure(f"{source.name}: {fault.strerror}; name a file that can be read") from fault
