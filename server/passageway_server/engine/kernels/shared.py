"""Edges made of two: which nodes the nodes of a frontier point at, which others point there too, and
how made edges and stored ones become one list.

``marks`` is scratch, 0 for every row before and after each kernel.
"""

from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from passageway_server.engine.kernels.arrays import EDGES, SIGHT, U1, Edges, Sight, is_open
from passageway_server.engine.kernels.changes import ADDED, BASE, added_to, is_marked, is_over
from passageway_server.engine.kernels.compiling import Int, halted, inlined, is_turn, kernel
from passageway_server.engine.kernels.step import LISTED, NO_CAP, Listed


class Pairs(NamedTuple):
    """A node being left and a node M at which it points by a spec, side by side: by entry, then by
    spec, then by id of M.
    """

    entries: NDArray[np.int32]  # of the node being left, in the list of all such
    specs: NDArray[np.int32]
    throughs: NDArray[np.int32]  # the row of M
    begins: NDArray[np.int64]  # its members are begins:ends, by id
    ends: NDArray[np.int64]

    def chosen(self, which: NDArray[np.bool_] | NDArray[np.int64]) -> "Pairs":
        """Some of the pairs, in the order that *which* has them."""
        return Pairs(
            self.entries[which],
            self.specs[which],
            self.throughs[which],
            self.begins[which],
            self.ends[which],
        )


_I4, _I8, _I8S = types.int32[::1], types.int64, types.int64[::1]
_MARKS = types.uint8[::1]
PAIRS = types.NamedTuple((_I4, _I4, _I4, _I8S, _I8S), Pairs)


@inlined
def met_from(
    edges: Edges,
    sight: Sight,
    marks: NDArray[np.uint8],
    row: Int,
    walked: NDArray[np.uint8],
    most: Int,
    met: NDArray[np.int32],
    first: Int,
) -> int:
    """Write to *met*, from place *first* on, the open rows to which edges *walked*, by class, join *row*, each once;
    where they end.

    With more than *most*, none. There is room for *most*, or for as many as it has edges.
    """
    classes, expiry, verdict, now, stop = sight
    changes = edges.changes
    count = first
    crowded = False
    marked = is_marked(changes.marks, row)
    others, edge_classes = edges.others, edges.classes
    begin, end = edges.offsets[row], edges.offsets[row + 1]
    for part in range(2 if marked else 1):
        if part == ADDED:
            others, edge_classes = changes.others, changes.classes
            begin, end = added_to(edges, row)
        for slot in range(begin, end):
            if crowded or (is_turn(slot - begin) and halted(stop)):
                break
            other = others[slot]
            if (
                walked[edge_classes[slot]] == 0
                or marks[other] != 0
                or (marked and part == BASE and is_over(changes.ended, changes.sequence, slot))
                or not is_open(classes, expiry, verdict, now, other)
            ):
                continue
            if count - first == most:
                crowded = True
                continue
            marks[other] = 1
            met[count] = other
            count += 1
    for place in range(first, count):
        marks[met[place]] = 0
    return int(first if crowded else count)


@kernel(_I8(EDGES, SIGHT, _MARKS, _I4, U1, _I4, _I4))
def pointed_at(
    out: Edges,
    sight: Sight,
    marks: NDArray[np.uint8],
    rows: NDArray[np.int32],
    walked: NDArray[np.uint8],
    entries: NDArray[np.int32],
    throughs: NDArray[np.int32],
) -> int:
    """Pair each entry of *rows* with the open rows to which its edges *walked*, by class, lead;
    how many pairs there are.

    There is room for as many as *rows* have edges.
    """
    count = 0
    for entry in range(len(rows)):
        first = count
        count = met_from(out, sight, marks, rows[entry], walked, NO_CAP, throughs, first)
        entries[first:count] = entry
    return count


@kernel(types.void(EDGES, SIGHT, _MARKS, _I4, U1, _I8, _I8S, _I4))
def pointing_at(
    into: Edges,
    sight: Sight,
    marks: NDArray[np.uint8],
    throughs: NDArray[np.int32],
    walked: NDArray[np.uint8],
    most: int,
    bounds: NDArray[np.int64],
    members: NDArray[np.int32],
) -> None:
    """List the open rows whose edges *walked*, by class, lead to each of *throughs*: those of
    entry i are ``members[bounds[i]:bounds[i + 1]]``.

    One with more than *most* has none. There is room for *most* of each, or for as many as it has
    edges.
    """
    bounds[0] = 0
    for entry in range(len(throughs)):
        bounds[entry + 1] = met_from(
            into, sight, marks, throughs[entry], walked, most, members, bounds[entry]
        )


@kernel(_I8(PAIRS, _I8, _I8, _I4, _I4, _I8, _MARKS, U1, _I4, _I4))
def make(
    pairs: Pairs,
    first_pair: int,
    end_pair: int,
    rows: NDArray[np.int32],
    members: NDArray[np.int32],
    most: int,
    marks: NDArray[np.uint8],
    stop: NDArray[np.uint8],
    origins: NDArray[np.int32],
    others: NDArray[np.int32],
) -> int:
    """Make the edges of pairs ``first_pair:end_pair``, all of each entry: the pair from which each
    comes, and the row to which it leads; how many they are.

    To a row one edge is made for an entry and spec, by the first pair. No more than the first
    *most* members of a pair are taken, which are enough to find the first *most* of all by id.
    """
    entries, specs, _throughs, begins, ends = pairs
    count = first = 0
    for pair in range(first_pair, end_pair):
        if halted(stop):
            break
        if pair > first_pair and (
            entries[pair] != entries[pair - 1] or specs[pair] != specs[pair - 1]
        ):
            for edge in range(first, count):
                marks[others[edge]] = 0
            first = count
        row = rows[entries[pair]]
        left = most
        for member in range(begins[pair], ends[pair]):
            other = members[member]
            if other == row:
                continue
            if left == 0:
                break
            left -= 1
            if marks[other] == 0:
                marks[other] = 1
                origins[count], others[count] = pair, other
                count += 1
    for edge in range(first, count):
        marks[others[edge]] = 0
    return count


@kernel(_I8(_I4, _I8, LISTED, LISTED, LISTED, U1))
def merge(
    frontier: NDArray[np.int32],
    most: int,
    stored: Listed,
    made: Listed,
    merged: Listed,
    stop: NDArray[np.uint8],
) -> int:
    """Bring the edges of both lists into *merged*, node by node in the order of *frontier*, which
    both have; how many they are.

    Of each node the first *most*: heaviest first, stored before made. There is room for all.
    """
    nears, others, weights, numbers, ways = stored
    made_nears, made_others, made_weights, made_numbers, made_ways = made
    to_nears, to_others, to_weights, to_numbers, to_ways = merged
    i = j = count = 0
    for near in frontier:
        left = most
        while True:
            if is_turn(i + j) and halted(stop):
                return count
            is_stored = i < len(nears) and nears[i] == near
            is_made = j < len(made_nears) and made_nears[j] == near
            if is_stored and (not is_made or weights[i] >= made_weights[j]):
                other, weight, number, way = others[i], weights[i], numbers[i], ways[i]
                i += 1
            elif is_made:
                other, weight, number = made_others[j], made_weights[j], made_numbers[j]
                way = made_ways[j]
                j += 1
            else:
                break
            if left > 0:
                to_nears[count], to_others[count], to_weights[count] = near, other, weight
                to_numbers[count], to_ways[count] = number, way
                count += 1
                left -= 1
    return count
