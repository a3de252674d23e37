"""Edges made of two: where both ends point, by one type of edge, at the same row in between.

Such an edge is of the call alone. It runs from the node being left to the far end, and bears the id of the row
in between, which the walk does not reach by it.
"""

from dataclasses import dataclass

from passageway.v1 import graph_pb2, types_pb2
from tests.oracle.graph import Arc, Graph, Held, Scope
from tests.oracle.model import MADE
from tests.oracle.refusals import Checks
from tests.oracle.shown import THROUGH

MOST_SHARED, MOST_MEMBERS, USUAL_MEMBERS = 10, 100_000, 1_000


@dataclass(frozen=True, slots=True)
class Shared:
    """One kind of made edges, bound; ``place`` is where it stands in its hop."""

    place: int
    name: str
    edge_type: str
    through_type: str
    weight: float
    max_members: int

    @classmethod
    def of(cls, spec: graph_pb2.Hop.Shared, place: int, path: str, checks: Checks) -> "Shared":
        """The made edges that *spec* says; its faults go to *checks*, under *path*."""
        for name in ("name", "edge_type", "through_type"):
            checks.need(getattr(spec, name) != "", f"{path}.{name}")
        if spec.HasField("weight"):
            checks.need(0 <= spec.weight < float("inf"), f"{path}.weight")
        members = checks.number(f"{path}.max_members", spec.max_members, low=0, high=MOST_MEMBERS)
        return cls(
            place=place,
            name=spec.name,
            edge_type=spec.edge_type,
            through_type=spec.through_type,
            weight=spec.weight if spec.HasField("weight") else 1.0,
            max_members=members or USUAL_MEMBERS,
        )

    def made_at(self, graph: Graph, scope: Scope, leaving: str, hop: int) -> list[Arc]:
        """The edges made for a node that a *hop* leaves, one for each far end.

        Among each other they go by hop, then id of the node being left, id of the far end, order of the specs.
        """
        through: dict[str, str] = {}
        for between in self._pointed_at(graph, scope, leaving):
            members = self._pointing_at(graph, scope, between)
            if len(members) <= self.max_members:
                for far in members - {leaving}:
                    through[far] = min(between, through.get(far, between))
        ranks = {row_id: rank for rank, row_id in enumerate(sorted(graph.rows))}
        made: list[Arc] = []
        for far, between in through.items():
            ends = ranks[leaving] * len(ranks) + ranks[far]
            made.append(
                Arc(
                    source=leaving,
                    target=far,
                    type=self.name,
                    weight=self.weight,
                    stored=(MADE, hop, ends * MOST_SHARED + self.place),
                    properties={THROUGH: Held((between,), False)},
                    stored_properties={THROUGH: types_pb2.Value(string_value=between)},
                )
            )
        return made

    def _pointed_at(self, graph: Graph, scope: Scope, leaving: str) -> set[str]:
        return {
            arc.target
            for arc in graph.at[leaving]
            if arc.type == self.edge_type
            and arc.source == leaving != arc.target
            and arc.target in scope
            and graph.rows[arc.target].type == self.through_type
        }

    def _pointing_at(self, graph: Graph, scope: Scope, between: str) -> set[str]:
        return {
            arc.source
            for arc in graph.at[between]
            if arc.type == self.edge_type
            and arc.target == between != arc.source
            and arc.source in scope
        }
