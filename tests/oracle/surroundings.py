"""What lies around the seeds of a Context: walks by brute force, in the order in which they are taken."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.oracle.graph import Arc, Graph, Scope
from tests.oracle.steps import Step

MOST_WALKS = 512


@dataclass(slots=True)
class Surroundings:
    """The rows that the walks step on, by their least distance, and the edges along which they do, in stored order."""

    distances: dict[str, int] = field(default_factory=dict[str, int])
    arcs: list[Arc] = field(default_factory=list[Arc])
    limited: bool = False
    passed_over: set[str] = field(default_factory=set[str])

    def near(self, row_id: str) -> set[str]:
        """The rows at the other end of the edges of a row."""
        return {arc.other(row_id) for arc in self.arcs if row_id in (arc.source, arc.target)}


def surroundings(
    graph: Graph, seeds: Sequence[str], hops: int, *, step: Step, scope: Scope, wider: Scope
) -> Surroundings:
    """Of each seed the first walks of up to *hops* steps; rows of *wider* alone are passed over."""
    found = Surroundings()
    walked: set[Arc] = set()
    for seed in seeds:
        level, left = [[seed]], MOST_WALKS
        found.distances[seed] = 0
        for length in range(1, hops + 1):
            longer: list[list[str]] = []
            for walk in level:
                ends = {arc.other(walk[-1]) for arc in _steps(graph, walk[-1], step)}
                found.passed_over |= {end for end in ends if end in wider and end not in scope}
                longer += [[*walk, end] for end in sorted(ends) if end in scope]
            found.limited |= len(longer) > left
            level = longer[:left]
            left -= len(level)
            for walk in level:
                found.distances[walk[-1]] = min(found.distances.get(walk[-1], length), length)
                walked |= {
                    arc for arc in _steps(graph, walk[-2], step) if arc.other(walk[-2]) == walk[-1]
                }
    found.arcs = [arc for arc in graph.arcs if arc in walked]
    return found


def _steps(graph: Graph, row_id: str, step: Step) -> list[Arc]:
    return [arc for arc in graph.at[row_id] if step.takes(arc, row_id)]
