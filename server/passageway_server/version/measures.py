"""A measure of the whole graph, written back: a property of the rows that took part, and communities as nodes.

It is one commit against the newest version: rows that were deleted meanwhile are left out, and nothing else of a row
changes. The communities that it replaces go in the same commit.
"""

import re
from dataclasses import dataclass, replace
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.kinds import kind_fault, kind_name
from passageway_server.columns.nodes import ABSENT, NODE
from passageway_server.columns.properties import Column
from passageway_server.columns.strings import Strings
from passageway_server.errors import InvalidRequest
from passageway_server.values.collections import Kind
from passageway_server.values.records import NodeRecord, Scalar
from passageway_server.version.check import SPAN_LINKS, id_fault
from passageway_server.version.draft import Draft
from passageway_server.version.fieldset import FieldSet
from passageway_server.version.version import Contents

COMMUNITY = "community"
"""The type of nodes that stand for communities; they take no part in a measure."""

BELONGS_TO = "BELONGS_TO"
"""The type of the edges from members to their community."""

_WRITTEN_ID = re.compile(r"community:[0-9a-f]{16}")
"""Other nodes of the type are a writer's own, and stay."""

Rows = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Communities:
    """A partition of rows: ``of[i]`` is the number of the community that the i-th row belongs to."""

    of: NDArray[np.int32]
    ids: list[str]  # by number
    edge_ids: Strings  # of the edge from the i-th row to its community
    edge_hashes: NDArray[np.uint64]  # as `hashes_of` gives them
    readers: tuple[str, ...]  # of the nodes of communities

    def of_rows(self, which: NDArray[np.integer]) -> "Communities":
        """The same for some of the rows, *which* are their places, ascending."""
        if len(which) == len(self.of):
            return self
        return replace(
            self,
            of=self.of[which],
            edge_ids=self.edge_ids.chosen(which),
            edge_hashes=self.edge_hashes[which],
        )


@dataclass(frozen=True, slots=True)
class Measured:
    """What a measure found: a number of each of *rows*, int64 or float64, or their communities."""

    name: str  # of the property
    rows: Rows
    values: NDArray[np.int64] | NDArray[np.float64] | Communities

    @property
    def example(self) -> Scalar:
        """A value of the kind that is written."""
        if isinstance(self.values, Communities):
            return COMMUNITY
        return 0.5 if self.values.dtype == np.float64 else 1


class Written(NamedTuple):
    """A commit of a measure: its version, and how many rows and communities it wrote."""

    version: str
    rows: int
    communities: int


def property_fault(name: str, example: Scalar, fields: FieldSet) -> str | None:
    """Why the property *name* does not take what a measure writes, such as *example*; None where it does.

    Communities are found by their keyword, so they go into no field of text.
    """
    known = fields.kind(name)
    if known is None and name in SPAN_LINKS:
        known = Kind.LINK
    fault = id_fault(name)
    if fault is not None:
        return fault.replace("an id", "the name of a field")
    if known == Kind.TEXT and isinstance(example, str):
        return f"is a {kind_name(known)} field; communities need a keyword field"
    return kind_fault(name, example, declared=fields.declared.get(name), known=known)


def write_measure(contents: Contents, measured: Measured) -> tuple[Contents, int, int]:
    """*contents* with what was *measured*, and how many rows and communities were written.

    Raises InvalidRequest where the property does not take it.
    """
    name, fields = measured.name, contents.fields
    fault = property_fault(name, measured.example, fields)
    if fault is not None:
        raise InvalidRequest.one("property", fault)
    if fields.kind(name) is None:
        kind = Kind.KEYWORD if isinstance(measured.values, Communities) else Kind.FLOAT
        fields = fields.with_inferred({name: kind})
    draft = Draft(contents, fields, contents.edge_fields)
    stand = np.flatnonzero(contents.nodes.kind[measured.rows] != ABSENT)
    rows, values = measured.rows[stand], measured.values
    if isinstance(values, Communities):
        count = _write_communities(draft, name, rows, values.of_rows(stand))
        return draft.contents(), len(rows), count
    draft.nodes.put_single(name, rows, values[stand])
    return draft.contents(), len(rows), 0


def _write_communities(draft: Draft, name: str, rows: Rows, found: Communities) -> int:
    """Write the property, the nodes and the edges; communities that none of *rows* names any more go."""
    before = _communities_of(draft, rows, draft.nodes.column(name))
    draft.keywords, numbers = draft.keywords.interned(found.ids)
    draft.nodes.put_single(name, rows, numbers[found.of])
    draft.clearing.delete_rows(before[~_named(draft, before, rows)])
    present = np.unique(found.of)
    _put_nodes(draft, [found.ids[number] for number in present.tolist()], found.readers)
    communities = draft.nodes.found(found.ids)
    draft.put_bare_edges(
        found.edge_ids,
        found.edge_hashes,
        sources=rows,
        targets=communities[found.of],
        type=BELONGS_TO,
    )
    return len(present)


def _communities_of(draft: Draft, rows: Rows, column: Column | None) -> Rows:
    """The rows of written communities that *rows* belong to, by *column* or by an edge."""
    ids: list[str] = []
    if column is not None and column.kind == Kind.KEYWORD:
        ids = draft.keywords.take(_held(column.resized(len(draft.nodes)), rows))
    among = np.zeros(len(draft.nodes), dtype=np.bool_)
    among[rows] = True
    array = draft.docs.array
    leading = array("alive") & (array("type") == draft.edge_types.find(BELONGS_TO))
    targets = array("target")[leading & among[array("source")]]
    named = draft.nodes.found(ids)
    several = np.unique(np.concatenate([named[named >= 0], targets]))
    kind, types = draft.nodes.array("kind"), draft.nodes.array("type")
    several = several[(kind[several] == NODE) & (types[several] == draft.types.find(COMMUNITY))]
    written = [_WRITTEN_ID.fullmatch(id) is not None for id in draft.nodes.ids.take(several)]
    chosen: Rows = several[np.array(written, dtype=np.bool_)]
    return chosen


def _named(draft: Draft, communities: Rows, rows: Rows) -> NDArray[np.bool_]:
    """Which of *communities* some of *rows* names in any property."""
    named = np.zeros(len(draft.keywords) + 1, dtype=np.bool_)  # the last: of what is no keyword
    for column in draft.nodes.columns():
        if column.kind == Kind.KEYWORD:
            named[_held(column.resized(len(draft.nodes)), rows)] = True
    found: NDArray[np.bool_] = named[draft.keywords.find_all(draft.nodes.ids.take(communities))]
    return found


def _held(column: Column, rows: Rows) -> NDArray[np.integer]:
    """The distinct values that *rows* hold in a column of keywords."""
    entries = column.at[rows]
    positions, _ = column.spread(entries[entries >= 0])
    return np.unique(cast(NDArray[np.int32], column.values)[positions])


def _put_nodes(draft: Draft, ids: list[str], readers: tuple[str, ...]) -> None:
    """Nodes of communities; of those that stand already only the readers change."""
    rows = draft.nodes.found(ids)
    old = rows >= 0
    old[old] = draft.nodes.array("kind")[rows[old]] == NODE
    old[old] = draft.nodes.array("type")[rows[old]] == draft.types.find(COMMUNITY)
    new = [id for id, stands in zip(ids, old.tolist(), strict=True) if not stands]
    draft.put_nodes([NodeRecord(id, type=COMMUNITY, readers=readers) for id in new])
    if old.any():
        draft.put_readers(rows[old], readers)
