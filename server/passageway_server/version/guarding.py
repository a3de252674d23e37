"""What must hold for a batch to be committed: that nothing came in between, or that its rows are what they were."""

from collections.abc import Callable

import numpy as np

from passageway_server.columns.nodes import ABSENT
from passageway_server.errors import RevisionsMoved, VersionMoved
from passageway_server.values.records import Guard
from passageway_server.version.revisions import revision_of
from passageway_server.version.version import Version

Hidden = Callable[[Version], frozenset[str]]
"""The declared fields that do not exist for a caller in a version."""


def nothing_hidden(_: Version) -> frozenset[str]:
    """For a caller to whom every field is there."""
    return frozenset()


def check_guard(version: Version, guard: Guard, hidden: Hidden) -> None:
    """Raise VersionMoved or RevisionsMoved unless *version* is what *guard* asks for.

    A row counts whoever may read it, and a span without its parent too: a put would take its place. Its revision is
    that without the *hidden* fields.
    """
    if guard.if_version not in ("", version.token):
        raise VersionMoved(guard.if_version, newest=version.token)
    if not guard.if_revisions:
        return
    ids = sorted(guard.if_revisions)
    rows = version.nodes.ids.find_all(ids)
    places = np.flatnonzero(rows >= 0)
    places = places[version.nodes.kind[rows[places]] != ABSENT]
    there: list[str] = [ids[place] for place in places.tolist()]
    revisions = revision_of(version, rows[places], hidden(version))
    found = dict(zip(there, revisions, strict=True))
    moved = [id for id in ids if found.get(id, "") != guard.if_revisions[id]]
    if moved:
        raise RevisionsMoved(moved, newest=version.token)
