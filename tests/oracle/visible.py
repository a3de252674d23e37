"""What a caller may read, and the collection that is left when everything else is deleted.

This is the whole of authorization: `visible_to` deletes, as `World.apply` deletes, every row that the caller
may not read. No other module of the oracle knows what a principal is.
"""

from passageway.v1 import store_pb2
from tests.oracle.model import World

Principals = frozenset[str]


def holds(principals: Principals, reader: str) -> bool:
    """Whether all parts of a reader such as ``team:graph & level:senior`` are held."""
    return all(part.strip() in principals for part in reader.split("&"))


def may_read(world: World, row_id: str, principals: Principals, *, admin: bool) -> bool:
    """Whether the caller may read a node, or a span by way of its parent as it stands now."""
    if row_id in world.nodes:
        readers = world.nodes[row_id].readers or world.settings.default_readers
        return admin or any(holds(principals, reader) for reader in readers)
    span = world.passages[row_id]
    if span.parent_id not in world.nodes:
        return False
    if not may_read(world, span.parent_id, principals, admin=admin):
        return False
    return admin or not span.readers or any(holds(principals, reader) for reader in span.readers)


def visible_to(world: World, principals: Principals, *, admin: bool) -> World:
    """The collection without the rows and edges that the caller may not read."""
    hidden_rows = [
        row_id
        for row_id in [*world.nodes, *world.passages]
        if not may_read(world, row_id, principals, admin=admin)
    ]
    hidden_edges = [
        edge.id
        for edge in world.edges.values()
        if edge.readers
        and not admin
        and not any(holds(principals, reader) for reader in edge.readers)
    ]
    left = world.copy()
    left.apply(store_pb2.Batch(delete_edges=hidden_edges, delete_nodes=hidden_rows))
    return left
