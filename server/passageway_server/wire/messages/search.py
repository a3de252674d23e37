"""Search: its request, and what it found."""

from passageway.v1 import query_pb2, search_pb2
from passageway_server.values.answers import SearchAnswer
from passageway_server.values.halt import Halt
from passageway_server.values.requests import SearchRequest
from passageway_server.wire.ending import paced
from passageway_server.wire.findings import Findings
from passageway_server.wire.messages.facets import set_facets_and_metrics
from passageway_server.wire.messages.options import (
    bounds,
    facets,
    metrics,
    optional,
    query,
    read_options,
)
from passageway_server.wire.messages.rows import set_node


def from_message(message: search_pb2.SearchRequest, findings: Findings) -> SearchRequest:
    """Evidence unspecified means CURRENT."""
    return SearchRequest(
        collection=message.collection,
        read=read_options(message.read, findings, current=True),
        query=query(message.query, path="query", findings=findings),
        fields=tuple(message.fields),
        content_max_chars=optional(message, "content_max_chars"),
        facets=facets(message.facets),
        metrics=metrics(message.metrics, findings),
        type_cap=optional(message, "type_cap"),
        timeout_ms=message.timeout_ms,
        bounds=bounds(message.bounds, findings),
    )


def to_message(answer: SearchAnswer, halt: Halt) -> search_pb2.SearchResponse:
    message = search_pb2.SearchResponse(
        version=answer.version,
        total=answer.total,
        truncated=answer.total > len(answer.hits),
        type_hits_omitted=answer.type_hits_omitted,
        unknown_types=answer.unknown_types.told,
        unknown_types_omitted=answer.unknown_types.omitted,
        evidence=query_pb2.EVIDENCE_CURRENT if answer.current else query_pb2.EVIDENCE_ALL,
        excluded_evidence=answer.excluded_evidence,
        timed_out=answer.timed_out,
        applied=answer.applied,
        took_us=answer.took_us,
    )
    for hit in paced(answer.hits, halt):
        found = message.hits.add(score=hit.score, matched=hit.matched)
        set_node(found.node, hit.node)
        if hit.excerpt is not None:
            found.excerpt.MergeFrom(search_pb2.Excerpt(**hit.excerpt._asdict()))
    for one in answer.type_hits:
        message.type_hits.add(type=one.type, count=one.rows)
    set_facets_and_metrics(message, answer.facets, answer.metrics, halt)
    return message
