"""Paths: its request, and its answer with every node by id."""

from passageway.v1 import graph_pb2
from passageway_server.values.answers import PathsAnswer
from passageway_server.values.collections import Direction
from passageway_server.values.halt import Halt
from passageway_server.values.requests import PathMode, PathsRequest
from passageway_server.wire.ending import paced
from passageway_server.wire.findings import Findings
from passageway_server.wire.messages.options import (
    bounds,
    edge_spec,
    optional,
    read_options,
    variables,
)
from passageway_server.wire.messages.rows import set_edge, set_node


def from_message(message: graph_pb2.PathsRequest, findings: Findings) -> PathsRequest:
    return PathsRequest(
        collection=message.collection,
        read=read_options(message.read, findings),
        sources=tuple(message.sources),
        targets=tuple(message.targets),
        edges=tuple(
            edge_spec(spec, path=f"edges[{i}]", unset=Direction.BOTH, findings=findings)
            for i, spec in enumerate(message.edges)
        ),
        max_depth=optional(message, "max_depth"),
        k=optional(message, "k"),
        weighted=message.weighted,
        mode=findings.enum(PathMode, message.mode, path="mode", unset=PathMode.SHORTEST),
        min_depth=optional(message, "min_depth"),
        max_paths=optional(message, "max_paths"),
        max_frontier=optional(message, "max_frontier"),
        max_degree=message.max_degree,
        timeout_ms=message.timeout_ms,
        filter=message.filter,
        vars=variables(message.vars, findings),
        fields=tuple(message.fields),
        edge_fields=tuple(message.edge_fields),
        content_max_chars=optional(message, "content_max_chars"),
        bounds=bounds(message.bounds, findings),
    )


def to_message(answer: PathsAnswer, halt: Halt) -> graph_pb2.PathsResponse:
    message = graph_pb2.PathsResponse(
        version=answer.version,
        truncated=answer.truncated,
        timed_out=answer.timed_out,
        explored=answer.explored,
        applied=answer.applied,
        took_us=answer.took_us,
    )
    for row in paced(answer.paths, halt):
        path = message.paths.add(node_ids=row.node_ids, length=row.length, cost=row.cost)
        for edge in row.edges:
            set_edge(path.edges.add(), edge)
    for id, node in paced(answer.nodes.items(), halt):
        set_node(message.nodes[id], node)
    return message
