"""A column gives back exactly what was put, whatever was put before and after."""

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from passageway_server.columns.kinds import kind_fault
from passageway_server.columns.properties import Column
from passageway_server.columns.strings import Strings
from passageway_server.columns.terms import Terms
from passageway_server.columns.times import from_micros, parse_time, to_micros
from passageway_server.values.collections import FieldDeclaration, Kind
from passageway_server.values.records import PropertyValue

ROWS = 8
text = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=5)
int64 = st.integers(min_value=-(2**63), max_value=2**63 - 1)
times = st.datetimes(
    min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30), timezones=st.just(UTC)
).map(lambda time: time.replace(fold=0))
finite = st.floats(allow_nan=False, allow_infinity=False)


def one_or_many(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(values, st.lists(values, max_size=3))


FORMS = {
    (Kind.KEYWORD, True): one_or_many(text),
    (Kind.TEXT, False): one_or_many(text),
    (Kind.INT, False): one_or_many(int64),
    (Kind.FLOAT, True): st.one_of(one_or_many(int64), one_or_many(finite)),
    (Kind.BOOL, True): one_or_many(st.booleans()),
    (Kind.TIME, False): one_or_many(times),
}
FORM_LIST = sorted(FORMS)


def exact(value: PropertyValue | None) -> object:
    """*value* with its types: 1, 1.0 and True differ."""
    values = value if isinstance(value, list) else [value]
    return isinstance(value, list), [(type(one), repr(one)) for one in values]


def put(
    column: Column,
    rows: list[int],
    values: list[PropertyValue],
    *,
    keywords: Terms,
    texts: Strings,
) -> tuple[Column, Terms, Strings]:
    """*column* with *values*, and the terms and texts that it refers to then."""
    flat = (one for value in values for one in (value if isinstance(value, list) else [value]))
    words = list(dict.fromkeys(one for one in flat if isinstance(one, str)))
    keywords, found = keywords.interned(words)
    numbers = dict(zip(words, found.tolist(), strict=True))
    column, texts = column.put(
        np.array(rows, dtype=np.int32), values, keywords=numbers, texts=texts
    )
    return column, keywords, texts


@given(st.data())
def test_a_column_holds_what_was_put_last(data: st.DataObject) -> None:
    kind, inferred = data.draw(st.sampled_from(FORM_LIST))
    column, keywords, texts = Column.empty(kind, inferred, ROWS), Terms.of(), Strings.of([""])
    model: dict[int, PropertyValue] = {}
    older: list[tuple[Column, dict[int, PropertyValue]]] = []
    for _ in range(data.draw(st.integers(min_value=1, max_value=5))):
        rows = data.draw(st.lists(st.integers(0, ROWS - 1), unique=True, max_size=4))
        older.append((column, dict(model)))
        if data.draw(st.booleans()):
            values = [data.draw(FORMS[kind, inferred]) for _ in rows]
            column, keywords, texts = put(column, rows, values, keywords=keywords, texts=texts)
            model.update(zip(rows, values, strict=True))
        else:
            column = column.without(np.array(rows, dtype=np.int32))
            model = {row: value for row, value in model.items() if row not in rows}
    reread = Column.from_arrays(column.arrays())
    for seen, expected in [*older, (column, model), (reread, model)]:
        for row in range(ROWS):
            value = expected.get(row)
            absent = value is None or value == []
            found = seen.value(row, keywords=keywords, texts=texts)
            assert exact(found) == exact(None if absent else value)


def test_entries_of_no_row_are_dropped_once_they_are_most() -> None:
    column, keywords, texts = Column.empty(Kind.FLOAT, True, 2), Terms.of(), Strings.of([""])

    for number in range(5000):
        values: list[PropertyValue] = [[number, number + 1], float(number)]
        column, keywords, texts = put(column, [0, 1], values, keywords=keywords, texts=texts)

    assert len(column.many) < 5000
    assert column.take([0, 1], keywords=keywords, texts=texts) == [[4999, 5000], 4999.0]


def test_a_longer_column_holds_nothing_in_its_new_rows() -> None:
    column, keywords, texts = put(
        Column.empty(Kind.BOOL, True, 1), [0], [True], keywords=Terms.of(), texts=Strings.of([""])
    )

    grown = column.resized(3)

    assert grown.take([0, 1, 2], keywords=keywords, texts=texts) == [True, None, None]


@given(times)
def test_times_keep_their_microseconds(time: datetime) -> None:
    assert from_micros(to_micros(time)) == time
    assert parse_time(time.isoformat()) == to_micros(time)


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2025-06-01", datetime(2025, 6, 1, tzinfo=UTC)),
        ("2025-06-01T00:30:00+02:00", datetime(2025, 5, 31, 22, 30, tzinfo=UTC)),
        ("1969-12-31t23:59:59.000001z", datetime(1969, 12, 31, 23, 59, 59, 1, tzinfo=UTC)),
        ("9999-12-31T23:59:59.999999Z", datetime.max.replace(tzinfo=UTC)),
    ],
)
def test_a_time_is_read_from_its_text(text: str, time: datetime) -> None:
    assert parse_time(text) == (time - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(
        microseconds=1
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "2025-6-1",
        "2025-02-30",
        "2025-06-01T00:00:00",
        "2025-06-01T24:00:01Z",
        "2025-06-01T00:00:00.0000001Z",
        "0001-01-01T00:00:00+01:00",
        "2025-06-01T00:00:60Z",
        "２０２５-06-01",
    ],
)
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_time(text)


