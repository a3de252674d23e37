"""Seed groups: ids or a query each, and the weight that they start at."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from passageway_server.engine.query import QueryPlan
from passageway_server.planner import limits
from passageway_server.planner.binding import Binding
from passageway_server.planner.faults import Faults
from passageway_server.planner.query import plan_query
from passageway_server.values.requests import SeedGroup


@dataclass(frozen=True, slots=True)
class SeedPlan:
    """What starts at *weight*: ids, or the matches of a query.

    *dropped* are the ids past the cap, which do not start.
    """

    ids: tuple[str, ...]
    weight: float
    dropped: tuple[str, ...] = ()
    query: QueryPlan | None = None


def plan_seeds(groups: Sequence[SeedGroup], binding: Binding) -> tuple[SeedPlan, ...]:
    """The groups. Ids are counted as they are listed, over all groups."""
    faults = binding.faults
    if not groups:
        faults.add("seeds", "is empty; give at least one group of ids, or of a query")
    if len(groups) > limits.SEED_GROUPS:
        faults.add("seeds", f"has {len(groups)} groups; at most {limits.SEED_GROUPS}")
    listed = sum(len(group.ids) for group in groups)
    left = binding.bounded.number("seeds", listed, low=0, high=limits.SEED_IDS)
    seeds: list[SeedPlan] = []
    for i, group in enumerate(groups):
        seeds.append(_seed(group, f"seeds[{i}]", left, binding))
        left = max(left - len(group.ids), 0)
    return tuple(seeds)


def _seed(group: SeedGroup, path: str, left: int, binding: Binding) -> SeedPlan:
    """One group, of whose ids *left* may start."""
    faults, asked = binding.faults, group.query
    if group.ids and asked is not None:
        faults.add(path, "has ids and a query; a group is one of them")
    if not group.ids and asked is None:
        faults.add(path, "has neither ids nor a query")
    positive(f"{path}.weight", group.weight, faults)
    query = None
    if asked is not None:
        query = plan_query(asked, binding, path=f"{path}.query")
        if asked.sort and group.weight is not None:
            faults.add(f"{path}.query.sort", "goes with no weight: what is sorted has no scores")
    weight = 1.0 if group.weight is None else group.weight
    return SeedPlan(group.ids[:left], weight, group.ids[left:], query)


def positive(path: str, value: float | None, faults: Faults) -> None:
    """Add a fault unless *value* is a finite number above 0, or not given."""
    if value is not None and not (value > 0 and math.isfinite(value)):
        faults.add(path, f"is {value}; a finite number above 0")
