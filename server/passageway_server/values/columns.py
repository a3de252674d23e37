"""Records side by side, as loads of millions bring them: what each column holds of every record.

They mean what the records mean that `NodeColumns.records` and `EdgeColumns.records` give. No record becomes a Python
object on its way into a version.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from passageway_server.values.collections import Kind
from passageway_server.values.records import EdgeRecord, NodeRecord, Properties, Scalar

Places = NDArray[np.int64]
_Value = TypeVar("_Value")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, eq=False)
class PackedStrings:
    """Strings one behind the other: string i has ``lengths[i]`` bytes of the heap, which is UTF-8."""

    heap: NDArray[np.uint8]
    lengths: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.lengths)

    def strings(self) -> list[str]:
        """Each of them as a string of its own."""
        text, ends = self.heap.tobytes(), np.cumsum(self.lengths).tolist()
        return [text[start:end].decode() for start, end in zip([0, *ends], ends, strict=False)]


@dataclass(frozen=True, slots=True, eq=False)
class Coded(Generic[_Value]):
    """Values of which many are the same: record i has ``values[numbers[i]]``."""

    values: tuple[_Value, ...]
    numbers: Places

    def __len__(self) -> int:
        return len(self.numbers)

    def each(self) -> list[_Value]:
        """The value of each record."""
        return [self.values[number] for number in self.numbers.tolist()]


@dataclass(frozen=True, slots=True, eq=False)
class PropertyColumn:
    """One value of a property for each of *records*, which ascend.

    ``kind`` says what the values are: KEYWORD strings; INT int64; FLOAT float64; BOOL uint8; TIME int64
    microseconds since 1970.
    """

    name: str
    records: Places
    kind: Kind
    values: PackedStrings | Coded[str] | NDArray[np.generic]

    def scalars(self) -> Sequence[Scalar]:
        """The values, each as records hold it."""
        if isinstance(self.values, PackedStrings):
            return self.values.strings()
        if isinstance(self.values, Coded):
            return self.values.each()
        if self.kind == Kind.TIME:
            return [_EPOCH + timedelta(microseconds=micros) for micros in self.values.tolist()]
        if self.kind == Kind.BOOL:
            return [bool(value) for value in self.values.tolist()]
        return list(self.values.tolist())


@dataclass(frozen=True, slots=True, eq=False)
class NodeColumns:
    """Nodes without links; every column has an entry for each."""

    ids: PackedStrings
    types: Coded[str]
    names: PackedStrings
    contents: PackedStrings
    projects: Coded[str]
    statuses: Coded[str]
    readers: Coded[tuple[str, ...]]
    properties: tuple[PropertyColumn, ...] = ()

    def __len__(self) -> int:
        return len(self.ids)

    def records(self) -> tuple[NodeRecord, ...]:
        """The same one by one."""
        return tuple(
            NodeRecord(
                id,
                type=type,
                name=name,
                content=content,
                project=project,
                readers=readers,
                status=status,
                properties=properties,
            )
            for id, type, name, content, project, status, readers, properties in zip(
                self.ids.strings(),
                self.types.each(),
                self.names.strings(),
                self.contents.strings(),
                self.projects.each(),
                self.statuses.each(),
                self.readers.each(),
                _by_record(len(self), self.properties),
                strict=True,
            )
        )


@dataclass(frozen=True, slots=True, eq=False)
class EdgeColumns:
    """Edge documents; every column has an entry for each. A weight of NaN is none."""

    ids: PackedStrings
    sources: PackedStrings
    targets: PackedStrings
    types: Coded[str]
    weights: NDArray[np.float64]
    readers: Coded[tuple[str, ...]]
    properties: tuple[PropertyColumn, ...] = ()

    def __len__(self) -> int:
        return len(self.ids)

    def records(self) -> tuple[EdgeRecord, ...]:
        """The same one by one."""
        return tuple(
            EdgeRecord(
                id,
                source,
                target,
                type=type,
                weight=None if weight != weight else weight,
                properties=properties,
                readers=readers,
            )
            for id, source, target, type, weight, readers, properties in zip(
                self.ids.strings(),
                self.sources.strings(),
                self.targets.strings(),
                self.types.each(),
                self.weights.tolist(),
                self.readers.each(),
                _by_record(len(self), self.properties),
                strict=True,
            )
        )


def _by_record(count: int, columns: Sequence[PropertyColumn]) -> list[Properties]:
    properties: list[Properties] = [{} for _ in range(count)]
    for column in columns:
        for place, value in zip(column.records.tolist(), column.scalars(), strict=True):
            properties[place][column.name] = value
    return properties
