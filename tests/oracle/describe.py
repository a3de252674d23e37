"""Describe: the declared map, and what of it the rows in scope show."""

from collections import Counter

from passageway.v1 import read_pb2
from tests.oracle.fields import fields_of_arcs, fields_of_rows
from tests.oracle.graph import Graph, Scope


def describe(
    graph: Graph, request: read_pb2.DescribeRequest, *, now_us: int
) -> read_pb2.DescribeResponse:
    """The answer to a Describe over a graph of which the caller may read everything."""
    scope = Scope(graph, request.read, now_us=now_us)
    rows = [row for row_id, row in graph.rows.items() if row_id in scope]
    arcs = [arc for arc in graph.arcs if arc.source in scope and arc.target in scope]
    answer = read_pb2.DescribeResponse(
        collection=request.collection,
        description=graph.settings.description,
    )
    if graph.settings.ontology.ByteSize():
        answer.ontology.CopyFrom(graph.settings.ontology)
    for name, count in sorted(Counter(row.type for row in rows).items()):
        answer.types.add(name=name, count=count)
    routes = Counter(
        (graph.rows[arc.source].type, arc.type, graph.rows[arc.target].type) for arc in arcs
    )
    for (source_type, edge_type, target_type), count in sorted(routes.items()):
        answer.routes.add(
            source_type=source_type, edge_type=edge_type, target_type=target_type, count=count
        )
    known = {*fields_of_rows(graph, rows).items(), *fields_of_arcs(graph, arcs).items()}
    for name, field in sorted(known):
        answer.fields.add(
            name=name, kind=field.kind, repeated=field.repeated, declared=field.declared
        )
    return answer
