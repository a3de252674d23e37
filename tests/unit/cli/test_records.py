"""A line of JSONL is its record exactly, or is refused with its column and cause."""

import json

import pytest

from passageway.cli import records
from passageway.cli.parsing import BadLine
from passageway.v1 import store_pb2, types_pb2


def node(line: str | bytes) -> types_pb2.Node:
    return records.add_node(store_pb2.Batch(), line if isinstance(line, bytes) else line.encode())


def edge(line: str) -> types_pb2.Edge:
    return records.add_edge(store_pb2.Batch(), line.encode())


def passage(line: str) -> types_pb2.Passage:
    return records.add_passage(store_pb2.Batch(), line.encode())


def test_a_node_has_every_field_of_its_line() -> None:
    made = node(
        '{"id": "a", "type": "service", "name": "A", "content": "text", "project": "p", "status": "open",'
        ' "readers": ["public", "team:x & level:y"], "covered": true,'
        ' "links": {"related": ["b", "c"], "none": []},'
        ' "properties": {"s": "x", "i": 3, "f": 0.5, "b": false, "ss": ["x"], "is": [1], "bs": [true]}}'
    )

    assert made == types_pb2.Node(
        id="a",
        type="service",
        name="A",
        content="text",
        project="p",
        status="open",
        readers=["public", "team:x & level:y"],
        covered=True,
        links={
            "related": types_pb2.StringList(values=["b", "c"]),
            "none": types_pb2.StringList(),
        },
        properties={
            "s": types_pb2.Value(string_value="x"),
            "i": types_pb2.Value(int_value=3),
            "f": types_pb2.Value(double_value=0.5),
            "b": types_pb2.Value(bool_value=False),
            "ss": types_pb2.Value(strings=types_pb2.StringList(values=["x"])),
            "is": types_pb2.Value(ints=types_pb2.IntList(values=[1])),
            "bs": types_pb2.Value(bools=types_pb2.BoolList(values=[True])),
        },
    )


def test_an_edge_without_a_weight_has_none_and_a_whole_number_is_one() -> None:
    assert not edge('{"id": "e", "source": "a", "target": "b"}').HasField("weight")
    assert edge('{"id": "e", "source": "a", "target": "b", "weight": 0}').weight == 0
    assert edge('{"id": "e", "source": "a", "target": "b", "weight": 0}').HasField("weight")


def test_a_passage_keeps_zero_apart_from_absent() -> None:
    made = passage('{"id": "a#0", "parent_id": "a", "index": 0, "mentions": ["b"]}')

    assert made == types_pb2.Passage(id="a#0", parent_id="a", mentions=["b"])
    assert not made.HasField("total")


def test_null_and_an_empty_list_are_absent() -> None:
    made = node(
        '{"id": "a", "name": null, "properties": {"x": null, "y": []}, "links": {"l": null}}'
    )

    assert made == types_pb2.Node(id="a")


def test_a_list_with_one_float_is_a_list_of_floats() -> None:
    made = node('{"id": "a", "properties": {"x": [1, 2.5]}}')

    assert list(made.properties["x"].doubles.values) == [1.0, 2.5]


@pytest.mark.parametrize("id", ['"', "\\", "a\nb", "😀", "\u202eevil", "e\u0301", "é", "\u2028"])
def test_an_id_keeps_its_very_code_points(id: str) -> None:
    assert node(json.dumps({"id": id})).id == id
    assert node(json.dumps({"id": id}, ensure_ascii=False)).id == id


