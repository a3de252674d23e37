"""Nodes and spans, a row for each id: what stands at row r?

Every id that was put or named has a row, so ``kind`` says whether anything stands there. Numbers
lead into the terms and texts of the version. Arrays by row are `ByRow`: they are read by rows.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from passageway_server.columns.by_row import ByRow
from passageway_server.columns.hashed import NO_HASHES
from passageway_server.columns.properties import Column
from passageway_server.columns.strings import Strings
from passageway_server.columns.terms import Terms

ABSENT, NODE, SPAN = 0, 1, 2
"""What stands at a row."""

FILL: Mapping[str, tuple[type[np.generic], int]] = {
    "kind": (np.uint8, ABSENT),
    "number": (np.int64, 0),
    "type": (np.int32, 0),
    "name": (np.int32, 0),
    "content": (np.int32, 0),
    "breadcrumb": (np.int32, 0),
    "project": (np.int32, 0),
    "status": (np.int32, 0),
    "readers": (np.int32, -1),
    "covered": (np.bool_, 0),
    "parent": (np.int32, -1),
    "index": (np.int64, 0),
    "total": (np.int64, -1),
    "first_link": (np.int32, 0),
    "link_count": (np.int32, 0),
}
"""Each array's type, and what it holds where nothing stands."""


@dataclass(frozen=True, slots=True)
class Nodes:
    """All rows side by side; every array is by row."""

    ids: Terms
    properties: Mapping[str, Column]
    kind: ByRow[np.uint8]
    number: ByRow[np.int64]  # its last put among all puts
    type: ByRow[np.int32]
    name: ByRow[np.int32]
    content: ByRow[np.int32]
    breadcrumb: ByRow[np.int32]
    project: ByRow[np.int32]
    status: ByRow[np.int32]
    readers: ByRow[np.int32]  # -1: none of its own
    covered: ByRow[np.bool_]
    parent: ByRow[np.int32]  # row of a span's parent, -1
    index: ByRow[np.int64]
    total: ByRow[np.int64]  # as a span declares it, -1
    first_link: ByRow[np.int32]
    link_count: ByRow[np.int32]

    @classmethod
    def none(cls) -> "Nodes":
        """No rows."""
        empty: dict[str, Any] = {name: ByRow.empty(kind) for name, (kind, _) in FILL.items()}
        return cls(Terms.of(), {}, **empty)

    def __len__(self) -> int:
        return len(self.kind)

    def by_row(self) -> dict[str, ByRow[Any]]:
        """The arrays by row, by name."""
        return {name: getattr(self, name) for name in FILL}


@dataclass(frozen=True, slots=True)
class Docs:
    """Edge documents in stored order; every array is by doc.

    An id that is deleted and put again has a new row: ``ids`` leads to its latest, and the one before is dead.
    """

    ids: Terms
    properties: Mapping[str, Column]
    alive: ByRow[np.bool_]
    source: ByRow[np.int32]  # row
    target: ByRow[np.int32]  # row
    type: ByRow[np.int32]
    weight: ByRow[np.float64]  # as put; NaN: absent
    readers: ByRow[np.int32]  # ANYONE: none of its own

    @classmethod
    def none(cls) -> "Docs":
        """No edge documents."""
        empty: dict[str, Any] = {name: ByRow.empty(kind) for name, (kind, _) in DOC_FILL.items()}
        return cls(Terms(Strings.narrow(), NO_HASHES), {}, **empty)

    def __len__(self) -> int:
        return len(self.alive)

    def by_row(self) -> dict[str, ByRow[Any]]:
        """The arrays by doc, by name."""
        return {name: getattr(self, name) for name in DOC_FILL}


DOC_FILL: Mapping[str, tuple[type[np.generic], float]] = {
    "alive": (np.bool_, 0),
    "source": (np.int32, 0),
    "target": (np.int32, 0),
    "type": (np.int32, 0),
    "weight": (np.float64, float("nan")),
    "readers": (np.int32, 2),
}
"""Each array's type, and what it holds where no document stands."""
