"""Scores of vectors are exact, and what a sketch leaves out could not have been among the first."""

import math
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from passageway_server.authz.callers import Caller
from passageway_server.authz.gates import gates
from passageway_server.columns.properties import Column
from passageway_server.columns.strings import Strings
from passageway_server.engine import vectors
from passageway_server.engine.diversity import shown
from passageway_server.engine.found import Found
from passageway_server.engine.query import first_found, run_query
from passageway_server.engine.vectors import Holders, VectorPlan, compared, sketch_of
from passageway_server.planner.binding import Binding
from passageway_server.planner.query import plan_query
from passageway_server.values.collections import (
    CollectionSettings,
    FieldDeclaration,
    Kind,
    NodeType,
    Ontology,
    Similarity,
)
from passageway_server.values.halt import UNHALTED
from passageway_server.values.queries import Bounds, Query, ReadOptions
from passageway_server.values.records import Batch, NodeRecord, Properties, Vector
from passageway_server.version.store import Store
from passageway_server.version.version import Version

NUMBERS = 7
SIMILARITIES = (Similarity.COSINE, Similarity.DOT)
Matrix = list[list[float]]


@pytest.fixture
def sketched(monkeypatch: pytest.MonkeyPatch) -> None:
    """However few vectors there are, they are sketched."""
    monkeypatch.setattr(vectors, "_FEW", -1)


def folded(numbers: list[float]) -> float:
    while len(numbers) > 1:
        half = (len(numbers) + 1) // 2
        added = [a + b for a, b in zip(numbers, numbers[half:], strict=False)]
        numbers = added + numbers[len(added) : half]
    return numbers[0]


def plain(query: list[float], vector: list[float], similarity: Similarity) -> float | None:
    dot = folded([a * b for a, b in zip(query, vector, strict=True)])
    if similarity == Similarity.DOT:
        return dot + 0.0
    own, other = folded([a * a for a in query]), folded([a * a for a in vector])
    return max(-1.0, min(dot / math.sqrt(own * other) + 0.0, 1.0)) if other else None


def single(numbers: list[float]) -> list[float]:
    return list(map(float, Vector.of(numbers).numbers))


def version_of(matrix: Matrix, similarity: Similarity) -> Version:
    """A row of each vector, named by its number, of one of three types."""
    dimensions = len(matrix[0])
    field = FieldDeclaration("v", Kind.VECTOR, dimensions=dimensions, similarity=similarity)
    rows = tuple(
        NodeRecord(f"{i:04}", f"type {i % 3}", properties={"v": Vector.of(vector)})
        for i, vector in enumerate(matrix)
    )
    kept = Store.open().create(
        CollectionSettings("c", fields=(field,), default_readers=("public",))
    )
    kept.apply(Batch(put_nodes=rows))
    return kept.current


def asked(version: Version, query: Query) -> tuple[Any, Any, Found]:
    """The gates, the plan, and what it finds."""
    call = gates(version, Caller.holding(()), ReadOptions(), 0)
    binding = Binding(version, call.read, bounds=Bounds.REJECT, vars={})
    plan = plan_query(query, binding, path="query")
    binding.check()
    return call, plan, run_query(version, plan, scope=call.scope, read=call.read)


odd = st.sampled_from([0.0, -0.0, 1.0, 1.0000001, -1.0, 1e-45, -1e-45, 1e-38, 3.4e38, -3.4e38, 0.1])
number = odd | st.floats(width=32, allow_nan=False, allow_infinity=False)
vector = st.lists(number, min_size=NUMBERS, max_size=NUMBERS).map(single)
near = st.lists(st.sampled_from([1.0, 1.0000001, 0.9999999]), min_size=NUMBERS, max_size=NUMBERS)
matrices = st.lists(vector | near.map(single), min_size=1, max_size=12)


def columns(matrix: Matrix) -> Column:
    column = Column.empty(Kind.VECTOR, False, len(matrix))
    rows = np.arange(len(matrix), dtype=np.int32)
    return column.put(rows, list(map(Vector.of, matrix)), keywords={}, texts=Strings.of([""]))[0]


