"""Pages: where one ends, and which rows come after it.

A page goes on after a place, not after so many rows: rows that come or go between two pages move nothing.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

from tests.oracle.graph import Arc, Row, Scalar
from tests.oracle.sorting import SortKey, judged_by

MORE = "more"
"""What the oracle has for a page token; it opens nothing."""

RowT = TypeVar("RowT", Row, Arc)


class Place(NamedTuple):
    """Where a page ended: what its last row was sorted by (None: a field that it lacked), its id, the first page's clock."""

    values: tuple[Scalar | None, ...]
    id: str
    now_us: int


def place_of(row: Row | Arc, keys: Sequence[SortKey], *, now_us: int) -> Place:
    """The place of a row."""
    return Place(tuple(judged_by(key, row) for key in keys), row.id, now_us)


def rows_after(rows: Iterable[RowT], keys: Sequence[SortKey], place: Place) -> list[RowT]:
    """Those of the *rows* that come after *place*, whether or not there is a row there now."""
    return [row for row in rows if _is_after(row, keys, place)]


def _is_after(row: Row | Arc, keys: Sequence[SortKey], place: Place) -> bool:
    for key, there in zip(keys, place.values, strict=True):
        here: Any = judged_by(key, row)
        if here == there:
            continue
        if here is None or there is None:
            return here is None
        return bool(here < there) if key.descending else bool(here > there)
    return row.id > place.id
