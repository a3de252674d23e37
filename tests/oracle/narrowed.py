"""An older version, as it may be read today: a row or edge only by the readers that it had, and by those that it has.

Its content, project, declarations and default weights are those of its time. Who may call, the readers of fields and what
is deleted are judged by the newest version too.
"""

from dataclasses import replace

from passageway.v1 import store_pb2
from tests.oracle.askers import Asker, Viewer, with_membership
from tests.oracle.history import History
from tests.oracle.model import World
from tests.oracle.visible import may_cross, may_read, without_fields


def asker_at(history: History, version: int, asker: Asker) -> Asker:
    """The *asker* with the principals that the graph gave it then, and gives it now."""
    then = with_membership(history.worlds[version], asker)
    now = with_membership(history.now, asker)
    return replace(
        asker,
        principals=then.principals & now.principals,
        audiences=tuple(
            one & other for one, other in zip(then.audiences, now.audiences, strict=True)
        ),
    )


def visible_at(history: History, version: int, viewer: Viewer) -> World:
    """The *version* without the rows, edges and fields that may not be read, by it or by the newest."""
    then = history.worlds[version]
    left = then.copy()
    left.settings = settings_at(history, version)
    left.apply(
        store_pb2.Batch(
            delete_edges=[
                each
                for each in then.edges
                if not may_cross(then, each, viewer)
                or not may_cross(last_with_edge(history, each), each, viewer)
            ],
            delete_nodes=[
                each
                for each in [*then.nodes, *then.passages]
                if not may_read(then, each, viewer)
                or not may_read(last_with_row(history, each), each, viewer)
            ],
        )
    )
    return without_fields(left, hidden_fields_at(history, version, viewer))


def last_with_row(history: History, row_id: str) -> World:
    """The newest version that has the row: where it was deleted since, the last one that had it."""
    return next(
        world
        for world in reversed(history.worlds)
        if row_id in world.nodes or row_id in world.passages
    )


def last_with_edge(history: History, edge_id: str) -> World:
    """The newest version that has the edge document."""
    return next(world for world in reversed(history.worlds) if edge_id in world.edges)


def settings_at(history: History, version: int) -> store_pb2.Collection:
    """The settings of a version, but for whom the collection and its fields are for."""
    settings = store_pb2.Collection()
    settings.CopyFrom(history.worlds[version].settings)
    settings.users[:] = history.now.settings.users
    readers = field_readers_at(history, version)
    for field in settings.fields:
        field.readers[:] = readers[field.name]
    return settings


def field_readers_at(history: History, version: int) -> dict[str, list[str]]:
    """Whom each field is for that is declared, or was since: those that it has now, or had when it was dropped."""
    return {
        field.name: list(field.readers)
        for world in history.worlds[version:]
        for field in world.settings.fields
    }


def hidden_fields_at(history: History, version: int, viewer: Viewer) -> set[str]:
    """The fields that do not exist for whoever asks, declared at that time or not."""
    return {
        name
        for name, readers in field_readers_at(history, version).items()
        if readers and not viewer.holds_any(readers)
    }
