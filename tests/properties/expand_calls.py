"""Random requests of Expand: every option, cap and stage, alone and together."""

from passageway.v1 import graph_pb2, query_pb2, types_pb2
from tests.oracle.fields import NUMBERS, node_fields
from tests.oracle.shown import THROUGH
from tests.properties.drawing import Drawing
from tests.properties.measures import Measures
from tests.properties.words import EDGE_TYPES, LINK_FIELDS, NAME, NODE_TYPES, ONLY_HIDDEN


def expand_request(drawing: Drawing) -> graph_pb2.ExpandRequest:
    """An Expand of what *drawing* knows; often a wide one, so that what comes after the walk has enough to do."""
    rng = drawing.rng
    request = graph_pb2.ExpandRequest(
        collection=NAME,
        read=drawing.read(),
        propagate=rng.choice(graph_pb2.ExpandRequest.Propagate.values()),
        limit=rng.choice((None, -1, -1, -1, -1, 0, 1, 3, 10, 10_001 if rng.random() < 0.1 else 5)),
        include_seeds=rng.choice((None, None, True, False)),
        fields=drawing.names(drawing.node_names),
        content_max_chars=drawing.large(0, 1, rng.randint(2, 60), most=50_000),
        with_edges=rng.random() < 0.5,
        with_subgraph=rng.random() < 0.5,
        edge_fields=drawing.names(drawing.edge_names),
        max_edges=drawing.large(0, 5, 200, most=100_000) if rng.random() < 0.2 else None,
        max_nodes=drawing.large(0, 5, 200, most=100_000) if rng.random() < 0.2 else None,
        bounds=drawing.bounds(),
        walk_as_declared=rng.random() < 0.2,
        with_scores=rng.choice((None, None, True, False)),
    )
    request.filter = drawing.sentences.over_nodes(request.vars, odds=0.1)
    request.return_filter = drawing.sentences.over_nodes(request.vars, odds=0.1)
    _add_seeds(drawing, request)
    wide = rng.random() < 0.4
    for _ in range(rng.choice((2, 2, 3) if wide else (0, 1, 1, 2, 2, 3))):
        if wide:
            request.hops.add(edges=query_pb2.EdgeSpec(direction=types_pb2.DIRECTION_BOTH))
        else:
            _add_hop(drawing, request)
    for hop in request.hops:
        if rng.random() < 0.3:
            for _ in range(rng.choice((1, 1, 2, 3, 11 if rng.random() < 0.03 else 2))):
                hop.shared.append(_shared(drawing))
    request.min_hop = rng.choice((0, 0, 0, min(1, len(request.hops)), len(request.hops)))
    if rng.random() < 0.02:
        request.min_hop = len(request.hops) + 1
    _add_stages(drawing, request)
    return request


def _add_seeds(drawing: Drawing, request: graph_pb2.ExpandRequest) -> None:
    """One group to three, of ids or of a query, seldom of both or neither."""
    rng = drawing.rng
    for _ in range(rng.choice((1, 1, 2, 3))):
        group = request.seeds.add()
        of_query, odd = rng.random() < 0.25, rng.random() < 0.01
        if of_query:
            group.query.CopyFrom(Measures(drawing).query(request.vars))
        if of_query == odd:
            group.ids.extend(drawing.ids(4))
        weighs = 0.03 if group.query.sort else 0.5
        if rng.random() < weighs:
            group.weight = rng.choice((0.1, 0.5, 1.0, 3.0, 0.0 if rng.random() < 0.1 else 2.0))


def _add_hop(drawing: Drawing, request: graph_pb2.ExpandRequest) -> None:
    rng = drawing.rng
    hop = request.hops.add(
        edges=drawing.spec(request),
        max_per_node=drawing.maybe(0, 0, 1, 2, 3, 5) or 0,
        max_frontier=drawing.large(0, 0, 2, 4, 8, most=100_000) or 0,
        max_degree=(drawing.maybe(0, 2, 4, 8) or 0) if rng.random() < 0.6 else 0,
    )
    hop.filter = drawing.sentences.over_nodes(request.vars, odds=0.2)
    if rng.random() < 0.6:
        hop.decay = rng.choice((0.1, 0.5, 0.7, 1.0, 1.5, -1.0 if rng.random() < 0.1 else 0.3))


