"""A column of vectors is one matrix, and gives back what was put; what is none of its vectors is refused."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from passageway_server.columns.kinds import kind_fault
from passageway_server.columns.properties import Column
from passageway_server.columns.strings import Strings
from passageway_server.columns.terms import Terms
from passageway_server.values.collections import FieldDeclaration, Kind
from passageway_server.values.records import PropertyValue, Vector

ROWS, DIMENSIONS = 6, 3
DECLARED = FieldDeclaration("v", Kind.VECTOR, dimensions=DIMENSIONS)
numbers = st.lists(
    st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=3, max_size=3
)
values: st.SearchStrategy[Any] = st.one_of(numbers.map(Vector.of), numbers, st.just([]))


def put(column: Column, rows: list[int], given: list[PropertyValue]) -> Column:
    at = np.array(rows, dtype=np.int32)
    return column.put(at, given, keywords={}, texts=Strings.of([""]))[0]


def taken(column: Column) -> list[PropertyValue | None]:
    return column.take(range(len(column)), keywords=Terms.of(), texts=Strings.of([""]))


def put_as(value: PropertyValue) -> Vector | None:
    if isinstance(value, Vector):
        return value
    assert isinstance(value, list)
    return Vector.of([float(one) for one in value if isinstance(one, float)]) if value else None


def matrix(column: Column) -> np.ndarray[tuple[int, int], np.dtype[np.generic]]:
    return column.values.reshape(-1, DIMENSIONS)


@given(st.data())
def test_a_column_holds_the_vectors_that_were_put_last(data: st.DataObject) -> None:
    column = Column.empty(Kind.VECTOR, False, ROWS)
    model: list[Vector | None] = [None] * ROWS
    older: list[tuple[Column, list[Vector | None]]] = []
    for _ in range(data.draw(st.integers(1, 5))):
        older.append((column, list(model)))
        rows = data.draw(st.lists(st.integers(0, ROWS - 1), unique=True, max_size=4))
        if data.draw(st.booleans()):
            given = [data.draw(values) for _ in rows]
            column = put(column, rows, given)
            for row, value in zip(rows, given, strict=True):
                model[row] = put_as(value)
        else:
            column = column.without(np.array(rows, dtype=np.int32))
            model = [None if row in rows else held for row, held in enumerate(model)]
    reread = Column.from_arrays(column.arrays())
    reread.check_vectors(DIMENSIONS)
    for seen, expected in [*older, (column, model), (reread, model), (column.settled(), model)]:
        assert taken(seen) == expected


def test_all_vectors_are_one_matrix_without_a_copy() -> None:
    column = Column.empty(Kind.VECTOR, False, ROWS)
    for row in range(ROWS):
        column = put(column, [row], [Vector.of([row, 0.5, -1.0])])

    rows = matrix(column)

    assert rows.base is column.values or rows.base is column.values.base
    assert rows.dtype == np.float32
    assert rows.flags.c_contiguous
    assert rows[column.at.whole].tolist() == [[row, 0.5, -1.0] for row in range(ROWS)]
    assert column.dimensions == DIMENSIONS


def test_a_settled_column_has_left_out_vectors_of_no_row() -> None:
    column = put(Column.empty(Kind.VECTOR, False, 2), [0, 1], [[1, 2, 3.5], [4, 5, 6.5]])
    column = column.without(np.array([0], dtype=np.int32))

    settled = column.settled()

    assert (column.sparse, settled.sparse) == (True, False)
    assert matrix(settled).tolist() == [[4, 5, 6.5]]
    assert taken(settled) == [None, Vector.of([4, 5, 6.5])]


def test_vectors_of_no_row_are_dropped_once_they_are_most() -> None:
    column = Column.empty(Kind.VECTOR, False, 1)
    for number in range(5000):
        column = put(column, [0], [Vector.of([number, 0, 0])])

    assert len(column.many) < 5000
    assert taken(column) == [Vector.of([4999, 0, 0])]


@pytest.mark.parametrize(
    "value",
    [Vector.of([1, 2, 3]), [1.5, 2.5, 3.5], [1, 2, 3], [], Vector.of([-0.0, 3.4e38, 1e-45])],
)
def test_a_field_of_vectors_takes_them_and_lists_of_numbers(value: PropertyValue) -> None:
    assert kind_fault("v", value, declared=DECLARED, known=Kind.VECTOR) is None


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (Vector.of([1, 2]), "of 3 numbers, found 2"),
        (Vector.of([]), "of 3 numbers, found 0"),
        ([1.0] * 4, "of 3 numbers, found 4"),
        (Vector.of([1, math.nan, 3]), "finite"),
        (Vector.of([1, -math.inf, 3]), "finite"),
        ([1.0, 2.0, 1e39], "finite"),
        ([1.0, 2.0, math.nan], "finite"),
        (["a", "b", "c"], "found a string"),
        ([True, False, True], "found a bool"),
        (1.5, "found a float"),
        ("abc", "found a string"),
    ],
)
def test_what_is_no_vector_of_a_field_is_refused(value: PropertyValue, told: str) -> None:
    assert told in (kind_fault("v", value, declared=DECLARED, known=Kind.VECTOR) or "")


@pytest.mark.parametrize("known", [None, Kind.KEYWORD, Kind.FLOAT, Kind.LINK])
@pytest.mark.parametrize("length", [0, 3])
def test_a_vector_goes_into_declared_fields_alone(known: Kind | None, length: int) -> None:
    assert kind_fault("v", Vector.of([1.0] * length), declared=None, known=known)


@pytest.mark.parametrize("kind", [Kind.KEYWORD, Kind.TEXT, Kind.FLOAT, Kind.TIME])
@pytest.mark.parametrize("repeated", [False, True])
def test_a_field_of_another_kind_takes_no_vector(kind: Kind, repeated: bool) -> None:
    declared = FieldDeclaration("v", kind, repeated)

    assert "found a vector" in (
        kind_fault("v", Vector.of([1.0]), declared=declared, known=kind) or ""
    )


def test_a_time_that_retires_a_row_is_no_vector() -> None:
    assert kind_fault("expires_at", Vector.of([1.0]), declared=None, known=None)


@pytest.mark.parametrize("damage", ["values", "bounds", "many", "at", "dtype", "nan"])
def test_arrays_that_are_no_vectors_are_told(damage: str) -> None:
    arrays = {
        name: array.copy()
        for name, array in put(Column.empty(Kind.VECTOR, False, 2), [0, 1], [[1, 2, 3], [4, 5, 6]])
        .arrays()
        .items()
    }
    match damage:
        case "values":
            arrays["values"] = arrays["values"][:-1]
        case "bounds":
            arrays["bounds"][1] = 2
        case "many":
            arrays["many"][0] = 1
        case "at":
            arrays["at"][1] = 2
        case "dtype":
            arrays["values"] = arrays["values"].astype(np.float64)
        case _:
            arrays["values"][4] = np.nan

    with pytest.raises(ValueError, match="vector"):
        Column.from_arrays(arrays).check_vectors(DIMENSIONS)
