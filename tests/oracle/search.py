"""Search: the rows that fit a query best, and what is told of all that meet it."""

import re
from collections import Counter
from collections.abc import Sequence

from passageway.v1 import query_pb2, search_pb2
from tests.oracle.facets import check_facets, count_facets
from tests.oracle.filters import Binding
from tests.oracle.graph import Graph, Scope
from tests.oracle.metrics import check_metrics, measure
from tests.oracle.queries import Match, Selection
from tests.oracle.refusals import Checks
from tests.oracle.shown import MOST_PREVIEW, check_node_fields, node_message

MOST_ROWS, MOST_TOLD, NAMED_AMONG = 10_000, 8, 64
ALL = query_pb2.EVIDENCE_ALL


def search(
    graph: Graph, request: search_pb2.SearchRequest, *, now_us: int
) -> search_pb2.SearchResponse:
    """The answer to a Search over a graph of which the caller may read everything."""
    checks = Checks(request.bounds)
    binding = Binding(graph, {})
    query = request.query
    selection = Selection.of(query, "query", graph, binding, checks, least=0)
    cap = checks.number(
        "type_cap", request.type_cap if request.HasField("type_cap") else 2, low=0, high=MOST_ROWS
    )
    check_node_fields(graph, request.fields, checks)
    preview = checks.number(
        "content_max_chars",
        request.content_max_chars if request.HasField("content_max_chars") else 500,
        low=0,
        high=MOST_PREVIEW,
    )
    facet_limits = check_facets(request.facets, binding, checks)
    metric_kinds = check_metrics(request.metrics, binding, checks)
    checks.done()
    binding.work_out(checks)

    answer = search_pb2.SearchResponse(applied=checks.applied)
    rows = Scope(graph, request.read, now_us=now_us, current=True).rows
    matching = selection.matches(rows, of=rows)
    found = selection.rescored(matching)
    every = Scope(graph, query_pb2.ReadOptions(project=request.read.project), now_us=now_us).rows
    answer.evidence = request.read.evidence or query_pb2.EVIDENCE_CURRENT
    answer.excluded_evidence = len(selection.left_out(matching, every))
    answer.total = len(found)
    shown, in_front = in_order(query, found, cap)
    for match in shown[: selection.limit]:
        hit = answer.hits.add(score=match.score)
        hit.node.CopyFrom(node_message(graph, match.row, request.fields, preview=preview))
        hit.matched.extend(matched(match, in_front))
        if selection.words is not None and (not request.fields or "content" in request.fields):
            piece = selection.words.excerpt(match.row.content, preview)
            if piece is not None:
                hit.excerpt.CopyFrom(piece)
                hit.excerpt.id = match.row.id
    answer.truncated = len(found) > len(answer.hits)
    tell_types(graph, query, found, answer)
    rows = [match.row for match in found]
    for name, counted in count_facets(rows, request.facets, facet_limits).items():
        answer.facets[name].CopyFrom(counted)
    for name, value in measure(rows, request.metrics, metric_kinds).items():
        answer.metrics[name].CopyFrom(value)
    return answer


def in_order(query: query_pb2.Query, found: list[Match], cap: int) -> tuple[list[Match], set[str]]:
    """Those *found* as they are shown, and the ids of those that stand in front for their name."""
    if query.sort or not (query.text or query.vector or query.also):
        return found, set()
    in_front = _named(" ".join(one.text for one in (query, *query.also)), found)
    shown = sorted(found, key=lambda match: match.row.id not in in_front)
    return _diverse(shown, cap) if cap else shown, in_front


def matched(match: Match, in_front: set[str]) -> list[str]:
    """What found a row."""
    return [*match.by, *(["identifier"] if match.row.id in in_front else [])]


def _named(text: str, found: Sequence[Match]) -> set[str]:
    """The ids of those among the best that are named by a word of the query that is an identifier."""
    words = re.findall(r"[^\W\d]\w*", text)
    humps = {word for word in words if len(re.findall(r"[A-Z]+[a-z0-9]+", word)) > 1}
    names = humps | {word for word in words if "_" in word.strip("_")}
    return {match.row.id for match in found[:NAMED_AMONG] if match.row.name in names}


def _diverse(found: Sequence[Match], cap: int) -> list[Match]:
    """Those past the *cap* of their type behind all others."""
    seen = Counter[str]()
    first: list[Match] = []
    held_back: list[Match] = []
    for match in found:
        seen[match.row.type] += 1
        (first if seen[match.row.type] <= cap else held_back).append(match)
    return first + held_back


def tell_types(
    graph: Graph,
    query: query_pb2.Query,
    found: Sequence[Match],
    answer: search_pb2.SearchResponse,
) -> None:
    """Tell of the types of those *found*, and of those asked for that there are none of."""
    counts = Counter(match.row.type for match in found)
    asked = set(query.types)
    listed = sorted({*counts, *asked}, key=lambda name: (name not in asked, -counts[name], name))
    for name in listed[:MOST_TOLD]:
        answer.type_hits.add(type=name, count=counts[name])
    answer.type_hits_omitted = max(0, len(listed) - MOST_TOLD)
    known = {kind.name for kind in graph.settings.ontology.node_types}
    known |= {row.type for row in graph.rows.values()}
    unknown = sorted(asked - known)
    answer.unknown_types.extend(unknown[:MOST_TOLD])
    answer.unknown_types_omitted = max(0, len(unknown) - MOST_TOLD)