BAD_NODES = {
    '{"id": "a"': (11, "no JSON"),
    "nothing": (1, "no JSON"),
    "[]": (1, "a line is one object"),
    '{"id": "a"} {}': (13, "no JSON"),
    '{"id": "a", "nam": "x"}': (13, '["nam"]: unknown key; known are id, type, name'),
    '{"id": "a", "revision": "x"}': (13, "unknown key"),
    '{"id": "a", "id": "b"}': (13, 'the key "id" stands twice'),
    '{"id": "a", "properties": {"x": 1, "x": 2}}': (36, 'the key "x" stands twice'),
    '{"id": "NaN", "properties": {"x": NaN}}': (35, "NaN is no JSON number"),
    '{"id": "a", "properties": {"x": [-Infinity]}}': (34, "-Infinity is no JSON number"),
    '{"id": "a", "properties": {"x": 1e999}}': (33, 'properties["x"]: a number beyond a double'),
    '{"id": "a", "properties": {"x": 9223372036854775808}}': (33, "beyond 64 bits"),
    '{"id": "a", "properties": {"x": {"y": 1}}}': (33, "an object; a property is one value"),
    '{"id": "a", "properties": {"x": [[1]]}}': (33, "list"),
    '{"id": "a", "properties": {"x": [1, "a"]}}': (33, "values of one kind"),
    '{"id": "a", "properties": {"x": "\\ud800"}}': (33, "surrogate"),
    '{"id": "a", "properties": {"\\ud800": 1}}': (38, "surrogate"),
    '{"id": "\\ud800"}': (8, "id: half of a surrogate pair"),
    '{"id": 7}': (8, "id: a number; expected is a string"),
    '{"id": "a", "readers": "public"}': (24, "readers: a string; expected is a list"),
    '{"id": "a", "readers": ["public", 7]}': (35, "readers[1]: a number; expected is a string"),
    '{"id": "a", "links": {"x": "b"}}': (28, 'links["x"]: a string; expected is a list of ids'),
    '{"id": "a", "links": {"x": ["b", null]}}': (34, 'links["x"][1]: null'),
    '{"id": "a", "covered": 1}': (24, "covered: a number; expected is true or false"),
    '{"id": "a", "properties": []}': (27, "properties: a list; expected is an object"),
    '{"id": "a", "properties": {"x": ' + "[" * 100_000: (1, "nested too deeply"),
    '{"id": "a", "properties": {"x": ' + "9" * 5000 + "}}": (33, "too many digits"),
    '{"w": ' + "9" * 5000 + '.5, "c": "' + "9" * 5000 + '", "x": -' + "9" * 5000 + "}": (
        10_025,
        "too many digits",
    ),
    '{"links": {"id": ["b"]}, "id": "a", "id": "b"}': (37, 'the key "id" stands twice'),
    '{"a": {"id": 1}, "b": [{"id": 2}], "\\u0061": 3}': (36, 'the key "a" stands twice'),
    '{"id": "a", "id": {"x": 1, "x": 2}}': (13, 'the key "id" stands twice'),
}


@pytest.mark.parametrize(("line", "expected"), BAD_NODES.items())
def test_a_line_that_is_no_node_is_refused_with_column_and_cause(
    line: str, expected: tuple[int, str]
) -> None:
    with pytest.raises(BadLine) as refused:
        node(line)

    column, cause = expected
    assert cause in refused.value.cause
    assert refused.value.column == column


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        ('{"id": "e", "weight": "1"}', "weight: a string; expected is a number"),
        ('{"id": "e", "weight": true}', "weight: true or false; expected is a number"),
        ('{"id": "e", "weight": 1' + "0" * 400 + "}", "weight: a number beyond a double"),
        ('{"id": "e", "content": "x"}', '["content"]: unknown key'),
    ],
)
def test_a_line_that_is_no_edge_is_refused(line: str, cause: str) -> None:
    with pytest.raises(BadLine) as refused:
        edge(line)

    assert cause in refused.value.cause


@pytest.mark.parametrize("index", ["-1", "1.0", "true", "4294967296", '"0"'])
def test_an_index_is_a_whole_number_of_32_bits(index: str) -> None:
    with pytest.raises(BadLine) as refused:
        passage(f'{{"id": "a#0", "parent_id": "a", "index": {index}}}')

    assert "index: " in refused.value.cause
    assert "a whole number from 0 to 4294967295" in refused.value.cause


def test_bytes_that_are_no_text_are_refused_at_their_character() -> None:
    with pytest.raises(BadLine) as refused:
        node('{"id": "é'.encode() + b'\xff"}')

    assert refused.value.column == 10
    assert "0xff is not UTF-8" in refused.value.cause
