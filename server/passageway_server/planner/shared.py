"""The `shared` specs of a hop: types by number, and their faults."""

import math
from collections.abc import Sequence

from passageway_server.engine.plans import SharedPlan
from passageway_server.planner import limits
from passageway_server.planner.binding import Binding
from passageway_server.values.requests import Shared


def plan_shared(shared: Sequence[Shared], path: str, binding: Binding) -> tuple[SharedPlan, ...]:
    """The plan of each of *shared*, in their order; *path* is the hop's.

    A type that there is not makes no edges.
    """
    if len(shared) > limits.SHARED_SPECS:
        binding.faults.add(
            f"{path}.shared", f"has {len(shared)} specs; at most {limits.SHARED_SPECS}"
        )
    if not shared:
        return ()
    edge_types = binding.version.edge_types.find_all([one.edge_type for one in shared]).tolist()
    through = binding.version.types.find_all([one.through_type for one in shared]).tolist()
    return tuple(
        _plan(one, f"{path}.shared[{j}]", binding, edge_type=edge_type, through_type=through_type)
        for j, (one, edge_type, through_type) in enumerate(
            zip(shared, edge_types, through, strict=True)
        )
    )


def _plan(
    shared: Shared, path: str, binding: Binding, *, edge_type: int, through_type: int
) -> SharedPlan:
    faults = binding.faults
    for name in ("name", "edge_type", "through_type"):
        if not getattr(shared, name):
            faults.add(f"{path}.{name}", "is empty; a made edge needs it")
    weight = 1.0 if shared.weight is None else shared.weight
    if not (weight >= 0 and math.isfinite(weight)):
        faults.add(f"{path}.weight", f"is {weight}; a finite number of at least 0")
    most = binding.number(f"{path}.max_members", shared.max_members, limits.SHARED_MEMBERS)
    return SharedPlan(
        name=shared.name,
        edge_type=edge_type,
        through_type=through_type,
        weight=abs(weight),  # -0.0 is 0
        max_members=most or limits.SHARED_MEMBERS_UNSET,
    )
