"""Random requests of Lookup: nodes and edge documents, selected, joined, ordered, counted and measured."""

from passageway.v1 import read_pb2
from tests.properties.drawing import Drawing
from tests.properties.measures import Measures
from tests.properties.words import NAME

_KINDS = read_pb2.LookupRequest.Kind


def lookup_request(drawing: Drawing) -> read_pb2.LookupRequest:
    """A Lookup of what *drawing* knows; seldom with a token that no page ever gave."""
    rng, sentences = drawing.rng, drawing.sentences
    kind = rng.choice((_KINDS.KIND_UNSPECIFIED, _KINDS.KIND_NODES, _KINDS.KIND_EDGES))
    on_edges = kind == _KINDS.KIND_EDGES
    measures = Measures(drawing, on_edges=on_edges)
    request = read_pb2.LookupRequest(
        collection=NAME,
        read=drawing.read(),
        kind=kind,
        page_size=drawing.large(0, 1, 2, 3, 5, 100, most=10_000),
        sort=measures.sort() if rng.random() < 0.6 else [],
        fields=drawing.names(drawing.edge_names if on_edges else drawing.node_names),
        content_max_chars=drawing.large(0, 1, 40, most=50_000),
        facets=measures.facets(),
        metrics=measures.metrics(),
        bounds=drawing.bounds(),
    )
    if on_edges:
        request.filter = sentences.over_edges(request.vars, odds=0.7)
    else:
        request.filter = sentences.over_nodes(request.vars, odds=0.7)
    if rng.random() < 0.3:
        _add_join(drawing, request, on_edges=on_edges)
    if rng.random() < 0.01:
        request.from_kind = rng.choice(_KINDS.values())
    if rng.random() < 0.02:
        request.page_token = rng.choice(("no", "AAAA", "=", "\u00e9", "A" * 200))
    return request


def _add_join(drawing: Drawing, request: read_pb2.LookupRequest, *, on_edges: bool) -> None:
    """The join in fields of its own, seldom one of its three parts less."""
    rng, sentences = drawing.rng, drawing.sentences
    request.from_kind = rng.choice(_KINDS.values())
    from_edges = request.from_kind == _KINDS.KIND_EDGES
    request.field = sentences.joinable(on_edges=on_edges)
    like = sentences.kind(request.field, on_edges=on_edges)
    request.from_field = sentences.joinable(on_edges=from_edges, like=like)
    if from_edges:
        request.from_filter = sentences.over_edges(request.vars)
    else:
        request.from_filter = sentences.over_nodes(request.vars)
    if rng.random() < 0.3:
        request.max_values = rng.choice((1, 3, 65_536, 65_537))
    if rng.random() < 0.05:
        request.ClearField(rng.choice(("field", "from_filter", "from_field")))
