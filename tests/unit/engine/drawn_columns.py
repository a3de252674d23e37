"""Random rows whose values are hard to order, count and sum, for the tests of sorts, facets and metrics."""

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from passageway_server.columns.gates import Gate
from passageway_server.engine.known import known_edge_fields, known_node_fields
from passageway_server.engine.predicate import KnownField, Over
from passageway_server.values.records import Batch, EdgeRecord, NodeRecord
from passageway_server.version.version import Version
from tests.unit.engine.bound import all_gates, version_of
from tests.unit.engine.drawn_filters import both, everything_known, lists, visible
from tests.unit.engine.plain_filter import Rows

_STEM = "stem" * 15  # longer than what is compared before strings are ranked
_ENDS = ["", "\1", "\1\1", "a", "ab", "b", "\u00e9", "\uffff", "\U0001f600"]
IDS = [*_ENDS, *(_STEM + end for end in _ENDS)]
WORDS = [*IDS, "\0", "\0\0", "a\0", _STEM + "\0"]
NUMBERS: list[int | float] = [
    *(0, 1, -1, 2**53 + 1, 2**63 - 1, 2**63 - 2, -(2**63), 1 - 2**63),
    *(0.0, -0.0, 0.5, 1.0, -1.0, -1.5, 2.0**53, 2.0**63, -(2.0**63), 2.0**64, -(2.0**64)),
    *(5e-324, -5e-324, 1e-300, 0.1, 0.2, 0.3, 1.7976931348623157e308, -1.7976931348623157e308),
]
ids, words = st.sampled_from(IDS), st.sampled_from(WORDS)
numbers = st.one_of(st.sampled_from(NUMBERS), st.floats(allow_nan=False, allow_infinity=False))
ints = st.one_of(st.integers(-3, 3), st.integers(-(2**63), 2**63 - 1))
times = st.one_of(
    st.sampled_from([datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)]),
    st.integers(-(10**15), 10**16).map(
        lambda micros: datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=micros)
    ),
)
properties = st.fixed_dictionaries(
    {},
    optional={
        "count": ints,
        "ratio": lists(st.floats(allow_nan=False, allow_infinity=False)),
        "since": st.one_of(times, lists(times)),
        "note": words,
        "note list": lists(words),
        "tag": st.one_of(words, lists(words)),
        "size": st.one_of(numbers, lists(st.sampled_from(NUMBERS)), lists(ints)),
        "done": st.one_of(st.booleans(), lists(st.booleans())),
        "flag": st.booleans(),
    },
)

NODE_FIELDS = ["id", "type", "name", "content", "project", "status", "related", "MENTIONS"]
EDGE_FIELDS = ["id", "type", "source", "target", "weight"]
PROPERTIES = ["count", "ratio", "since", "note", "note list", "tag", "size", "done", "flag"]
PROSE = ["content", "note", "note list"]  # texts, which have no facets


@st.composite
def batches(draw: st.DrawFn) -> Batch:
    """Nodes and edges, some of them hidden, with rows beside them that hold every field."""
    named = [f"n{word}" for word in draw(st.lists(ids, unique=True, min_size=1, max_size=7))]
    nodes = [
        NodeRecord(
            id,
            draw(words),
            draw(words),
            draw(words),
            draw(words),
            draw(st.sampled_from([(), (), ("user:eve",)])),
            draw(words),
            draw(properties),
            {"related": tuple(draw(st.lists(st.sampled_from(named), max_size=3, unique=True)))},
        )
        for id in named
    ]
    ends = st.sampled_from(named)
    edges = [
        EdgeRecord(f"e{word}", draw(ends), draw(ends), draw(words), weight, draw(properties))
        for word in draw(st.lists(ids, unique=True, max_size=5))
        for weight in [draw(st.sampled_from([None, 0.0, 0.5, 0.1, 1.0]))]
    ]
    batch = Batch(put_nodes=tuple(nodes), put_edges=tuple(edges))
    return both(batch, everything_known())


class Drawn:
    """A batch as a version, and what everybody sees of its rows or edge documents."""

    def __init__(self, batch: Batch, over: Over) -> None:
        self.version: Version = version_of(batch)
        self.gate: Gate = all_gates(self.version).read
        self.over: Over = over
        rows, edges = visible(batch)
        self.plain: Rows = rows if over == "nodes" else edges

    def field(self, name: str) -> KnownField:
        """The field *name*, as everybody knows it."""
        known = known_node_fields if self.over == "nodes" else known_edge_fields
        return known(self.version, self.gate)[name]

    def numbers(self, ids: Any = None) -> NDArray[np.int64]:
        """The rows, or keys, of *ids*, or of all that everybody sees."""
        wanted = list(self.plain if ids is None else ids)
        if self.over == "nodes":
            return self.version.nodes.ids.find_all(wanted).astype(np.int64)
        return self.version.docs.ids.find_all(wanted).astype(np.int64)

    def ids(self, numbers: NDArray[np.integer]) -> list[str]:
        """The ids of rows, or of keys."""
        if self.over == "nodes":
            return self.version.nodes.ids.take(numbers)
        return self.version.docs.ids.take(numbers)


def fields(over: Over) -> list[str]:
    """What a sort may name."""
    return [*(NODE_FIELDS if over == "nodes" else EDGE_FIELDS), *PROPERTIES]
