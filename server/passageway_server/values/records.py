"""The records that writers put, as plain values."""

from dataclasses import dataclass, field
from datetime import datetime

Scalar = str | int | float | bool | datetime
"""One value of a property; a time is an aware datetime in UTC."""

PropertyValue = Scalar | list[str] | list[int] | list[float] | list[bool] | list[datetime]
"""A property: one value, or a list of values of one kind. (A list that mixes ints and floats does not exist.)"""

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
    put_edges: tuple[EdgeRecord, ...] = ()
    put_passages: tuple[PassageRecord, ...] = ()
