"""The gate class of every row, worked out from what was put: who may read it, its project, and what retires it.

A span takes all of these from its parent too, so that no test of a span looks there.
"""

from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.gates import BY_STATUS, NEVER, RETIRING, Gates
from passageway_server.columns.kinds import EXPIRES_AT
from passageway_server.columns.nodes import ABSENT, NODE, SPAN, Nodes
from passageway_server.columns.readers import NOBODY
from passageway_server.columns.terms import Terms
from passageway_server.values.collections import Kind

if TYPE_CHECKING:
    from passageway_server.version.version import Contents

RETIRED = frozenset({"superseded", "retracted", "expired", "disputed", "obsolete"})
"""Statuses that retire a row, trimmed and case-folded."""

_STATES = 2 * max(RETIRING.values())  # distinct values of the bits of what retires


def gates(contents: "Contents") -> Gates:
    """The gate class of each row: effective readers, project, what retires it, may expire."""
    nodes = contents.nodes
    spans = np.flatnonzero(nodes.kind == SPAN)
    parents = nodes.parent[spans]
    whole = parents >= 0
    whole[whole] = nodes.kind[parents[whole]] == NODE
    readers = _effective_readers(contents, spans, parents, whole)
    project = nodes.project.copy()
    retired_by = _retired_by(contents)
    expiry = _expiry(nodes)
    cut, origin = spans[whole], parents[whole]
    project[cut] = project[origin]
    retired_by[cut] |= retired_by[origin]
    expiry[cut] = np.minimum(expiry[cut], expiry[origin])
    expires = (expiry != NEVER).astype(np.uint8)
    return _classes(readers, project, retired_by, expires, expiry)


def _classes(
    readers: NDArray[np.int32],
    project: NDArray[np.int32],
    retired_by: NDArray[np.uint8],
    expires: NDArray[np.uint8],
    expiry: NDArray[np.int64],
) -> Gates:
    projects = int(project.max(initial=0)) + 1
    key = ((readers.astype(np.int64) * projects + project) * _STATES + retired_by) * 2 + expires
    _, first, of = np.unique(key, return_index=True, return_inverse=True)
    return Gates(
        of=of.astype(np.int32),
        expiry=expiry,
        readers=readers[first],
        project=project[first],
        retired_by=retired_by[first],
        expires=expires[first],
    )


def _effective_readers(
    contents: "Contents",
    spans: NDArray[np.int64],
    parents: NDArray[np.int32],
    whole: NDArray[np.bool_],
) -> NDArray[np.int32]:
    """By row: who may read it. Of a span: its parent's readers and its own."""
    nodes, sets = contents.nodes, contents.readers
    default = sets.intern(contents.settings.default_readers)
    effective = np.where(nodes.readers < 0, default, nodes.readers).astype(np.int32)
    effective[nodes.kind == ABSENT] = NOBODY
    effective[spans[~whole]] = NOBODY
    cut = spans[whole]
    own = nodes.readers[cut]
    of_parent = effective[parents[whole]]
    effective[cut] = of_parent
    narrowed = own >= 0
    pairs = np.stack([of_parent[narrowed], own[narrowed]], axis=1)
    distinct, place = np.unique(pairs, axis=0, return_inverse=True)
    joined = [sets.both(first, second) for first, second in distinct.tolist()]
    effective[cut[narrowed]] = np.array(joined, dtype=np.int32)[place.reshape(-1)]
    return effective


def _retired_by(contents: "Contents") -> NDArray[np.uint8]:
    """By row: the bits of its status, and of its keyword fields, that retire it."""
    nodes = contents.nodes
    retired_by = _retiring(contents.statuses, nodes.status) * np.uint8(BY_STATUS)
    for name, bit in RETIRING.items():
        column = nodes.properties.get(name)
        if column is None or column.kind != Kind.KEYWORD:
            continue
        retires = _retiring(contents.keywords, cast(NDArray[np.int32], column.values))
        before = np.concatenate([[0], np.cumsum(retires)])
        any_value = before[column.bounds[1:]] > before[column.bounds[:-1]]
        held = np.flatnonzero(column.at >= 0)
        retired_by[held] |= any_value[column.at[held]] * np.uint8(bit)
    return retired_by


def _retiring(terms: Terms, numbers: NDArray[np.int32]) -> NDArray[np.bool_]:
    """For each of *numbers*: whether its term, trimmed and case-folded, retires."""
    present = np.flatnonzero(np.bincount(numbers, minlength=len(terms)))
    retires = np.zeros(len(terms), dtype=np.bool_)
    retires[present] = [term.strip().casefold() in RETIRED for term in terms.take(present)]
    return retires[numbers]


def _expiry(nodes: Nodes) -> NDArray[np.int64]:
    """By row: when its own expires_at comes, in microseconds since 1970."""
    expiry = np.full(len(nodes), NEVER, dtype=np.int64)
    column = nodes.properties.get(EXPIRES_AT)
    if column is not None:
        held = np.flatnonzero(column.at >= 0)
        expiry[held] = column.values[column.bounds[column.at[held]]]
    return expiry
