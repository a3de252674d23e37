"""Analyze: from a request to a plan, or to every fault that it has."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from passageway_server.columns.gates import Gate
from passageway_server.engine.known import NODE_BUILT_INS
from passageway_server.engine.measures.graph import MeasuredEdges
from passageway_server.planner import limits
from passageway_server.planner.binding import Binding
from passageway_server.planner.faults import Faults
from passageway_server.planner.walks import type_table, weight_name
from passageway_server.values.collections import Direction
from passageway_server.values.principals import principal_fault
from passageway_server.values.queries import Bounds, EdgeSpec
from passageway_server.values.records import Scalar
from passageway_server.values.requests import AnalyzeRequest, Measure
from passageway_server.version.measures import property_fault
from passageway_server.version.version import Version

_ALPHA, _RESOLUTION = 0.85, 1.0

_PROPERTIES: Mapping[Measure, tuple[str, Scalar]] = {
    Measure.PAGERANK: ("pagerank", 0.5),
    Measure.COMMUNITIES: ("community", "community:"),
    Measure.DEGREE: ("degree", 1),
}
"""The property that a measure is written to unless the request names one, and a value of its kind."""

_NEVER_NAMED = frozenset({*NODE_BUILT_INS, "readers", "links", "covered", "span", "revision"})


@dataclass(frozen=True, slots=True)
class AnalyzePlan:
    """A checked request, bound to a version and to what its principals know."""

    measure: Measure
    property: str
    readers: tuple[str, ...]  # of the nodes of communities
    edges: tuple[MeasuredEdges, ...]
    seed: int
    alpha: float
    resolution: float


def plan_analyze(request: AnalyzeRequest, version: Version, gate: Gate) -> AnalyzePlan:
    """The plan of *request*; *gate* is the read gate of its principals.

    Raises InvalidRequest with all faults.
    """
    binding = Binding(version, gate, bounds=Bounds.REJECT, vars={})
    faults = binding.faults
    if request.measure is Measure.UNSPECIFIED:
        faults.add("measure", "is unspecified; name the measure")
    _check_principals(request.as_principals, faults)
    _check_numbers(request, faults)
    plan = AnalyzePlan(
        measure=request.measure,
        property=_property(request, version, faults),
        readers=(" & ".join(sorted(set(request.as_principals))),),
        edges=_edges(request, binding),
        seed=request.seed,
        alpha=_ALPHA if request.alpha is None else request.alpha,
        resolution=_RESOLUTION if request.resolution is None else request.resolution,
    )
    binding.check()
    return plan


def _check_principals(principals: tuple[str, ...], faults: Faults) -> None:
    most = limits.MEASURE_PRINCIPALS
    if not 0 < len(principals) <= most:
        faults.add("as_principals", f"has {len(principals)}; at least 1 and at most {most}")
    for i, principal in enumerate(principals):
        fault = principal_fault(principal)
        if fault is not None:
            faults.add(f"as_principals[{i}]", fault)


def _check_numbers(request: AnalyzeRequest, faults: Faults) -> None:
    alpha, resolution = request.alpha, request.resolution
    known = request.measure is not Measure.UNSPECIFIED
    if alpha is not None and known and request.measure is not Measure.PAGERANK:
        faults.add("alpha", "is of PAGERANK")
    elif alpha is not None and not 0.0 <= alpha < 1.0:
        faults.add("alpha", f"is {alpha}; at least 0 and below 1")
    if resolution is not None and known and request.measure is not Measure.COMMUNITIES:
        faults.add("resolution", "is of COMMUNITIES")
    elif resolution is not None and not (resolution > 0 and math.isfinite(resolution)):
        faults.add("resolution", f"is {resolution}; a finite number above 0")


def _property(request: AnalyzeRequest, version: Version, faults: Faults) -> str:
    if request.measure is Measure.UNSPECIFIED:
        return ""
    usual, example = _PROPERTIES[request.measure]
    name = request.property or usual
    if name in _NEVER_NAMED:
        faults.add("property", f"{name!r} is what a row itself has; choose another name")
        return name
    fault = property_fault(name, example, version.fields)
    if fault is not None:
        faults.add("property", f"{name!r} {fault}")
    return name


def _edges(request: AnalyzeRequest, binding: Binding) -> tuple[MeasuredEdges, ...]:
    specs, most = request.edges, limits.EDGE_SPECS
    if len(specs) > most:
        binding.faults.add("edges", f"has {len(specs)} edge specs; at most {most}")
    directed = request.measure is not Measure.COMMUNITIES
    if not specs:
        return (MeasuredEdges(),)
    return tuple(
        _spec(spec, f"edges[{i}]", binding, directed=directed) for i, spec in enumerate(specs)
    )


def _spec(spec: EdgeSpec, path: str, binding: Binding, *, directed: bool) -> MeasuredEdges:
    """Where ways do not count, an edge takes part once, whichever way."""
    if spec.max_frontier:
        binding.faults.add(f"{path}.max_frontier", "is of Paths; a measure looks at every edge")
    weights = f"{path}.weight_property"
    return MeasuredEdges(
        types=type_table(spec.types, binding.version),
        outward=not directed or spec.direction is not Direction.IN,
        inward=directed and spec.direction is not Direction.OUT,
        filter=binding.filter(spec.filter, path=f"{path}.filter", over="edges"),
        weight_property=weight_name(spec.weight_property, path=weights, binding=binding),
    )
