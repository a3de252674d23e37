"""Lookup: its request, and the nodes or edges that it selects."""

from passageway.v1 import read_pb2
from passageway_server.values.answers import LookupAnswer
from passageway_server.values.halt import Halt
from passageway_server.values.requests import LookupKind, LookupRequest
from passageway_server.wire.ending import paced
from passageway_server.wire.findings import Findings
from passageway_server.wire.messages.facets import set_facets_and_metrics
from passageway_server.wire.messages.options import (
    bounds,
    facets,
    metrics,
    optional,
    read_options,
    variables,
)
from passageway_server.wire.messages.rows import set_edge, set_node

_NODES = LookupKind.NODES


def from_message(message: read_pb2.LookupRequest, findings: Findings) -> LookupRequest:
    return LookupRequest(
        collection=message.collection,
        read=read_options(message.read, findings),
        kind=findings.enum(LookupKind, message.kind, path="kind", unset=_NODES),
        filter=message.filter,
        field=message.field,
        from_filter=message.from_filter,
        from_field=message.from_field,
        from_kind=findings.enum(LookupKind, message.from_kind, path="from_kind", unset=_NODES)
        if message.from_kind
        else None,
        max_values=optional(message, "max_values"),
        vars=variables(message.vars, findings),
        sort=tuple(message.sort),
        page_size=optional(message, "page_size"),
        page_token=message.page_token,
        fields=tuple(message.fields),
        content_max_chars=optional(message, "content_max_chars"),
        facets=facets(message.facets),
        metrics=metrics(message.metrics, findings),
        timeout_ms=message.timeout_ms,
        bounds=bounds(message.bounds, findings),
    )


def to_message(answer: LookupAnswer, halt: Halt) -> read_pb2.LookupResponse:
    message = read_pb2.LookupResponse(
        version=answer.version,
        total=answer.total,
        next_page_token=answer.next_page_token,
        timed_out=answer.timed_out,
        applied=answer.applied,
        took_us=answer.took_us,
    )
    for node in paced(answer.nodes, halt):
        set_node(message.nodes.add(), node)
    for edge in paced(answer.edges, halt):
        set_edge(message.edges.add(), edge)
    set_facets_and_metrics(message, answer.facets, answer.metrics, halt)
    return message
