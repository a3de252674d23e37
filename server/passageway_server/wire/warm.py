"""The first calls of a process, made before anybody waits for them.

A process builds the grammar of filters, loads kernels and fills its tables of messages when they are first used, which
together takes longer than any ordinary answer.
"""

import gc
import sys
from collections.abc import Iterator, Mapping
from functools import cache

from google.protobuf.message import Message

from passageway.v1 import graph_pb2, query_pb2, read_pb2, search_pb2, store_pb2
from passageway_server.authz.callers import OPERATOR
from passageway_server.version.store import Store
from passageway_server.wire.dispatch import Call, Dispatch
from passageway_server.wire.graph_servicer import CALLS as GRAPH_CALLS
from passageway_server.wire.store_servicer import CALLS as STORE_CALLS

_TURN = 0.0005  # seconds
_NAME = "warm"
_FILTER = "id = a OR name = $v"


@cache
def warm() -> None:
    """Answer one call of each kind over a small graph in memory; a second time it does nothing."""
    calls: Mapping[str, Call] = {**GRAPH_CALLS, **STORE_CALLS}
    dispatch = Dispatch(Store.open(None), calls)
    for method, request in _requests():
        dispatch.unary(method, OPERATOR, metadata=(), request=request.SerializeToString())
    # What is loaded by now stays. A collection of garbage that looked at all of it again took 80 ms of a call.
    gc.collect()
    gc.freeze()
    # A walk that comes back from a kernel waits so long for whoever runs Python, mostly a commit: ten times less than is usual.
    sys.setswitchinterval(_TURN)


def _requests() -> Iterator[tuple[str, Message]]:
    settings = store_pb2.Collection(name=_NAME)
    yield (
        "StoreService/CreateCollection",
        store_pb2.CreateCollectionRequest(collection=settings),
    )
    batch = store_pb2.Batch()
    batch.put_nodes.add(id="a", name="A", content="x", readers=["public"])
    batch.put_nodes.add(id="b").properties["p"].int_value = 1
    batch.put_edges.add(id="e", source="a", target="b", type="T", weight=0.5)
    batch.put_passages.add(id="a#0", parent_id="a", content="x")
    yield "StoreService/Apply", store_pb2.ApplyRequest(collection=_NAME, batch=batch)
    expand = graph_pb2.ExpandRequest(
        collection=_NAME,
        seeds=[graph_pb2.SeedGroup(ids=["a"])],
        hops=[graph_pb2.Hop(decay=0.5)],
        return_filter=_FILTER,
        with_edges=True,
        with_subgraph=True,
    )
    expand.vars["v"].string_value = "A"
    yield "GraphService/Expand", expand
    ranked = graph_pb2.ExpandRequest(
        collection=_NAME,
        seeds=[graph_pb2.SeedGroup(query=query_pb2.Query(filter=_FILTER, sort=["-p", "name"]))],
        hops=[graph_pb2.Hop()],
        rank=graph_pb2.ExpandRequest.RANK_PPR,
        budget=graph_pb2.ExpandRequest.Budget(nodes=2),
    )
    ranked.vars["v"].string_value = "A"
    ranked.facets["f"].field = "type"
    ranked.metrics["m"].CopyFrom(query_pb2.Metric(field="p", op=query_pb2.Metric.OP_SUM))
    yield "GraphService/Expand", ranked
    yield (
        "GraphService/Paths",
        graph_pb2.PathsRequest(collection=_NAME, sources=["a"], targets=["b"]),
    )
    yield "GraphService/Slice", read_pb2.SliceRequest(collection=_NAME, id="a")
    lookup = read_pb2.LookupRequest(collection=_NAME, filter=_FILTER)
    lookup.vars["v"].string_value = "A"
    yield "GraphService/Lookup", lookup
    words = query_pb2.Query(text="x")
    yield "GraphService/Search", search_pb2.SearchRequest(collection=_NAME, query=words)
    yield "GraphService/Context", search_pb2.ContextRequest(collection=_NAME, query=words)
    yield "GraphService/Get", read_pb2.GetRequest(collection=_NAME, ids=["a", "b"])
    yield "GraphService/Describe", read_pb2.DescribeRequest(collection=_NAME)
