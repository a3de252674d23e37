"""Random small graphs, and filters over them, for the tests of the filter engine."""

from datetime import UTC, datetime
from typing import Any

from hypothesis import strategies as st

from passageway_server.values.collections import CollectionSettings, FieldDeclaration, Kind
from passageway_server.values.records import (
    Batch,
    EdgeRecord,
    NodeRecord,
    PassageRecord,
    Properties,
)
from tests.unit.engine.plain_filter import Row, Rows

DECLARED = (
    FieldDeclaration("count", Kind.INT),
    FieldDeclaration("ratio", Kind.FLOAT, repeated=True),
    FieldDeclaration("since", Kind.TIME, repeated=True),
    FieldDeclaration("note", Kind.TEXT),
    FieldDeclaration("note list", Kind.TEXT, repeated=True),
)
SETTINGS = CollectionSettings("c", fields=DECLARED, default_readers=("public",))
IDS = ["a", "b", "ab", "\u00e9", "\U0001f600", "c"]
WORDS = ["a", "ab", "b", "\u00e9", "", "\uffff", "\U0001f600"]
NUMBERS: list[int | float] = [
    0,
    1,
    -1,
    2**53 + 1,
    2**63 - 1,
    -(2**63),
    0.5,
    1.0,
    float(2**53),
    -2.5,
]
TIMES = [
    datetime(2025, 5, 31, 23, 59, 59, 999999, tzinfo=UTC),
    datetime(2025, 6, 1, tzinfo=UTC),
    datetime(2025, 6, 1, 12, tzinfo=UTC),
    datetime(2025, 6, 2, tzinfo=UTC),
]
words, numbers = st.sampled_from(WORDS), st.sampled_from(NUMBERS)


