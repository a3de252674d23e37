"""The numbers of the contract's choices, by the words that Python callers write.

Generated from proto/; never edited.
"""

from collections.abc import Mapping
from typing import Literal, TypeVar

from passageway.v1 import graph_pb2, query_pb2, read_pb2, search_pb2, store_pb2, types_pb2

_Word = TypeVar("_Word")
_Number = TypeVar("_Number", bound=int)


def number(numbers: Mapping[_Word, _Number], word: _Word, parameter: str) -> _Number:
    """The number of *word*; a ValueError names the words there are."""
    found = numbers.get(word)
    if found is None:
        words = ", ".join(str(known) for known in numbers if known is not None)
        raise ValueError(f"{parameter}: {word!r} is none of {words}")
    return found


def word(numbers: Mapping[_Word, _Number], number: int) -> _Word:
    """The word of *number*; that of the first, None, when it is of a later release."""
    found = next((word for word, known in numbers.items() if known == number), None)
    return next(iter(numbers)) if found is None else found

DIRECTION: dict[Literal["out", "in", "both"] | None, types_pb2.Direction.ValueType] = {
    None: types_pb2.DIRECTION_UNSPECIFIED,
    "out": types_pb2.DIRECTION_OUT,
    "in": types_pb2.DIRECTION_IN,
    "both": types_pb2.DIRECTION_BOTH,
}
FIELD_KIND: dict[Literal["keyword", "text", "int", "float", "bool", "time", "vector", "link"] | None, types_pb2.FieldKind.ValueType] = {
    None: types_pb2.FIELD_KIND_UNSPECIFIED,
    "keyword": types_pb2.FIELD_KIND_KEYWORD,
    "text": types_pb2.FIELD_KIND_TEXT,
    "int": types_pb2.FIELD_KIND_INT,
    "float": types_pb2.FIELD_KIND_FLOAT,
    "bool": types_pb2.FIELD_KIND_BOOL,
    "time": types_pb2.FIELD_KIND_TIME,
    "vector": types_pb2.FIELD_KIND_VECTOR,
    "link": types_pb2.FIELD_KIND_LINK,
}
EVIDENCE: dict[Literal["current", "all"] | None, query_pb2.Evidence.ValueType] = {
    None: query_pb2.EVIDENCE_UNSPECIFIED,
    "current": query_pb2.EVIDENCE_CURRENT,
    "all": query_pb2.EVIDENCE_ALL,
}
BOUNDS: dict[Literal["reject", "clamp"] | None, query_pb2.Bounds.ValueType] = {
    None: query_pb2.BOUNDS_UNSPECIFIED,
    "reject": query_pb2.BOUNDS_REJECT,
    "clamp": query_pb2.BOUNDS_CLAMP,
}
METRIC_OP: dict[Literal["count", "min", "max", "sum", "avg", "cardinality"] | None, query_pb2.Metric.Op.ValueType] = {
    None: query_pb2.Metric.OP_UNSPECIFIED,
    "count": query_pb2.Metric.OP_COUNT,
    "min": query_pb2.Metric.OP_MIN,
    "max": query_pb2.Metric.OP_MAX,
    "sum": query_pb2.Metric.OP_SUM,
    "avg": query_pb2.Metric.OP_AVG,
    "cardinality": query_pb2.Metric.OP_CARDINALITY,
}
LOOKUP_KIND: dict[Literal["nodes", "edges"] | None, read_pb2.LookupRequest.Kind.ValueType] = {
    None: read_pb2.LookupRequest.KIND_UNSPECIFIED,
    "nodes": read_pb2.LookupRequest.KIND_NODES,
    "edges": read_pb2.LookupRequest.KIND_EDGES,
}
CONTEXT_MEASURE: dict[Literal["answer", "text"] | None, search_pb2.ContextRequest.Measure.ValueType] = {
    None: search_pb2.ContextRequest.MEASURE_UNSPECIFIED,
    "answer": search_pb2.ContextRequest.MEASURE_ANSWER,
    "text": search_pb2.ContextRequest.MEASURE_TEXT,
}
EXPAND_PROPAGATE: dict[Literal["sum", "max"] | None, graph_pb2.ExpandRequest.Propagate.ValueType] = {
    None: graph_pb2.ExpandRequest.PROPAGATE_UNSPECIFIED,
    "sum": graph_pb2.ExpandRequest.PROPAGATE_SUM,
    "max": graph_pb2.ExpandRequest.PROPAGATE_MAX,
}
EXPAND_RANK: dict[Literal["spread", "ppr"] | None, graph_pb2.ExpandRequest.Rank.ValueType] = {
    None: graph_pb2.ExpandRequest.RANK_UNSPECIFIED,
    "spread": graph_pb2.ExpandRequest.RANK_SPREAD,
    "ppr": graph_pb2.ExpandRequest.RANK_PPR,
}
PATHS_MODE: dict[Literal["shortest", "all_simple"] | None, graph_pb2.PathsRequest.Mode.ValueType] = {
    None: graph_pb2.PathsRequest.MODE_UNSPECIFIED,
    "shortest": graph_pb2.PathsRequest.MODE_SHORTEST,
    "all_simple": graph_pb2.PathsRequest.MODE_ALL_SIMPLE,
}
SIMILARITY: dict[Literal["cosine", "dot"] | None, store_pb2.Similarity.ValueType] = {
    None: store_pb2.SIMILARITY_UNSPECIFIED,
    "cosine": store_pb2.SIMILARITY_COSINE,
    "dot": store_pb2.SIMILARITY_DOT,
}
ANALYZE_MEASURE: dict[Literal["pagerank", "communities", "degree"] | None, store_pb2.AnalyzeRequest.Measure.ValueType] = {
    None: store_pb2.AnalyzeRequest.MEASURE_UNSPECIFIED,
    "pagerank": store_pb2.AnalyzeRequest.MEASURE_PAGERANK,
    "communities": store_pb2.AnalyzeRequest.MEASURE_COMMUNITIES,
    "degree": store_pb2.AnalyzeRequest.MEASURE_DEGREE,
}
