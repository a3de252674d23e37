"""What a new version need not derive again, since what it follows from did not change.

A commit that edits texts and properties keeps the whole adjacency; one that changes a description keeps everything.
Arrays are compared by content: that costs a pass over them, some hundredth of deriving.
"""

from collections.abc import Iterable

import numpy as np

from passageway_server.columns.gates import RETIRING
from passageway_server.columns.kinds import EXPIRES_AT
from passageway_server.version import derive
from passageway_server.version.version import Version

_GATED = ("kind", "parent", "readers", "project", "status")
_GATING_PROPERTIES = (*RETIRING, EXPIRES_AT)
_LINKED = ("kind", "parent", "first_link", "link_count")
_JOINED = ("alive", "source", "target", "type", "weight", "readers", "number")

_FEW = 4096  # new ids, whose places among the others are found one by one


def carry(base: Version, new: Version) -> None:
    """Give *new* those derived values of *base* that hold for it too. Values not derived yet are not."""
    same_rows = len(base.nodes) == len(new.nodes)
    same_ids = base.nodes.ids is new.nodes.ids
    if same_ids:
        _hand_over(base, new, ["rank"])
    elif len(new.nodes) - len(base.nodes) <= _FEW and "rank" in base.known:
        new.known["rank"] = derive.extended_ranks(base.rank, new.nodes.ids)
    if same_rows and _gates_hold(base, new):
        _hand_over(base, new, ["gates"])
    if same_rows and _edges_hold(base, new):
        _hand_over(base, new, ["codes"])
        if _weights_hold(base, new):
            _hand_over(base, new, ["out", "into"])
    if same_ids and _same(base.nodes, new.nodes, ["kind", "parent", "index"]):
        _hand_over(base, new, ["_spans"])


def _gates_hold(base: Version, new: Version) -> bool:
    before, after = base.nodes.properties, new.nodes.properties
    return (
        base.settings.default_readers == new.settings.default_readers
        and base.statuses is new.statuses
        and _same(base.nodes, new.nodes, _GATED)
        and all(before.get(name) is after.get(name) for name in _GATING_PROPERTIES)
    )


def _edges_hold(base: Version, new: Version) -> bool:
    return (
        base.links.source is new.links.source
        and _same(base.nodes, new.nodes, _LINKED)
        and len(base.docs) == len(new.docs)
        and _same(base.docs, new.docs, _JOINED)
    )


def _weights_hold(base: Version, new: Version) -> bool:
    before, after = derive.default_weights(base.contents), derive.default_weights(new.contents)
    return np.array_equal(before, after[: len(before)])


def _same(before: object, after: object, names: Iterable[str]) -> bool:
    """Whether two tables agree in the arrays *names*; NaN, an absent weight, equals itself."""
    pairs = ((getattr(before, name), getattr(after, name)) for name in names)
    return all(
        one is other or np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
        for one, other in pairs
    )


def _hand_over(base: Version, new: Version, names: Iterable[str]) -> None:
    for name in names:
        if name in base.known:
            new.known[name] = base.known[name]
