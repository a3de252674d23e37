"""What do facets, sorts and lookups cost over many rows?

A seeded collection: rows with a type, a status, some tags, a size and links to one another, some of
them hidden. Facets are counted over 20,000 rows that a walk might have reached: four together (a
type, a keyword, a list of keywords or links, an int) and each alone. The first ten of 100,000 rows
are put in order; and a lookup joins those with 65,536 values, worked out and remembered.

    python -m bench.facets [--out FILE]
"""

import random
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.measure import milliseconds, run_bench
from passageway_server.authz.callers import Caller
from passageway_server.authz.gates import gates
from passageway_server.columns.gates import Gate
from passageway_server.engine.facets import count_values
from passageway_server.engine.filter import matching_rows
from passageway_server.engine.metrics import measure
from passageway_server.engine.semijoin import joined_values
from passageway_server.engine.sorting import first_rows
from passageway_server.planner.binding import Binding
from passageway_server.planner.facets import plan_facets, plan_metrics
from passageway_server.planner.sorting import plan_sort
from passageway_server.values.collections import CollectionSettings
from passageway_server.values.queries import Bounds, Facet, Metric, MetricOp, ReadOptions
from passageway_server.values.records import Batch, NodeRecord
from passageway_server.version.store import Store
from passageway_server.version.version import Version

ROUNDS = 50
ROWS, HIDDEN, REACHED, VALUES = 100_000, 20_000, 20_000, 65_536
Rows = NDArray[np.integer]
FACETS = ("type", "status", "tags", "related", "size")
SORTS = ("size", "-name", "tags", "related", "type")
JOINS = {
    "keywords": ("key", "key", ROWS),
    "ids": ("id", "points", VALUES),
    "ints": ("number", "number", ROWS),
}
"""Which field joins with which, and how many rows that gives."""


def version() -> Version:
    """The collection: `ROWS` rows that all may read, and `HIDDEN` that others may."""
    draw = random.Random(1)
    ids = [f"row:{i:06}" for i in range(ROWS + HIDDEN)]
    draw.shuffle(ids)
    rows = tuple(_node(i, ids, draw) for i in range(len(ids)))
    collection = Store.open().create(CollectionSettings("bench"))
    collection.apply(Batch(put_nodes=rows))
    return collection.current.prepare()


def _node(i: int, ids: list[str], draw: random.Random) -> NodeRecord:
    joined = i % VALUES if i < ROWS else VALUES + i
    return NodeRecord(
        ids[i],
        type=f"type {draw.randrange(20)}",
        name=f"the name of {draw.randrange(ROWS)}",
        status=draw.choice(["open", "done", ""]),
        readers=("public",) if i < ROWS else ("user:eve",),
        properties={
            "tags": [f"tag {n}" for n in draw.sample(range(500), 3)],
            "size": draw.randrange(1000),
            "share": draw.random(),
            "key": f"key:{joined}",
            "points": ids[joined % VALUES],
            "number": joined << 20,
        },
        links={"related": _drawn(ids, 3, draw), "owner": _drawn(ids, 1, draw)},
    )


def _drawn(ids: list[str], count: int, draw: random.Random) -> tuple[str, ...]:
    """Up to *count* ids, some of them far oftener than others, as links go."""
    return tuple(dict.fromkeys(ids[int(len(ids) * draw.random() ** 3)] for _ in range(count)))


def figures() -> dict[str, Any]:
    """All that is measured."""
    made = version()
    gate = gates(made, Caller.holding(()), ReadOptions(), 0).read
    binding = Binding(made, gate, bounds=Bounds.REJECT, vars={})
    readable = np.flatnonzero(made.gates.open_rows(gate))
    reached = np.random.default_rng(1).permutation(readable)[:REACHED].astype(np.int32)
    return {
        "milliseconds": {
            "facets": _facets(made, gate, binding, reached),
            "metrics": _metrics(made, gate, binding, reached),
            "first ten by": _sorts(made, gate, binding, readable),
            "semi-join": {name: _join(made, gate, *join) for name, join in JOINS.items()},
        }
    }


def _facets(made: Version, gate: Gate, binding: Binding, reached: Rows) -> dict[str, float]:
    def cost(*names: str) -> float:
        plans = plan_facets({name: Facet(name) for name in names}, binding, over="nodes")
        return taken(lambda: count_values(made, gate, reached, plans))

    return {
        "with a list": cost("type", "status", "tags", "size"),
        "with links": cost("type", "status", "related", "size"),
        **{name: cost(name) for name in FACETS},
    }


def _metrics(made: Version, gate: Gate, binding: Binding, reached: Rows) -> dict[str, float]:
    def cost(field: str, op: MetricOp) -> float:
        plans = plan_metrics({"m": Metric(field, op)}, binding, over="nodes")
        return taken(lambda: measure(made, gate, reached, plans))

    return {
        "sum of ints": cost("size", MetricOp.SUM),
        "sum of floats": cost("share", MetricOp.SUM),
        "distinct keywords": cost("tags", MetricOp.CARDINALITY),
    }


def _sorts(made: Version, gate: Gate, binding: Binding, readable: Rows) -> dict[str, float]:
    def cost(*names: str) -> float:
        keys = plan_sort(names, binding, path="sort", over="nodes")
        return taken(lambda: first_rows(made, gate, readable, keys, 10))

    return {"id": cost(), **{name: cost(name) for name in SORTS}}


def _join(
    made: Version, gate: Gate, field: str, from_field: str, expected: int
) -> dict[str, float]:
    """A lookup of every readable row by the values of every readable row, `VALUES` of them."""

    def joined() -> int:
        binding = Binding(made, gate, bounds=Bounds.REJECT, vars={})
        text = f"lookup({field}, from=(id:*), from_field={from_field})"
        predicate = binding.filter(text, path="filter", over="nodes")
        binding.check()
        return len(matching_rows(predicate, made, read=gate, scope=gate))

    def anew() -> int:
        made.known.pop(joined_values, None)
        return joined()

    assert joined() == expected, field
    return {"worked out": taken(anew), "repeated": taken(joined)}


def taken(run: Callable[[], object]) -> float:
    """The best time of several rounds, in milliseconds."""
    return round(milliseconds(lambda _: run(), [None], rounds=ROUNDS), 3)


if __name__ == "__main__":
    run_bench("facets", figures)
