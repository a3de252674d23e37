"""Lookup: its request, and the nodes that it selects."""

from passageway.v1 import read_pb2
from passageway_server.values.answers import LookupAnswer
from passageway_server.values.requests import LookupRequest
from passageway_server.wire.findings import Findings
from passageway_server.wire.messages.options import bounds, optional, read_options, variables
from passageway_server.wire.messages.rows import set_node

_KINDS = read_pb2.LookupRequest.Kind.values()


def from_message(message: read_pb2.LookupRequest, findings: Findings) -> LookupRequest:
    if message.kind not in _KINDS:
        findings.fault("kind", f"is {message.kind}, which the contract does not have")
    return LookupRequest(
        collection=message.collection,
        read=read_options(message.read, findings),
        filter=message.filter,
        field=message.field,
        from_filter=message.from_filter,
        from_field=message.from_field,
        max_values=optional(message, "max_values"),
        vars=variables(message.vars, findings),
        page_size=optional(message, "page_size"),
        fields=tuple(message.fields),
        content_max_chars=optional(message, "content_max_chars"),
        bounds=bounds(message.bounds, findings),
    )


def to_message(answer: LookupAnswer) -> read_pb2.LookupResponse:
    message = read_pb2.LookupResponse(
        version=answer.version, total=answer.total, applied=answer.applied, took_us=answer.took_us
    )
    for row in answer.nodes:
        set_node(message.nodes.add(), row)
    return message
