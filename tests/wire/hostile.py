"""The table of hostile input: what is sent, and the status and the paths of the faults that it must get."""

import math
import struct
from dataclasses import dataclass

from google.protobuf.message import Message

from passageway.v1 import graph_pb2, query_pb2, read_pb2, store_pb2, types_pb2

NAME = "hostile"
FIVE_MEGABYTES = 5 * 1024 * 1024

NO_IDS = {
    "empty": "",
    "NUL": "a\0b",
    "1,025 bytes": "x" * 1025,
    "1,025 bytes of two": "é" * 512 + "x",
}


@dataclass(frozen=True, slots=True)
class Attempt:
    """A call that must not go through, or must go through all the same."""

    method: str
    request: Message | bytes
    code: str = "INVALID_ARGUMENT"
    faults: frozenset[str] = frozenset()


def apply(
    *,
    nodes: list[types_pb2.Node] | None = None,
    edges: list[types_pb2.Edge] | None = None,
    passages: list[types_pb2.Passage] | None = None,
    faults: str = "",
    code: str = "INVALID_ARGUMENT",
) -> Attempt:
    batch = store_pb2.Batch(put_nodes=nodes, put_edges=edges, put_passages=passages)
    request = store_pb2.ApplyRequest(collection=NAME, batch=batch)
    return Attempt("StoreService/Apply", request, code, frozenset(faults.split()))


def expand(faults: str = "", code: str = "INVALID_ARGUMENT", **options: object) -> Attempt:
    request = graph_pb2.ExpandRequest(collection=NAME, seeds=[graph_pb2.SeedGroup(ids=["a"])])
    request.MergeFrom(graph_pb2.ExpandRequest(**options))  # type: ignore[arg-type]
    return Attempt("GraphService/Expand", request, code, frozenset(faults.split()))


def lookup(filter: str, faults: str = "filter", code: str = "INVALID_ARGUMENT") -> Attempt:
    request = read_pb2.LookupRequest(collection=NAME, filter=filter)
    return Attempt("GraphService/Lookup", request, code, frozenset(faults.split()))


def edge(weight: float) -> types_pb2.Edge:
    return types_pb2.Edge(id="e", source="a", target="b", weight=weight)


def node_with(value: types_pb2.Value, name: str = "p") -> types_pb2.Node:
    return types_pb2.Node(id="n", properties={name: value})


def hop(**options: float) -> list[graph_pb2.Hop]:
    return [graph_pb2.Hop(**options)]  # type: ignore[arg-type]


def raw_string(number: int, content: bytes) -> bytes:
    """A field of a message as bytes, whatever they are."""
    return bytes([number << 3 | 2, len(content)]) + content


SURROGATE = b"\xed\xa0\x80"
COLLECTION = raw_string(1, NAME.encode())

