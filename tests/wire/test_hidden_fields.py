"""A field that a caller may not read does not exist for it: every reply is that of a collection without the field."""

from collections.abc import Iterator
from itertools import chain

import pytest
from google.protobuf.message import Message

from passageway.v1 import graph_pb2, query_pb2, read_pb2, store_pb2, types_pb2
from passageway_server.authz.callers import OPERATOR, Caller
from passageway_server.wire.local import LocalServer, Reply

DAY = 24 * 3600
GUARDED: dict[str, types_pb2.FieldKind.ValueType] = {
    "salary": types_pb2.FIELD_KIND_INT,
    "description": types_pb2.FIELD_KIND_TEXT,
    "source": types_pb2.FIELD_KIND_KEYWORD,
    "strength": types_pb2.FIELD_KIND_FLOAT,
    "lifecycle": types_pb2.FIELD_KIND_KEYWORD,
    "expires_at": types_pb2.FIELD_KIND_TIME,
}
HR = Caller.holding(["group:hr"])
ADA = Caller.holding(["user:ada"])


def value(kind: int, number: int) -> types_pb2.Value:
    made = types_pb2.Value()
    match kind:
        case types_pb2.FIELD_KIND_INT:
            made.int_value = 10 * number
        case types_pb2.FIELD_KIND_FLOAT:
            made.double_value = 0.5 * number
        case types_pb2.FIELD_KIND_TIME:
            made.time_value.FromSeconds(DAY)
        case _:
            made.string_value = "obsolete" if number == 2 else f"text {number}"
    return made


def server(*, whole: bool) -> LocalServer:
    """A server of one collection ``c``: *whole*, or as it were without the guarded fields."""
    settings = store_pb2.Collection(name="c", default_readers=["public"])
    settings.fields.add(name="salaries", kind=types_pb2.FIELD_KIND_INT)
    nodes = [types_pb2.Node(id=f"n{i}", type="T", links={}) for i in range(4)]
    edges = [
        types_pb2.Edge(id=f"e{i}", source=f"n{i}", target=f"n{(i + 1) % 4}", type="R")
        for i in range(4)
    ]
    nodes[0].properties["summary"].string_value = "stands in"
    nodes[0].properties["open"].int_value = 3
    nodes[1].content = "its own"
    span = types_pb2.Passage(id="s", parent_id="n2", content="span")
    if whole:
        for name, kind in GUARDED.items():
            settings.fields.add(name=name, kind=kind, readers=["group:hr"])
            rows: list[types_pb2.Node | types_pb2.Edge] = [*nodes, *edges]
            for i, row in enumerate(rows):
                row.properties[name].CopyFrom(value(kind, i % 4))
    made = LocalServer(clock=lambda: 2 * DAY * 1_000_000)
    batch = store_pb2.Batch(put_nodes=nodes, put_edges=edges, put_passages=[span])
    for method, request in (
        ("CreateCollection", store_pb2.CreateCollectionRequest(collection=settings)),
        ("Apply", store_pb2.ApplyRequest(collection="c", batch=batch)),
    ):
        reply = made.call(f"StoreService/{method}", request.SerializeToString(), caller=OPERATOR)
        assert reply.code == "OK", reply.message
    return made


WHOLE, WITHOUT = server(whole=True), server(whole=False)


Call = tuple[str, Message, type[Message]]


