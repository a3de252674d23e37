"""What a request is bound to while it is planned: a version, what its caller knows, its faults."""

import math
from collections.abc import Sequence
from typing import Literal

from passageway_server.columns.gates import Gate
from passageway_server.engine.known import known_edge_fields, known_node_fields
from passageway_server.engine.predicate import Predicate
from passageway_server.engine.selection import Selection
from passageway_server.planner.bounds import Bounded
from passageway_server.planner.faults import Faults
from passageway_server.planner.fields import EDGE_SHOWN, NODE_SHOWN, selected
from passageway_server.planner.filters import Place, compile_filter
from passageway_server.planner.limits import Limit
from passageway_server.planner.lookups import Lookups
from passageway_server.values.requests import Bounds, Vars
from passageway_server.version.version import Version

Over = Literal["nodes", "edges"]


class Binding:
    """One request that is being planned, for the holder of *gate*, a read gate.

    Each part of a plan is asked for by the path of its parameter; what is wrong with it becomes a
    fault there. `check` comes last.
    """

    def __init__(self, version: Version, gate: Gate, *, bounds: Bounds, vars: Vars) -> None:
        self.version = version
        self.nodes = known_node_fields(version, gate)
        self.edges = known_edge_fields(version, gate)
        self.faults = Faults()
        self.bounded = Bounded(bounds, self.faults)
        self.lookups = Lookups()
        self._gate, self._vars = gate, vars
        _check_vars(vars, self.faults)

    @property
    def applied(self) -> dict[str, int]:
        """The numbers that were moved into their range, by path."""
        return self.bounded.applied

    def number(self, path: str, value: int | None, limit: Limit) -> int:
        """*value* as *limit* allows it, or what stands for it where it is not given."""
        if value is None:
            return limit.absent
        return self.bounded.number(path, value, low=limit.low, high=limit.high)

    def filter(self, text: str, *, path: str, over: Over) -> Predicate | None:
        """The predicate that *text* is; None where it is blank, or faulty. Raises `NotBuilt`."""
        if not text.strip():
            return None
        known = self.nodes if over == "nodes" else self.edges
        place = Place(path, self._vars, known, self.nodes, self.faults, self.lookups)
        return compile_filter(text, place)

    def node_fields(self, names: Sequence[str]) -> Selection:
        """What to show of a node; an unknown name is a fault at ``fields[i]``."""
        return selected(
            names, path="fields", known=self.nodes, shown=NODE_SHOWN, faults=self.faults
        )

    def edge_fields(self, names: Sequence[str]) -> Selection:
        """What to show of an edge; an unknown name is a fault at ``edge_fields[i]``."""
        return selected(
            names, path="edge_fields", known=self.edges, shown=EDGE_SHOWN, faults=self.faults
        )

    def check(self) -> None:
        """Raise `InvalidRequest` with every fault; where there is none, work out the lookups.

        They may take a look at every row, so a request that is refused anyway does without. One
        that has more values than it may is a fault too, named with the others of its kind.
        """
        self.faults.check()
        self.lookups.work_out(self.version, self._gate, faults=self.faults)
        self.faults.check()


def _check_vars(vars: Vars, faults: Faults) -> None:
    """Add a fault for each var that holds NaN or an infinity."""
    for name in sorted(vars):
        value = vars[name]
        values = value if isinstance(value, list) else [value]
        if any(isinstance(one, float) and not math.isfinite(one) for one in values):
            faults.add(f"vars.{name}", "a number is finite: NaN and infinities are refused")
