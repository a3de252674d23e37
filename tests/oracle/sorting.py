"""The order that a ``sort`` asks for, of nodes or edges alike: rows without the field last, ties by id."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeVar

from tests.oracle.fields import VECTOR
from tests.oracle.filters import Binding, values_in
from tests.oracle.graph import Arc, Row
from tests.oracle.refusals import Checks, Refused

MOST_SORTS = 8

RowT = TypeVar("RowT", Row, Arc)


class SortKey(NamedTuple):
    """One field to sort by."""

    field: str
    descending: bool


def check_sort(
    sort: Sequence[str], path: str, binding: Binding, checks: Checks, *, on_edges: bool = False
) -> list[SortKey]:
    """The keys that *sort* names; its faults go to *checks*, each under its place."""
    checks.need(len(sort) <= MOST_SORTS, path)
    keys = [SortKey(name.removeprefix("-"), name.startswith("-")) for name in sort]
    for place, key in enumerate(keys):
        try:
            known = binding.known(key.field, f"{path}[{place}]", on_edges)
            checks.need(known.kind != VECTOR, f"{path}[{place}]")
        except Refused as refused:
            checks.absorb(refused)
    return keys


def in_order(rows: Iterable[RowT], keys: Sequence[SortKey]) -> list[RowT]:
    """The rows by the first key, equal ones by the next, and those that are equal in all by id."""
    ordered = sorted(rows, key=lambda row: row.id)
    for key in reversed(keys):  # sorting is stable, also in reverse
        holding = [row for row in ordered if values_in(row, key.field)]
        lacking = [row for row in ordered if not values_in(row, key.field)]
        holding.sort(key=partial(judged_by, key), reverse=key.descending)
        ordered = holding + lacking
    return ordered


def judged_by(key: SortKey, row: Row | Arc) -> Any:
    """The value that a row is sorted by: of a list the smallest, descending the largest; None where it has none."""
    values: list[Any] = list(values_in(row, key.field))
    if not values:
        return None
    return max(values) if key.descending else min(values)
