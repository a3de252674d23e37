"""Who asks, and what that comes to in a world: sets of principals, each of which must be able to read what is told.

A caller brings principals of its own, the graph may add some to them, and each audience is one more set.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from tests.oracle.graph import Graph
from tests.oracle.model import World

Principals = frozenset[str]

MOST_BYTES, USUAL_DEPTH = 256, 3


def holds(principals: Principals, reader: str) -> bool:
    """Whether all parts of a reader such as ``team:graph & level:senior`` are held."""
    return all(part.strip() in principals for part in reader.split("&"))


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks, as the token and the metadata say it; the principals, and each audience, hold ``public``.

    One who acts for others has no ``sub``, and is no admin.
    """

    sub: str
    principals: Principals
    admin: bool = False
    audiences: tuple[Principals, ...] = ()

    @property
    def alone(self) -> "Asker":
        """The same without an audience."""
        return replace(self, audiences=())


@dataclass(frozen=True, slots=True)
class Viewer:
    """Whom an answer is for: each of the sets must be able to read what is in it. Of an admin alone, there is none."""

    sets: tuple[Principals, ...]

    @property
    def admin(self) -> bool:
        """Whether it reads every row, and is shown the readers."""
        return not self.sets

    def holds_any(self, readers: Iterable[str]) -> bool:
        """Whether each of the sets holds one of *readers*."""
        readers = list(readers)
        return all(any(holds(one, reader) for reader in readers) for one in self.sets)


def viewer(asker: Asker) -> Viewer:
    """Whom the answer to *asker* is for, its principals being what they are."""
    own = () if asker.admin else (asker.principals,)
    return Viewer((*own, *asker.audiences))


def with_membership(world: World, asker: Asker) -> Asker:
    """The *asker*, and its audiences, with the principals that the graph adds to them.

    Who has a name starts from the node that the template makes of it; all others from each node that the template
    makes of some name and whose id is among their principals.
    """
    if not world.settings.HasField("membership"):
        return asker
    before, _, after = world.settings.membership.node_id_template.partition("{sub}")
    everything = Graph(world, admin=True)

    def listed(principals: Principals) -> Principals:
        starts = {
            one
            for one in principals - {"public"}
            if one.startswith(before)
            and one.endswith(after)
            and len(one) > len(before) + len(after)
        }
        return principals | _added(everything, starts)

    if asker.sub:
        own = asker.principals | _added(everything, {before + asker.sub + after})
    else:
        own = listed(asker.principals)
    return replace(
        asker, principals=own, audiences=tuple(listed(audience) for audience in asker.audiences)
    )


def _added(everything: Graph, starts: set[str]) -> Principals:
    """The ids of the rows that edges of the named types lead to, out of *starts*, so far as an id may grant."""
    membership = everything.settings.membership
    depth = membership.max_depth if membership.HasField("max_depth") else USUAL_DEPTH
    seen = frontier = {row_id for row_id in starts if row_id in everything.rows}
    for _ in range(depth):
        ends = {
            arc.target
            for row_id in frontier
            for arc in everything.at[row_id]
            if arc.source == row_id and arc.type in membership.edge_types
        }
        frontier = ends - seen
        seen = seen | frontier
    return frozenset(row_id for row_id in seen - starts if _grants(row_id))


def _grants(row_id: str) -> bool:
    """Whether the id is a principal, and not that of one user or of everybody."""
    return (
        not row_id.startswith("user:")
        and row_id != "public"
        and "&" not in row_id
        and row_id == row_id.strip()
        and len(row_id.encode()) <= MOST_BYTES
    )
