"""Random requests of Context: seeds by words, filters and ids, under budgets that are mostly too small."""

from passageway.v1 import search_pb2
from tests.properties.drawing import Drawing
from tests.properties.measures import Measures
from tests.properties.words import NAME

_MEASURES = search_pb2.ContextRequest.Measure.values()


def context_request(drawing: Drawing) -> search_pb2.ContextRequest:
    """A Context of what *drawing* knows."""
    rng = drawing.rng
    request = search_pb2.ContextRequest(
        collection=NAME,
        read=drawing.read(),
        hops=rng.choice((None, 0, 1, 1, 2, 3)) if rng.random() < 0.98 else 4,
        token_budget=_budget(drawing),
        measure=rng.choice(_MEASURES),
        reserve_bytes=rng.choice((0, 0, 0, 1, 50, rng.randint(0, 1_000), 200_000)),
        bounds=drawing.bounds(),
        walk_as_declared=rng.random() < 0.2,
    )
    by_ids = rng.random() < 0.4
    if by_ids:
        request.ids.extend(drawing.ids(6) if rng.random() < 0.98 else drawing.ids(1) * 65)
    if not by_ids or rng.random() < 0.01:
        request.query.CopyFrom(Measures(drawing).query(worded=0.8))
        if not request.query.HasField("limit") or request.query.limit > 64:
            request.query.limit = rng.choice((1, 2, 8, 64, 65))
        if rng.random() < 0.3:
            request.query.ClearField("limit")
    if rng.random() < 0.01:
        request.ClearField("query")
    cap = drawing.large(0, 1, 3, most=10_000)
    if cap is not None:
        request.type_cap = cap
    return request


def _budget(drawing: Drawing) -> int | None:
    rng = drawing.rng
    if rng.random() < 0.05:
        return rng.choice((None, 0, 255, 32_769))
    return rng.choice((rng.randint(256, 1_024), rng.randint(256, 600), rng.randint(256, 32_768)))
