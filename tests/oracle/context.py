"""Context: seeds and what lies around them, packed as cited text; the whole answer is written anew for each trial."""

from passageway.v1 import query_pb2, search_pb2
from tests.oracle.choice import Budget, Seed
from tests.oracle.filters import Binding
from tests.oracle.graph import Graph, Scope
from tests.oracle.packing import Packing
from tests.oracle.queries import Selection
from tests.oracle.refusals import Checks
from tests.oracle.search import MOST_ROWS, in_order, matched, tell_types
from tests.oracle.steps import BOTH, Step
from tests.oracle.surroundings import surroundings
from tests.oracle.words import Words
from tests.oracle.writing import MOST_BUDGET

MOST_SEEDS = 64


def context(
    graph: Graph, request: search_pb2.ContextRequest, *, now_us: int
) -> search_pb2.ContextResponse:
    """The answer to a Context over a graph of which the caller may read everything."""
    checks = Checks(request.bounds)
    binding = Binding(graph, {})
    query = request.query if request.HasField("query") else None
    checks.need(query is None or not request.ids, "ids")
    checks.need(query is not None or len(request.ids) > 0, "query")
    most = checks.number("ids", len(request.ids), low=0, high=MOST_SEEDS)
    selection = None
    if query is not None:
        selection = Selection.of(query, "query", graph, binding, checks, absent=8, most=MOST_SEEDS)
    cap = checks.number(
        "type_cap", request.type_cap if request.HasField("type_cap") else 2, low=0, high=MOST_ROWS
    )
    tokens = checks.number(
        "token_budget",
        request.token_budget if request.HasField("token_budget") else 2000,
        low=256,
        high=MOST_BUDGET,
    )
    hops = checks.number("hops", request.hops if request.HasField("hops") else 1, low=0, high=3)
    checks.need(request.measure in search_pb2.ContextRequest.Measure.values(), "measure")
    step = Step.of(
        graph,
        query_pb2.EdgeSpec(),
        binding,
        checks,
        path="",
        unspecified=BOTH,
        as_declared=request.walk_as_declared,
    )
    checks.done()
    binding.work_out(checks)

    scope = Scope(graph, request.read, now_us=now_us, current=True)
    wider = Scope(graph, query_pb2.ReadOptions(project=request.read.project), now_us=now_us)
    answer = search_pb2.ContextResponse(
        applied=checks.applied, evidence=request.read.evidence or query_pb2.EVIDENCE_CURRENT
    )
    told = search_pb2.SearchResponse()
    seeds: list[Seed] = []
    excluded: set[str] = set()
    words: Words | None = None
    if query is not None and selection is not None:
        words = selection.words
        matching = selection.matches(scope.rows, of=scope.rows)
        found = selection.rescored(matching)
        excluded = selection.left_out(matching, wider.rows)
        shown, in_front = in_order(query, found, cap)
        seeds = [
            Seed(match.row.id, match.score, matched(match, in_front))
            for match in shown[: selection.limit]
        ]
        tell_types(graph, query, found, told)
    else:
        asked = list(dict.fromkeys(request.ids[:most]))
        seeds = [Seed(row_id, 1.0, []) for row_id in asked if row_id in scope]
        excluded = {row_id for row_id in asked if row_id in wider and row_id not in scope}
        dropped = [row_id for row_id in dict.fromkeys(request.ids) if row_id not in asked]
        answer.unresolved.extend([one for one in asked if one not in scope] + dropped)
    near = surroundings(
        graph, [seed.id for seed in seeds], hops, step=step, scope=scope, wider=wider
    )
    answer.expansion_limited = near.limited
    answer.excluded_evidence = len(excluded | near.passed_over)
    budget = Budget(
        tokens,
        request.measure == search_pb2.ContextRequest.MEASURE_TEXT,
        request.reserve_bytes,
    )
    return Packing(graph, seeds, near, told, budget, words, answer).answer()
