"""Vectors of .npy files, put into the nodes and passages whose ids a file beside them lists.

Row i of each file is of the id in line i. Files are mapped, and a row is read when its record is made.
"""

import ast
import mmap
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from passageway.cli.failures import Failure, Usage
from passageway.cli.lines import Lines, Source
from passageway.cli.records import Record
from passageway.v1 import store_pb2, types_pb2

_MAGIC: Final = b"\x93NUMPY"
_LENGTHS: Final = {1: "<H", 2: "<I", 3: "<I"}
_WIDTHS: Final = {"<f2": ("e", 2), "<f4": ("f", 4), "<f8": ("d", 8)}
_REMEDY: Final = "write it with numpy.save, as a float32 array with a row for each id"

Add = Callable[[store_pb2.Batch, bytes], Record]


class Matrix:
    """A .npy file of floats in two dimensions; ``len`` is its rows. Failure where it is none."""

    def __init__(self, source: Source) -> None:
        self.source = source
        try:
            with Path(source.name).open("rb") as file:
                self._content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as fault:
            cause = getattr(fault, "strerror", None) or "it is empty"
            raise Failure(f"{source.label}: {cause}; {_REMEDY}") from fault
        try:
            self._at, kind, shape = _head(self._content)
            self._format, self._width = _WIDTHS[kind]
            self._rows, self.dimensions = shape
        except (ValueError, KeyError, TypeError, SyntaxError, struct.error) as fault:
            raise Failure(f"{source.label}: no matrix of floats ({fault}); {_REMEDY}") from fault
        size = self._at + self._rows * self.dimensions * self._width
        if len(self._content) != size:
            raise Failure(
                f"{source.label}: {len(self._content):,} bytes, and its head tells of {size:,}; copy it again"
            )

    def __len__(self) -> int:
        return self._rows

    def row(self, number: int) -> Sequence[float]:
        """The numbers of a row."""
        length = self.dimensions * self._width
        start = self._at + number * length
        return struct.unpack(
            f"<{self.dimensions}{self._format}", self._content[start : start + length]
        )


def _head(content: mmap.mmap) -> tuple[int, str, tuple[int, int]]:
    """Where the values begin, their type, and the shape. Raises ValueError and the like."""
    if content[: len(_MAGIC)] != _MAGIC:
        raise ValueError("it does not begin as .npy files do")
    length = _LENGTHS[content[6]]
    begin = 8 + struct.calcsize(length)
    end = begin + struct.unpack(length, content[8:begin])[0]
    head = ast.literal_eval(content[begin:end].decode("latin-1"))
    kind, shape = head["descr"], head["shape"]
    if head["fortran_order"]:
        raise ValueError("its columns lie side by side, not its rows")
    if kind not in _WIDTHS or len(shape) != 2:
        raise ValueError(f"found are values of type {kind} in the shape {shape}")
    return end, kind, shape


@dataclass(frozen=True, slots=True)
class Vectors:
    """Matrices by the field that they are of, the row of each id in all of them, and which rows were taken."""

    matrices: Mapping[str, Matrix]
    ids: Source
    rows: Mapping[str, int]
    taken: bytearray

    @property
    def record_bytes(self) -> int:
        """What they add to a record, about."""
        return sum(4 * matrix.dimensions for matrix in self.matrices.values())

    @property
    def sources(self) -> dict[str, list[Source]]:
        """The files, by what they are."""
        matrices = {f"vectors {name}": [matrix.source] for name, matrix in self.matrices.items()}
        return {**matrices, "vector ids": [self.ids]}

    def add_to(self, record: Record) -> None:
        """Put into *record*, a node or passage, what is of its id, in place of what it holds in these fields."""
        row = self.rows.get(record.id)
        if row is None:
            return
        self.taken[row] = 1
        for name, matrix in self.matrices.items():
            value = types_pb2.Value(vector=types_pb2.FloatList(values=matrix.row(row)))
            record.properties[name].CopyFrom(value)

    def adding(self, add: Add) -> Add:
        """*add*, and then `add_to`."""

        def added(batch: store_pb2.Batch, line: bytes) -> Record:
            record = add(batch, line)
            self.add_to(record)
            return record

        return added

    @property
    def untaken(self) -> int:
        """How many ids were of no record so far."""
        return self.taken.count(0)


def read(files: Iterable[str] | None, ids: str | None) -> Vectors | None:
    """What ``FIELD=FILE`` and a file of ids say; None where nothing is told. Usage, or Failure for files that do not fit."""
    if not files and ids is None:
        return None
    if not files or ids is None:
        raise Usage("vectors take both, --vectors FIELD=FILE.npy and --vector-ids FILE")
    matrices: dict[str, Matrix] = {}
    for text in files:
        field, sign, name = text.partition("=")
        if not field or not sign or not name or field in matrices:
            raise Usage(f"--vectors {text!r}: expected is FIELD=FILE.npy, once for each field")
        matrices[field] = Matrix(Source(name))
    source = Source(ids)
    rows = dict(_rows(source))
    for matrix in matrices.values():
        if len(matrix) != len(rows):
            raise Failure(
                f"{matrix.source.label}: {len(matrix):,} rows, and {source.label} has {len(rows):,} ids;"
                " give a row for each"
            )
    return Vectors(matrices, source, rows, bytearray(len(rows)))


def _rows(source: Source) -> Iterator[tuple[str, int]]:
    """Each id, a line of its own, and the row that it is of."""
    seen: set[str] = set()
    for number, line in Lines(source):
        try:
            identifier = line.removesuffix(b"\r").decode()
        except UnicodeDecodeError as fault:
            raise Failure(f"{source.label}:{number}: text that is not UTF-8") from fault
        if not identifier or identifier in seen:
            cause = "an id that came before" if identifier else "no id; each line is one"
            raise Failure(f"{source.label}:{number}: {cause}")
        seen.add(identifier)
        yield identifier, number - 1
