"""What requests share: read options, bounds, edge specs, vars, and optional fields."""

from collections.abc import Mapping
from typing import Any

from google.protobuf.message import Message

from passageway.v1 import query_pb2, types_pb2
from passageway_server.values.collections import Direction
from passageway_server.values.queries import (
    Bounds,
    EdgeSpec,
    Facet,
    Facets,
    Metric,
    MetricOp,
    Metrics,
    Query,
    ReadOptions,
    Vars,
)
from passageway_server.values.records import Vector
from passageway_server.wire.findings import Findings
from passageway_server.wire.values import from_vars

_EVIDENCE = frozenset(query_pb2.Evidence.values())


def optional(message: Message, name: str) -> Any:
    """The field *name* where it is set, None where it is not; for fields that the contract marks optional."""
    return getattr(message, name) if message.HasField(name) else None


def read_options(
    message: query_pb2.ReadOptions, findings: Findings, *, current: bool = False
) -> ReadOptions:
    """Evidence unspecified means CURRENT where *current*, else ALL."""
    evidence = message.evidence
    if evidence not in _EVIDENCE:
        findings.fault("read.evidence", f"is {evidence}, which the contract does not have")
    return ReadOptions(
        at_version=message.at_version,
        at_least_version=message.at_least_version,
        project=message.project,
        current=evidence == query_pb2.EVIDENCE_CURRENT
        or (current and evidence == query_pb2.EVIDENCE_UNSPECIFIED),
    )


def bounds(number: int, findings: Findings) -> Bounds:
    """What a request says about numbers outside their range."""
    return findings.enum(Bounds, number, path="bounds", unset=Bounds.UNSPECIFIED)


def edge_spec(
    message: query_pb2.EdgeSpec, *, path: str, unset: Direction, findings: Findings
) -> EdgeSpec:
    """An edge spec whose direction, where unspecified, is *unset*."""
    return EdgeSpec(
        types=tuple(message.types),
        direction=findings.enum(
            Direction, message.direction, path=f"{path}.direction", unset=unset
        ),
        filter=message.filter,
        weight_property=message.weight_property,
        max_frontier=message.max_frontier,
    )


def variables(values: Mapping[str, types_pb2.Value], findings: Findings) -> Vars:
    """The vars of a request; one without a kind is absent."""
    return from_vars(values, path="vars", findings=findings) if values else {}


def query(message: query_pb2.Query, *, path: str, findings: Findings) -> Query:
    """A query by words, vectors, filter and sort; a vector of no numbers is none."""
    return Query(
        text=message.text,
        text_fields=tuple(message.text_fields),
        max_edits=message.max_edits,
        filter=message.filter,
        vars=from_vars(message.vars, path=f"{path}.vars", findings=findings),
        types=tuple(message.types),
        limit=optional(message, "limit"),
        sort=tuple(message.sort),
        rescore=message.rescore,
        vector=Vector.of(message.vector) if message.vector else None,
        vector_field=message.vector_field,
        also=tuple(
            query(one, path=f"{path}.also[{i}]", findings=findings)
            for i, one in enumerate(message.also)
        ),
    )


def facets(messages: Mapping[str, query_pb2.Facet]) -> Facets:
    """The facets of a request, by the names that it gives them."""
    return {name: Facet(one.field, optional(one, "limit")) for name, one in messages.items()}


def metrics(messages: Mapping[str, query_pb2.Metric], findings: Findings) -> Metrics:
    """The metrics of a request, by the names that it gives them."""
    return {
        name: Metric(
            one.field,
            findings.enum(MetricOp, one.op, path=f"metrics.{name}.op", unset=MetricOp.UNSPECIFIED),
        )
        for name, one in messages.items()
    }
