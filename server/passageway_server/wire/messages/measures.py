"""Facets and metrics of an answer."""

from typing import Any

from passageway_server.values.answers import FacetAnswers, MetricAnswers
from passageway_server.wire.values import to_properties


def set_measures(message: Any, facets: FacetAnswers, metrics: MetricAnswers) -> None:
    """Set both in a response that has a map of each."""
    for name, buckets in facets.items():
        result = message.facets[name]  # no value is a result too
        for value, rows in buckets:
            result.buckets.add(value=value, count=rows)
    to_properties(metrics, message.metrics)
