"""Expand: its request, and its answer with evidence."""

from collections.abc import Iterable

from passageway.v1 import graph_pb2, query_pb2, types_pb2
from passageway_server.values.answers import ExpandAnswer, Hit, HitFields
from passageway_server.values.collections import Direction
from passageway_server.values.halt import Halt
from passageway_server.values.queries import EdgeSpec, ReadOptions
from passageway_server.values.requests import (
    Budget,
    ExpandRequest,
    Hop,
    PageRank,
    Propagate,
    Rank,
    SeedGroup,
    Shared,
)
from passageway_server.wire.dispatch import Response, Spliced
from passageway_server.wire.ending import paced
from passageway_server.wire.findings import Findings
from passageway_server.wire.messages.facets import set_facets_and_metrics
from passageway_server.wire.messages.options import (
    bounds,
    edge_spec,
    facets,
    metrics,
    optional,
    query,
    read_options,
    variables,
)
from passageway_server.wire.messages.rows import set_edge, set_node

_READ_ALL = ReadOptions()
_EVERY_EDGE = EdgeSpec()
_PAGE_RANK = PageRank()

_HIT_FIELDS = HitFields(
    hits=graph_pb2.ExpandResponse.HITS_FIELD_NUMBER,
    node=graph_pb2.Hit.NODE_FIELD_NUMBER,
    id=types_pb2.Node.ID_FIELD_NUMBER,
    type=types_pb2.Node.TYPE_FIELD_NUMBER,
    name=types_pb2.Node.NAME_FIELD_NUMBER,
    content=types_pb2.Node.CONTENT_FIELD_NUMBER,
    content_truncated=types_pb2.Node.CONTENT_TRUNCATED_FIELD_NUMBER,
    span=types_pb2.Node.SPAN_FIELD_NUMBER,
    parent_id=types_pb2.SpanPosition.PARENT_ID_FIELD_NUMBER,
    span_index=types_pb2.SpanPosition.INDEX_FIELD_NUMBER,
    span_total=types_pb2.SpanPosition.TOTAL_FIELD_NUMBER,
    breadcrumb=types_pb2.SpanPosition.BREADCRUMB_FIELD_NUMBER,
    score=graph_pb2.Hit.SCORE_FIELD_NUMBER,
    hop=graph_pb2.Hit.HOP_FIELD_NUMBER,
    via=graph_pb2.Hit.VIA_FIELD_NUMBER,
    direction=graph_pb2.Hit.DIRECTION_FIELD_NUMBER,
)
"""Where a packed hit has its fields in the contract."""


def from_message(message: graph_pb2.ExpandRequest, findings: Findings) -> ExpandRequest:
    has = message.HasField
    return ExpandRequest(
        collection=message.collection,
        read=read_options(message.read, findings) if has("read") else _READ_ALL,
        seeds=tuple([_seeds(group, i, findings) for i, group in enumerate(message.seeds)]),
        hops=tuple([_hop(hop, i, findings) for i, hop in enumerate(message.hops)]),
        propagate=findings.enum(
            Propagate, message.propagate, path="propagate", unset=Propagate.SUM
        ),
        rank=findings.enum(Rank, message.rank, path="rank", unset=Rank.SPREAD),
        ppr=_page_rank(message.ppr) if has("ppr") else _PAGE_RANK,
        limit=message.limit if has("limit") else None,
        include_seeds=message.include_seeds if has("include_seeds") else None,
        min_hop=message.min_hop,
        filter=message.filter,
        return_filter=message.return_filter,
        vars=variables(message.vars, findings),
        fields=tuple(message.fields),
        content_max_chars=message.content_max_chars if has("content_max_chars") else None,
        with_edges=message.with_edges,
        with_subgraph=message.with_subgraph,
        edge_fields=tuple(message.edge_fields),
        max_edges=message.max_edges if has("max_edges") else None,
        budget=_budget(message.budget) if has("budget") else None,
        max_nodes=message.max_nodes if has("max_nodes") else None,
        timeout_ms=message.timeout_ms,
        facets=facets(message.facets) if message.facets else {},
        metrics=metrics(message.metrics, findings) if message.metrics else {},
        search=query(message.search, path="search", findings=findings) if has("search") else None,
        search_fields=tuple(message.search_fields),
        bounds=bounds(message.bounds, findings),
        walk_as_declared=message.walk_as_declared,
        with_scores=message.with_scores if has("with_scores") else None,
    )


