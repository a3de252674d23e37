"""Facets and metrics of an answer."""

from typing import Any

from passageway_server.values.answers import FacetAnswers, MetricAnswers
from passageway_server.values.halt import Halt
from passageway_server.wire.ending import paced
from passageway_server.wire.values import to_properties


def set_facets_and_metrics(
    message: Any, facets: FacetAnswers, metrics: MetricAnswers, halt: Halt
) -> None:
    """Set both in a response that has a map of each."""
    for name, buckets in facets.items():
        result = message.facets[name]  # no value is a result too
        for value, rows in paced(buckets, halt):
            result.buckets.add(value=value, count=rows)
    to_properties(metrics, message.metrics)
