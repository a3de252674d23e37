"""Nodes and edges of an answer as messages: a field that is empty is not set."""

from passageway.v1 import types_pb2
from passageway_server.values.answers import EdgeRow, NodeRow
from passageway_server.wire.values import to_properties


def set_node(message: types_pb2.Node, row: NodeRow) -> None:
    """Fill an empty *message* with *row*."""
    message.id = row.id
    message.type = row.type
    if row.name:
        message.name = row.name
    if row.content:
        message.content = row.content
    if row.project:
        message.project = row.project
    if row.readers:
        message.readers.extend(row.readers)
    if row.status:
        message.status = row.status
    if row.properties:
        to_properties(row.properties, message.properties)
    if row.links:
        links = message.links
        for name, ids in row.links.items():
            links[name].values.extend(ids)
    if row.covered:
        message.covered = True
    if row.content_truncated:
        message.content_truncated = True
    if row.revision:
        message.revision = row.revision
    position = row.span
    if position is not None:
        span = message.span
        span.parent_id = position.parent_id
        span.index = position.index
        span.breadcrumb = position.breadcrumb
        if position.total is not None:
            span.total = position.total


def set_edge(message: types_pb2.Edge, row: EdgeRow) -> None:
    """Fill an empty *message* with *row*."""
    message.id = row.id
    message.source = row.source
    message.target = row.target
    message.type = row.type
    message.weight = row.weight
    if row.properties:
        to_properties(row.properties, message.properties)
    if row.readers:
        message.readers.extend(row.readers)
