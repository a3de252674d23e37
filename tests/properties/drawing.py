"""What random calls are drawn from: ids, names and numbers as one caller sees them, the odd one out of range."""

from random import Random

from passageway.v1 import graph_pb2, query_pb2, types_pb2
from tests.oracle.fields import (
    EDGE_BUILT_INS,
    NODE_NAMEABLE,
    NUMBERS,
    edge_fields,
    node_fields,
)
from tests.oracle.graph import Graph
from tests.properties.sentences import Sentences
from tests.properties.words import EDGE_TYPES, LINK_FIELDS, ONLY_HIDDEN, PROJECTS, UNKNOWN

_HIDDEN_BY_BUILT_INS = ("properties.name", "properties.revision")


class Drawing:
    """One caller's words on one graph; *every_id* names hidden rows too."""

    def __init__(self, rng: Random, graph: Graph, every_id: list[str]) -> None:
        self.rng = rng
        self.graph = graph
        self.every_id = [*every_id, "absent"]
        self.visible = list(graph.rows) or ["absent"]
        self.sentences = Sentences(rng, graph)
        self.node_names = sorted({*node_fields(graph), *NODE_NAMEABLE, *_HIDDEN_BY_BUILT_INS})
        self.edge_names = sorted({*edge_fields(graph), *EDGE_BUILT_INS, "properties.weight"})
        self.numbers = sorted(
            name for name, known in edge_fields(graph).items() if known.kind in NUMBERS
        )

    def id(self) -> str:
        return self.rng.choice(self.visible if self.rng.random() < 0.85 else self.every_id)

    def ids(self, most: int) -> list[str]:
        return [self.id() for _ in range(self.rng.randint(1, most))]

    def read(self) -> query_pb2.ReadOptions | None:
        if self.rng.random() < 0.6:
            return None
        return query_pb2.ReadOptions(
            project=self.rng.choice(("", "", *PROJECTS)),
            evidence=self.rng.choice(query_pb2.Evidence.values()),
        )

    def maybe(self, *values: int) -> int | None:
        """One of *values*, or as often nothing."""
        return self.rng.choice(values) if self.rng.random() < 0.5 else None

    def bounds(self) -> query_pb2.Bounds.ValueType:
        return self.rng.choice(
            (query_pb2.BOUNDS_UNSPECIFIED, query_pb2.BOUNDS_CLAMP, query_pb2.BOUNDS_REJECT)
        )

    def large(self, *values: int, most: int) -> int | None:
        """One of *values*, seldom one past *most*, or nothing."""
        return most + 1 if self.rng.random() < 0.02 else self.maybe(*values)

    def names(self, names: list[str]) -> list[str]:
        chance = self.rng.random()
        if chance < 0.5:
            return []
        if chance < 0.53:
            return [self.rng.choice((*ONLY_HIDDEN, "readers", *UNKNOWN)), names[0]]
        return self.rng.sample(names, min(len(names), self.rng.randint(1, 4)))

    def spec(self, vars: graph_pb2.ExpandRequest | graph_pb2.PathsRequest) -> query_pb2.EdgeSpec:
        rng = self.rng
        types = [] if rng.random() < 0.75 else rng.sample((*EDGE_TYPES, *LINK_FIELDS, "NONE"), 3)
        spec = query_pb2.EdgeSpec(
            types=types,
            direction=rng.choice(types_pb2.Direction.values()),
            filter=self.sentences.over_edges(vars.vars, odds=0.2),
        )
        if rng.random() < 0.25:
            unknown = ["note", *ONLY_HIDDEN] if rng.random() < 0.1 else []
            spec.weight_property = rng.choice(unknown or self.numbers or [""])
        return spec
