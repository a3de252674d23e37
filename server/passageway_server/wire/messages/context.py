"""Context: its request, and what was packed."""

from passageway.v1 import query_pb2, search_pb2
from passageway_server.values.context import ContextAnswer, ContextRequest, Measured
from passageway_server.values.halt import Halt
from passageway_server.wire.ending import paced
from passageway_server.wire.findings import Findings
from passageway_server.wire.messages.options import bounds, optional, query, read_options
from passageway_server.wire.messages.rows import set_edge, set_node


def from_message(message: search_pb2.ContextRequest, findings: Findings) -> ContextRequest:
    """Evidence unspecified means CURRENT."""
    asked = message.query if message.HasField("query") else None
    return ContextRequest(
        collection=message.collection,
        read=read_options(message.read, findings, current=True),
        ids=tuple(message.ids),
        query=None if asked is None else query(asked, path="query", findings=findings),
        hops=optional(message, "hops"),
        token_budget=optional(message, "token_budget"),
        measure=findings.enum(Measured, message.measure, path="measure", unset=Measured.ANSWER),
        reserve_bytes=message.reserve_bytes,
        type_cap=optional(message, "type_cap"),
        timeout_ms=message.timeout_ms,
        bounds=bounds(message.bounds, findings),
        walk_as_declared=message.walk_as_declared,
    )


def to_message(answer: ContextAnswer, halt: Halt) -> search_pb2.ContextResponse:
    told, omitted = answer.told, answer.omitted
    message = search_pb2.ContextResponse(
        version=told.version,
        context=answer.text,
        unresolved=told.unresolved,
        truncated=bool(omitted),
        omitted_nodes=omitted.nodes,
        omitted_edges=omitted.edges,
        omitted_properties=omitted.properties,
        expansion_limited=told.expansion_limited,
        token_estimate=answer.token_estimate,
        response_token_estimate=answer.response_token_estimate,
        type_hits_omitted=told.type_hits_omitted,
        unknown_types=told.unknown_types.told,
        unknown_types_omitted=told.unknown_types.omitted,
        evidence=query_pb2.EVIDENCE_CURRENT if told.current else query_pb2.EVIDENCE_ALL,
        excluded_evidence=told.excluded_evidence,
        timed_out=told.timed_out,
        applied=told.applied,
    )
    for seed in answer.seeds:
        hit = message.seeds.add(score=seed.score, matched=seed.matched)
        hit.node.id = seed.id
    for row in paced(answer.nodes, halt):
        set_node(message.nodes.add(), row)
    for edge in paced(answer.edges, halt):
        set_edge(message.edges.add(), edge)
    for piece in answer.excerpts:
        message.excerpts.add(**piece._asdict())
    for one in told.type_hits:
        message.type_hits.add(type=one.type, count=one.rows)
    return message
