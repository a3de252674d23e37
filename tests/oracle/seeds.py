"""Where a walk starts: groups of ids, or of the matches of a query, each group with its weight."""

from dataclasses import dataclass

from passageway.v1 import graph_pb2
from tests.oracle.filters import Binding, Test
from tests.oracle.graph import Graph, Scope
from tests.oracle.queries import Selection
from tests.oracle.refusals import Checks

MOST_IDS, MOST_GROUPS = 10_000, 10


@dataclass(frozen=True, slots=True)
class Group:
    """One seed group, bound; ids past the cap are in ``dropped``."""

    ids: list[str]
    dropped: set[str]
    selection: Selection | None
    weight: float


@dataclass(frozen=True, slots=True)
class Start:
    """The scores of the seeds, by id in the order asked, and the ids that did not start."""

    scores: dict[str, float]
    unresolved: list[str]


def check_seeds(
    graph: Graph, request: graph_pb2.ExpandRequest, binding: Binding, checks: Checks
) -> list[Group]:
    """The groups of a request; their faults go to *checks*."""
    checks.need(0 < len(request.seeds) <= MOST_GROUPS, "seeds")
    ids = [seed for group in request.seeds for seed in group.ids]
    if len(ids) > MOST_IDS:
        checks.number("seeds", len(ids), low=0, high=MOST_IDS)
    dropped = set(ids[MOST_IDS:]) - set(ids[:MOST_IDS])
    return [
        _group(graph, group, f"seeds[{place}]", dropped, binding, checks)
        for place, group in enumerate(request.seeds)
    ]


def _group(
    graph: Graph,
    group: graph_pb2.SeedGroup,
    path: str,
    dropped: set[str],
    binding: Binding,
    checks: Checks,
) -> Group:
    checks.need(bool(group.ids) != group.HasField("query"), path)
    if group.HasField("weight"):
        checks.need(0 < group.weight < float("inf"), f"{path}.weight")
    selection: Selection | None = None
    if group.HasField("query"):
        selection = Selection.of(group.query, f"{path}.query", graph, binding, checks)
        checks.need(not (group.query.sort and group.HasField("weight")), f"{path}.query.sort")
    weight = group.weight if group.HasField("weight") else 1.0
    return Group(list(group.ids), dropped, selection, weight)


def start(graph: Graph, groups: list[Group], scope: Scope, keeps: Test) -> Start:
    """Each group gives its weight once to each of its seeds; an id that is no seed is unresolved."""
    eligible = {row_id: row for row_id, row in graph.rows.items() if row_id in scope and keeps(row)}
    scores: dict[str, float] = {}
    for group in groups:
        if group.selection is not None:
            matches = group.selection.matches(eligible.values(), of=scope.rows)
            matches = group.selection.rescored(matches)
            found = {
                match.row.id: 1.0 if group.selection.is_ordered else max(match.score, 0.0)
                for match in matches[: group.selection.limit]
            }
        else:
            found = dict.fromkeys((seed for seed in group.ids if seed not in group.dropped), 1.0)
        for seed, score in found.items():
            if seed in eligible:
                scores[seed] = scores.get(seed, 0.0) + score * group.weight
    asked = dict.fromkeys(seed for group in groups for seed in group.ids)
    return Start(scores, [seed for seed in asked if seed not in scores])