def _shared(drawing: Drawing) -> graph_pb2.Hop.Shared:
    """Made edges through rows of any type, few of which are absent; seldom a spec that is unfit."""
    rng = drawing.rng
    arcs = [arc for arc in drawing.graph.arcs if drawing.graph.rows[arc.target].type]
    spec = graph_pb2.Hop.Shared(
        name=rng.choice(("SHARES", "SHARES", "CALLS", "also", "" if rng.random() < 0.02 else "x")),
        edge_type=rng.choice((*EDGE_TYPES[:-1], *LINK_FIELDS, "NONE")),
        through_type=rng.choice((*NODE_TYPES[:-1], "passage", "NONE")),
        max_members=drawing.large(0, 2, 3, 5, most=100_000) or 0,
    )
    typed = [arc for arc in arcs if arc.type]
    if typed and rng.random() < 0.8:
        arc = rng.choice(typed)
        spec.edge_type, spec.through_type = arc.type, drawing.graph.rows[arc.target].type
    if rng.random() < 0.5:
        spec.weight = rng.choice((0.0, 0.25, 0.5, 1.0, 2.0, -1.0 if rng.random() < 0.05 else 0.9))
    return spec


def _add_stages(drawing: Drawing, request: graph_pb2.ExpandRequest) -> None:
    """What comes after the walk: a budget, a rank, measures and a search."""
    rng = drawing.rng
    if rng.random() < 0.3:
        request.budget.CopyFrom(_budget(drawing))
    if rng.random() < 0.35:
        request.rank = graph_pb2.ExpandRequest.RANK_PPR
    if rng.random() < (0.7 if request.rank else 0.1):
        request.ppr.CopyFrom(_page_rank(drawing))
    for name, facet in Measures(drawing).facets().items():
        request.facets[name].CopyFrom(facet)
    for name, metric in Measures(drawing).metrics().items():
        request.metrics[name].CopyFrom(metric)
    if rng.random() < 0.25:
        request.search.CopyFrom(Measures(drawing).query(request.vars))
    if rng.random() < (0.6 if request.HasField("search") else 0.05):
        request.search_fields.extend(drawing.names(drawing.node_names))
    made = any(hop.shared for hop in request.hops)
    if request.edge_fields and rng.random() < (0.4 if made else 0.02):
        request.edge_fields.append(rng.choice((THROUGH, f"properties.{THROUGH}")))


def _budget(drawing: Drawing) -> graph_pb2.ExpandRequest.Budget:
    """Any of the three caps, seldom none of them."""
    rng = drawing.rng
    budget = graph_pb2.ExpandRequest.Budget(
        nodes=drawing.large(0, 1, 2, 3, 5, 8, 13, most=100_000),
        edges=drawing.large(0, 1, 2, 4, 8, 16, most=100_000),
    )
    if rng.random() < 0.3:
        odd = float("inf") if rng.random() < 0.05 else 0.0
        budget.edge_cost = rng.choice((-1.0, 0.0, 0.1, 0.5, 1.0, odd))
    if not budget.ByteSize() and rng.random() < 0.9:
        budget.nodes = rng.randint(1, 20)
    return budget


def _page_rank(drawing: Drawing) -> graph_pb2.ExpandRequest.PageRank:
    rng = drawing.rng
    odd = rng.random() < 0.05
    ppr = graph_pb2.ExpandRequest.PageRank(
        alpha=rng.choice((None, 0.0, 0.15, 0.5, 0.85, 1.0, 1.5 if odd else 0.3)),
        iterations=drawing.large(0, 1, 2, 3, 10, 200, most=1_000),
        tolerance=rng.choice((None, None, 0.0, 1e-12, 1e-3, 0.5, -1.0 if odd else 0.1)),
        undirected=rng.choice((None, True, False)),
    )
    fields = node_fields(drawing.graph)
    numbers = sorted(name for name, known in fields.items() if known.kind in NUMBERS)
    if rng.random() < 0.5:
        unknown = ["color", *ONLY_HIDDEN] if rng.random() < 0.05 else []
        ppr.reset_field = rng.choice(unknown or numbers or [""])
    return ppr
