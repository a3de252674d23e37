"""What stands in CURRENT of a published store, and in the listing of a snapshot."""

import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final, cast

from passageway_server.errors import FormatTooNew, SnapshotDamaged
from passageway_server.storage import records
from passageway_server.storage.names import is_name

CURRENT: Final = "CURRENT"
PAGE_KEY: Final = "PAGE_KEY"
OBJECTS: Final = "objects/"
FORMAT: Final = 1

_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_LINE: Final = re.compile(r"[0-9a-f]{8}")
_FILE: Final = re.compile(r"[A-Za-z0-9_.-]{1,200}\.npy")


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes *start* to *end* of the segment whose first commit is *first*; *last* is the last commit in it."""

    first: int
    start: int
    end: int
    last: int
    digest: str


@dataclass(frozen=True, slots=True)
class Published:
    """A collection: its incarnation, the number and the listing of a snapshot, and its log in order.

    ``last`` is the commit up to which it can be read.
    """

    incarnation: str
    snapshot: int
    listing: str
    last: int
    log: tuple[Piece, ...] = ()


@dataclass(frozen=True, slots=True)
class Index:
    """All collections by name, as *publisher* published them; no two moves have the same bytes."""

    publisher: str = ""
    moves: int = 0
    collections: Mapping[str, Published] = field(default_factory=dict[str, Published])


@dataclass(frozen=True, slots=True)
class Listing:
    """A snapshot: the bytes of its manifest, and the digest of each of its files."""

    manifest: bytes
    files: Mapping[str, str]


def digest_of(content: bytes) -> str:
    """The name of an object."""
    return sha256(content).hexdigest()


def path_of(digest: str) -> str:
    """Where an object stands."""
    return OBJECTS + digest


def encode_index(index: Index) -> bytes:
    """The bytes of CURRENT."""
    return records.encode(
        {
            "format": FORMAT,
            "publisher": index.publisher,
            "moves": index.moves,
            "collections": {
                name: {
                    "incarnation": one.incarnation,
                    "snapshot": one.snapshot,
                    "listing": one.listing,
                    "last": one.last,
                    "log": [[p.first, p.start, p.end, p.last, p.digest] for p in one.log],
                }
                for name, one in index.collections.items()
            },
        }
    )


def decode_index(content: bytes, file: str) -> Index:
    """What CURRENT says; an empty one says nothing. FormatTooNew, SnapshotDamaged."""
    if not content:
        return Index()
    record: Any = records.decode(content, file)
    with _telling(file):
        _check_format(record, file)
        collections = {str(name): _published(one) for name, one in record["collections"].items()}
        if not all(map(is_name, collections)):
            raise ValueError("a name that no collection has")
        return Index(_text(record["publisher"]), _count(record["moves"]), collections)


def encode_listing(listing: Listing) -> bytes:
    """The bytes of a listing."""
    files = dict(sorted(listing.files.items()))
    return records.encode({"format": FORMAT, "manifest": listing.manifest, "files": files})


def decode_listing(content: bytes, file: str) -> Listing:
    """What a listing says. FormatTooNew, SnapshotDamaged."""
    record: Any = records.decode(content, file)
    with _telling(file):
        _check_format(record, file)
        files = {_matching(_FILE, name): _digest(of) for name, of in record["files"].items()}
        manifest = record["manifest"]
        if not isinstance(manifest, bytes):
            raise TypeError("a manifest that is none")
        return Listing(manifest, files)


def _check_format(record: Any, file: str) -> None:
    format = _count(record["format"])
    if format > FORMAT:
        raise FormatTooNew(file, found=format, newest=FORMAT)


def _published(record: Any) -> Published:
    return Published(
        _matching(_LINE, record["incarnation"]),
        _count(record["snapshot"]),
        _digest(record["listing"]),
        _count(record["last"]),
        tuple(map(_piece, record["log"])),
    )


def _piece(record: Any) -> Piece:
    first, start, end, last, digest = record
    return Piece(_count(first), _count(start), _count(end), _count(last), _digest(digest))


def _digest(value: object) -> str:
    return _matching(_DIGEST, value)


def _matching(pattern: "re.Pattern[str]", value: object) -> str:
    if not pattern.fullmatch(_text(value)):
        raise ValueError(f"{value!r:.80} stands where it cannot")
    return cast(str, value)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"a {type(value).__name__} where a string should be")
    return value


def _count(value: object) -> int:
    if type(value) is not int or value < 0:
        raise TypeError(f"{value!r:.80} where a count should be")
    return value


@contextmanager
def _telling(file: str) -> Generator[None]:
    """Turn what goes wrong with a record into SnapshotDamaged of *file*."""
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise SnapshotDamaged(file, f"not what is published ({error!r:.80})") from error
