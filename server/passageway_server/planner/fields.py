"""The fields that an answer is asked to show, bound to what the caller knows.

None asked for means all but vectors. An unknown name is a fault that lists near names, as in a filter.
"""

from collections.abc import Sequence

from passageway_server.engine.known import PREFIX, KnownFields
from passageway_server.engine.predicate import Source
from passageway_server.engine.selection import EVERYTHING, REVISION, Selection
from passageway_server.planner.faults import Faults
from passageway_server.planner.filters import unknown_field

NODE_SHOWN = frozenset({"id", "type", "name", "content", "project", "status", "covered", "span"})
EDGE_SHOWN = frozenset({"id", "type", "weight", "source", "target"})
"""What a row itself has, and an answer may show of it."""

NODE_NAMEABLE = NODE_SHOWN | {REVISION}
"""The same, and what is worked out where it is named."""


def selected(
    fields: Sequence[str],
    *,
    path: str,
    known: KnownFields,
    shown: frozenset[str],
    faults: Faults,
    also: frozenset[str] = frozenset(),
) -> Selection:
    """What to show: of the row itself what *shown* has, of the *known* fields the rest.

    Names of *also* are properties of rows that no version holds: whether or not they are known,
    they are shown as ``builtins``. Faults are added at ``path[i]``.
    """
    if not fields:
        return EVERYTHING
    builtins: dict[str, None] = {}
    properties: dict[str, None] = {}
    links: dict[str, None] = {}
    for i, name in enumerate(fields):
        if name in shown:
            builtins[name] = None
            continue
        bare = name.removeprefix(PREFIX)
        if bare in also:
            builtins[bare] = None
        field = known.get(name)
        if field is None and bare in also:
            continue
        if field is None:
            faults.add(f"{path}[{i}]", unknown_field(name, known))
        elif field.source == Source.LINK:
            links[field.name] = None
        else:
            properties[field.name] = None
    return Selection(False, frozenset(builtins), tuple(properties), tuple(links))
