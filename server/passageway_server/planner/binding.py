"""What a request is bound to while it is planned: a version, what its caller knows, its faults."""

import math
from collections.abc import Sequence

from passageway_server.columns.gates import Gate
from passageway_server.engine.expression import Expression
from passageway_server.engine.known import known_edge_fields, known_node_fields
from passageway_server.engine.made import THROUGH
from passageway_server.engine.predicate import KnownField, Over, Predicate
from passageway_server.engine.selection import Selection
from passageway_server.planner.bounds import Bounded
from passageway_server.planner.faults import Faults
from passageway_server.planner.fields import EDGE_SHOWN, NODE_NAMEABLE, selected
from passageway_server.planner.filters import Place, compile_filter, unknown_field
from passageway_server.planner.limits import Limit
from passageway_server.planner.lookups import Lookups
from passageway_server.planner.rescore import plan_rescore
from passageway_server.values.queries import Bounds, Vars
from passageway_server.version.version import Version


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
        self.check_vars(vars, path="vars")

    @property
    def hidden(self) -> frozenset[str]:
        """The declared fields that do not exist for the caller."""
        return self._gate.hidden

    @property
    def applied(self) -> dict[str, int]:
        """The numbers that were moved into their range, by path."""
        return self.bounded.applied

    def number(self, path: str, value: int | None, limit: Limit) -> int:
        """*value* as *limit* allows it, or what stands for it where it is not given."""
        if value is None:
            return limit.absent
        return self.bounded.number(path, value, low=limit.low, high=limit.high)

    def filter(
        self, text: str, *, path: str, over: Over, vars: Vars | None = None
    ) -> Predicate | None:
        """The predicate that *text* is; None where it is blank, or faulty.

        *vars* win over those of the request; `check_vars` is their caller's to call.
        """
        if not text.strip():
            return None
        known = self.nodes if over == "nodes" else self.edges
        values = {**self._vars, **vars} if vars else self._vars
        settings = self.version.settings
        place = Place(
            path,
            values,
            known,
            self.nodes,
            self.edges,
            self.faults,
            self.lookups,
            settings,
            self._gate.halt,
        )
        return compile_filter(text, place)

    def expression(self, text: str, *, path: str, vars: Vars) -> Expression | None:
        """The expression over numbers of nodes that *text* is; None where it is blank, or faulty.

        *vars* win over those of the request; `check_vars` is their caller's to call.
        """
        values = {**self._vars, **vars}
        return plan_rescore(text, path=path, known=self.nodes, vars=values, faults=self.faults)

    def field(self, name: str, *, path: str, over: Over) -> KnownField | None:
        """The field *name*; None, and a fault at *path*, where the caller knows none such."""
        known = self.nodes if over == "nodes" else self.edges
        field = known.get(name) if name else None
        if field is None:
            missing = "missing: name a field"
            self.faults.add(path, unknown_field(name, known) if name else missing)
        return field

    def check_vars(self, vars: Vars, *, path: str) -> None:
        """Add a fault for each var that holds NaN or an infinity, at its name under *path*."""
        for name in sorted(vars):
            value = vars[name]
            values = value if isinstance(value, list) else [value]
            if any(isinstance(one, float) and not math.isfinite(one) for one in values):
                self.faults.add(
                    f"{path}.{name}", "a number is finite: NaN and infinities are refused"
                )

    def node_fields(self, names: Sequence[str], *, path: str = "fields") -> Selection:
        """What to show of a node; an unknown name is a fault at ``path[i]``."""
        return selected(names, path=path, known=self.nodes, shown=NODE_NAMEABLE, faults=self.faults)

    def edge_fields(
        self, names: Sequence[str], *, path: str = "edge_fields", made: bool = False
    ) -> Selection:
        """What to show of an edge; an unknown name is a fault at ``path[i]``.

        Where edges may be *made*, what they hold has a name too.
        """
        return selected(
            names,
            path=path,
            known=self.edges,
            shown=EDGE_SHOWN,
            faults=self.faults,
            also=frozenset({THROUGH}) if made else frozenset(),
        )

    def check(self) -> None:
        """Raise `InvalidRequest` with every fault; where there is none, work out the lookups.

        They may take a look at every row, so a request that is refused anyway does without. One
        that has more values than it may is a fault too, named with the others of its kind.
        """
        self.faults.check()
        self.lookups.work_out(self.version, self._gate, faults=self.faults)
        self.faults.check()
