"""A measure of the whole graph, written back: a property of the rows that took part, and communities as nodes.

It is one commit against the newest version: rows that were deleted meanwhile are left out, and nothing else of a row
changes. The communities that it replaces go in the same commit.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.kinds import kind_fault, kind_name
from passageway_server.columns.nodes import ABSENT
from passageway_server.errors import InvalidRequest
from passageway_server.values.collections import Kind
from passageway_server.values.records import Scalar
from passageway_server.version.check import SPAN_LINKS, id_fault
from passageway_server.version.communities import COMMUNITY, Communities, write_communities
from passageway_server.version.draft import Draft
from passageway_server.version.fieldset import FieldSet
from passageway_server.version.version import Version

Rows = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Measured:
    """What a measure found: a number of each of *rows*, int64 or float64, or their communities."""

    name: str  # of the property
    rows: Rows
    values: NDArray[np.int64] | NDArray[np.float64] | Communities

    @property
    def example(self) -> Scalar:
        """A value of the kind that is written."""
        if isinstance(self.values, Communities):
            return COMMUNITY
        return 0.5 if self.values.dtype == np.float64 else 1


class Written(NamedTuple):
    """A commit of a measure: its version, and how many rows and communities it wrote."""

    version: str
    rows: int
    communities: int


def property_fault(name: str, example: Scalar, fields: FieldSet) -> str | None:
    """Why the property *name* does not take what a measure writes, such as *example*; None where it does.

    Communities are found by their keyword, so they go into no field of text.
    """
    known = fields.kind(name)
    if known is None and name in SPAN_LINKS:
        known = Kind.LINK
    fault = id_fault(name)
    if fault is not None:
        return fault.replace("an id", "the name of a field")
    if known == Kind.TEXT and isinstance(example, str):
        return f"is a {kind_name(known)} field; communities need a keyword field"
    return kind_fault(name, example, declared=fields.declared.get(name), known=known)


def write_measure(version: Version, measured: Measured) -> tuple[Draft, int, int]:
    """A draft of *version* with what was *measured*, and how many rows and communities were written.

    Raises InvalidRequest where the property does not take it.
    """
    name, fields = measured.name, version.fields
    fault = property_fault(name, measured.example, fields)
    if fault is not None:
        raise InvalidRequest.one("property", fault)
    if fields.kind(name) is None:
        kind = Kind.KEYWORD if isinstance(measured.values, Communities) else Kind.FLOAT
        fields = fields.with_inferred({name: kind})
    draft = Draft(version, fields, version.edge_fields)
    stand = np.flatnonzero(version.nodes.kind[measured.rows] != ABSENT)
    rows, values = measured.rows[stand], measured.values
    if isinstance(values, Communities):
        count = write_communities(draft, name, rows, values.of_rows(stand))
        return draft, len(rows), count
    draft.nodes.put_single(name, rows, values[stand])
    return draft, len(rows), 0
