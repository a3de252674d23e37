"""Facets: how many rows hold each value of a field, rows being nodes or edges alike.

Values are counted by what they are, 1 and 1.0 as one, and spelled as texts in the end.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from passageway.v1 import query_pb2
from tests.oracle.fields import TEXT, VECTOR
from tests.oracle.filters import Binding, values_in
from tests.oracle.graph import Arc, Moment, Numbers, Row, Scalar
from tests.oracle.refusals import Checks, Refused

MOST_MEASURES, MOST_BUCKETS = 100, 10_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

Facets = Mapping[str, query_pb2.Facet]


def check_facets(
    facets: Facets, binding: Binding, checks: Checks, *, on_edges: bool = False
) -> dict[str, int]:
    """Note what is wrong with the facets of a request; what comes back are their limits, by name."""
    checks.need(len(facets) <= MOST_MEASURES, "facets")
    limits: dict[str, int] = {}
    for name, facet in facets.items():
        path = f"facets.{name}"
        try:
            known = binding.known(facet.field, f"{path}.field", on_edges)
            content = facet.field == "content" and not on_edges
            checks.need(known.kind not in (TEXT, VECTOR) and not content, f"{path}.field")
        except Refused as refused:
            checks.absorb(refused)
        limits[name] = checks.number(
            f"{path}.limit",
            facet.limit if facet.HasField("limit") else 10,
            low=-1,
            high=MOST_BUCKETS,
        )
    return limits


def count_facets(
    rows: Iterable[Row | Arc], facets: Facets, limits: Mapping[str, int]
) -> dict[str, query_pb2.FacetResult]:
    """The facets over *rows*: a row counts once for each distinct value that it holds."""
    rows = list(rows)
    results: dict[str, query_pb2.FacetResult] = {}
    for name, facet in facets.items():
        counts = Counter(value for row in rows for value in set(values_in(row, facet.field)))
        results[name] = query_pb2.FacetResult()
        for value, count in _largest(counts)[: None if limits[name] == -1 else limits[name]]:
            results[name].buckets.add(value=spelled(value), count=count)
    return results


def _largest(counts: Counter[Scalar]) -> list[tuple[Any, int]]:
    """The values and their counts: the largest count first, then the smallest value."""
    pairs: list[tuple[Any, int]] = list(counts.items())
    return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))


def spelled(value: Scalar) -> str:
    """A value as the text of its bucket."""
    match value:
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case Moment():
            at = _EPOCH + timedelta(microseconds=value.micros)
            return at.isoformat().replace("+00:00", "Z")
        case Numbers():
            raise ValueError("a vector has no facet")
        case int() | float():
            whole = -(2**63) <= value < 2**63 and value == int(value)
            return str(int(value)) if whole else repr(float(value))
