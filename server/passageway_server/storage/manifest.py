"""What a snapshot holds: its version, its arrays with length and checksum, and the plain values
beside them.

The file is a map of ``format``, ``algorithm``, ``checksum`` and ``body``; the body is a map again.
So a later format is refused by name before anything of it is understood, and a bit that flips
anywhere is found on opening.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, cast

from passageway_server.errors import FormatTooNew, SnapshotDamaged
from passageway_server.storage import npy, records
from passageway_server.storage.checksums import ALGORITHM, checksum, is_algorithm
from passageway_server.storage.names import is_array_name

FORMAT: Final = 3
"""The format that is written; those before it are read."""

MANIFEST: Final = "manifest.msgpack"

_SAID_TWICE: Final = (
    3  # the first format that the body names too: a bit that flips makes no other of it
)
IDENTITY_LENGTH: Final = 8
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class StoredVersion:
    """A version of a collection: the number of its last commit, and the token that callers see."""

    number: int
    token: str

    @property
    def identity(self) -> str:
        """What all versions of a collection have, and no other collection, nor another one of its name: how their tokens begin.

        In formats 1 and 2 that was so only until the next start.
        """
        return self.token[:IDENTITY_LENGTH]


@dataclass(frozen=True, slots=True)
class StoredArray:
    """An array of a snapshot; of an empty one, and of one value throughout, there is no file, and length and checksum are 0."""

    dtype: str
    shape: tuple[int, ...]
    length: int
    checksum: int
    constant: bytes | None = None  # the one value, as it would stand in the file

    @property
    def is_file(self) -> bool:
        return 0 not in self.shape and self.constant is None


@dataclass(frozen=True, slots=True)
class Manifest:
    """All that one snapshot says of itself; a copy of it has its format, and the ``algorithm`` of its checksums."""

    version: StoredVersion
    created_at: datetime
    arrays: Mapping[str, StoredArray]
    meta: Mapping[str, object]
    format: int = FORMAT
    algorithm: str = ALGORITHM

    @property
    def collection(self) -> str:
        """The name of the collection that it is of, as its settings have it; "" where they do not say."""
        settings = self.meta.get("settings")
        name = cast("dict[str, object]", settings).get("name") if isinstance(settings, dict) else ""
        return name if isinstance(name, str) else ""

    @property
    def array_bytes(self) -> int:
        """Bytes of all array files, those shared with other snapshots included."""
        return sum(array.length for array in self.arrays.values())


def file_of(name: str) -> str:
    """The file of the array *name*; ValueError unless it is the name of one."""
    if not is_array_name(name):
        raise ValueError(f"{name!r:.80} cannot name an array")
    return f"{name}.npy"


def encode(manifest: Manifest) -> bytes:
    """The bytes of the manifest's file; ValueError where meta holds what a record cannot."""
    said = {"format": manifest.format} if manifest.format >= _SAID_TWICE else {}
    body = records.encode(
        {
            **said,
            "applied": manifest.version.number,
            "token": manifest.version.token,
            "created_at": (manifest.created_at - _EPOCH) // _MICROSECOND,
            "arrays": {
                name: {
                    "dtype": array.dtype,
                    "shape": list(array.shape),
                    "length": array.length,
                    "checksum": array.checksum,
                    **({} if array.constant is None else {"constant": array.constant}),
                }
                for name, array in manifest.arrays.items()
            },
            "meta": dict(manifest.meta),
        }
    )
    return records.encode(
        {
            "format": manifest.format,
            "algorithm": manifest.algorithm,
            "checksum": checksum([body], manifest.algorithm),
            "body": body,
        }
    )


def decode(packed: bytes, file: str) -> Manifest:
    """What the bytes of *file* say; FormatTooNew or SnapshotDamaged where we cannot tell."""
    outer = _Fields(records.decode(packed, file), file)
    format = outer.count("format")
    if format > FORMAT:
        raise FormatTooNew(file, found=format, newest=FORMAT)
    algorithm = outer.text("algorithm")
    if format == 0 or not is_algorithm(algorithm):
        raise SnapshotDamaged(file, f"format {format} with {algorithm!r:.40} does not exist")
    body, expected = outer.bytes("body"), outer.count("checksum")
    found = checksum([body], algorithm)
    if found != expected:
        raise SnapshotDamaged(file, f"checksum {found:08x}, it says {expected:08x} itself")
    inner = _Fields(records.decode(body, file), file)
    if (
        inner.count("format") if "format" in inner.values else min(format, _SAID_TWICE - 1)
    ) != format:
        raise SnapshotDamaged(file, f"its body is of another format than {format}")
    try:
        created_at = _EPOCH + inner.count("created_at") * _MICROSECOND
    except OverflowError as error:
        raise SnapshotDamaged(file, "created_at is past the year 9999") from error
    return Manifest(
        version=StoredVersion(inner.count("applied"), inner.text("token")),
        created_at=created_at,
        arrays=inner.arrays("arrays"),
        meta=inner.map("meta"),
        format=format,
        algorithm=algorithm,
    )


@dataclass(frozen=True, slots=True)
class _Fields:
    """A decoded map, asked for values by type; SnapshotDamaged where one is something else."""

    values: Mapping[str, object]
    file: str

    def _wrong(self, key: str, expected: str) -> SnapshotDamaged:
        return SnapshotDamaged(self.file, f"{key!r:.80} should be {expected}")

    def count(self, key: str) -> int:
        value = self.values.get(key)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise self._wrong(key, "a number that is not negative")
        return value

    def text(self, key: str) -> str:
        value = self.values.get(key)
        if not isinstance(value, str):
            raise self._wrong(key, "a string")
        return value

    def bytes(self, key: str) -> bytes:
        value = self.values.get(key)
        if not isinstance(value, bytes):
            raise self._wrong(key, "bytes")
        return value

    def map(self, key: str) -> dict[str, object]:
        value = self.values.get(key)
        if not isinstance(value, dict):
            raise self._wrong(key, "a map")
        return cast("dict[str, object]", value)

    def shape(self, key: str) -> tuple[int, ...]:
        value = self.values.get(key)
        if not isinstance(value, list):
            raise self._wrong(key, "a list")
        sides = cast("list[object]", value)
        if len(sides) > npy.MOST_DIMENSIONS:
            raise self._wrong(key, f"a list of at most {npy.MOST_DIMENSIONS}")
        return tuple(_Fields({key: side}, self.file).count(key) for side in sides)

    def arrays(self, key: str) -> dict[str, StoredArray]:
        return {
            name: _Fields(_Fields(self.map(key), self.file).map(name), self.file).array(name)
            for name in self.map(key)
        }

    def array(self, name: str) -> StoredArray:
        """The array that this map describes, its length that of its dtype and shape."""
        dtype, shape = self.text("dtype"), self.shape("shape")
        if not is_array_name(name) or not npy.is_storable(dtype):
            raise self._wrong(name, "an array of numbers with a name of words and dots")
        constant = self.bytes("constant") if "constant" in self.values else None
        if constant is not None and not npy.is_constant(dtype, shape, constant):
            raise self._wrong(name, "an array of one value")
        array = StoredArray(dtype, shape, self.count("length"), self.count("checksum"), constant)
        expected = npy.length(dtype, shape) if array.is_file else 0
        if array.length != expected:
            raise self._wrong(name, f"{expected} bytes long and not {array.length}")
        return array
