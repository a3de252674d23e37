"""Communities as nodes: what a run writes of them, and what it leaves to writers.

The id of a community follows from its members, so runs of several audiences may come upon one node. As runs make it, it
says nothing but that it is there, and each run opens it to its own readers too. What holds anything more, or is
of another type, is a writer's: no run changes, opens or deletes it.
"""

import re
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.nodes import ABSENT, NODE, SPAN
from passageway_server.columns.properties import Column
from passageway_server.columns.readers import ANYONE
from passageway_server.columns.strings import Strings
from passageway_server.values.collections import Kind
from passageway_server.values.records import NodeRecord
from passageway_server.version.draft import Draft
from passageway_server.version.record_drafts import put_nodes

COMMUNITY = "community"
"""The type of nodes that stand for communities; they take no part in a measure."""

BELONGS_TO = "BELONGS_TO"
"""The type of the edges from members to their community."""

_WRITTEN_ID = re.compile(r"community:[0-9a-f]{16}")
"""Other nodes of the type are a writer's own, and stay."""

_WRITTEN_EDGE_ID = re.compile(r"community:[0-9a-f]{16}/[0-9a-f]{32}")

_HELD = {"project": 0, "status": 0, "name": 0, "content": 0, "covered": 0, "link_count": 0}
"""What a node has where runs made it, but for its type and readers: "" and nothing."""

Rows = NDArray[np.int32]
Mask = NDArray[np.bool_]


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


def write_communities(draft: Draft, name: str, rows: Rows, found: Communities) -> int:
    """Write the property *name*, the nodes and the edges; how many communities there are.

    Former ones that none of *rows* names any more go, or lose the edges of runs where they hold what a writer put.
    """
    before = _former(draft, rows, draft.nodes.column(name))
    draft.keywords, numbers = draft.keywords.interned(found.ids)
    draft.nodes.put_single(name, rows, numbers[found.of])
    _take_away(draft, before[~_named(draft, before, rows)])
    present = np.unique(found.of)
    _put_nodes(draft, [found.ids[number] for number in present.tolist()], found.readers)
    communities = draft.nodes.found(found.ids)[found.of]
    led = np.flatnonzero(communities >= 0)
    led = led[_are_communities(draft, communities[led])]
    draft.put_bare_edges(
        found.edge_ids.chosen(led),
        found.edge_hashes[led],
        sources=rows[led],
        targets=communities[led],
        type=BELONGS_TO,
    )
    return len(present)


def _former(draft: Draft, rows: Rows, column: Column | None) -> Rows:
    """The rows of written communities that *rows* belong to, by *column* or by an edge."""
    ids: list[str] = []
    if column is not None and column.kind == Kind.KEYWORD:
        ids = draft.keywords.take(_held(column.resized(len(draft.nodes)), rows))
    among = _marked(draft, rows)
    whole = draft.docs.whole
    leading = whole("alive") & (whole("type") == draft.edge_types.find(BELONGS_TO))
    targets = whole("target")[leading & among[whole("source")]]
    named = draft.nodes.found(ids)
    several = np.unique(np.concatenate([named[named >= 0], targets]))
    several = several[_are_communities(draft, several)]
    written = [_WRITTEN_ID.fullmatch(id) is not None for id in draft.nodes.ids.take(several)]
    chosen: Rows = several[np.array(written, dtype=np.bool_)]
    return chosen


def _named(draft: Draft, communities: Rows, rows: Rows) -> Mask:
    """Which of *communities* some of *rows* names in any property."""
    named = np.zeros(len(draft.keywords) + 1, dtype=np.bool_)  # the last: of what is no keyword
    for column in draft.nodes.columns():
        if column.kind == Kind.KEYWORD:
            named[_held(column.resized(len(draft.nodes)), rows)] = True
    found: Mask = named[draft.keywords.find_all(draft.nodes.ids.take(communities))]
    return found


