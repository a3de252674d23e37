"""How much a collection can hold: numbers of rows, edges and strings are int32, and keys of edges have 29 bits for them.

Numbers of what was replaced or deleted count until the arrays are merged, so each limit is one of all that stands there.
"""

from typing import Final

from passageway_server.errors import LimitExceeded
from passageway_server.version.draft import Draft

MOST_ROWS: Final = (1 << 31) - 1
"""Ids of nodes and spans, and ids that are only named."""

MOST_EDGES: Final = 1 << 29
"""Edge documents; and as many links, mentions and spans' ties to their parents."""

MOST_STRINGS: Final = (1 << 31) - 1
"""Texts; and keywords."""


def check_sizes(draft: Draft) -> None:
    """Raise LimitExceeded where *draft* has more of something than can be numbered."""
    counted = (
        (len(draft.nodes.ids), MOST_ROWS, "ids of nodes and passages"),
        (len(draft.docs.ids), MOST_EDGES, "edges"),
        (len(draft.links), MOST_EDGES, "links, mentions and passages"),
        (len(draft.texts), MOST_STRINGS, "texts"),
        (len(draft.keywords), MOST_STRINGS, "keywords"),
    )
    for count, most, what in counted:
        if count > most:
            raise LimitExceeded(
                "COLLECTION_SIZE",
                limit=most,
                parameter="commit",
                advice=f"a collection numbers so many {what}, those that were replaced since the last snapshot"
                " included: write a snapshot, or use another collection",
            )
