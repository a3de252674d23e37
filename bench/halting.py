"""How soon is a thread free once its call is cancelled?

Long calls over the Debian graph, each cut off at moments drawn from all of its time: from the cancel to the end of the work, in
the engine of this process, messages and bytes included. The worst of each call counts.

    python -m bench.halting [--out FILE]
"""

import random
import shutil
import tempfile
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

from google.protobuf import json_format
from google.protobuf.message import Message

from bench.debian import expected, source_folder
from bench.load import loaded
from bench.measure import RESULTS, run_bench
from passageway.v1 import graph_pb2, read_pb2
from passageway_server.authz.callers import OPERATOR
from passageway_server.errors import Cancelled, LimitExceeded
from passageway_server.values.halt import Halt
from passageway_server.version.store import Store
from passageway_server.wire.dispatch import Dispatch
from passageway_server.wire.server import CALLS
from passageway_server.wire.warm import warm

CUTS = 40  # of each call
COLLECTION = "debian"
_ANY_WAY = {"edges": {"direction": "DIRECTION_BOTH"}, "max_frontier": 30_000}
_NARROW = {**_ANY_WAY, "max_frontier": 3_000}
Json = dict[str, Any]


def requests(seeds: list[str]) -> Mapping[str, tuple[str, Message]]:
    """Calls that take long, by what they do for most of their time."""
    walk: Json = {"seeds": [{"ids": seeds}], "hops": [_ANY_WAY] * 3, "limit": 10_000}
    ends: Json = {"sources": seeds[:10], "targets": seeds[-10:], "max_depth": 6}
    ends |= {"edges": [{"direction": "DIRECTION_BOTH"}], "max_frontier": 100_000}
    asked: dict[str, Json] = {
        "walk": walk,
        "walk by filter": {**walk, "filter": 'contains(content, "e")'},
        "subgraph": {**walk, "hops": [_NARROW] * 2, "with_subgraph": True},
        "PageRank": {
            **walk,
            "rank": "RANK_PPR",
            "ppr": {"iterations": 1000, "tolerance": 0.0},
        },
        "budget": {**walk, "budget": {"nodes": 50_000}},
        "facets of a walk": {
            **walk,
            "facets": {name: {"field": name, "limit": -1} for name in ("type", "id", "name")},
        },
        "shortest paths": {**ends, "k": 10},
        "cheapest paths": {**ends, "k": 10, "weighted": True},
        "all paths": {**ends, "mode": "MODE_ALL_SIMPLE", "max_paths": 10_000},
        "text filter": {"filter": 'contains(content, "zzz") OR contains(name, "qqq")'},
        "sort": {"sort": ["-content", "name"], "page_size": 10_000},
        "semi-join": {"filter": "lookup(name, from=(id:*), from_field=type)"},
        "edges": {"kind": "KIND_EDGES", "sort": ["-weight", "source"], "page_size": 10_000},
        "map": {},
    }
    kinds: dict[str, tuple[str, type[Message]]] = {
        **dict.fromkeys(list(asked)[:6], ("Expand", graph_pb2.ExpandRequest)),
        **dict.fromkeys(list(asked)[6:9], ("Paths", graph_pb2.PathsRequest)),
        **dict.fromkeys(list(asked)[9:13], ("Lookup", read_pb2.LookupRequest)),
        "map": ("Describe", read_pb2.DescribeRequest),
    }
    return {
        name: (
            f"GraphService/{kinds[name][0]}",
            json_format.ParseDict({"collection": COLLECTION, **request}, kinds[name][1]()),
        )
        for name, request in asked.items()
    }


class Bench:
    """One thread that serves calls, as a server's pool does, and keeps its memory from call to call."""

    def __init__(self, dispatch: Dispatch) -> None:
        self._dispatch = dispatch
        self._thread = ThreadPoolExecutor(1)

    def whole(self, method: str, request: bytes) -> float:
        """Seconds of the whole call, the second time: what a version works out once is there then."""
        times = [self._thread.submit(self._serve, method, request, Halt()) for _ in range(2)]
        return times[1].result()[0]

    def cut(self, method: str, request: bytes, after: float) -> float | None:
        """Seconds from a cancel *after* so many to the end of the work; None where it was done before."""
        halt = Halt()
        served = self._thread.submit(self._serve, method, request, halt)
        wait([served], after)
        begun = time.perf_counter()
        halt.cancel()
        _, ended, was_cut = served.result()
        return ended - begun if was_cut else None

    def _serve(self, method: str, request: bytes, halt: Halt) -> tuple[float, float, bool]:
        """How long it took, when it ended, and whether the cancel ended it."""
        begun, was_cut = time.perf_counter(), False
        try:
            self._dispatch.unary(method, OPERATOR, metadata=(), request=request, halt=halt)
        except (LimitExceeded, Cancelled) as error:
            was_cut = isinstance(error, Cancelled)
        ended = time.perf_counter()
        return ended - begun, ended, was_cut


def figures(dispatch: Dispatch, seeds: list[str]) -> dict[str, Any]:
    """By call, in milliseconds: how long it takes whole, and the middle and the worst of its cuts."""
    draw, bench = random.Random(1), Bench(dispatch)
    found: dict[str, Any] = {}
    for name, (method, message) in requests(seeds).items():
        request = message.SerializeToString()
        seconds = bench.whole(method, request)
        cuts = [bench.cut(method, request, seconds * draw.random()) for _ in range(CUTS)]
        lags = sorted(lag * 1e3 for lag in cuts if lag is not None)
        found[name] = {
            "whole": round(seconds * 1e3, 1),
            "median": round(lags[len(lags) // 2], 2) if lags else 0.0,
            "worst": round(lags[-1], 2) if lags else 0.0,
        }
    return found


def measure() -> dict[str, Any]:
    """The figures, over a copy of the folder that nobody keeps."""
    seeds = [id for case in expected(source_folder())["expand"] for id in case["seeds"]]
    with tempfile.TemporaryDirectory(dir=RESULTS) as folder:
        warm()  # as a server does
        store = Store.open(Path(shutil.copytree(loaded(), Path(folder) / "data")))
        try:
            found = figures(Dispatch(store, CALLS), list(dict.fromkeys(seeds)))
        finally:
            store.close()
    worst = max(call["worst"] for call in found.values())
    return {"milliseconds": {"worst of all": worst, **found}}


if __name__ == "__main__":
    run_bench("halting", measure)