REFUSED = {
    **{
        f"a node whose id is {what}": apply(
            nodes=[types_pb2.Node(id=id)], faults="batch.put_nodes[0].id"
        )
        for what, id in NO_IDS.items()
    },
    **{
        f"an edge whose end is {what}": apply(
            edges=[types_pb2.Edge(id="e", source="a", target=id)],
            faults="batch.put_edges[0].target",
        )
        for what, id in NO_IDS.items()
    },
    **{
        f"a weight of {weight}": apply(edges=[edge(weight)], faults="batch.put_edges[0].weight")
        for weight in (math.nan, math.inf, -math.inf, -1.0, -5e-324)
    },
    **{
        f"a property of {value}": apply(
            nodes=[node_with(types_pb2.Value(double_value=value))],
            faults="batch.put_nodes[0].properties.p",
        )
        for value in (math.nan, math.inf, -math.inf)
    },
    "NaN in a list": apply(
        nodes=[node_with(types_pb2.Value(doubles=types_pb2.DoubleList(values=[1.0, math.nan])))],
        faults="batch.put_nodes[0].properties.p",
    ),
    "a text where an int is declared": apply(
        nodes=[node_with(types_pb2.Value(string_value="7"), "count")],
        faults="batch.put_nodes[0].properties.count",
    ),
    "a cut preview put back": apply(
        nodes=[types_pb2.Node(id="n", content_truncated=True)],
        faults="batch.put_nodes[0].content_truncated",
    ),
    "a span put back as a node": apply(
        nodes=[types_pb2.Node(id="n", span=types_pb2.SpanPosition(parent_id="a"))],
        faults="batch.put_nodes[0].span",
    ),
    "a seed weight of 0": expand(
        "seeds[1].weight", seeds=[graph_pb2.SeedGroup(ids=["a"], weight=0.0)]
    ),
    "a seed weight of NaN": expand(
        "seeds[1].weight", seeds=[graph_pb2.SeedGroup(ids=["a"], weight=math.nan)]
    ),
    **{
        f"a decay of {decay}": expand("hops[0].decay", hops=hop(decay=decay))
        for decay in (0.0, -1.0, math.nan, math.inf)
    },
    "a limit below -1": expand("limit", limit=-2),
    "a limit of two billion": expand("limit", limit=2**31 - 1),
    "a preview of four billion": expand("content_max_chars", content_max_chars=2**32 - 1),
    "min_hop past the hops": expand("min_hop", min_hop=1),
    "four hops": expand("hops", hops=hop() * 4),
    "eleven groups": expand("seeds", seeds=[graph_pb2.SeedGroup(ids=["a"])] * 10),
    "10,001 seeds": expand("seeds", seeds=[graph_pb2.SeedGroup(ids=["a"] * 10_000)]),
    "an unknown enum number": expand("bounds", bounds=77),
    "NaN among the vars": expand(
        "vars.v", vars={"v": types_pb2.Value(double_value=math.nan)}, filter="id = a"
    ),
    "an unknown field": expand("fields[1]", fields=["name", "no such field"]),
    "the readers as a field": expand("fields[0]", fields=["readers"]),
    "an unknown weight": expand(
        "hops[0].edges.weight_property",
        hops=[graph_pb2.Hop(edges=query_pb2.EdgeSpec(weight_property="nope"))],
    ),
    "every fault at once": expand(
        "limit min_hop fields[0] filter hops[0].decay hops[0].edges.filter return_filter",
        limit=-2,
        min_hop=2,
        fields=["nope"],
        filter="((",
        return_filter="nope = 1",
        hops=[graph_pb2.Hop(decay=0.0, edges=query_pb2.EdgeSpec(filter="AND"))],
    ),
    "k = 0": Attempt(
        "GraphService/Paths",
        graph_pb2.PathsRequest(collection=NAME, sources=["a"], targets=["b"], k=0, max_depth=0),
        faults=frozenset({"k", "max_depth"}),
    ),
    "no ends": Attempt(
        "GraphService/Paths",
        graph_pb2.PathsRequest(collection=NAME),
        faults=frozenset({"sources", "targets"}),
    ),
    "a blank id to slice": Attempt(
        "GraphService/Slice", read_pb2.SliceRequest(collection=NAME), faults=frozenset({"id"})
    ),
    "1,001 ids to get": Attempt(
        "GraphService/Get",
        read_pb2.GetRequest(collection=NAME, ids=["a"] * 1_001),
        faults=frozenset({"ids"}),
    ),
    "10,000 parentheses": lookup("(" * 10_000 + "id = a" + ")" * 10_000),
    "10,000 NOTs": lookup("NOT " * 10_000 + "id = a"),
    "3,000 nested lookups": lookup("lookup(id, from=(" * 3_000 + "id = a"),
    "513 terms": lookup(" OR ".join(["id = a"] * 513)),
    "a filter of 5 MB": lookup("id = a OR " * 500_000 + "id = b"),
    "a quote that does not end": lookup('id = "a'),
    "AND mixed with OR": lookup("id = a AND id = b OR id = c"),
    "an unknown name": lookup("zzz = 1"),
    "readers in a filter": lookup('readers = "public"'),
    "a var that is not there": lookup("id = $who"),
    "a number for a text": lookup("id = 7"),
    "no date": lookup("due > 2025-13-45"),
    "a time without zone": lookup('due > "2025-01-01T00:00:00"'),
    "control characters": lookup("id = \x00\x01"),
    "a lone surrogate in an id": Attempt(
        "GraphService/Get", COLLECTION + raw_string(3, SURROGATE), faults=frozenset({"request"})
    ),
    "a lone surrogate in a filter": Attempt(
        "GraphService/Lookup", COLLECTION + raw_string(4, SURROGATE), faults=frozenset({"request"})
    ),
    "bytes that are no message": Attempt(
        "GraphService/Expand", b"\xff" * 100, faults=frozenset({"request"})
    ),
    "a length past the end": Attempt(
        "StoreService/Apply",
        b"\x0a" + struct.pack("<B", 127) + b"x",
        faults=frozenset({"request"}),
    ),
    "no collection": Attempt(
        "GraphService/Get", read_pb2.GetRequest(collection="none", ids=["a"]), "NOT_FOUND"
    ),
    "a collection like a path": Attempt(
        "GraphService/Get", read_pb2.GetRequest(collection="../x", ids=["a"]), "NOT_FOUND"
    ),
    "nodes past max_nodes": expand(
        code="RESOURCE_EXHAUSTED", hops=hop(), max_nodes=1
    ),
    "slice of what is not there": Attempt(
        "GraphService/Slice", read_pb2.SliceRequest(collection=NAME, id="x" * 1025), "NOT_FOUND"
    ),
}  # fmt: skip

ANSWERED = {
    "a limit of 0 is no default": expand(code="OK", limit=0),
    "a preview of 0": expand(code="OK", content_max_chars=0),
    "an unknown edge type": expand(
        code="OK", hops=[graph_pb2.Hop(edges=query_pb2.EdgeSpec(types=["no such type", "", "\n"]))]
    ),
    "impossible ids as seeds": expand(
        code="OK", seeds=[graph_pb2.SeedGroup(ids=list(NO_IDS.values()))]
    ),
    "impossible ids to get": Attempt(
        "GraphService/Get",
        read_pb2.GetRequest(collection=NAME, ids=list(NO_IDS.values())),
        "OK",
    ),
    "a seed of 5 MB": expand(code="OK", seeds=[graph_pb2.SeedGroup(ids=["x" * FIVE_MEGABYTES])]),
    "512 terms": lookup(" OR ".join(["id = a"] * 512), "", "OK"),
    "20 parentheses": lookup("(" * 20 + "id = a" + ")" * 20, "", "OK"),
    "a property of 5 MB": apply(
        nodes=[types_pb2.Node(id="large", content="😀 " * (FIVE_MEGABYTES // 5))], code="OK"
    ),
    "a var of 5 MB": expand(
        code="OK",
        filter="name != $v",
        vars={"v": types_pb2.Value(string_value="x" * FIVE_MEGABYTES)},
    ),
    "unknown fields on the wire": Attempt(
        "GraphService/Get",
        COLLECTION + raw_string(3, b"a") + b"\xfa\x3f\x04junk",
        "OK",
    ),
}
