"""How Expand ranks what it reached, and how much of it is kept."""

import math

from passageway_server.columns.kinds import kind_name
from passageway_server.engine.budget import BudgetPlan
from passageway_server.engine.pagerank import PageRankPlan
from passageway_server.planner import limits
from passageway_server.planner.binding import Binding
from passageway_server.values.collections import Kind
from passageway_server.values.requests import Budget, PageRank

_AS_USUAL = PageRankPlan()
_UNSET = PageRank()


def plan_page_rank(asked: PageRank, binding: Binding) -> PageRankPlan:
    """The plan of *asked*; faults are added at ``ppr.alpha``, ``.tolerance`` and so on."""
    if asked == _UNSET:
        return _AS_USUAL
    faults = binding.faults
    alpha = _AS_USUAL.alpha if asked.alpha is None else asked.alpha
    if not 0 <= alpha <= 1:
        faults.add("ppr.alpha", f"is {alpha}; a chance is at least 0 and at most 1")
    iterations = binding.number("ppr.iterations", asked.iterations, limits.PAGE_RANK_PASSES)
    tolerance = _AS_USUAL.tolerance if asked.tolerance is None else asked.tolerance
    if not 0 <= tolerance < math.inf:
        faults.add("ppr.tolerance", f"is {tolerance}; a finite number of at least 0")
    return PageRankPlan(
        alpha=alpha,
        iterations=iterations,
        tolerance=tolerance,
        undirected=asked.undirected is not False,
        reset_field=_reset_field(asked.reset_field, binding),
    )


def _reset_field(name: str, binding: Binding) -> str:
    """The property that *name* stands for; "" for none, and where there is a fault."""
    if not name:
        return ""
    path = "ppr.reset_field"
    field = binding.field(name, path=path, over="nodes")
    if field is None:
        return ""
    if field.kind not in (Kind.INT, Kind.FLOAT):
        binding.faults.add(path, f"{name!r} is {kind_name(field.kind)}; a reset is a number")
        return ""
    return field.name


def plan_budget(asked: Budget, binding: Binding) -> BudgetPlan:
    """The plan of *asked*; faults are added at ``budget``, and at its keys."""
    given = (asked.nodes, asked.edges, asked.edge_cost)
    if given == (None, None, None):
        binding.faults.add("budget", "has no key; give at least one of nodes, edges, edge_cost")
    cost = 0.0 if asked.edge_cost is None else asked.edge_cost
    if not math.isfinite(cost):
        binding.faults.add("budget.edge_cost", f"is {cost}; a finite number")
    return BudgetPlan(
        nodes=_cap("budget.nodes", asked.nodes, binding),
        edges=_cap("budget.edges", asked.edges, binding),
        edge_cost=cost,
    )


def _cap(path: str, value: int | None, binding: Binding) -> int | None:
    if value is None:
        return None
    return binding.bounded.number(path, value, low=0, high=limits.BUDGET_MOST)
