"""The limits of requests, in one table: what a number is unless given, its least and its most."""

from typing import NamedTuple

from passageway_server.values.context import MOST_TOKENS


class Limit(NamedTuple):
    """A number that has a range, and a value where the request leaves it out."""

    absent: int
    low: int
    high: int


_PREVIEW = 50_000

# What several calls have.
CONTENT_CHARS = Limit(500, 0, _PREVIEW)
MAX_VALUES = Limit(65_536, 1, 65_536)  # distinct ones, of a lookup
QUERY_MATCHES = Limit(10, 1, 10_000)
SORT_KEYS = 8
FACETS = 100  # and as many metrics
BUCKETS = Limit(10, -1, 10_000)  # of a facet; -1: all

# Expand
SEED_GROUPS = 10
SEED_IDS = 10_000
HOPS = 3
HITS = Limit(10, -1, 10_000)
NODES = Limit(100_000, 0, 100_000)
EDGES = Limit(100_000, 0, 100_000)
HOP_FRONTIER = Limit(0, 0, 100_000)  # 0: no cap
PAGE_RANK_PASSES = Limit(50, 0, 1_000)
BUDGET_MOST = 100_000  # nodes, and edges
SHARED_SPECS = 10
SHARED_MEMBERS, SHARED_MEMBERS_UNSET = Limit(0, 0, 100_000), 1_000

# Paths
ENDS = 10
EDGE_SPECS = 10
DEPTH = Limit(4, 1, 6)
LEAST_DEPTH = Limit(1, 0, 6)  # and no more than the depth
SHORTEST = Limit(1, 1, 10)
SIMPLE_PATHS = Limit(100, 1, 10_000)
SEARCH_FRONTIER = Limit(1_000, 1, 100_000)

# Slice
WINDOW = Limit(3, 1, 64)
WINDOW_CHARS = Limit(18_000, 0, _PREVIEW)
PAGE_CHARS = Limit(18_000, 1, _PREVIEW)

# Search
FOUND = Limit(10, 0, 10_000)
TYPE_CAP = Limit(2, 0, 10_000)
TEXT_BYTES = 64 * 1024
WORDS = 512  # different ones, of one text
MAX_EDITS = Limit(0, 0, 2)
TYPES_TOLD = 8
LISTS_BESIDE = 4  # in also
NAMES_TOLD = 8  # of fields that one may be

# Context
CONTEXT_IDS = 64
CONTEXT_SEEDS = Limit(8, 1, 64)
CONTEXT_HOPS = Limit(1, 0, 3)
TOKENS = Limit(2_000, 256, MOST_TOKENS)

# Get, Lookup
GET_IDS = 1_000
PAGE_SIZE = Limit(10, 0, 10_000)

# Analyze
MEASURE_PRINCIPALS = 1_000

# An expression that rescores
RESCORE_BYTES, RESCORE_TERMS, RESCORE_DEPTH = 4096, 128, 32

# A filter
FILTER_BYTES, FILTER_TERMS, FILTER_DEPTH = 64 * 1024, 512, 32