class _Only:
    """As much of a version as a comparison needs."""

    def __init__(self, column: Column) -> None:
        self.nodes = self
        self.properties = {"v": column}


def compare(matrix: Matrix, query: list[float], similarity: Similarity) -> Found:
    every = np.arange(len(matrix), dtype=np.int32)
    plan = VectorPlan("v", Vector.of(query), similarity)
    version: Any = _Only(columns(matrix))
    return compared(version, plan, Holders(every, every), UNHALTED)


@pytest.mark.parametrize("similarity", SIMILARITIES)
@pytest.mark.parametrize("few", [-1, 256])
@given(matrices, vector)
def test_scores_are_those_of_the_formula_and_bounds_hold_them(
    similarity: Similarity, few: int, matrix: Matrix, query: list[float]
) -> None:
    if similarity == Similarity.COSINE and not any(query):
        query = [1.0, *query[1:]]
    expected = {
        row: score
        for row, one in enumerate(matrix)
        if (score := plain(query, one, similarity)) is not None
    }

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(vectors, "_FEW", few)
        found = compare(matrix, query, similarity)

        assert dict(zip(found.rows.tolist(), found.scores.tolist(), strict=True)) == expected
    if few < 0:
        assert found.bounds is not None
        exact = np.array([expected[row] for row in found.rows.tolist()])
        assert (found.bounds.low <= exact).all()
        assert (exact <= found.bounds.high).all()


@pytest.mark.parametrize("dimensions", [1, 2, 3, 384, 4096])
@pytest.mark.parametrize("similarity", SIMILARITIES)
@pytest.mark.usefixtures("sketched")
def test_bounds_are_narrow_and_hold_at_every_length(
    dimensions: int, similarity: Similarity
) -> None:
    draw = np.random.default_rng(dimensions)
    matrix = draw.standard_normal((300, dimensions)).astype(np.float32)
    matrix[:100] = np.sign(matrix[:100])  # as large as numbers of a sketch become
    query = np.sign(matrix[150])

    found = compare(matrix.tolist(), query.tolist(), similarity)

    assert found.bounds is not None
    low, high, _ = found.bounds
    assert (low <= found.scores).all()
    assert (found.scores <= high).all()
    lengths = np.linalg.norm(matrix.astype(float), axis=1) * math.sqrt(dimensions)
    width = (high - low) / (lengths if similarity == Similarity.DOT else 1.0)
    assert width.max() < 0.05


@pytest.mark.parametrize("similarity", SIMILARITIES)
@pytest.mark.usefixtures("sketched")
def test_no_row_is_lost_among_many_that_are_almost_equal(similarity: Similarity) -> None:
    rng = Random(5)
    base = [rng.uniform(-1, 1) for _ in range(16)]
    matrix = [single([one + rng.choice((0, 0, 1e-7, 1e-6)) for one in base]) for _ in range(600)]
    matrix[::50] = [matrix[1]] * 12
    version = version_of(matrix, similarity)
    scores = {f"{i:04}": plain(single(base), one, similarity) or 0 for i, one in enumerate(matrix)}
    in_order = sorted(scores, key=lambda row: (-scores[row], row))

    for limit in (1, 2, 10, 40, 80, 600, 700):
        call, plan, found = asked(version, Query(vector=Vector.of(base), limit=limit))
        first = first_found(version, plan, found, call.read)

        assert version.nodes.ids.take(first.rows) == in_order[:limit]
        assert first.scores.tolist() == [scores[id] for id in in_order[:limit]]
        assert len(found) == 600


