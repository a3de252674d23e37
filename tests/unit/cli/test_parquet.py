"""A Parquet file says what JSONL of the same rows says; what it cannot say is told by column, or by row and column."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from passageway.cli.batches import BadInput, ReadBatch, batches
from passageway.cli.lines import Lines, Source
from passageway.cli.parquet import Rows
from passageway.cli.schema import faults
from passageway.cli.tables import columns
from passageway_server.wire import records as wire
from passageway_server.wire.findings import Findings

_TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6)
_TEXTS = st.lists(_TEXT, max_size=3)
_INTS = st.integers(-(1 << 63), (1 << 63) - 1)
_FLOATS = st.floats(allow_nan=False, allow_infinity=False)
_COUNTS = st.integers(0, (1 << 32) - 1)
_PROPERTIES: Final[Mapping[str, tuple[Any, st.SearchStrategy[Any]]]] = {
    "size": (pa.int64(), _INTS),
    "share": (pa.float64(), _FLOATS),
    "kind": (pa.string(), _TEXT),
    "on": (pa.bool_(), st.booleans()),
    "tags": (pa.list_(pa.string()), _TEXTS),
    "sizes": (pa.list_(pa.int64()), st.lists(_INTS, max_size=3)),
}
_TYPES: Final[Mapping[str, Any]] = {
    "weight": pa.float64(),
    "index": pa.int64(),
    "total": pa.uint32(),
    "covered": pa.bool_(),
    "readers": pa.list_(pa.string()),
    "mentions": pa.list_(pa.string()),
    "links.to": pa.list_(pa.string()),
    "links.of": pa.list_(pa.string()),
    **{f"properties.{name}": kind for name, (kind, _) in _PROPERTIES.items()},
}
_HELD = st.fixed_dictionaries({}, optional={name: of for name, (_, of) in _PROPERTIES.items()})
_SHARED: Final[dict[str, Any]] = {"type": _TEXT, "readers": _TEXTS, "properties": _HELD}
LINES: Final[Mapping[str, st.SearchStrategy[dict[str, Any]]]] = {
    "nodes": st.fixed_dictionaries(
        {"id": _TEXT},
        optional={
            **_SHARED,
            **dict.fromkeys(("name", "content", "project", "status"), _TEXT),
            "covered": st.booleans(),
            "links": st.fixed_dictionaries({}, optional={"to": _TEXTS, "of": _TEXTS}),
        },
    ),
    "edges": st.fixed_dictionaries(
        dict.fromkeys(("id", "source", "target"), _TEXT),
        optional={**_SHARED, "weight": st.floats(0, 1e9)},
    ),
    "passages": st.fixed_dictionaries(
        dict.fromkeys(("id", "parent_id"), _TEXT),
        optional={
            **_SHARED,
            **dict.fromkeys(("name", "content", "breadcrumb"), _TEXT),
            **dict.fromkeys(("index", "total"), _COUNTS),
            "mentions": _TEXTS,
        },
    ),
}


def jsonl(folder: Path, lines: Sequence[Mapping[str, Any]]) -> Lines:
    file = folder / "rows.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return Lines(Source(str(file)))


def parquet(folder: Path, lines: Sequence[Mapping[str, Any]]) -> Rows:
    """The lines as a file, with a column for each key and for each property or link field."""
    flat = list(map(_flat, lines))
    names = sorted({name for line in flat for name in line})
    return table(
        folder,
        {
            name: pa.array([line.get(name) for line in flat], _TYPES.get(name, pa.string()))
            for name in names
        },
    )


def _flat(line: Mapping[str, Any]) -> dict[str, Any]:
    """The members of a line by the names of their columns."""
    flat: dict[str, Any] = {}
    for key, held in line.items():
        if key in ("properties", "links"):
            flat |= {f"{key}.{name}": value for name, value in held.items()}
        else:
            flat[key] = held
    return flat


def table(folder: Path, arrays: Mapping[str, Any]) -> Rows:
    path = folder / "rows.parquet"
    pq.write_table(pa.table(dict(arrays)), path)
    return Rows(Source(str(path)))


def read(kind: str, file: Lines | Rows) -> list[ReadBatch]:
    nodes, passages, edges = (
        [file] if kind == one else [] for one in ("nodes", "passages", "edges")
    )
    return list(batches(nodes, passages, edges))


def put(kind: str, file: Lines | Rows) -> list[object]:
    """What a server puts of *file*."""
    found: list[object] = []
    for each in read(kind, file):
        batch = wire.from_message(each.puts, Findings())
        for packed in (batch.node_columns, batch.edge_columns):
            if packed is not None:
                found += packed.records()
        found += [*batch.put_nodes, *batch.put_edges, *batch.put_passages]
    return found


@pytest.mark.parametrize("kind", LINES)
@given(data=st.data())
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_same_rows_are_the_same_records_from_parquet_as_from_jsonl(
    tmp_path: Path, kind: str, data: st.DataObject
) -> None:
    lines = data.draw(st.lists(LINES[kind], min_size=1, max_size=6))

    records = put(kind, parquet(tmp_path, lines))

    assert records == put(kind, jsonl(tmp_path, lines))
    assert len(records) == len(lines)


IDS = pa.array(["a", "b"])


@pytest.mark.parametrize(
    "ids",
    [
        IDS.dictionary_encode(),
        IDS.cast(pa.large_string()),
        IDS.cast(pa.string_view()),
        IDS.cast(pa.large_string()).dictionary_encode(),
    ],
    ids=lambda ids: str(ids.type),
)
def test_strings_of_every_type_are_taken_and_become_columns(ids: Any) -> None:
    plain, table = (
        pa.record_batch(dict.fromkeys(("id", "type", "name", "properties.kind"), each))
        for each in (IDS, ids)
    )

    assert faults("nodes", table.schema) == []
    assert columns("nodes", table) == columns("nodes", plain)


@pytest.mark.parametrize(
    ("column", "values", "told"),
    [
        ("colour", IDS, "is none of id, .*, properties.NAME, .*name it properties.colour"),
        ("name.x", IDS, "is none of"),
        ("readers", IDS, "is of type string, expected are lists of strings; wrap each value"),
        ("readers", pa.array([[1], [2]]), "is of type list.*int64.*, expected are lists of strings"),
        ("links.to", IDS, "expected are lists of strings; wrap each value"),
        ("name", pa.array([1, 2]), "is of type int64, expected are strings; cast it"),
        ("name", pa.array([b"a", b"b"]), "is of type binary, .*; cast it to string"),
        ("covered", IDS, "expected are bools"),
        ("properties.n", pa.array([b"a", b"b"]), "is of type binary, .*; cast it to string"),
        ("properties.n", pa.array([date(2024, 1, 2)] * 2), "cast it to a timestamp with a zone"),
        ("properties.n", pa.array([datetime(2024, 1, 2)] * 2), "give the times a zone"),
        ("properties.n", pa.array([[datetime(2024, 1, 2)]] * 2), "give the times a zone"),
        ("properties.n", pa.array([Decimal("1.5")] * 2), "cast it to float64, or to string"),
        ("properties.n", pa.array([time(1)] * 2), "cast it to a number, or to string"),
        ("properties.n", pa.array([timedelta(1)] * 2), "cast it to a number, or to string"),
        ("properties.n", pa.array([[[1]]] * 2), "flatten the lists, or write each as a string"),
        ("properties.n", pa.array([{"x": 1}] * 2), "make a column properties.NAME of each value"),
        ("properties", pa.array([[("x", 1)]] * 2, pa.map_(pa.string(), pa.int64())),
         "is of type map.*; make a column properties.NAME"),
        ("properties", pa.array([{"d": Decimal(1)}] * 2), r"\.d is of type decimal"),
    ],
)  # fmt: skip
def test_a_column_that_is_none_of_a_record_is_told_before_a_row_is_read(
    tmp_path: Path, column: str, values: Any, told: str
) -> None:
    rows = table(tmp_path, {"id": IDS, column: values})

    with pytest.raises(BadInput, match=rf"rows\.parquet: the column {column}.*{told}"):
        read("nodes", rows)


@pytest.mark.parametrize(
    ("kind", "column", "values"),
    [
        ("edges", "weight", IDS),
        ("edges", "weight", pa.array([True, False])),
        ("passages", "index", pa.array([0.0, 1.0])),
    ],
)
def test_numbers_are_numbers_whatever_arrow_would_make_of_them(
    tmp_path: Path, kind: str, column: str, values: Any
) -> None:
    arrays = {"id": IDS, "source": IDS, "target": IDS, "parent_id": IDS, column: values}
    needed = {"edges": {"source", "target"}, "passages": {"parent_id"}}[kind] | {"id", column}

    with pytest.raises(BadInput, match=rf"column {column} is of type .*numbers; cast it"):
        read(kind, table(tmp_path, {name: arrays[name] for name in needed}))


def test_every_column_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    arrays = [IDS, IDS, IDS, pa.array([1, 2])]
    names = ["source", "name", "source", "weight"]
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.Table.from_arrays(arrays, names=names), path)

    with pytest.raises(BadInput) as refused:
        read("edges", Rows(Source(str(path))))

    first, *others = (line.removeprefix(f"{path}: ") for line in str(refused.value).splitlines())
    assert first.startswith("the column name is none of id, source, ")
    assert others == [
        "the column source is there twice; drop one of the two",
        "no column id, which every row needs",
        "no column target, which every row needs",
    ]


def test_a_property_of_a_struct_and_of_a_column_is_there_twice(tmp_path: Path) -> None:
    rows = table(tmp_path, {"id": IDS, "properties.n": IDS, "properties": [{"n": 1}, {"n": 2}]})

    with pytest.raises(BadInput, match=r"the column properties\.n is there twice"):
        read("nodes", rows)


_ZONED = pa.timestamp("ns", "UTC")


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (pa.array([1000, 2001], _ZONED), r"1970-01-01 00:00:00\.000002001 is finer than a micro"),
        (pa.array([[1000], [2001]], pa.list_(_ZONED)), "one of the times is finer than a micro"),
        (pa.array([0, 1 << 60], pa.timestamp("ms", "UTC")), "beyond the years 1 to 9999"),
        (
            pa.array([0, 1 << 60], pa.timestamp("us", "UTC")),
            "a time is finer .* beyond the years 1",
        ),
        (pa.array([[1], [1, None]]), "a list with null in it; leave that out"),
        (pa.array([1.5, float("nan")]), "NaN, which is no number; a null says that there is none"),
        (pa.array([[1.5], [float("inf")]]), "infinity"),
        (pa.array([1, (1 << 64) - 1], pa.uint64()), "beyond 64 bits; write it as a string"),
        (pa.Array.from_buffers(pa.string(), 2, pa.array([b"a", b"\xff"]).buffers()), "not UTF-8"),
    ],
)
def test_a_value_that_no_property_holds_is_told_by_row_and_column(
    tmp_path: Path, values: Any, told: str
) -> None:
    rows = table(tmp_path, {"id": IDS, "properties.n": values})

    with pytest.raises(BadInput, match=rf"rows\.parquet: row 1: properties\.n: .*{told}"):
        read("nodes", rows)


def test_times_of_every_unit_and_zone_are_times(tmp_path: Path) -> None:
    moment = datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC)
    times = {
        f"properties.{unit}": pa.array([moment], pa.timestamp(unit, "Europe/Berlin"))
        for unit in ("s", "ms", "us", "ns")
    }

    (plain,) = put("nodes", table(tmp_path, {"id": ["a"], **times}))
    (listed,) = put("nodes", table(tmp_path, {"id": ["a"], "properties.ns": [[moment]]}))

    assert plain.properties == dict.fromkeys(("s", "ms", "us", "ns"), moment)  # type: ignore[attr-defined]
    assert listed.properties == {"ns": [moment]}  # type: ignore[attr-defined]


def test_what_is_read_is_counted_before_its_batch_is_on_its_way(tmp_path: Path) -> None:
    rows = table(tmp_path, {"id": IDS})

    first = next(batches([rows], [], []))

    assert first.puts.HasField("node_columns")
    assert rows.read == rows.source.size
