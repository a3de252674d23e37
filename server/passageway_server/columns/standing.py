"""Edge documents of a version, and the slots of its adjacency: do they stand there, and if not, put them there."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.adjacency import Adjacency
from passageway_server.columns.by_row import ByRow
from passageway_server.columns.edge_classes import EdgeClasses
from passageway_server.columns.in_slots import InSlots
from passageway_server.columns.nodes import Docs


def in_slots(
    docs: Docs,
    out: Adjacency,
    classes: EdgeClasses,
    rows: NDArray[np.integer] | None = None,
) -> dict[str, ByRow[Any]]:
    """The arrays of the *rows* of *docs* (None: all), numbered from 0, in slots of *out*, whose edges are of *classes*; themselves where they stand there."""
    if rows is None and stand_in(docs, out):
        return docs.by_row()
    return InSlots.of(docs, out, classes, rows).columns()


def place_in(docs: Docs, out: Adjacency, classes: EdgeClasses) -> InSlots:
    """Where *docs* stand, in slots of *out*, whose edges are of *classes*."""
    place = docs.source.place
    if isinstance(place, InSlots) and stand_in(docs, out):
        return place
    return InSlots.of(docs, out, classes)


def begun(docs: Docs, put: Docs, held: Docs) -> Docs | None:
    """*docs*, in the slots in which *held* has the same as *put*; None unless *put* begins with them, in arrays."""
    place, arrays = held.source.place, put.by_row()
    if not isinstance(place, InSlots) or len(place) != len(put):
        return None
    if not all(array.begins(arrays[name]) for name, array in docs.by_row().items()):
        return None
    first = InSlots(place.slot[: len(docs)], place.base, place.classes, place.aside)
    return Docs(docs.ids, docs.properties, **first.columns())


def stand_in(docs: Docs, out: Adjacency) -> bool:
    """Whether *docs* stand in slots of *out* already, all of them, with nothing beside."""
    place, arrays = docs.source.place, docs.by_row().values()
    return (
        isinstance(place, InSlots)
        and place.base.others is out.others
        and len(place) == len(docs)
        and not docs.source.patches.size
        and all(array.place is place for array in arrays)
    )
