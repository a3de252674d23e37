"""Paths: from a request to a plan, or to every fault that it has."""

from dataclasses import dataclass

from passageway_server.columns.gates import Gate
from passageway_server.engine.paths_plan import NO_CAP, PathEdges, PathPlan
from passageway_server.engine.selection import Selection
from passageway_server.planner import limits
from passageway_server.planner.binding import Binding
from passageway_server.planner.faults import Faults
from passageway_server.planner.walks import weight_name
from passageway_server.values.collections import Direction
from passageway_server.values.queries import EdgeSpec
from passageway_server.values.requests import PathMode, PathsRequest
from passageway_server.version.version import Version


@dataclass(frozen=True, slots=True)
class PathsPlan:
    """A checked request, bound to a version and to what its caller knows."""

    sources: tuple[str, ...]
    targets: tuple[str, ...]
    search: PathPlan
    fields: Selection
    edge_fields: Selection
    max_chars: int
    applied: dict[str, int]


def plan_paths(request: PathsRequest, version: Version, gate: Gate) -> PathsPlan:
    """The plan of *request*; *gate* is the caller's read gate.

    Raises InvalidRequest with all faults.
    """
    binding = Binding(version, gate, bounds=request.bounds, vars=request.vars)
    _check_ends("sources", request.sources, binding.faults)
    _check_ends("targets", request.targets, binding.faults)
    plan = PathsPlan(
        sources=request.sources,
        targets=request.targets,
        search=_search(request, binding),
        fields=binding.node_fields(request.fields),
        edge_fields=binding.edge_fields(request.edge_fields),
        max_chars=binding.number(
            "content_max_chars", request.content_max_chars, limits.CONTENT_CHARS
        ),
        applied=binding.applied,
    )
    binding.check()
    return plan


def _search(request: PathsRequest, binding: Binding) -> PathPlan:
    simple = request.mode is PathMode.ALL_SIMPLE
    _refuse_what_the_mode_lacks(request, binding.faults)
    max_depth = binding.number("max_depth", request.max_depth, limits.DEPTH)
    k = binding.number("k", request.k, limits.SHORTEST)
    max_paths = binding.number("max_paths", request.max_paths, limits.SIMPLE_PATHS)
    min_depth = binding.number(
        "min_depth", request.min_depth, limits.LEAST_DEPTH._replace(high=max_depth)
    )
    return PathPlan(
        mode=request.mode,
        edges=_edges(request, binding),
        most=max_paths if simple else k,
        min_depth=min_depth if simple else 0,
        max_depth=max_depth,
        weighted=request.weighted,
        max_frontier=binding.number("max_frontier", request.max_frontier, limits.SEARCH_FRONTIER),
        max_degree=request.max_degree or NO_CAP,
        filter=binding.filter(request.filter, path="filter", over="nodes"),
        timeout_ms=request.timeout_ms,
    )


def _refuse_what_the_mode_lacks(request: PathsRequest, faults: Faults) -> None:
    if request.mode is PathMode.ALL_SIMPLE:
        if request.k is not None:
            faults.add("k", "is of SHORTEST; ALL_SIMPLE has max_paths")
        if request.weighted:
            faults.add("weighted", "is of SHORTEST; ALL_SIMPLE goes by length")
        return
    if request.min_depth is not None:
        faults.add("min_depth", "is of ALL_SIMPLE; SHORTEST has no least length")
    if request.max_paths is not None:
        faults.add("max_paths", "is of ALL_SIMPLE; SHORTEST has k")


def _check_ends(path: str, ids: tuple[str, ...], faults: Faults) -> None:
    """Ids are counted as they are listed; their number is never clamped."""
    if not 0 < len(ids) <= limits.ENDS:
        faults.add(path, f"has {len(ids)} ids; at least 1 and at most {limits.ENDS}")


def _edges(request: PathsRequest, binding: Binding) -> tuple[PathEdges, ...]:
    specs, most = request.edges, limits.EDGE_SPECS
    if len(specs) > most:
        binding.faults.add("edges", f"has {len(specs)} edge specs; at most {most}")
    if not specs:
        return (PathEdges(),)
    return tuple(_spec(spec, f"edges[{i}]", binding) for i, spec in enumerate(specs))


def _spec(spec: EdgeSpec, path: str, binding: Binding) -> PathEdges:
    types = None
    if spec.types:
        numbers = binding.version.edge_types.find_all(spec.types)
        types = tuple(numbers[numbers >= 0].tolist())
    return PathEdges(
        types=types,
        direction=spec.direction or Direction.BOTH,
        filter=binding.filter(spec.filter, path=f"{path}.filter", over="edges"),
        weight_property=weight_name(
            spec.weight_property, path=f"{path}.weight_property", binding=binding
        ),
        max_frontier=spec.max_frontier or NO_CAP,
    )
