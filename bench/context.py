"""How long does a Context take on Debian, and of that the search alone?

The caller is that of ``expected.json``. Words of two to four are drawn from the names and summaries of packages that it reads; the
answers have one hop and 2,000 tokens. Times are of the engine alone, from the request to the answer as plain values: the median over
the cases of the best of several rounds.

    python -m bench.context [--out FILE]
"""

import random
import re
from functools import partial
from typing import Any

import numpy as np

from bench.debian import expected, source_folder
from bench.load import loaded
from bench.measure import milliseconds, run_bench, spread, timed
from passageway_server.authz.callers import Caller
from passageway_server.service.context import context
from passageway_server.service.search import search
from passageway_server.values.context import ContextRequest
from passageway_server.values.queries import Query, ReadOptions
from passageway_server.values.requests import SearchRequest
from passageway_server.version.store import Store
from passageway_server.version.version import Version

ROUNDS, CASES = 5, 60
CURRENT = ReadOptions(current=True)


def queries(version: Version, draw: random.Random) -> list[str]:
    """Two to four words each, of one text."""
    contents: list[int] = np.flatnonzero(version.nodes.content.whole).tolist()
    found: list[str] = []
    while len(found) < CASES:
        text = version.texts[int(version.nodes.content[draw.choice(contents)])]
        words = re.findall(r"[A-Za-z]{4,}", text)
        if len(words) >= 4:
            found.append(" ".join(draw.sample(words, draw.choice((2, 3, 4)))))
    return found


def measure() -> dict[str, Any]:
    """The figures, in milliseconds, and how full the answers are."""
    groups = expected(source_folder())["groups"]
    store = Store.open(loaded())
    caller = Caller.holding(groups)
    version = store.collection("debian").current.prepare()
    asked = queries(version, random.Random(1))
    search(store, caller, SearchRequest("debian", Query("warm"), CURRENT))

    def ask(text: str, *, tokens: int = 2_000, hops: int = 1) -> Any:
        request = ContextRequest(
            "debian", CURRENT, query=Query(text), token_budget=tokens, hops=hops
        )
        return context(store, caller, request)

    def find(text: str) -> None:
        search(store, caller, SearchRequest("debian", Query(text, limit=8), CURRENT))

    answers = [ask(text) for text in asked]
    return {
        "milliseconds": {
            "2,000 tokens, one hop": round(milliseconds(ask, asked, rounds=ROUNDS), 2),
            "each once": spread([timed(partial(ask, text)) for text in asked]),
            "the search alone": round(milliseconds(find, asked, rounds=ROUNDS), 2),
            "two hops": round(milliseconds(partial(ask, hops=2), asked, rounds=2), 2),
            "32,768 tokens": round(milliseconds(partial(ask, tokens=32_768), asked, rounds=2), 2),
        },
        "nodes of an answer": float(np.median([len(one.nodes) for one in answers])),
        "omitted": float(np.median([one.omitted.nodes for one in answers])),
    }


if __name__ == "__main__":
    run_bench("context", measure)