def showing() -> Iterator[Call]:
    """Calls that would show the fields, or what comes of them."""
    everything = graph_pb2.ExpandRequest(
        collection="c", with_edges=True, with_subgraph=True, limit=-1
    )
    everything.seeds.add(ids=["n0"])
    everything.hops.add()
    everything.read.evidence = query_pb2.EVIDENCE_CURRENT
    yield "Expand", everything, graph_pb2.ExpandResponse
    packed = graph_pb2.ExpandRequest(collection="c", fields=["name", "content"])
    packed.seeds.add(ids=["n0", "n1", "n2", "n3", "s"])
    yield "Expand", packed, graph_pb2.ExpandResponse
    current = query_pb2.ReadOptions(evidence=query_pb2.EVIDENCE_CURRENT)
    ids = ["n0", "n1", "n2", "n3", "s"]
    yield "Get", read_pb2.GetRequest(collection="c", ids=ids, read=current), read_pb2.GetResponse
    yield "Describe", read_pb2.DescribeRequest(collection="c"), read_pb2.DescribeResponse
    window = read_pb2.SliceRequest(collection="c", id="s", read=current)
    yield "Slice", window, read_pb2.SliceResponse
    cited = read_pb2.SliceRequest(collection="c", id="n1")
    cited.page.property = "content"
    yield "Slice", cited, read_pb2.SliceResponse  # it would show the source beside the page
    paths = graph_pb2.PathsRequest(collection="c", sources=["n0"], targets=["n3"], k=3)
    paths.read.evidence = query_pb2.EVIDENCE_CURRENT
    yield "Paths", paths, graph_pb2.PathsResponse


def naming(name: str) -> Iterator[Call]:
    """Calls that name a field, each where a name may stand."""
    for text in (
        f"{name}:*",
        f"properties.{name}:*",
        f"lookup(id, from=({name}:*), from_field=id)",
        f"lookup(id, from=(id:*), from_field={name})",
        f"lookup(id, from_edges=({name}:*), from_field=source)",
    ):
        asked = read_pb2.LookupRequest(collection="c", filter=text)
        yield "Lookup", asked, read_pb2.LookupResponse
    yield (
        "Lookup",
        read_pb2.LookupRequest(collection="c", filter="id:*", fields=[name]),
        read_pb2.LookupResponse,
    )
    sorted_ = read_pb2.LookupRequest(collection="c", filter="id:*", sort=[name])
    sorted_.facets["f"].field = name
    sorted_.metrics["m"].field = name
    sorted_.metrics["m"].op = query_pb2.Metric.OP_COUNT
    yield "Lookup", sorted_, read_pb2.LookupResponse
    walk = graph_pb2.ExpandRequest(collection="c", edge_fields=[name], filter=f"{name}:*")
    walk.seeds.add(ids=["n0"])
    hop = walk.hops.add()
    hop.edges.weight_property = name
    hop.edges.filter = f"{name}:*"
    walk.rank = graph_pb2.ExpandRequest.RANK_PPR
    walk.ppr.reset_field = name
    yield "Expand", walk, graph_pb2.ExpandResponse
    page = read_pb2.SliceRequest(collection="c", id="n1")
    page.page.property = name
    yield "Slice", page, read_pb2.SliceResponse


CALLS = [*showing(), *chain.from_iterable(map(naming, GUARDED))]


def told(asked: LocalServer, call: str, request: Message, caller: Caller) -> Reply:
    return asked.call(f"GraphService/{call}", request.SerializeToString(), caller=caller)


def without_version(reply: Reply, kind: type[Message]) -> tuple[object, ...]:
    answer = kind.FromString(reply.response)
    answer.ClearField("version")
    encoded = answer.SerializeToString(deterministic=True)
    return reply.code, reply.message, reply.details, reply.trailers, encoded


@pytest.mark.parametrize(("call", "request_", "kind"), [*CALLS, *naming("salari")])
def test_a_reply_is_that_of_a_collection_without_the_field(
    call: str, request_: Message, kind: type[Message]
) -> None:
    expected = without_version(told(WITHOUT, call, request_, ADA), kind)

    assert without_version(told(WHOLE, call, request_, ADA), kind) == expected
    before_ada = OPERATOR.before([["user:ada"]])
    assert without_version(told(WHOLE, call, request_, before_ada), kind) == expected
    assert without_version(told(WHOLE, call, request_, HR.before([["user:ada"]])), kind) == expected


@pytest.mark.parametrize(("call", "request_", "kind"), CALLS)
def test_who_holds_a_reader_of_the_fields_is_told_otherwise(
    call: str, request_: Message, kind: type[Message]
) -> None:
    reply = told(WHOLE, call, request_, HR)

    assert without_version(told(WHOLE, call, request_, ADA), kind) != without_version(reply, kind)
    assert without_version(told(WHOLE, call, request_, OPERATOR), kind) == without_version(
        reply, kind
    )
