"""Random calls of the read side: every option and cap, the odd number out of its range, the odd unknown name."""

from collections.abc import Iterator, Mapping
from random import Random

from passageway.v1 import graph_pb2, read_pb2, search_pb2
from tests.oracle.graph import Graph
from tests.properties.context_calls import context_request
from tests.properties.drawing import Drawing
from tests.properties.expand_calls import expand_request
from tests.properties.lookup_calls import lookup_request
from tests.properties.search_calls import search_request
from tests.properties.words import NAME

Request = (
    graph_pb2.ExpandRequest
    | graph_pb2.PathsRequest
    | read_pb2.SliceRequest
    | read_pb2.LookupRequest
    | search_pb2.SearchRequest
    | search_pb2.ContextRequest
    | read_pb2.GetRequest
    | read_pb2.DescribeRequest
)
Call = tuple[str, Request]

COUNTS = {
    "Expand": 3,
    "Paths": 1,
    "Slice": 2,
    "Lookup": 3,
    "Search": 2,
    "Context": 2,
    "Get": 1,
    "Describe": 1,
}
"""How many calls of each kind a caller makes on a graph."""

FEW = {
    "Expand": 2,
    "Paths": 1,
    "Slice": 1,
    "Lookup": 2,
    "Search": 1,
    "Context": 1,
    "Get": 1,
    "Describe": 1,
}
"""The same where a caller asks often: about many versions, or of many collections."""

MOST_PREFIXES = 3_000
"""Walks that brute force may look at in one call of Paths."""


def random_calls(
    rng: Random, graph: Graph, every_id: list[str], *, counts: Mapping[str, int] = COUNTS
) -> Iterator[Call]:
    """Calls of every kind on *graph*, as its caller sees it; *every_id* names hidden rows too."""
    drawing = _Drawing(rng, graph, every_id)
    for method, count in counts.items():
        for _ in range(count):
            yield f"GraphService/{method}", getattr(drawing, method.lower())()


class _Drawing(Drawing):
    def expand(self) -> graph_pb2.ExpandRequest:
        return expand_request(self)

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
            if rng.random() < (0.02 if request.page.HasField("max_chars") else 0.7):
                request.page.token_budget = rng.choice((0, 255, 256, rng.randint(257, 600), 32_769))
            if rng.random() < 0.1:
                request.page.sha256 = "0" * 64
            return request
        if rng.random() < 0.7:
            request.window = rng.choice((0, 1, 2, 2, 3, 4, 4, 5, 6, 64, 65))
        if rng.random() < 0.5:
            request.content_max_chars = rng.choice((0, 1, rng.randint(2, 150), 200, 50_001))
        return request

    def lookup(self) -> read_pb2.LookupRequest:
        return lookup_request(self)

    def search(self) -> search_pb2.SearchRequest:
        return search_request(self)

    def context(self) -> search_pb2.ContextRequest:
        return context_request(self)

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
