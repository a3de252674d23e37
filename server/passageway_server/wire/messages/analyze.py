"""Analyze: its request, and how far it is."""

from passageway.v1 import store_pb2
from passageway_server.values.answers import AnalyzeProgress
from passageway_server.values.collections import Direction
from passageway_server.values.requests import AnalyzeRequest, Measure
from passageway_server.wire.findings import Findings
from passageway_server.wire.messages.options import edge_spec, optional


def from_message(message: store_pb2.AnalyzeRequest, findings: Findings) -> AnalyzeRequest:
    return AnalyzeRequest(
        collection=message.collection,
        measure=findings.enum(Measure, message.measure, path="measure", unset=Measure.UNSPECIFIED),
        property=message.property,
        as_principals=tuple(message.as_principals),
        edges=tuple(
            edge_spec(spec, path=f"edges[{i}]", unset=Direction.OUT, findings=findings)
            for i, spec in enumerate(message.edges)
        ),
        seed=message.seed,
        alpha=optional(message, "alpha"),
        resolution=optional(message, "resolution"),
    )


def to_message(progress: AnalyzeProgress) -> store_pb2.AnalyzeResponse:
    return store_pb2.AnalyzeResponse(
        done=progress.done,
        version=progress.version,
        nodes=progress.nodes,
        communities=progress.communities,
    )
