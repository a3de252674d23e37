"""What a Context asks for, bound and bounded."""

from dataclasses import dataclass

from passageway_server.columns.gates import Gate
from passageway_server.engine.packing.ledger import Budget
from passageway_server.engine.plans import EVERY_TYPE, TypeTable
from passageway_server.planner import limits
from passageway_server.planner.binding import Binding
from passageway_server.planner.search import Finding, plan_finding
from passageway_server.planner.walks import declared_tables
from passageway_server.values.context import ContextRequest
from passageway_server.version.version import Version


@dataclass(frozen=True, slots=True)
class ContextPlan:
    """Seeds are *ids*, each once, or what *finding* finds; *dropped* are the ids past the cap, which do not start.

    ``types`` are walked along, and against, their direction.
    """

    ids: tuple[str, ...]
    dropped: tuple[str, ...]
    finding: Finding | None
    hops: int
    types: tuple[TypeTable, TypeTable]
    budget: Budget
    applied: dict[str, int]


def plan_context(request: ContextRequest, *, version: Version, gate: Gate) -> ContextPlan:
    """Bind *request* to *version* and to what the holder of *gate*, a read gate, knows.

    Raises InvalidRequest with every fault.
    """
    binding = Binding(version, gate, bounds=request.bounds, vars={})
    faults, asked = binding.faults, request.query
    if request.ids and asked is not None:
        faults.add("ids", "goes with no query: seeds are one of them")
    if not request.ids and asked is None:
        faults.add("query", "is missing: give a query, or ids")
    most = binding.bounded.number("ids", len(request.ids), low=0, high=limits.CONTEXT_IDS)
    finding = None
    if asked is not None:
        finding = plan_finding(asked, request.type_cap, binding, limit=limits.CONTEXT_SEEDS)
    else:
        binding.number("type_cap", request.type_cap, limits.TYPE_CAP)
    tokens = binding.number("token_budget", request.token_budget, limits.TOKENS)
    every = EVERY_TYPE, EVERY_TYPE
    plan = ContextPlan(
        ids=tuple(dict.fromkeys(request.ids[:most])),
        dropped=request.ids[most:],
        finding=finding,
        hops=binding.number("hops", request.hops, limits.CONTEXT_HOPS),
        types=declared_tables(EVERY_TYPE, version) if request.walk_as_declared else every,
        budget=Budget(tokens, request.measure, request.reserve_bytes),
        applied=binding.applied,
    )
    binding.check()
    return plan
