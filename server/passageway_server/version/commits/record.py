"""The record of a commit in a log, and the commit that a record tells of.

    kind     puts, settings or measure: what the rest is
    line     of the version that the commit made; its number is the log's own
    at       when it was made, in microseconds since 1970
    key      of puts that a writer named: sub, key, digest of the batch, edges that dangled

A restore in place has none: it is a commit that a snapshot alone holds.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from passageway_server.errors import LimitExceeded
from passageway_server.storage.log.frames import LOG_LIMITS
from passageway_server.values.collections import CollectionSettings, Kind
from passageway_server.values.records import Batch
from passageway_server.version import settings as settings_records
from passageway_server.version.commits.batches import pack_batch, unpack_batch
from passageway_server.version.commits.measures import pack_measured, unpack_measured
from passageway_server.version.commits.packing import (
    Malformed,
    content,
    fields,
    member,
    pack_counts,
    pack_strings,
    parts,
    text,
    unpack_counts,
    unpack_ids,
    whole,
)
from passageway_server.version.contents import Contents
from passageway_server.version.measures import Measured
from passageway_server.version.tokens import LINE_BYTES

MOST_BYTES = LOG_LIMITS.bytes - (1 << 20)
"""Of a record, heads left out."""

_LINE = re.compile(f"[0-9a-f]{{{2 * LINE_BYTES}}}")
_DIGEST_BYTES = 32

Kinds = Mapping[str, Kind]


@dataclass(frozen=True, slots=True)
class Named:
    """Puts that their writer *sub* gave a key, told from others by the digest of their batch."""

    sub: str
    key: str
    digest: bytes
    dangling_edges: int


@dataclass(frozen=True, slots=True)
class Puts:
    """A batch, and the kinds of the fields that were inferred from it, in either set of fields.

    ``packed`` is its record, where that was made already.
    """

    batch: Batch
    inferred: Kinds = field(default_factory=dict[str, Kind])
    inferred_of_edges: Kinds = field(default_factory=dict[str, Kind])
    named: Named | None = None
    packed: Mapping[str, object] | None = field(default=None, compare=False, repr=False)


Commit = Puts | CollectionSettings | Measured


@dataclass(frozen=True, slots=True)
class Stamp:
    """Of which line the version of a commit is, and when it was made, in microseconds since 1970."""

    line: str
    at: int


def to_record(commit: Commit, stamp: Stamp, base: Contents) -> dict[str, object]:
    """The record of *commit*, made at *stamp* on the contents *base*. Raises LimitExceeded where no frame holds it."""
    record: dict[str, object] = {"kind": _kind(commit), "line": stamp.line, "at": stamp.at}
    match commit:
        case Puts():
            record |= _pack_puts(commit)
        case CollectionSettings():
            record["settings"] = settings_records.to_record(commit)
        case Measured():
            record["measure"] = pack_measured(commit, base)
    if _size(record) > MOST_BYTES:
        raise LimitExceeded(
            "COMMIT_BYTES",
            limit=MOST_BYTES,
            parameter="commit",
            advice="so many bytes go into one: put, or measure, fewer rows at once",
        )
    return record


def from_record(record: Mapping[str, Any], base: Contents) -> tuple[Commit, Stamp]:
    """The inverse of `to_record`. Raises Malformed, whatever stands in the record."""
    line = text(member(record, "line"))
    if not _LINE.fullmatch(line):
        raise Malformed(f"{line!r:.40} is no line of versions")
    stamp = Stamp(line, whole(member(record, "at")))
    match text(member(record, "kind")):
        case "puts":
            return _unpack_puts(record), stamp
        case "settings":
            return _settings(member(record, "settings")), stamp
        case "measure":
            return unpack_measured(member(record, "measure"), base), stamp
        case kind:
            raise Malformed(f"a commit of the kind {kind!r:.40}")


def _size(value: object) -> int:
    """The bytes of a record, but for its heads; those of a text where it is ASCII."""
    match value:
        case str() | bytes():
            return len(value)
        case dict() | list():
            inside = cast("dict[str, object] | list[object]", value)
            return sum(map(_size, inside.values() if isinstance(inside, dict) else inside))
        case _:
            return 0


def _kind(commit: Commit) -> str:
    match commit:
        case Puts():
            return "puts"
        case CollectionSettings():
            return "settings"
        case Measured():
            return "measure"


def _pack_puts(puts: Puts) -> dict[str, object]:
    packed = pack_batch(puts.batch) if puts.packed is None else puts.packed
    record: dict[str, object] = {"batch": packed}
    if puts.inferred:
        record["inferred"] = _pack_kinds(puts.inferred)
    if puts.inferred_of_edges:
        record["inferred_of_edges"] = _pack_kinds(puts.inferred_of_edges)
    named = puts.named
    if named is not None:
        record["key"] = [named.sub, named.key, named.digest, named.dangling_edges]
    return record


def _unpack_puts(record: Mapping[str, object]) -> Puts:
    return Puts(
        unpack_batch(member(record, "batch")),
        _unpack_kinds(record.get("inferred")),
        _unpack_kinds(record.get("inferred_of_edges")),
        _named(record.get("key")),
    )


def _named(value: object) -> Named | None:
    if value is None:
        return None
    sub, key, digest, dangling = parts(value, 4)
    if len(content(digest)) != _DIGEST_BYTES:
        raise Malformed("a digest that is none")
    return Named(text(sub), text(key), content(digest), whole(dangling))


def _pack_kinds(kinds: Kinds) -> list[object]:
    return [pack_strings(list(kinds)), pack_counts(kinds.values())]


def _unpack_kinds(value: object) -> dict[str, Kind]:
    if value is None:
        return {}
    names, numbers = parts(value, 2)
    listed = unpack_ids(names)
    kinds = unpack_counts(numbers, len(listed)).tolist()
    if not set(kinds) <= set(map(int, Kind)):
        raise Malformed("a kind of field that does not exist")
    return dict(zip(listed, map(Kind, kinds), strict=True))


def _settings(value: object) -> CollectionSettings:
    try:
        settings = settings_records.from_record(fields(value))
        settings_records.check_settings(settings)
        text(settings.description)
    except Exception as cause:  # it is made of whatever stands there
        raise Malformed(f"no settings of a collection ({cause!r:.80})") from cause
    return settings
