"""Random calls of the read side: every option and cap, the odd number out of its range, the odd unknown name."""

from collections.abc import Iterator
from random import Random

from google.protobuf.message import Message

from passageway.v1 import graph_pb2, query_pb2, read_pb2, types_pb2
from tests.oracle.fields import (
    EDGE_BUILT_INS,
    NODE_ANSWER_BUILT_INS,
    NUMBERS,
    edge_fields,
    node_fields,
)
from tests.oracle.graph import Graph
from tests.properties.sentences import Sentences
from tests.properties.words import EDGE_TYPES, LINK_FIELDS, NAME, ONLY_HIDDEN, PROJECTS

Call = tuple[str, Message]

COUNTS = {"Expand": 4, "Paths": 2, "Slice": 4, "Lookup": 3, "Get": 2, "Describe": 1}
"""How many calls of each kind a caller makes on a graph."""

MOST_PREFIXES = 3_000
"""Walks that brute force may look at in one call of Paths."""


def random_calls(rng: Random, graph: Graph, every_id: list[str]) -> Iterator[Call]:
    """Calls of every kind on *graph*, as its caller sees it; *every_id* names hidden rows too."""
    drawing = _Drawing(rng, graph, every_id)
    for method, count in COUNTS.items():
        for _ in range(count):
            yield f"GraphService/{method}", getattr(drawing, method.lower())()


