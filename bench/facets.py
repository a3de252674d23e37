"""What do facets, sorts and lookups cost over many rows?

A seeded collection: rows with a type, a status, some tags, a size and links to one another, half of
them hidden. Four facets (type, a list of keywords, links, an int) are counted over 20,000 rows that
a walk might have reached; the first ten of 100,000 rows are put in order; and a lookup joins
100,000 rows with 65,536 values, once worked out and once remembered.

    python -m bench.facets [--out FILE]
"""

import random
from typing import Any

import numpy as np

from bench.measure import milliseconds, run_bench
from passageway_server.authz.callers import Caller
from passageway_server.authz.gates import gates
from passageway_server.columns.gates import Gate
from passageway_server.engine.filter import matching_rows
from passageway_server.engine.semijoin import joined_values
from passageway_server.engine.facets import count_values
from passageway_server.engine.metrics import measure
from passageway_server.engine.sorting import first_rows
from passageway_server.planner.binding import Binding
from passageway_server.planner.measures import plan_facets, plan_metrics
from passageway_server.planner.sorting import plan_sort
from passageway_server.values.collections import CollectionSettings
from passageway_server.values.records import Batch, NodeRecord
from passageway_server.values.requests import (
    Bounds,
    Facet,
    Metric,
    MetricOp,
    ReadOptions,
)
from passageway_server.version.store import Store
from passageway_server.version.version import Version

ROUNDS = 9
ROWS, REACHED, VALUES = 100_000, 20_000, 65_536
FACETS = ("type", "status", "tags", "related", "size")
SORTS = ("size", "-name", "tags", "related", "type")
JOINS = {"keywords": ("key", "key"), "ids": ("id", "points")}


def version() -> Version:
    """The collection: `ROWS` rows that all may read, and as many that nobody may."""
    draw = random.Random(1)
    ids = [f"row:{i:06}" for i in range(2 * ROWS)]
    draw.shuffle(ids)
    rows = tuple(_node(i, ids, draw) for i in range(2 * ROWS))
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
        },
        links={"related": tuple(draw.sample(ids, 4)), "owner": tuple(draw.sample(ids, 2))},
    )


def figures() -> dict[str, Any]:
    """All figures, in milliseconds."""
    made = version()
    gate = gates(made, Caller.holding(()), ReadOptions(), 0).read
    binding = Binding(made, gate, bounds=Bounds.REJECT, vars={})
    readable = np.flatnonzero(made.gates.open_rows(gate))
    reached = np.random.default_rng(1).permutation(readable)[:REACHED].astype(np.int32)
    return {
        "facets": _facets(made, gate, binding, reached),
        "metrics": _metrics(made, gate, binding, reached),
        "sorts": _sorts(made, gate, binding, readable),
        "semi-join": {name: _join(made, gate, *fields) for name, fields in JOINS.items()},
    }


def _facets(
    made: Version, gate: Gate, binding: Binding, reached: np.ndarray[Any, Any]
) -> dict[str, float]:
    def cost(*names: str) -> float:
        plans = plan_facets({name: Facet(name) for name in names}, binding, over="nodes")
        return milliseconds(
            lambda _: count_values(made, gate, reached, plans), [None], rounds=ROUNDS
        )

    together = cost("type", "status", "tags", "size"), cost("type", "status", "related", "size")
    return {
        "with a list": together[0],
        "with links": together[1],
        "all": cost(*FACETS),
        **{name: cost(name) for name in FACETS},
    }


def _metrics(
    made: Version, gate: Gate, binding: Binding, reached: np.ndarray[Any, Any]
) -> dict[str, float]:
    def cost(field: str, op: MetricOp) -> float:
        plans = plan_metrics({"m": Metric(field, op)}, binding, over="nodes")
        return milliseconds(lambda _: measure(made, gate, reached, plans), [None], rounds=ROUNDS)

    return {
        "sum of ints": cost("size", MetricOp.SUM),
        "sum of floats": cost("share", MetricOp.SUM),
        "distinct keywords": cost("tags", MetricOp.CARDINALITY),
    }


def _sorts(
    made: Version, gate: Gate, binding: Binding, readable: np.ndarray[Any, Any]
) -> dict[str, float]:
    def cost(*names: str) -> float:
        keys = plan_sort(names, binding, path="sort", over="nodes")
        return milliseconds(
            lambda _: first_rows(made, gate, readable, keys, 10), [None], rounds=ROUNDS
        )

    return {"id": cost(), **{name: cost(name) for name in SORTS}}


def _join(made: Version, gate: Gate, field: str, from_field: str) -> dict[str, float]:
    """A lookup of every readable row by the values of every readable row."""

    def joined() -> int:
        binding = Binding(made, gate, bounds=Bounds.REJECT, vars={})
        text = f"lookup({field}, from=(id:*), from_field={from_field})"
        predicate = binding.filter(text, path="filter", over="nodes")
        binding.check()
        return len(matching_rows(predicate, made, read=gate, scope=gate))

    def anew(_: None) -> int:
        made.known.pop(joined_values, None)
        return joined()

    expected = ROWS if field == "key" else sum(1 for _ in range(VALUES))
    assert joined() <= expected
    return {
        "worked out": milliseconds(anew, [None], rounds=ROUNDS),
        "repeated": milliseconds(lambda _: joined(), [None], rounds=ROUNDS),
    }


if __name__ == "__main__":
    run_bench("facets", figures)
