"""What may be read, and the collection that is left when everything else is deleted.

This is the whole of authorization: `visible_to` deletes, as `World.apply` deletes, every row that one may not read,
and takes every field away that one may not read. But for askers.py, and for narrowed.py, which says the same of an older
version, no other module of the oracle knows what a principal is.
"""

from typing import TypeVar

from passageway.v1 import store_pb2, types_pb2
from tests.oracle.askers import Viewer
from tests.oracle.model import World

RecordT = TypeVar("RecordT", types_pb2.Node, types_pb2.Edge, types_pb2.Passage)


def may_read(world: World, row_id: str, viewer: Viewer) -> bool:
    """Whether a node may be read, or a span by way of its parent as it stands now."""
    if row_id in world.nodes:
        return viewer.holds_any(world.nodes[row_id].readers or world.settings.default_readers)
    span = world.passages[row_id]
    if span.parent_id not in world.nodes or not may_read(world, span.parent_id, viewer):
        return False
    return not span.readers or viewer.holds_any(span.readers)


def may_cross(world: World, edge_id: str, viewer: Viewer) -> bool:
    """Whether an edge document's own readers allow it, whatever its ends are."""
    edge = world.edges[edge_id]
    return not edge.readers or viewer.holds_any(edge.readers)


def visible_to(world: World, viewer: Viewer) -> World:
    """The collection without the rows, edges and fields that may not be read."""
    left = world.copy()
    left.apply(
        store_pb2.Batch(
            delete_edges=[each for each in world.edges if not may_cross(world, each, viewer)],
            delete_nodes=[
                each
                for each in [*world.nodes, *world.passages]
                if not may_read(world, each, viewer)
            ],
        )
    )
    return without_fields(left, hidden_fields(world, viewer))


def hidden_fields(world: World, viewer: Viewer) -> set[str]:
    """The declared fields that do not exist for whoever asks."""
    return {
        field.name
        for field in world.settings.fields
        if field.readers and not viewer.holds_any(field.readers)
    }


def without_fields(world: World, hidden: set[str]) -> World:
    """The same rows, in which nothing is declared or held under the *hidden* names."""
    if not hidden:
        return world
    left = world.copy()
    left.settings = store_pb2.Collection()
    left.settings.CopyFrom(world.settings)
    del left.settings.fields[:]
    left.settings.fields.extend(
        field for field in world.settings.fields if field.name not in hidden
    )
    left.nodes = {node.id: without(node, hidden) for node in world.nodes.values()}
    left.edges = {edge.id: without(edge, hidden) for edge in world.edges.values()}
    left.passages = {span.id: without(span, hidden) for span in world.passages.values()}
    return left


def without(record: RecordT, hidden: set[str]) -> RecordT:
    """The record, whole or without the properties that are *hidden*."""
    if hidden.isdisjoint(record.properties):
        return record
    left = type(record)()
    left.CopyFrom(record)
    for name in hidden.intersection(left.properties):
        del left.properties[name]
    return left
