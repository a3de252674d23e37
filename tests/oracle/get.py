"""Get: rows by id, each once, in the order asked."""

from passageway.v1 import query_pb2, read_pb2
from tests.oracle.graph import Graph, Scope
from tests.oracle.refusals import Checks
from tests.oracle.shown import MOST_PREVIEW, check_node_fields, node_message

MOST_IDS = 1_000


def get(graph: Graph, request: read_pb2.GetRequest, *, now_us: int) -> read_pb2.GetResponse:
    """The answer to a Get over a graph of which the caller may read everything."""
    checks = Checks(query_pb2.BOUNDS_REJECT)
    checks.need(0 < len(request.ids) <= MOST_IDS, "ids")
    preview = None
    if request.HasField("content_max_chars"):
        preview = checks.number(
            "content_max_chars", request.content_max_chars, low=0, high=MOST_PREVIEW
        )
    check_node_fields(graph, request.fields, checks)
    checks.done()
    scope = Scope(graph, request.read, now_us=now_us)
    answer = read_pb2.GetResponse()
    for row_id in dict.fromkeys(request.ids):
        if row_id in scope:
            row = graph.rows[row_id]
            shown = node_message(
                graph, row, request.fields, preview=preview, revised=not request.fields
            )
            answer.nodes.append(shown)
        else:
            answer.unresolved.append(row_id)
    return answer
