"""Expand: from a request to a plan, or to every fault that it has."""

import math
from dataclasses import dataclass

from passageway_server.columns.gates import Gate
from passageway_server.engine.kernels.walk import NO_CAP
from passageway_server.engine.plans import HopPlan, WalkPlan
from passageway_server.engine.predicate import Predicate
from passageway_server.engine.selection import Selection
from passageway_server.planner import limits
from passageway_server.planner.binding import Binding
from passageway_server.planner.faults import Faults
from passageway_server.planner.walks import declared_tables, type_table, weight_name
from passageway_server.values.collections import Direction
from passageway_server.values.requests import ExpandRequest, Hop, Propagate
from passageway_server.version.version import Version


@dataclass(frozen=True, slots=True)
class SeedPlan:
    """Ids that start at *weight* each; *dropped* are those past the cap, which do not start."""

    ids: tuple[str, ...]
    weight: float
    dropped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExpandPlan:
    """A checked request, bound to a version and to what its caller knows."""

    seeds: tuple[SeedPlan, ...]
    walk: WalkPlan
    limit: int
    min_hop: int
    include_seeds: bool
    returned: Predicate | None
    fields: Selection
    max_chars: int
    edge_fields: Selection
    with_edges: bool
    with_scores: bool
    applied: dict[str, int]


def plan_expand(request: ExpandRequest, version: Version, gate: Gate) -> ExpandPlan:
    """The plan of *request*; *gate* is the caller's read gate.

    Raises InvalidRequest with all faults, and NotBuilt.
    """
    binding = Binding(version, gate, bounds=request.bounds, vars=request.vars)
    seeds = _seeds(request, binding)
    hops = _hops(request, binding)
    if request.min_hop > len(request.hops):
        binding.faults.add("min_hop", f"is {request.min_hop}, with {len(request.hops)} hops")
    limit = binding.number("limit", request.limit, limits.HITS)
    plan = ExpandPlan(
        seeds=seeds,
        walk=WalkPlan(
            hops=hops,
            summing=request.propagate is Propagate.SUM,
            nodes=binding.filter(request.filter, path="filter", over="nodes"),
            max_nodes=binding.number("max_nodes", request.max_nodes, limits.NODES),
            with_traversed=request.with_subgraph,
            max_edges=binding.number("max_edges", request.max_edges, limits.EDGES),
        ),
        limit=limits.HITS.high if limit == -1 else limit,
        min_hop=request.min_hop,
        include_seeds=request.include_seeds is not False,
        returned=binding.filter(request.return_filter, path="return_filter", over="nodes"),
        fields=binding.node_fields(request.fields),
        max_chars=binding.number(
            "content_max_chars", request.content_max_chars, limits.CONTENT_CHARS
        ),
        edge_fields=binding.edge_fields(request.edge_fields),
        with_edges=request.with_edges,
        with_scores=request.with_scores is not False,
        applied=binding.applied,
    )
    binding.check()
    return plan


def _seeds(request: ExpandRequest, binding: Binding) -> tuple[SeedPlan, ...]:
    """The groups. Ids are counted as they are listed, over all groups."""
    groups, faults = request.seeds, binding.faults
    if not groups:
        faults.add("seeds", "is empty; give at least one group of ids")
    if len(groups) > limits.SEED_GROUPS:
        faults.add("seeds", f"has {len(groups)} groups; at most {limits.SEED_GROUPS}")
    listed = sum(len(group.ids) for group in groups)
    left = binding.bounded.number("seeds", listed, low=0, high=limits.SEED_IDS)
    seeds: list[SeedPlan] = []
    for i, group in enumerate(groups):
        path = f"seeds[{i}]"
        if not group.ids:
            faults.add(path, "has no ids")
        _positive(f"{path}.weight", group.weight, faults)
        weight = 1.0 if group.weight is None else group.weight
        seeds.append(SeedPlan(group.ids[:left], weight, group.ids[left:]))
        left = max(left - len(group.ids), 0)
    return tuple(seeds)


def _positive(path: str, value: float | None, faults: Faults) -> None:
    if value is not None and not (value > 0 and math.isfinite(value)):
        faults.add(path, f"is {value}; a finite number above 0")


def _hops(request: ExpandRequest, binding: Binding) -> tuple[HopPlan, ...]:
    hops, declared = request.hops, request.walk_as_declared
    if len(hops) > limits.HOPS:
        binding.faults.add("hops", f"has {len(hops)} hops; at most {limits.HOPS}")
    return tuple(_hop(hop, f"hops[{i}]", binding, declared=declared) for i, hop in enumerate(hops))


def _hop(hop: Hop, path: str, binding: Binding, *, declared: bool) -> HopPlan:
    spec, version, faults = hop.edges, binding.version, binding.faults
    if spec.max_frontier:
        faults.add(
            f"{path}.edges.max_frontier", "is of Paths; in Expand the hop has a max_frontier"
        )
    _positive(f"{path}.decay", hop.decay, faults)
    types = type_table(spec.types, version)
    out_types = in_types = types
    if declared:
        out_types, in_types = declared_tables(types, version)
    max_frontier = binding.number(f"{path}.max_frontier", hop.max_frontier, limits.HOP_FRONTIER)
    return HopPlan(
        outward=spec.direction is not Direction.IN,
        inward=spec.direction in (Direction.IN, Direction.BOTH),
        out_types=out_types,
        in_types=in_types,
        weight_property=weight_name(
            spec.weight_property, path=f"{path}.edges.weight_property", binding=binding
        ),
        decay=1.0 if hop.decay is None else hop.decay,
        edges=binding.filter(spec.filter, path=f"{path}.edges.filter", over="edges"),
        nodes=binding.filter(hop.filter, path=f"{path}.filter", over="nodes"),
        max_degree=hop.max_degree or NO_CAP,
        max_per_node=hop.max_per_node or NO_CAP,
        max_frontier=max_frontier or NO_CAP,
    )
