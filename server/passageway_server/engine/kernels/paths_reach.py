"""One level of a two-sided search: list its nodes' visible edges, then take in what they lead to.

Nodes met by a search have **places**: 0, 1, ... in the order of arrival, so that all but
``place[row]`` (the place plus one, 0 where the search has not been) is compact, and its cost grows
with what is visited. A node may have a place and yet be reached by neither side: its filter failed,
or a spec's cap left it out.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from passageway_server.engine.kernels.arrays import EDGES, SIGHT, U1, Edges, Sight, is_open
from passageway_server.engine.kernels.changes import ADDED, BASE, added_to, is_marked, is_over
from passageway_server.engine.kernels.compiling import abandoned, halted, inlined, is_turn, kernel

FAR = 255
"""The level of a place that a side has not reached."""


class Step(NamedTuple):
    """How edges are listed: ``specs[class]`` has a bit for each spec that walks edges of the class this way, for this caller."""

    specs: NDArray[np.uint16]
    weighted: bool  # cost -ln(weight), weight 0 unusable; else every edge costs 1
    surely: int  # bits of the specs without a filter: their edges count for certain
    max_degree: int


class Listed(NamedTuple):
    """Edges that a search knows: the place left, the place met, and what the edge is."""

    near: NDArray[np.int32]
    far: NDArray[np.int32]
    costs: NDArray[np.float64]
    stored: NDArray[np.int32]
    specs: NDArray[np.uint16]  # bits of the specs that allow it


_I4 = types.int32[::1]
_U1 = types.uint8[::1]
_F8 = types.float64[::1]
_U2 = types.uint16[::1]
_INT = types.int64
U2 = types.Array(types.uint16, 1, "C", readonly=True)
STEP = types.NamedTuple((U2, types.boolean, _INT, _INT), Step)
LISTED = types.NamedTuple((_I4, _I4, _F8, _I4, _U2), Listed)


@inlined
def cost_of(weight: float) -> float:
    """-ln(*weight*), and 0 for a weight from 1 on (never -0)."""
    return -math.log(weight) if weight < 1.0 else 0.0


@kernel(types.UniTuple(_INT, 2)(EDGES, SIGHT, STEP, _I4, _I4, _I4, _INT, LISTED, _INT))
def list_edges(
    edges: Edges,
    sight: Sight,
    step: Step,
    frontier: NDArray[np.int32],
    place: NDArray[np.int32],
    rows: NDArray[np.int32],
    places: int,
    listed: Listed,
    filled: int,
) -> tuple[int, int]:
    """Append the visible edges of the places *frontier* to *listed*.

    Returns how many places and edges there are then.

    A node is left as soon as it is certain that it has more than ``max_degree`` edges. Halted, the
    edges of some nodes are missing.
    """
    stop = sight.stop
    changes = edges.changes
    for near in frontier:
        if halted(stop):
            break
        row = rows[near]
        certain = 0
        marked = is_marked(changes.marks, row)
        others, weights = edges.others, edges.weights
        classes, stored = edges.classes, edges.stored
        begin, end = edges.offsets[row], edges.offsets[row + 1]
        for part in range(2 if marked else 1):
            if part == ADDED:
                others, weights = changes.others, changes.weights
                classes, stored = changes.classes, changes.stored
                begin, end = added_to(edges, row)
            for slot in range(begin, end):
                if is_turn(slot) and halted(stop):
                    break
                specs = step.specs[classes[slot]]
                if specs == 0:
                    continue
                if marked and part == BASE and is_over(changes.ended, changes.sequence, slot):
                    continue
                other = others[slot]
                far = place[other] - 1
                if far < 0 and not is_open(
                    sight.classes, sight.expiry, sight.verdict, sight.now, other
                ):
                    continue
                cost = 1.0
                if step.weighted:
                    weight = weights[slot]
                    if weight <= 0.0:
                        continue
                    cost = cost_of(weight)
                if far < 0:
                    far = places
                    rows[far] = other
                    places += 1
                    place[other] = places
                listed.near[filled] = near
                listed.far[filled] = far
                listed.costs[filled] = cost
                listed.stored[filled] = stored[slot]
                listed.specs[filled] = specs
                filled += 1
                if specs & step.surely:
                    certain += 1
                    if certain > step.max_degree:
                        break
    return places, filled


@kernel(types.UniTuple(_INT, 2)(LISTED, _INT, _INT, _U1, _U1, _F8, _INT, _I4, U1))
def take_in(
    listed: Listed,
    first: int,
    filled: int,
    fits: NDArray[np.uint8],
    levels: NDArray[np.uint8],
    spent: NDArray[np.float64],
    level: int,
    arrived: NDArray[np.int32],
    stop: NDArray[np.uint8],
) -> tuple[int, int]:
    """Keep the listed edges from *first* on that some spec allows and that meet a fitting node.

    Their far ends are reached, new ones at *level*, at the least cost so far. Returns how many
    edges there are then, and how many of ``arrived`` are new places. Abandoned, it takes in no more.
    """
    kept, new = first, 0
    for entry in range(first, filled):
        if is_turn(entry) and abandoned(stop):
            break
        far = listed.far[entry]
        if listed.specs[entry] == 0 or fits[far] == 0:
            continue
        near = listed.near[entry]
        cost = listed.costs[entry]
        if levels[far] == FAR:
            levels[far] = level
            spent[far] = spent[near] + cost
            arrived[new] = far
            new += 1
        elif levels[far] == level and spent[near] + cost < spent[far]:
            spent[far] = spent[near] + cost
        if kept < entry:
            listed.near[kept] = near
            listed.far[kept] = far
            listed.costs[kept] = cost
            listed.stored[kept] = listed.stored[entry]
        kept += 1
    return kept, new