def declared(kind: Kind, *, repeated: bool = False) -> FieldDeclaration:
    return FieldDeclaration("f", kind, repeated)


NOW = datetime(2025, 6, 1, tzinfo=UTC)
TAKEN: list[tuple[FieldDeclaration | None, Kind | None, PropertyValue]] = [
    (None, None, "a"),
    (None, Kind.FLOAT, 1),
    (None, Kind.FLOAT, [1.5]),
    (None, Kind.KEYWORD, []),
    (declared(Kind.INT), Kind.INT, 2**63 - 1),
    (declared(Kind.FLOAT), Kind.FLOAT, 1),
    (declared(Kind.TEXT, repeated=True), Kind.TEXT, ["a", "b"]),
    (declared(Kind.TIME), Kind.TIME, NOW),
    (declared(Kind.TIME), Kind.TIME, "2025-06-01"),
]
REFUSED: list[tuple[FieldDeclaration | None, Kind | None, PropertyValue]] = [
    (None, Kind.FLOAT, "a"),
    (None, Kind.KEYWORD, True),
    (None, Kind.BOOL, 1),
    (None, Kind.LINK, "a"),
    (None, None, NOW),
    (None, None, float("nan")),
    (None, None, 2**63),
    (declared(Kind.INT), Kind.INT, 1.0),
    (declared(Kind.INT), Kind.INT, True),
    (declared(Kind.FLOAT), Kind.FLOAT, 2**53 + 1),
    (declared(Kind.FLOAT), Kind.FLOAT, float("inf")),
    (declared(Kind.TEXT), Kind.TEXT, ["a"]),
    (declared(Kind.TIME), Kind.TIME, "2025-06-01T00:00:00"),
    (declared(Kind.TIME), Kind.TIME, datetime(2025, 6, 1)),
    (declared(Kind.TIME), Kind.TIME, 5),
]


@pytest.mark.parametrize(("declaration", "known", "value"), TAKEN)
def test_a_field_takes_its_own_kind(
    declaration: FieldDeclaration | None, known: Kind | None, value: PropertyValue
) -> None:
    assert kind_fault("f", value, declared=declaration, known=known) is None


@pytest.mark.parametrize(("declaration", "known", "value"), REFUSED)
def test_a_field_refuses_another_kind(
    declaration: FieldDeclaration | None, known: Kind | None, value: PropertyValue
) -> None:
    assert kind_fault("f", value, declared=declaration, known=known)


def test_expires_at_is_one_time_without_being_declared() -> None:
    assert kind_fault("expires_at", NOW, declared=None, known=None) is None
    assert kind_fault("expires_at", "soon", declared=None, known=None)
    assert kind_fault("expires_at", [NOW], declared=None, known=None)
