"""Parquet files as batches: row groups a part at a time, columns handed on as they are.

Rows that columns cannot hold, such as those with links or lists, become records one by one.
"""

import json
import re
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from passageway._errors import MissingExtra
from passageway._extras import installed
from passageway.cli import records
from passageway.cli.batches import (
    BYTES,
    RECORD_BYTES,
    RECORDS,
    BadInput,
    Made,
    ReadBatch,
    record_of,
)
from passageway.cli.failures import Failure
from passageway.cli.lines import Source
from passageway.cli.parsing import BadLine, Json
from passageway.cli.vectors import Vectors
from passageway.v1 import store_pb2

SUFFIX: Final = ".parquet"
ROWS: Final = 131_072
"""Of one batch in columns."""

_MEMBER = re.compile(r'^(properties|links)\[("(?:[^"\\]|\\.)*")\]')
_ADD: Final[Mapping[str, Callable[[store_pb2.Batch, Json], records.Record]]] = {
    "nodes": records.put_node,
    "edges": records.put_edge,
    "passages": records.put_passage,
}


@dataclass(frozen=True, slots=True)
class RowsOfBatch:
    """The rows of a file that one batch was made of, from the one numbered *first*, counted from 0."""

    source: str
    first: int

    def place(self, fault: str) -> tuple[str, str] | None:
        """As `LinesOfBatch.place`: the file and the row, counted from 0."""
        found = record_of(fault)
        if found is None:
            return None
        number, path = found
        return f"{self.source}: row {self.first + number}", by_column(path)


class Rows:
    """The rows of a Parquet file; ``read`` counts the stored bytes of those that were read. Nodes and passages get their *vectors*,
    and later about so many *more* bytes.
    """

    def __init__(self, source: Source, vectors: Vectors | None = None, *, more: int = 0) -> None:
        if not installed("pyarrow"):
            raise MissingExtra("reading Parquet", extra="parquet")
        self.source = source
        self.read = 0
        self._vectors, self._more = vectors, more

    def cuts(self, kind: str) -> Iterator[Made]:
        """Batches of records of *kind*: nodes, passages or edges.

        BadInput before the first where columns are none of a record's, and at a row that is no record.
        """
        first = 0
        with self._opened(kind) as file:
            rows, size = max(file.metadata.num_rows, 1), self.source.size or 0
            for table in file.iter_batches(batch_size=ROWS):
                self.read = size * (first + table.num_rows) // rows
                yield from self._of_table(kind, table, first)
                first += table.num_rows
        self.read = size

    def times(self, kind: str) -> list[tuple[str, str, bool]]:
        """Its columns of times: the name, the property, and whether they hold lists. BadInput as of `cuts`."""
        from passageway.cli.schema import times

        with self._opened(kind) as file:
            return list(times(file.schema_arrow))

    @contextmanager
    def _opened(self, kind: str) -> Generator[Any]:
        """The file of Arrow, whose columns are those of *kind*; Failure where it, or what is read of it, is broken."""
        import pyarrow as pa
        from pyarrow import parquet

        from passageway.cli.schema import faults

        try:
            with parquet.ParquetFile(self.source.name, memory_map=True) as file:
                found = faults(kind, file.schema_arrow)
                if found:
                    raise BadInput("\n".join(f"{self.source.label}: {fault}" for fault in found))
                yield file
        except (OSError, pa.ArrowException) as fault:
            raise Failure(
                f"{self.source.label}: not to be read as Parquet ({fault}); name a whole file"
            ) from fault

    def _of_table(self, kind: str, table: Any, first: int) -> Iterator[Made]:
        import pyarrow as pa

        from passageway.cli.packing import NotPacked
        from passageway.cli.tables import columns

        try:
            if (self._vectors is not None or self._more) and kind != "edges":
                raise NotPacked("vectors")
            batch = columns(kind, table)
        except (NotPacked, pa.ArrowException, UnicodeDecodeError):
            yield from self._one_by_one(kind, table, first)
            return
        if batch.ByteSize() <= RECORD_BYTES:
            yield Made(ReadBatch(batch, RowsOfBatch(self.source.label, first)), table.num_rows)
        elif table.num_rows > 1:
            half = table.num_rows // 2
            yield from self._of_table(kind, table.slice(0, half), first)
            yield from self._of_table(kind, table.slice(half), first + half)
        else:
            raise self._bad(first, _too_large(batch.ByteSize()))

    def _one_by_one(self, kind: str, table: Any, first: int) -> Iterator[Made]:
        batch, begin, size = store_pb2.Batch(), first, 0
        for number, members in self._numbered(table, first):
            try:
                record = _ADD[kind](batch, dict(members))
            except BadLine as fault:
                raise self._bad(number, by_column(fault.cause)) from fault
            if self._vectors is not None and kind != "edges":
                self._vectors.add_to(record)
            taken = record.ByteSize() + (self._more if kind != "edges" else 0)
            if taken > RECORD_BYTES:
                raise self._bad(number, _too_large(taken))
            size += taken
            if size >= RECORD_BYTES // 8 or number + 1 - begin == RECORDS:
                yield self._made(batch, begin, number + 1)
                batch, begin, size = store_pb2.Batch(), number + 1, 0
        if begin < first + table.num_rows:
            yield self._made(batch, begin, first + table.num_rows)

    def _numbered(self, table: Any, first: int) -> Iterator[tuple[int, Mapping[str, object]]]:
        """The rows of *table* by their numbers, as members of lines; as many are made at once as memory is for."""
        from passageway.cli.tables import BadValue, rows

        at_once = max(BYTES * table.num_rows // max(table.nbytes, 1), 1)
        for start in range(0, table.num_rows, at_once):
            try:
                made = rows(table.slice(start, at_once))
            except BadValue as fault:
                raise self._bad(first + start + fault.row, str(fault)) from fault
            yield from enumerate(made, start=first + start)

    def _made(self, batch: store_pb2.Batch, begin: int, end: int) -> Made:
        return Made(ReadBatch(batch, RowsOfBatch(self.source.label, begin)), end - begin)

    def _bad(self, row: int, cause: str) -> BadInput:
        return BadInput(f"{self.source.label}: row {row}: {cause}")


def _too_large(size: int) -> str:
    return f"a record of {size:,} bytes; one has at most {RECORD_BYTES:,}"


def by_column(path: str) -> str:
    """A path in a record, and what follows it, by the name of its column: ``properties["n"]`` is in ``properties.n``."""
    return _MEMBER.sub(lambda found: f"{found[1]}.{json.loads(found[2])}", path, count=1)
