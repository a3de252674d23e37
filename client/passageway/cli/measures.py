"""Facets and metrics on the command line: as options, and as tables under an answer."""

from collections.abc import Mapping, Sequence
from typing import get_args

from passageway import Facet, FacetResult, Metric, MetricOp, Properties
from passageway._json import json_properties
from passageway.cli import output
from passageway.cli.failures import Usage


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


def show(facets: Mapping[str, FacetResult], metrics: Properties) -> None:
    """A table for each facet, and a line for each metric."""
    for name, facet in facets.items():
        output.say()
        rows = [(bucket.value, bucket.count) for bucket in facet.buckets]
        output.table((name, "count"), rows, empty=f"{name}: no values")
    if metrics:
        output.say()
        output.pairs(
            (name, output.plain(value)) for name, value in json_properties(metrics).items()
        )


def timed_out(spent: bool) -> None:
    """That an answer is not whole, told on stderr."""
    if spent:
        output.note("out of time: this is what was found until then; raise --timeout-ms")
