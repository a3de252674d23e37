"""Batches of records read from files, each remembering the lines that it came from.

A batch is what one commit puts: it is bounded in records and bytes, and never mixes files or kinds, so a
fault that the server names by its place in the batch can be told by file, line and column.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from passageway._channel import MOST_BYTES
from passageway.cli import records
from passageway.cli.failures import Failure
from passageway.cli.lines import Lines
from passageway.cli.parsing import BadLine
from passageway.cli.places import column
from passageway.v1 import store_pb2

RECORDS = 20_000
BYTES = 8 << 20
"""Of the records as messages. One record may have more, alone in its batch."""

RECORD_BYTES = MOST_BYTES - 4096
"""The most of one: a server takes requests of 64 MiB, which hold the name of the collection too."""

_GROWTH = 4
"""How much longer a record can be than its line: beside floats, ``1,`` is a double of eight bytes."""

_PLACE = re.compile(r"^(?:batch\.)?put_(?:nodes|edges|passages)\[(?P<number>\d+)\]\.?(?P<path>.*)$")


@dataclass(slots=True)
class LinesOfBatch:
    """Where the records of one batch came from, in their order."""

    source: str
    numbers: list[int] = field(default_factory=list[int])
    lines: list[bytes] = field(default_factory=list[bytes])

    def place(self, fault: str) -> tuple[str, str] | None:
        """Of a *fault* such as ``batch.put_nodes[17].weight``: file:line:column, and the path in the line."""
        match = _PLACE.match(fault)
        if match is None or int(match["number"]) >= len(self.numbers):
            return None
        number, path = int(match["number"]), match["path"]
        line = self.lines[number].decode()
        return f"{self.source}:{self.numbers[number]}:{column(line, path)}", path


@dataclass(frozen=True, slots=True)
class ReadBatch:
    """What one commit puts, and its lines."""

    puts: store_pb2.Batch
    origin: LinesOfBatch


class BadInput(Failure):
    """A line that is no record; the batch that it would have been in is not sent."""


def batches(
    nodes: Iterable[Lines], passages: Iterable[Lines], edges: Iterable[Lines]
) -> Iterator[ReadBatch]:
    """All batches: nodes first, then passages, then edges, so that fewest edges wait for their ends.

    BadInput at the first line that is no record, after the whole batches before it.
    """
    for lines in nodes:
        yield from _batches(lines, records.add_node)
    for lines in passages:
        yield from _batches(lines, records.add_passage)
    for lines in edges:
        yield from _batches(lines, records.add_edge)


def _batches(
    lines: Lines, add: Callable[[store_pb2.Batch, bytes], records.Record]
) -> Iterator[ReadBatch]:
    batch, size = ReadBatch(store_pb2.Batch(), LinesOfBatch(lines.source.label)), 0
    for number, line in lines:
        if not line or line.isspace():
            continue
        if batch.origin.lines and size + _GROWTH * len(line) > RECORD_BYTES:
            yield batch
            batch, size = ReadBatch(store_pb2.Batch(), LinesOfBatch(lines.source.label)), 0
        try:
            record = add(batch.puts, line).ByteSize()
        except BadLine as fault:
            place = f"{lines.source.label}:{number}:{fault.column}"
            raise BadInput(f"{place}: {fault.cause}") from fault
        if record > RECORD_BYTES:
            raise BadInput(
                f"{lines.source.label}:{number}:1: a record of {record:,} bytes;"
                f" one has at most {RECORD_BYTES:,}"
            )
        size += record
        batch.origin.numbers.append(number)
        batch.origin.lines.append(line)
        if size >= BYTES or len(batch.origin.lines) == RECORDS:
            yield batch
            batch, size = ReadBatch(store_pb2.Batch(), LinesOfBatch(lines.source.label)), 0
    if batch.origin.lines:
        yield batch