def _seeds(message: graph_pb2.SeedGroup, place: int, findings: Findings) -> SeedGroup:
    asked = None
    if message.HasField("query"):
        asked = query(message.query, path=f"seeds[{place}].query", findings=findings)
    weight = message.weight if message.HasField("weight") else None
    return SeedGroup(tuple(message.ids), asked, weight)


def _page_rank(message: graph_pb2.ExpandRequest.PageRank) -> PageRank:
    return PageRank(
        alpha=optional(message, "alpha"),
        iterations=optional(message, "iterations"),
        tolerance=optional(message, "tolerance"),
        undirected=optional(message, "undirected"),
        reset_field=message.reset_field,
    )


def _budget(message: graph_pb2.ExpandRequest.Budget) -> Budget:
    return Budget(
        nodes=optional(message, "nodes"),
        edges=optional(message, "edges"),
        edge_cost=optional(message, "edge_cost"),
    )


def _hop(message: graph_pb2.Hop, place: int, findings: Findings) -> Hop:
    return Hop(
        edges=_edges(message.edges, place, findings) if message.HasField("edges") else _EVERY_EDGE,
        decay=message.decay if message.HasField("decay") else None,
        filter=message.filter,
        max_per_node=message.max_per_node,
        max_frontier=message.max_frontier,
        max_degree=message.max_degree,
        shared=tuple([_shared(one) for one in message.shared]),
    )


def _shared(message: graph_pb2.Hop.Shared) -> Shared:
    return Shared(
        name=message.name,
        edge_type=message.edge_type,
        through_type=message.through_type,
        weight=optional(message, "weight"),
        max_members=message.max_members,
    )


def _edges(message: query_pb2.EdgeSpec, place: int, findings: Findings) -> EdgeSpec:
    path = f"hops[{place}].edges"
    return edge_spec(message, path=path, unset=Direction.OUT, findings=findings)


def to_message(answer: ExpandAnswer, halt: Halt) -> Response:
    """The answer; packed hits are bytes between the fields before and behind them."""
    hits = answer.hits
    if not isinstance(hits, list):
        before = graph_pb2.ExpandResponse(version=answer.version)
        return Spliced(before, hits.encode(_HIT_FIELDS), _without_hits(answer, halt))
    message = _without_hits(answer, halt)
    message.version = answer.version
    _add_hits(message, paced(hits, halt))
    return message


def _without_hits(answer: ExpandAnswer, halt: Halt) -> graph_pb2.ExpandResponse:
    """The fields behind the hits."""
    message = graph_pb2.ExpandResponse(
        total=answer.total,
        truncated=answer.truncated,
        timed_out=answer.timed_out,
        origins=answer.origins,
        unresolved=answer.unresolved,
        applied=answer.applied,
        took_us=answer.took_us,
    )
    for traversed in paced(answer.subgraph, halt):
        entry = message.subgraph.add()
        set_edge(entry.edge, traversed.edge)
        entry.hop = traversed.hop
    if answer.facets or answer.metrics:
        set_facets_and_metrics(message, answer.facets, answer.metrics, halt)
    for found in paced(answer.search, halt):
        set_node(message.search.add(score=found.score).node, found.node)
    if answer.ppr is not None:
        message.ppr.iterations, message.ppr.converged = answer.ppr
    return message


def _add_hits(message: graph_pb2.ExpandResponse, hits: Iterable[Hit]) -> None:
    for node, score, hop, via, edge, direction in hits:
        hit = message.hits.add()
        set_node(hit.node, node)
        if score is not None:
            hit.score = score
        hit.hop = hop
        if via:
            hit.via = via
        if edge is not None:
            set_edge(hit.edge, edge)
        hit.direction = direction.value  # type: ignore[assignment]
