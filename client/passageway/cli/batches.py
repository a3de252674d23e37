"""Batches of records read from files, each remembering the lines that it came from.

A batch is what one commit puts: it is bounded in records and bytes, and never mixes files or kinds, so a
fault that the server names by its place in the batch can be told by file, line and column.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

from passageway import LoadResponse
from passageway._channel import MOST_BYTES
from passageway.cli import records
from passageway.cli.blocks import Blocks
from passageway.cli.failures import Failure
from passageway.cli.lines import LONGEST_LINE, Lines, numbered, too_long
from passageway.cli.parsing import BadLine
from passageway.cli.places import column
from passageway.cli.vectors import Vectors
from passageway.v1 import store_pb2

RECORDS = 20_000
BYTES = 8 << 20
"""Of the lines. One line may have more, alone in its batch."""

RECORD_BYTES = MOST_BYTES - 4096
"""The most of one: a server takes requests of 64 MiB, which hold the name of the collection too."""

_GROWTH = 4
"""How much longer a record can be than its line: beside floats, ``1,`` is a double of eight bytes."""

_Add = Callable[[store_pb2.Batch, bytes], records.Record]

WORTH_PACKING = 1 << 20
"""Bytes of a block below which it is read line by line."""

_ADD: dict[str, _Add] = {
    "nodes": records.add_node,
    "passages": records.add_passage,
    "edges": records.add_edge,
}

_PLACE = re.compile(
    r"^(?:batch\.)?(?:put_(?:nodes|edges|passages)|(?:node|edge)_columns)\[(?P<number>\d+)\]\.?(?P<path>.*)$"
)


def record_of(fault: str) -> tuple[int, str] | None:
    """Of a *fault* such as ``batch.put_nodes[17].weight``: the place in the batch, and the path in the record."""
    match = _PLACE.match(fault)
    return None if match is None else (int(match["number"]), match["path"])


@dataclass(slots=True)
class LinesOfBatch:
    """Where the records of one batch came from, in their order."""

    source: str
    numbers: list[int] = field(default_factory=list[int])
    lines: list[bytes] = field(default_factory=list[bytes])
    size: int = 0

    def add(self, number: int, line: bytes) -> None:
        """One more, the last."""
        self.numbers.append(number)
        self.lines.append(line)
        self.size += len(line)

    def place(self, fault: str) -> tuple[str, str] | None:
        """Of a *fault* such as ``batch.put_nodes[17].weight``: file:line:column, and the path in the line."""
        found = record_of(fault)
        if found is None or found[0] >= len(self.numbers):
            return None
        number, path = found
        line = self.lines[number].decode()
        return f"{self.source}:{self.numbers[number]}:{column(line, path)}", path


@dataclass(frozen=True, slots=True)
class BlockOfBatch:
    """The block of lines that the columns of one batch were read from, and the number of its first line."""

    source: str
    first: int
    block: bytes

    def place(self, fault: str) -> tuple[str, str] | None:
        """As `LinesOfBatch.place`."""
        found = record_of(fault)
        if found is None:
            return None
        number, path = found
        line = self.block.split(b"\n")[number].decode()
        return f"{self.source}:{self.first + number}:{column(line, path)}", path


class Origin(Protocol):
    """Where the records of a batch came from."""

    def place(self, fault: str) -> tuple[str, str] | None:
        """Where a *fault* such as ``batch.put_nodes[17].weight`` stands, and the path in the record; None if unknown."""
        ...


@dataclass(frozen=True, slots=True)
class ReadBatch:
    """What one commit puts, and where that came from."""

    puts: store_pb2.Batch
    origin: Origin


@dataclass(slots=True)
class Behind:
    """How many batches of a load are in already, and the records in those of them that were passed by."""

    batches: int = 0
    records: dict[str, int] = field(default_factory=dict[str, int])

    def pass_by(self, kind: str, records: int) -> None:
        """Count the *records* of one more batch."""
        self.records[kind] = self.records.get(kind, 0) + records

    def with_them(self, answer: LoadResponse) -> LoadResponse:
        """*answer*, counting the records behind too."""
        of = self.records
        return LoadResponse(
            version=answer.version,
            batch=answer.batch + self.batches,
            nodes=answer.nodes + of.get("nodes", 0),
            edges=answer.edges + of.get("edges", 0),
            passages=answer.passages + of.get("passages", 0),
            dangling_edges=answer.dangling_edges,
        )


class BadInput(Failure):
    """A line that is no record; the batch that it would have been in is not sent."""


class Cut(Protocol):
    """The records of one batch, as they lie in a file; they are not made yet."""

    @property
    def records(self) -> int:
        """How many they are."""
        ...

    def read(self) -> ReadBatch:
        """The batch. BadInput where one of them is no record."""
        ...


class Table(Protocol):
    """A file that knows its batches itself."""

    def cuts(self, kind: str) -> Iterator[Cut]:
        """Those of records of a *kind*: nodes, passages or edges; the same every time."""
        ...


def batches(
    nodes: Iterable[Lines | Table],
    passages: Iterable[Lines | Table],
    edges: Iterable[Lines | Table],
    *,
    behind: Behind | None = None,
    vectors: Vectors | None = None,
    more: int = 0,
) -> Iterator[ReadBatch]:
    """All batches: nodes first, then passages, then edges, so that fewest edges wait for their ends.

    Nodes and passages of lines get their *vectors*; those of tables have them already. Later they get about so many *more* bytes.

    Those that are *behind* are passed by: their records are not made, but counted there. BadInput at the first line
    that is no record, after the whole batches before it, and where fewer are there than are behind.
    """
    place = 0
    for kind, files in (("nodes", nodes), ("passages", passages), ("edges", edges)):
        for file in files:
            of_lines, later = (vectors, more) if kind != "edges" else (None, 0)
            cuts = (
                _cuts(file, kind, of_lines, later) if isinstance(file, Lines) else file.cuts(kind)
            )
            for cut in cuts:
                place += 1
                if behind is not None and place <= behind.batches:
                    behind.pass_by(kind, cut.records)
                else:
                    yield cut.read()
    if behind is not None and place < behind.batches:
        raise BadInput(
            f"these files make {place:,} batches, and {behind.batches:,} of them are said to be in: they were changed"
            " since; load them without --resume"
        )


def _cuts(lines: Lines, kind: str, vectors: Vectors | None, more: int) -> Iterator[Cut]:
    """The batches of a file: long blocks that Arrow can read as they are, all else by lines, and so all that gets *vectors*, or *more* later.

    Where they are cut depends on the files alone, so that it is the same every time.
    """
    source, blocks, add = lines.source.label, Blocks(kind), _ADD[kind]
    if vectors is not None:
        add, more = vectors.adding(add), more + vectors.record_bytes
    rest = LinesOfBatch(source)
    for first, block in lines.blocks():
        worth = not more and len(block) >= WORTH_PACKING
        packed = blocks.batch(block) if worth else None
        if packed is not None:
            if rest.lines:
                yield _OfLines(rest, add)
                rest = LinesOfBatch(source)
            batch = ReadBatch(packed, BlockOfBatch(source, first, block))
            yield Made(batch, block.count(b"\n") + 1)
            continue
        for number, line in numbered(first, block):
            if len(line) > LONGEST_LINE:
                raise BadInput(too_long(source, number))
            if not line or line.isspace():
                continue
            extra = more * (len(rest.lines) + 1)
            if rest.lines and _GROWTH * (rest.size + len(line)) + extra > RECORD_BYTES:
                yield _OfLines(rest, add)
                rest = LinesOfBatch(source)
            rest.add(number, line)
            if rest.size + extra >= BYTES or len(rest.lines) == RECORDS:
                yield _OfLines(rest, add)
                rest = LinesOfBatch(source)
    if rest.lines:
        yield _OfLines(rest, add)


@dataclass(frozen=True, slots=True)
class Made:
    """A batch that is made already, of so many *records*."""

    batch: ReadBatch
    records: int

    def read(self) -> ReadBatch:
        return self.batch


@dataclass(frozen=True, slots=True)
class _OfLines:
    """Lines, of which records are made one by one."""

    origin: LinesOfBatch
    add: _Add

    @property
    def records(self) -> int:
        return len(self.origin.lines)

    def read(self) -> ReadBatch:
        batch, origin = store_pb2.Batch(), self.origin
        for number, line in zip(origin.numbers, origin.lines, strict=True):
            try:
                record = self.add(batch, line)
            except BadLine as fault:
                place = f"{origin.source}:{number}:{fault.column}"
                raise BadInput(f"{place}: {fault.cause}") from fault
            if len(line) > RECORD_BYTES // _GROWTH and record.ByteSize() > RECORD_BYTES:
                raise BadInput(
                    f"{origin.source}:{number}:1: a record of {record.ByteSize():,} bytes;"
                    f" one has at most {RECORD_BYTES:,}"
                )
        return ReadBatch(batch, origin)
