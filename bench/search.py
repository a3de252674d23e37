"""How long does a search by words take, for a caller who reads a part of the rows, and how long is the index in the making?

Questions of two to four words over all texts of the Debian graph. Beside it, in the same run, tantivy over the same texts, with
the rows that the caller reads as a part of the query, and without. It takes tantivy: the extra [bench].

    python -m bench.search [--out FILE]
"""

import time
from functools import partial
from typing import Any

import numpy as np

from bench.debian import expected, source_folder
from bench.measure import milliseconds, run_bench, timed
from bench.texts import NAME, Tantivy, loaded, questions, texts
from passageway_server.authz.callers import Caller
from passageway_server.authz.gates import gates
from passageway_server.engine.diversity import shown
from passageway_server.engine.query import run_query
from passageway_server.planner.search import plan_search
from passageway_server.service.search import search
from passageway_server.values.queries import Query, ReadOptions
from passageway_server.values.records import Batch, NodeRecord
from passageway_server.values.requests import SearchRequest
from passageway_server.version.collection import Collection
from passageway_server.version.wording import words_of

QUESTIONS, ROUNDS, LIMIT = 200, 5, 10
TOUCHED = 100
"""Texts of a commit."""


def figures() -> dict[str, Any]:
    """All that is measured."""
    groups: list[str] = expected(source_folder())["groups"]
    made, collection = loaded()
    version = collection.current.prepare()
    begun = time.perf_counter()
    words = words_of(version.contents)
    indexing = time.perf_counter() - begun
    caller = Caller.holding(groups)
    seen = gates(version, caller, ReadOptions(current=True), 0)
    asked = [text for _, text in questions(QUESTIONS)]
    requests = [_request(text) for text in asked]
    plans = [plan_search(one, version=version, gate=seen.read) for one in requests]

    def engine(place: int) -> None:
        query = plans[place].finding.query
        found = run_query(version, query, scope=seen.scope, read=seen.read)
        shown(version, found, LIMIT, type_cap=2, names=frozenset(), gate=seen.read)

    every = range(QUESTIONS)
    found = {
        "engine": milliseconds(engine, every, rounds=ROUNDS),
        "whole call": milliseconds(
            lambda i: search(made, caller, requests[i]), every, rounds=ROUNDS
        ),
        **_beside(asked, groups),
    }
    paragraphs = sum(1 for one in texts() if one.content)
    matched = [
        len(run_query(version, plan.finding.query, scope=seen.scope, read=seen.read))
        for plan in plans
    ]
    return {
        "rows": len(version.nodes),
        "matched, median": int(np.median(matched)),
        "milliseconds": {name: round(value, 3) for name, value in found.items()},
        "as a multiple": round(found["engine"] / found["tantivy, filtered"], 2),
        "index": {
            "seconds": round(indexing, 2),
            "texts a second": round(paragraphs / indexing),
            "megabytes": round(words.nbytes / 1e6, 1),
        },
        "milliseconds of a commit of 100 texts": round(_commit(collection), 2),
    }


def _request(text: str) -> SearchRequest:
    return SearchRequest(NAME, read=ReadOptions(current=True), query=Query(text=text))


def _beside(asked: list[str], groups: list[str]) -> dict[str, float]:
    other = Tantivy(texts())
    reading = other.reading([*groups, "public"])
    return {
        "tantivy, filtered": milliseconds(
            lambda text: other.first(text, LIMIT, reading), asked, rounds=ROUNDS
        ),
        "tantivy, all rows": milliseconds(
            lambda text: other.first(text, LIMIT), asked, rounds=ROUNDS
        ),
    }


def _commit(collection: Collection) -> float:
    """The median of commits, each of `TOUCHED` texts that are there, put again with another word."""
    times: list[float] = []
    packages = [one for one in texts() if one.type == "package"]
    for turn in range(20):
        some = packages[turn * TOUCHED : (turn + 1) * TOUCHED]
        puts = tuple(
            NodeRecord(
                one.id,
                type=one.type,
                name=one.name,
                content=f"{one.content} again {turn}",
                readers=one.readers,
            )
            for one in some
        )
        times.append(timed(partial(collection.apply, Batch(put_nodes=puts))))
    return float(np.median(times))


if __name__ == "__main__":
    run_bench("search", figures)
