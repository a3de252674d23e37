"""Facets and metrics on the command line: as options, and as tables under an answer."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar, get_args

from passageway import Facet, FacetResult, Metric, MetricOp, Properties
from passageway._json import json_properties
from passageway.cli import output
from passageway.cli.failures import Usage

_T = TypeVar("_T")


def facets(given: Sequence[str] | None) -> dict[str, Facet]:
    """Facets such as ``section`` or ``section:20``, each named as its field is."""
    found: dict[str, Facet] = {}
    for text in given or ():
        facet = _facet(text)
        if facet.field in found:
            raise Usage(f"--facet {text!r}: {facet.field} stands here twice")
        found[facet.field] = facet
    return found


def metrics(given: Sequence[str] | None) -> dict[str, Metric]:
    """Metrics such as ``avg:size``, each named as it was written."""
    return {text: _metric(text) for text in given or ()}


def _facet(text: str) -> Facet:
    field, colon, limit = text.rpartition(":")
    if colon and limit.removeprefix("-").isdecimal():
        return Facet(field, limit=int(limit))
    return Facet(text)


def _metric(text: str) -> Metric:
    op, colon, field = text.partition(":")
    for known in get_args(MetricOp):
        if colon and op == known:
            return Metric(field, known)
    raise Usage(
        f"--metric {text!r}: expected is OP:FIELD, OP one of {', '.join(get_args(MetricOp))}"
    )


def show(
    facets: Mapping[str, FacetResult], metrics: Properties, *, asked: Mapping[str, Any]
) -> None:
    """A table for each facet, and a line for each metric, in the order in which the parameters *asked* for them."""
    for name, facet in _in_order(facets, asked.get("facets")):
        output.say()
        rows = [(bucket.value, bucket.count) for bucket in facet.buckets]
        output.table((name, "count"), rows, empty=f"{name}: no values")
    if metrics:
        output.say()
        values = _in_order(json_properties(metrics), asked.get("metrics"))
        output.pairs((name, output.measured(value)) for name, value in values)


def _in_order(found: Mapping[str, _T], asked: Iterable[str] | None) -> list[tuple[str, _T]]:
    """What was *found*, as it was *asked* for: maps of the contract have no order."""
    return [(name, found[name]) for name in asked or () if name in found]


def timed_out(spent: bool) -> None:
    """That an answer is not whole, told on stderr."""
    if spent:
        output.note("out of time: this is what was found until then; raise --timeout-ms")
