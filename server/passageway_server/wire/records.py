"""Batches from the wire. A million records pass here, so a place is only spelled out where something is wrong.

The version checks what records say; here is what only a message can hold: fields that answers alone set, values that
have no plain form.
"""

from collections.abc import Iterator, Mapping, Sequence

from passageway.v1 import store_pb2, types_pb2
from passageway_server.values.records import (
    Batch,
    EdgeRecord,
    NodeRecord,
    PassageRecord,
    Properties,
)
from passageway_server.wire import columns
from passageway_server.wire.findings import Findings
from passageway_server.wire.values import from_properties, to_properties

_NO_PROPERTIES: Properties = {}
_NO_LINKS: dict[str, tuple[str, ...]] = {}
_ANSWERS_ONLY = "only answers set it: a cut preview or a span must not overwrite a row"


def from_message(message: store_pb2.Batch, findings: Findings) -> Batch:
    """The batch that *message* holds; what is wrong stands at places such as ``batch.put_nodes[17].span``."""
    return Batch(
        delete_edges=tuple(message.delete_edges),
        delete_nodes=tuple(message.delete_nodes),
        recut_parents=tuple(message.recut_parents),
        put_nodes=tuple(_nodes(message.put_nodes, findings)),
        node_columns=columns.nodes(message.node_columns, "batch.node_columns")
        if message.HasField("node_columns")
        else None,
        put_edges=tuple(_edges(message.put_edges, findings)),
        edge_columns=columns.edges(message.edge_columns, "batch.edge_columns")
        if message.HasField("edge_columns")
        else None,
        put_passages=tuple(_passages(message.put_passages, findings)),
    )


def to_message(batch: Batch) -> store_pb2.Batch:
    """The message that `from_message` reads back."""
    message = store_pb2.Batch(
        delete_edges=batch.delete_edges,
        delete_nodes=batch.delete_nodes,
        recut_parents=batch.recut_parents,
    )
    for node in batch.put_nodes:
        put = message.put_nodes.add(
            id=node.id,
            type=node.type,
            name=node.name,
            content=node.content,
            project=node.project,
            readers=node.readers,
            status=node.status,
            covered=node.covered,
        )
        to_properties(node.properties, put.properties)
        for name, ids in node.links.items():
            put.links[name].values.extend(ids)
    for edge in batch.put_edges:
        to_properties(
            edge.properties,
            message.put_edges.add(
                id=edge.id,
                source=edge.source,
                target=edge.target,
                type=edge.type,
                weight=edge.weight,
                readers=edge.readers,
            ).properties,
        )
    for passage in batch.put_passages:
        to_properties(
            passage.properties,
            message.put_passages.add(
                id=passage.id,
                parent_id=passage.parent_id,
                index=passage.index,
                name=passage.name,
                content=passage.content,
                breadcrumb=passage.breadcrumb,
                mentions=passage.mentions,
                type=passage.type,
                readers=passage.readers,
                total=passage.total,
            ).properties,
        )
    return message


def _nodes(messages: Sequence[types_pb2.Node], findings: Findings) -> Iterator[NodeRecord]:
    for i, message in enumerate(messages):
        if message.content_truncated or message.HasField("span"):
            _check_unset(message, i, findings)
        properties, links = message.properties, message.links
        yield NodeRecord(
            message.id,
            message.type,
            message.name,
            message.content,
            message.project,
            tuple(message.readers),
            message.status,
            _properties(properties, "put_nodes", i, findings) if properties else _NO_PROPERTIES,
            {name: tuple(ids.values) for name, ids in links.items()} if links else _NO_LINKS,
            message.covered,
        )


def _edges(messages: Sequence[types_pb2.Edge], findings: Findings) -> Iterator[EdgeRecord]:
    for i, message in enumerate(messages):
        properties = message.properties
        yield EdgeRecord(
            message.id,
            message.source,
            message.target,
            message.type,
            message.weight if message.HasField("weight") else None,
            _properties(properties, "put_edges", i, findings) if properties else _NO_PROPERTIES,
            tuple(message.readers),
        )


def _passages(messages: Sequence[types_pb2.Passage], findings: Findings) -> Iterator[PassageRecord]:
    for i, message in enumerate(messages):
        properties = message.properties
        yield PassageRecord(
            message.id,
            message.parent_id,
            message.index,
            message.name,
            message.content,
            message.breadcrumb,
            tuple(message.mentions),
            _properties(properties, "put_passages", i, findings) if properties else _NO_PROPERTIES,
            message.type,
            tuple(message.readers),
            message.total if message.HasField("total") else None,
        )


def _check_unset(message: types_pb2.Node, i: int, findings: Findings) -> None:
    if message.content_truncated:
        findings.fault(f"batch.put_nodes[{i}].content_truncated", _ANSWERS_ONLY)
    if message.HasField("span"):
        findings.fault(f"batch.put_nodes[{i}].span", _ANSWERS_ONLY)


def _properties(
    values: Mapping[str, types_pb2.Value], records: str, i: int, findings: Findings
) -> Properties:
    return from_properties(values, path=f"batch.{records}[{i}].properties", findings=findings)
