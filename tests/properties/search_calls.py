"""Random requests of Search: words, filters and types, alone and together."""

from passageway.v1 import search_pb2
from tests.properties.drawing import Drawing
from tests.properties.measures import Measures
from tests.properties.words import NAME


def search_request(drawing: Drawing) -> search_pb2.SearchRequest:
    """A Search of what *drawing* knows."""
    measures = Measures(drawing)
    request = search_pb2.SearchRequest(
        collection=NAME,
        read=drawing.read(),
        fields=drawing.names(drawing.node_names),
        content_max_chars=drawing.large(0, 1, 40, most=50_000),
        facets=measures.facets(),
        metrics=measures.metrics(),
        type_cap=drawing.large(0, 1, 3, most=10_000),
        bounds=drawing.bounds(),
    )
    request.query.CopyFrom(measures.query(worded=0.8))
    if drawing.rng.random() < 0.1:
        request.query.limit = 0
    return request