@pytest.mark.parametrize("cap", [0, 1, 2, 5])
@pytest.mark.parametrize("names", [frozenset[str](), frozenset(["x"])])
@pytest.mark.usefixtures("sketched")
def test_what_is_shown_is_the_same_with_bounds_and_without(cap: int, names: frozenset[str]) -> None:
    rng = Random(cap)
    base = [rng.gauss(0, 1) for _ in range(8)]
    # Each type lies together, so that its bounds overlap, and apart from the others.
    centers = [[base[0] + 2 * kind, *base[1:]] for kind in range(3)]
    matrix = [single([one + rng.gauss(0, 0.02) for one in centers[i % 3]]) for i in range(400)]
    version = version_of(matrix, Similarity.COSINE)
    for limit in (0, 1, 3, 7, 50, 400):
        asks = Query(vector=Vector.of(matrix[limit % 400]), limit=limit or 1)
        call, _, found = asked(version, asks)
        exact = Found(found.rows, found.scores.copy(), found.by)
        call, _, found = asked(version, asks)

        one, other = (
            shown(version, each, limit, type_cap=cap, names=names, gate=call.read)
            for each in (found, exact)
        )

        assert found.bounds is not None
        assert one.places.tolist() == other.places.tolist()


def test_a_copy_of_the_query_has_a_cosine_of_one() -> None:
    rng = Random(1)
    for _ in range(50):
        vector = [rng.gauss(0, 1) for _ in range(NUMBERS)]
        twice = [2 * one for one in single(vector)]

        found = compare([vector, twice, [-one for one in vector]], vector, Similarity.COSINE)

        assert found.scores.tolist() == [1.0, 1.0, -1.0]


def test_zeros_alone_have_a_product_and_no_cosine() -> None:
    matrix = [[0.0] * NUMBERS, [1.0] * NUMBERS, [-0.0] * NUMBERS]
    query = [-1.0] * NUMBERS

    assert compare(matrix, query, Similarity.COSINE).rows.tolist() == [1]
    dots = compare(matrix, query, Similarity.DOT)
    assert str(dots.scores.tolist()) == "[0.0, -7.0, 0.0]"


def test_a_commit_sketches_the_vectors_that_it_adds(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[tuple[int, int]] = []
    sketched = vectors._sketched

    def watched(
        values: Any, dimensions: int, first: int, codes: Any, steps: Any, *rest: Any
    ) -> None:
        looked_at.append((first, len(steps)))
        sketched(values, dimensions, first, codes, steps, *rest)

    monkeypatch.setattr(vectors, "_sketched", watched)
    texts = Strings.of([""])
    column = columns([[1.0] * NUMBERS] * 50)
    rows = np.array([3, 4], dtype=np.int32)

    sketch_of(column, UNHALTED)
    again = sketch_of(column, UNHALTED)
    unread = column.put(rows, [Vector.of([2.0] * NUMBERS)] * 2, keywords={}, texts=texts)[0]
    other = unread.put(rows, [Vector.of([3.0] * NUMBERS)] * 2, keywords={}, texts=texts)[0]
    after = sketch_of(other, UNHALTED)
    beside = column.put(rows[:1], [Vector.of([5.0] * NUMBERS)], keywords={}, texts=texts)[0]
    stepped = sketch_of(beside, UNHALTED).steps.array[50:]

    assert looked_at == [(0, 50), (50, 4), (50, 1)]
    assert len(again) == 50
    assert after.steps.array[50:].tolist() == [2 / 127, 2 / 127, 3 / 127, 3 / 127]
    assert stepped.tolist() == [5 / 127]


@pytest.mark.parametrize("few", [-1, 256])
def test_rows_of_a_type_that_is_not_searched_are_not_found(
    monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    monkeypatch.setattr(vectors, "_FEW", few)
    field = FieldDeclaration("v", Kind.VECTOR, dimensions=1)
    ontology = Ontology(node_types=(NodeType("log", indexed=False),))
    kept = Store.open().create(
        CollectionSettings("c", fields=(field,), default_readers=("public",), ontology=ontology)
    )
    held: Properties = {"v": Vector.of([1.0])}
    kept.apply(
        Batch(put_nodes=(NodeRecord("a", "log", properties=held), NodeRecord("b", properties=held)))
    )

    _, _, found = asked(kept.current, Query(vector=Vector.of([2.0])))

    assert kept.current.nodes.ids.take(found.rows) == ["b"]


def test_halves_are_added_to_halves() -> None:
    matrix = [[1.0, 1e8, 1.0, -1e8]]

    found = compare(matrix, [1.0, 1e8, 1.0, 1e8], Similarity.DOT)

    assert found.scores.tolist() == [2.0]  # one after the other they would add up to 0