class _Drawing:
    def __init__(self, rng: Random, graph: Graph, every_id: list[str]) -> None:
        self.rng = rng
        self.graph = graph
        self.every_id = [*every_id, "absent"]
        self.visible = list(graph.rows) or ["absent"]
        self.sentences = Sentences(rng, graph)
        self.node_names = sorted({*node_fields(graph), *NODE_ANSWER_BUILT_INS, "properties.name"})
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
            return [self.rng.choice((*ONLY_HIDDEN, "readers", "nothing")), names[0]]
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

    def expand(self) -> graph_pb2.ExpandRequest:
        rng = self.rng
        request = graph_pb2.ExpandRequest(
            collection=NAME,
            read=self.read(),
            propagate=rng.choice(graph_pb2.ExpandRequest.Propagate.values()),
            limit=rng.choice(
                (None, -1, -1, -1, -1, 0, 1, 3, 10, 10_001 if rng.random() < 0.1 else 5)
            ),
            include_seeds=rng.choice((None, None, True, False)),
            filter="",
            fields=self.names(self.node_names),
            content_max_chars=self.large(0, 1, rng.randint(2, 60), most=50_000),
            with_edges=rng.random() < 0.5,
            with_subgraph=rng.random() < 0.5,
            edge_fields=self.names(self.edge_names),
            max_edges=self.large(0, 5, 200, most=100_000) if rng.random() < 0.2 else None,
            max_nodes=self.large(0, 5, 200, most=100_000) if rng.random() < 0.2 else None,
            bounds=self.bounds(),
            walk_as_declared=rng.random() < 0.2,
            with_scores=rng.choice((None, None, True, False)),
        )
        request.filter = self.sentences.over_nodes(request.vars, odds=0.1)
        request.return_filter = self.sentences.over_nodes(request.vars, odds=0.1)
        for _ in range(rng.choice((1, 1, 2, 3))):
            seeds = request.seeds.add(ids=self.ids(4))
            if rng.random() < 0.5:
                seeds.weight = rng.choice((0.1, 0.5, 1.0, 3.0, 0.0 if rng.random() < 0.1 else 2.0))
        for _ in range(rng.choice((0, 1, 1, 2, 2, 3))):
            hop = request.hops.add(
                edges=self.spec(request),
                filter="",
                max_per_node=self.maybe(0, 0, 1, 2, 3, 5) or 0,
                max_frontier=self.large(0, 0, 2, 4, 8, most=100_000) or 0,
                max_degree=(self.maybe(0, 2, 4, 8) or 0) if rng.random() < 0.6 else 0,
            )
            hop.filter = self.sentences.over_nodes(request.vars, odds=0.2)
            if rng.random() < 0.6:
                hop.decay = rng.choice(
                    (0.1, 0.5, 0.7, 1.0, 1.5, -1.0 if rng.random() < 0.1 else 0.3)
                )
        request.min_hop = rng.choice((0, 0, 0, 1, len(request.hops)))
        return request

    def paths(self) -> graph_pb2.PathsRequest:
        rng = self.rng
        every = rng.random() < 0.4
        request = graph_pb2.PathsRequest(
            collection=NAME,
            read=self.read(),
            sources=self.ids(3),
            targets=self.ids(3),
            mode=graph_pb2.PathsRequest.MODE_ALL_SIMPLE
            if every
            else rng.choice(
                (graph_pb2.PathsRequest.MODE_SHORTEST, graph_pb2.PathsRequest.MODE_UNSPECIFIED)
            ),
            fields=self.names(self.node_names),
            edge_fields=self.names(self.edge_names),
            content_max_chars=self.large(0, 1, 40, most=50_000),
            bounds=self.bounds(),
        )
        if every or rng.random() < 0.02:
            request.max_paths = self.rng.choice((1, 2, 5, 100, 10_000))
        if every and rng.random() < 0.5:
            request.min_depth = rng.choice((0, 1, 2))
        if not every or rng.random() < 0.02:
            request.k = rng.choice((1, 2, 3, 10, 11 if rng.random() < 0.1 else 4))
            request.weighted = rng.random() < 0.6
        for _ in range(rng.choice((0, 1, 1, 2))):
            request.edges.append(self.spec(request))
        request.filter = self.sentences.over_nodes(request.vars, odds=0.1)
        if rng.random() < 0.15:
            request.max_degree = rng.choice((1, 2, 4))
        if rng.random() < 0.15:
            request.max_frontier = rng.choice((1, 2, 4, 100_000))
        if request.edges and rng.random() < 0.1:
            request.edges[0].max_frontier = rng.choice((1, 2, 4))
        depth = self._depth(list(request.sources), rng.choice((1, 2, 3, 4, 4, 5, 6)))
        if depth != 4 or rng.random() < 0.5:
            request.max_depth = depth
        return request

    def _depth(self, sources: list[str], wanted: int) -> int:
        """The depth wanted, or the greatest at which brute force has no more than so many walks."""
        ahead = {source: 1 for source in sources if source in self.graph.rows}
        seen = 0
        for depth in range(1, wanted + 1):
            longer: dict[str, int] = {}
            for row_id, count in ahead.items():
                for end in {arc.other(row_id) for arc in self.graph.at[row_id]}:
                    longer[end] = longer.get(end, 0) + count
            seen += sum(longer.values())
            if seen > MOST_PREFIXES:
                return max(1, depth - 1)
            ahead = longer
        return wanted

    def slice(self) -> read_pb2.SliceRequest:
        rng = self.rng
        spans = [row.id for row in self.graph.rows.values() if row.span is not None]
        parents = [arc.target for arc in self.graph.arcs if arc.type == "PART_OF"]
        ids = rng.choice((spans, parents, [self.id()])) or [self.id()]
        request = read_pb2.SliceRequest(
            collection=NAME,
            read=self.read(),
            id=rng.choice(ids) if rng.random() < 0.98 else "",
            bounds=self.bounds(),
        )
        if rng.random() < 0.4:
            request.page.property = rng.choice(
                ("content", "content", *self.node_names, "summary", "description")
            )
            request.page.offset = rng.choice((0, 0, 3, 10, 1_000))
            if rng.random() < 0.6:
                request.page.max_chars = rng.choice((0, 1, 7, 20, 50_001))
            if rng.random() < 0.1:
                request.page.sha256 = "0" * 64
            return request
        if rng.random() < 0.7:
            request.window = rng.choice((0, 1, 2, 2, 3, 4, 4, 5, 6, 64, 65))
        if rng.random() < 0.5:
            request.content_max_chars = rng.choice((0, 1, rng.randint(2, 150), 200, 50_001))
        return request

    def lookup(self) -> read_pb2.LookupRequest:
        rng = self.rng
        request = read_pb2.LookupRequest(
            collection=NAME,
            read=self.read(),
            kind=rng.choice(
                (read_pb2.LookupRequest.KIND_UNSPECIFIED, read_pb2.LookupRequest.KIND_NODES)
            ),
            page_size=self.large(0, 1, 3, 100, most=10_000),
            fields=self.names(self.node_names),
            content_max_chars=self.large(0, 1, 40, most=50_000),
            bounds=self.bounds(),
        )
        request.filter = self.sentences.over_nodes(request.vars, odds=0.85)
        if rng.random() < 0.3:
            request.field = self.sentences.joinable()
            request.from_filter = self.sentences.over_nodes(request.vars)
            request.from_field = self.sentences.joinable(like=request.field)
            if rng.random() < 0.3:
                request.max_values = rng.choice((1, 3, 65_536, 65_537))
            if rng.random() < 0.05:
                request.ClearField(rng.choice(("field", "from_filter", "from_field")))
        return request

    def get(self) -> read_pb2.GetRequest:
        return read_pb2.GetRequest(
            collection=NAME,
            ids=self.rng.choice((self.ids(4), self.every_id)),
            read=self.read(),
            fields=self.names(self.node_names),
            content_max_chars=self.large(0, 1, self.rng.randint(2, 60), 200, most=50_000),
        )

    def describe(self) -> read_pb2.DescribeRequest:
        return read_pb2.DescribeRequest(collection=NAME, read=self.read())