def _held(column: Column, rows: Rows) -> NDArray[np.integer]:
    """The distinct values that *rows* hold in a column of keywords."""
    entries = column.at[rows]
    positions = column.positions(entries[entries >= 0])
    return np.unique(cast(NDArray[np.int32], column.values)[positions])


def _take_away(draft: Draft, communities: Rows) -> None:
    """Delete *communities* that are as runs make them; of the others the edges of runs."""
    bare = _are_bare(draft, communities)
    of_runs = draft.clearing.docs_at(communities[~bare])
    draft.clearing.delete_docs(of_runs[_are_of_runs(draft, of_runs)])
    draft.clearing.delete_rows(communities[bare])


def _put_nodes(draft: Draft, ids: list[str], readers: tuple[str, ...]) -> None:
    """Nodes of communities; those that stand as runs make them are opened to *readers* too."""
    rows = draft.nodes.found(ids)
    known = rows >= 0
    absent = ~known
    absent[known] = draft.nodes.read("kind", rows[known]) == ABSENT
    absent[known] &= ~_marked(draft, _parents(draft))[rows[known]]  # of spans that would be opened
    new = np.flatnonzero(absent).tolist()
    put_nodes(draft, [NodeRecord(ids[at], type=COMMUNITY, readers=readers) for at in new])
    standing = rows[known & ~absent]
    closed = standing[_are_bare(draft, standing)]
    closed = closed[draft.lack_readers(closed, readers)]
    if len(closed):
        draft.add_readers(closed[~_have_edges_of_writers(draft, closed)], readers)


def _are_communities(draft: Draft, rows: Rows) -> Mask:
    """At which of *rows* a node of the type stands."""
    kind, types = draft.nodes.read("kind", rows), draft.nodes.read("type", rows)
    stand: Mask = (kind == NODE) & (types == draft.types.find(COMMUNITY))
    return stand


def _are_bare(draft: Draft, rows: Rows) -> Mask:
    """At which of *rows* a community stands as runs make it: with readers of its own, and nothing else."""
    bare = _are_communities(draft, rows) & (draft.nodes.read("readers", rows) >= 0)
    for name, nothing in _HELD.items():
        bare &= draft.nodes.read(name, rows) == nothing
    for column in draft.nodes.columns():
        bare &= column.resized(len(draft.nodes)).at[rows] < 0
    return bare & ~_marked(draft, _parents(draft))[rows]


def _have_edges_of_writers(draft: Draft, communities: Rows) -> Mask:
    """Which of *communities* other edges lead to, or from, than those of runs: to open one would open these."""
    docs = draft.clearing.docs_at(communities)
    docs = docs[~_are_of_runs(draft, docs)]
    ends = [draft.docs.read(end, docs) for end in ("source", "target")]
    at = _marked(draft, np.concatenate([*ends, draft.linked()]))
    return at[communities]


def _are_of_runs(draft: Draft, docs: Rows) -> Mask:
    """Which of the edge documents *docs* are as runs make them."""
    read = draft.docs.read
    bare: Mask = read("type", docs) == draft.edge_types.find(BELONGS_TO)
    bare &= np.isnan(read("weight", docs)) & (read("readers", docs) == ANYONE)
    for column in draft.docs.columns():
        bare &= column.resized(len(draft.docs)).at[docs] < 0
    ids = draft.docs.ids.take(docs[bare])
    bare[bare] = [_WRITTEN_EDGE_ID.fullmatch(id) is not None for id in ids]
    return bare


def _parents(draft: Draft) -> Rows:
    """The rows that spans name as their parent, whether something stands there or not."""
    spans = draft.nodes.whole("kind") == SPAN
    parents: Rows = draft.nodes.whole("parent")[spans]
    return parents


def _marked(draft: Draft, rows: Rows) -> Mask:
    """By row, whether it is one of *rows*."""
    marked = np.zeros(len(draft.nodes), dtype=np.bool_)
    marked[rows] = True
    return marked
