"""The records that writers put, as plain values."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from passageway_server.values.columns import EdgeColumns, NodeColumns

Scalar = str | int | float | bool | datetime
"""One value of a property; a time is an aware datetime in UTC."""

PlainValue = Scalar | list[str] | list[int] | list[float] | list[bool] | list[datetime]
"""One value, or a list of values of one kind. (A list that mixes ints and floats does not exist.)"""


@dataclass(frozen=True, slots=True)
class Vector:
    """The numbers of a vector side by side: float32, little-endian."""

    packed: bytes

    @classmethod
    def of(cls, numbers: Sequence[float]) -> "Vector":
        """The vector of *numbers*, each the nearest float32; one past all of them is an infinity."""
        with np.errstate(over="ignore"):
            return cls(np.array(numbers, dtype="<f4").tobytes())

    def __len__(self) -> int:
        return len(self.packed) // 4

    @property
    def numbers(self) -> NDArray[np.float32]:
        """They as an array."""
        return np.frombuffer(self.packed, dtype="<f4")


PropertyValue = PlainValue | Vector
"""A property. A declared vector may be put as a list of numbers too; it comes out as a Vector."""

Properties = dict[str, PropertyValue]


@dataclass(frozen=True, slots=True)
class NodeRecord:
    """A row of the graph as its writer gives it."""

    id: str
    type: str = ""
    name: str = ""
    content: str = ""
    project: str = ""
    readers: tuple[str, ...] = ()
    status: str = ""
    properties: Properties = field(default_factory=Properties)
    links: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    covered: bool = False


@dataclass(frozen=True, slots=True)
class EdgeRecord:
    """An edge document as its writer gives it; ``weight`` None means absent."""

    id: str
    source: str
    target: str
    type: str = ""
    weight: float | None = None
    properties: Properties = field(default_factory=Properties)
    readers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PassageRecord:
    """A span of a memory's text as its writer gives it; ``type`` "" means passage."""

    id: str
    parent_id: str
    index: int = 0
    name: str = ""
    content: str = ""
    breadcrumb: str = ""
    mentions: tuple[str, ...] = ()
    properties: Properties = field(default_factory=Properties)
    type: str = ""
    readers: tuple[str, ...] = ()
    total: int | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    """What one commit changes, in the order of the fields below; in a list the last of one id wins."""

    delete_edges: tuple[str, ...] = ()
    delete_nodes: tuple[str, ...] = ()
    recut_parents: tuple[str, ...] = ()
    put_nodes: tuple[NodeRecord, ...] = ()
    node_columns: "NodeColumns | None" = None  # more nodes, side by side
    put_edges: tuple[EdgeRecord, ...] = ()
    edge_columns: "EdgeColumns | None" = None
    put_passages: tuple[PassageRecord, ...] = ()

    @property
    def nodes(self) -> int:
        """How many nodes it puts, those side by side too."""
        return len(self.put_nodes) + (0 if self.node_columns is None else len(self.node_columns))

    @property
    def edges(self) -> int:
        """How many edge documents it puts, those side by side too."""
        return len(self.put_edges) + (0 if self.edge_columns is None else len(self.edge_columns))


@dataclass(frozen=True, slots=True)
class Guard:
    """What must hold for a batch to be committed, and the name under which it is committed once.

    ``if_version`` "" asks for nothing; ``if_revisions`` leads from the id of a node or span to the
    revision that the caller saw, "" for one that must not exist; ``idempotency_key`` "" is none.
    """

    if_version: str = ""
    if_revisions: dict[str, str] = field(default_factory=dict[str, str])
    idempotency_key: str = ""


UNGUARDED = Guard()
"""Commits whatever the state is."""
