"""Which edges a step may use, and with what weight: an edge spec, bound to what the caller knows."""

from dataclasses import dataclass

from passageway.v1 import query_pb2, types_pb2
from tests.oracle.fields import NUMBERS, edge_fields, is_nameable, property_named
from tests.oracle.filters import Binding, Test
from tests.oracle.graph import Arc, Graph
from tests.oracle.refusals import Checks, Refused

OUT = types_pb2.DIRECTION_OUT
IN = types_pb2.DIRECTION_IN
BOTH = types_pb2.DIRECTION_BOTH


@dataclass(frozen=True, slots=True)
class Step:
    """An edge spec that may be asked about edges."""

    types: frozenset[str]
    direction: int
    passes: Test
    weight_property: str
    declared_ways: dict[str, int]

    @classmethod
    def of(
        cls,
        graph: Graph,
        spec: query_pb2.EdgeSpec,
        binding: Binding,
        checks: Checks,
        *,
        path: str,
        unspecified: int,
        as_declared: bool = False,
    ) -> "Step":
        """The step that *spec* says; its faults go to *checks*, under *path*."""
        passes: Test = bool
        try:
            passes = binding.over_edges(spec.filter, f"{path}.filter")
        except Refused as refused:
            checks.absorb(refused)
        if spec.weight_property:
            fields = edge_fields(graph)
            known = fields.get(property_named(spec.weight_property))
            checks.need(
                known is not None
                and known.kind in NUMBERS
                and is_nameable(spec.weight_property, fields, ()),
                f"{path}.weight_property",
            )
        ways = {
            kind.name: int(kind.agents_walk)
            for kind in reversed(graph.settings.ontology.edge_types)
        }
        return cls(
            types=frozenset(spec.types),
            direction=spec.direction or unspecified,
            passes=passes,
            weight_property=spec.weight_property,
            declared_ways=ways if as_declared else {},
        )

    def takes(self, arc: Arc, leaving: str) -> bool:
        """Whether the step may use an edge to leave a node by it. Self-loops lead nowhere."""
        if arc.source == arc.target or (self.types and arc.type not in self.types):
            return False
        way = OUT if arc.source == leaving else IN
        declared = self.declared_ways.get(arc.type, BOTH) or BOTH
        if self.direction not in (way, BOTH) or declared not in (way, BOTH):
            return False
        return self.weight(arc) is not None and self.passes(arc)

    def weight(self, arc: Arc) -> float | None:
        """The weight in use; None for an edge that the step cannot weigh."""
        if not self.weight_property:
            return arc.weight
        held = arc.properties.get(property_named(self.weight_property))
        if held is None or held.many:
            return None
        value = held.values[0]
        if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
            return None
        return float(value)
