"""Rows by a vector: the cosine or the product of each, as it is written down."""

import math
from collections.abc import Iterable, Sequence

from passageway.v1 import query_pb2, store_pb2, types_pb2
from tests.oracle.fields import property_named
from tests.oracle.filters import Binding
from tests.oracle.graph import Graph, Numbers, Row
from tests.oracle.refusals import Checks, Refused
from tests.oracle.words import unindexed_types


class Nearest:
    """The vector of one query, and the field in which it is looked for."""

    def __init__(
        self, query: query_pb2.Query, path: str, graph: Graph, binding: Binding, checks: Checks
    ) -> None:
        self._unindexed = unindexed_types(graph)
        self._query = list(query.vector)
        checks.need(all(map(math.isfinite, self._query)), f"{path}.vector")
        self._field = store_pb2.Field()
        declared = {
            field.name: field
            for field in graph.settings.fields
            if field.kind == types_pb2.FIELD_KIND_VECTOR
        }
        if not self._query:
            checks.fault(f"{path}.vector_field")
            return
        name = query.vector_field
        if not name:
            checks.need(len(declared) == 1, f"{path}.vector_field")
            name = next(iter(declared), "") if len(declared) == 1 else ""
        else:
            try:
                binding.known(name, f"{path}.vector_field", False)
                name = property_named(name)
                checks.need(name in declared, f"{path}.vector_field")
            except Refused as refused:
                checks.absorb(refused)
        if name in declared and all(map(math.isfinite, self._query)):
            self._field = declared[name]
            fits = len(self._query) == self._field.dimensions
            checks.need(fits and (self._is_dot or any(self._query)), f"{path}.vector")

    @property
    def _is_dot(self) -> bool:
        return self._field.similarity == store_pb2.SIMILARITY_DOT

    def scores(self, rows: Iterable[Row]) -> dict[str, float]:
        """The score of each of *rows* that holds the field, by id."""
        scores: dict[str, float] = {}
        for row in rows:
            held = row.properties.get(self._field.name)
            if row.type in self._unindexed or held is None:
                continue
            (vector,) = held.values
            assert isinstance(vector, Numbers)
            score = self._score(vector.numbers)
            if score is not None:
                scores[row.id] = score
        return scores

    def _score(self, numbers: Sequence[float]) -> float | None:
        """A cosine is none where a vector is all zeros."""
        product = folded([a * b for a, b in zip(self._query, numbers, strict=True)])
        if self._is_dot:
            return product + 0.0
        square = folded([number * number for number in numbers])
        if not square:
            return None
        own = folded([number * number for number in self._query])
        return max(-1.0, min(product / math.sqrt(own * square) + 0.0, 1.0))


def folded(numbers: list[float]) -> float:
    """Their sum, in one order: the second half is added to the first, rounded up, until one is left."""
    while len(numbers) > 1:
        half = (len(numbers) + 1) // 2
        second = [*numbers[half:], *[None] * (half - len(numbers[half:]))]
        numbers = [a if b is None else a + b for a, b in zip(numbers[:half], second, strict=True)]
    return numbers[0]