def lists(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(values, min_size=1, max_size=3)


PROPERTIES: dict[str, st.SearchStrategy[Any]] = {
    "count": st.sampled_from([0, 1, -1, 2**53 + 1, 2**63 - 1, -(2**63)]),
    "ratio": st.one_of(st.sampled_from([0.5, 1.0, -2.5]), lists(st.sampled_from([0.5, 1.0, -2.5]))),
    "since": st.one_of(st.sampled_from(TIMES), lists(st.sampled_from(TIMES))),
    "note": words,
    "note list": lists(words),
    "tag": st.one_of(words, lists(words)),
    "name": words,
    "size": st.one_of(numbers, lists(numbers)),
    "done": st.one_of(st.booleans(), lists(st.booleans())),
    "flag": st.booleans(),
}
properties = st.fixed_dictionaries({}, optional=PROPERTIES)
ids = st.sampled_from(IDS)


@st.composite
def nodes(draw: st.DrawFn) -> list[NodeRecord]:
    return [
        NodeRecord(
            id,
            type=draw(words),
            name=draw(words),
            content=draw(words),
            project=draw(words),
            status=draw(st.sampled_from(["", "done", "open"])),
            readers=draw(st.sampled_from([(), (), ("user:eve",)])),
            properties=draw(properties),
            links={
                name: tuple(targets)
                for name in ("related", "owns")
                if (targets := draw(st.lists(ids, max_size=3, unique=True)))
            },
        )
        for id in draw(st.lists(ids, unique=True, min_size=1))
    ]


@st.composite
def graphs(draw: st.DrawFn) -> Batch:
    edges = [
        EdgeRecord(
            f"e{i}",
            draw(ids),
            draw(ids),
            draw(words),
            draw(st.sampled_from([None, 0.0, 0.5, 1.0])),
            draw(properties),
        )
        for i in range(draw(st.integers(0, 6)))
    ]
    passages = [
        PassageRecord(f"p{i}", draw(ids), content=draw(words), mentions=(draw(ids),))
        for i in range(draw(st.integers(0, 2)))
    ]
    return Batch(
        put_nodes=tuple(draw(nodes())), put_edges=tuple(edges), put_passages=tuple(passages)
    )


def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


NODE_FIELDS: dict[str, str] = {
    **dict.fromkeys(["id", "type", "name", "content", "project", "status"], "string"),
    **dict.fromkeys(["note", '"note list"', "tag", "properties.name"], "string"),
    **dict.fromkeys(["related", "owns", "PART_OF", "MENTIONS"], "string"),
    **dict.fromkeys(["count", "ratio", "size"], "number"),
    **dict.fromkeys(["done", "flag"], "bool"),
    "since": "time",
}
EDGE_FIELDS: dict[str, str] = {
    **dict.fromkeys(["id", "type", "source", "target", "note", "tag", "name"], "string"),
    **dict.fromkeys(["count", "ratio", "size", "weight"], "number"),
    **dict.fromkeys(["done", "flag"], "bool"),
    "since": "time",
}
OPERANDS: dict[str, st.SearchStrategy[str]] = {
    "string": st.sampled_from([*WORDS, *IDS, "done", "p0"]).map(quoted),
    "number": st.sampled_from([*NUMBERS, 2**63, -(2**63) - 1, 10**30, 0.1]).map(repr),
    "bool": st.sampled_from(["true", "false"]),
    "time": st.sampled_from(
        ['"2025-06-01"', '"2025-06-02"', '"2025-06-01T12:00:00Z"', '"2025-06-01T14:00:00+02:00"']
    ),
}


@st.composite
def leaves(draw: st.DrawFn, fields: dict[str, str]) -> str:
    field = draw(st.sampled_from(sorted(fields)))
    kind = fields[field]
    operand = OPERANDS[kind]
    form = draw(st.sampled_from(["sign", "sign", "has", "in", "affix"]))
    if form == "has":
        return f"{field}:*"
    if form == "in":
        return f"{field} IN ({', '.join(draw(st.lists(operand, min_size=1, max_size=6)))})"
    if form == "affix" and kind == "string":
        function = draw(st.sampled_from(["starts_with", "ends_with", "contains"]))
        return f"{function}({field}, {draw(operand)})"
    return f"{field} {draw(st.sampled_from(['=', '!=', '<', '<=', '>', '>=']))} {draw(operand)}"


def filters(fields: dict[str, str]) -> st.SearchStrategy[str]:
    ours, of_nodes, of_edges = map(strings_of, (fields, NODE_FIELDS, EDGE_FIELDS))

    def grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.one_of(
            st.tuples(inner, inner).map(lambda two: f"({two[0]}) AND ({two[1]})"),
            st.tuples(inner, inner).map(lambda two: f"({two[0]}) OR ({two[1]})"),
            inner.map(lambda one: f"NOT ({one})"),
            st.tuples(st.sampled_from(ours), leaves(NODE_FIELDS), st.sampled_from(of_nodes)).map(
                lambda join: f"lookup({join[0]}, from=({join[1]}), from_field={join[2]})"
            ),
            st.tuples(st.sampled_from(ours), leaves(EDGE_FIELDS), st.sampled_from(of_edges)).map(
                lambda join: f"lookup({join[0]}, from_edges=({join[1]}), from_field={join[2]})"
            ),
        )

    return st.recursive(leaves(fields), grown, max_leaves=5)


def strings_of(fields: dict[str, str]) -> list[str]:
    return [name for name, kind in sorted(fields.items()) if kind == "string"]


def visible(batch: Batch) -> tuple[Rows, dict[str, Row]]:
    """What everybody may read, as plain dicts: rows and edge documents by id."""
    readable = {node.id for node in batch.put_nodes if not node.readers}
    spans = {span.id: span for span in batch.put_passages if span.parent_id in readable}
    standing = readable | set(spans)
    rows: dict[str, Row] = {}
    projects = {node.id: node.project for node in batch.put_nodes}
    for node in batch.put_nodes:
        if node.id in readable:
            links = {name: [t for t in ts if t in standing] for name, ts in node.links.items()}
            built_in = {
                name: getattr(node, name)
                for name in ("id", "type", "name", "content", "project", "status")
            }
            rows[node.id] = plain(built_in, node.properties, links)
    for span in spans.values():
        links = {
            "PART_OF": [span.parent_id],
            "MENTIONS": [m for m in span.mentions if m in standing],
        }
        project = projects[span.parent_id]
        built_in = {"id": span.id, "type": "passage", "content": span.content, "project": project}
        rows[span.id] = plain(built_in, span.properties, links)
    edges = {
        edge.id: plain(
            {"id": edge.id, "type": edge.type, "source": edge.source, "target": edge.target}
            | {"weight": 1.0 if edge.weight is None else edge.weight},
            edge.properties,
            {},
        )
        for edge in batch.put_edges
        if edge.source in standing and edge.target in standing
    }
    return rows, edges


def plain(built_in: dict[str, Any], properties: Properties, links: dict[str, list[str]]) -> Row:
    row = {name: [value] for name, value in built_in.items() if value != ""}
    row |= {name: value for name, value in links.items() if value}
    for name, value in properties.items():
        values = value if isinstance(value, list) else [value]
        row[f"properties.{name}"] = list(values)
        row.setdefault(name, list(values)) if name != "name" or "weight" in row else None
    return row


def everything_known() -> Batch:
    """Rows that hold each field in readable rows, so that no name is unknown; their ids are not drawn."""
    held: Properties = {"tag": "zz", "name": "zz", "size": 7.5, "done": True, "flag": True}
    return Batch(
        put_nodes=(NodeRecord("z", properties=held, links={"related": ("z",), "owns": ("z",)}),),
        put_edges=(EdgeRecord("ez", "z", "z", properties=held),),
        put_passages=(PassageRecord("pz", "z", mentions=("z",)),),
    )


def both(one: Batch, other: Batch) -> Batch:
    return Batch(
        put_nodes=one.put_nodes + other.put_nodes,
        put_edges=one.put_edges + other.put_edges,
        put_passages=one.put_passages + other.put_passages,
    )
