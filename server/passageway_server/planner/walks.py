"""What Expand and Paths share of an edge spec: its types as tables, its weight property by name."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.kinds import kind_name
from passageway_server.engine.known import EDGE_BUILT_INS, PREFIX
from passageway_server.engine.plans import EVERY_TYPE, TypeTable
from passageway_server.planner.binding import Binding
from passageway_server.planner.filters import unknown_field
from passageway_server.values.collections import Direction, Kind
from passageway_server.version.version import Version


def weight_name(name: str, *, path: str, binding: Binding) -> str:
    """The property that *name* stands for as a weight; "" for none, and where there is a fault.

    The edge's own weight is not a property: ``weight`` names a property of that name.
    """
    if not name:
        return ""
    field = binding.edges.get(PREFIX + name if name in EDGE_BUILT_INS else name)
    if field is None:
        binding.faults.add(path, unknown_field(name, binding.edges))
    elif field.kind not in (Kind.INT, Kind.FLOAT):
        binding.faults.add(path, f"{name!r} is {kind_name(field.kind)}; a weight is a number")
    else:
        return field.name
    return ""


def type_table(types: Sequence[str], version: Version) -> TypeTable:
    """The table of *types*, none of which means every one.

    A type that there is not matches nothing.
    """
    if not types:
        return EVERY_TYPE
    numbers = version.edge_types.find_all(types)
    table = np.zeros(len(version.edge_types), dtype=np.uint8)
    table[numbers[numbers >= 0]] = 1
    return table


def declared_tables(types: TypeTable, version: Version) -> tuple[TypeTable, TypeTable]:
    """*types* (out, in) less those that the ontology does not let agents walk that way.

    A type that the ontology does not name, or gives no way for, is walked both ways.
    """
    against: dict[Direction, list[int]] = {Direction.OUT: [], Direction.IN: []}
    walked: dict[str, Direction] = {}
    for edge_type in version.settings.ontology.edge_types:
        walked.setdefault(edge_type.name, edge_type.agents_walk)
    numbers = version.edge_types.find_all(list(walked)).tolist()
    for number, way in zip(numbers, walked.values(), strict=True):
        if number >= 0 and way == Direction.OUT:
            against[Direction.IN].append(number)
        elif number >= 0 and way == Direction.IN:
            against[Direction.OUT].append(number)
    return (
        _without(types, against[Direction.OUT], version),
        _without(types, against[Direction.IN], version),
    )


def _without(types: TypeTable, numbers: list[int], version: Version) -> TypeTable:
    if not numbers:
        return types
    table: NDArray[np.uint8] = (
        types.copy() if len(types) else np.ones(len(version.edge_types), dtype=np.uint8)
    )
    table[numbers] = 0
    return table
