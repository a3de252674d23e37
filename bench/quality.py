"""How good is the order of a search by words, beside that of tantivy and of bm25s?

60 questions of two to four words, out of the first lines of as many packages of Debian, are asked of all packages. The package
itself, by its name, is worth 3, any other one of its section 1. nDCG@10 (Järvelin and Kekäläinen, "Cumulated gain-based evaluation
of IR techniques", 2002) compares the first ten with the best ten that there are. It takes tantivy: the extra [bench].

    python -m bench.quality [--out FILE]
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean
from typing import Any

import Stemmer

from bench.measure import run_bench, yardstick
from bench.texts import NAME, Tantivy, Text, questions, texts
from passageway_server.authz.callers import OPERATOR
from passageway_server.service.search import search
from passageway_server.values.collections import CollectionSettings
from passageway_server.values.queries import Query
from passageway_server.values.records import Batch, NodeRecord
from passageway_server.values.requests import SearchRequest
from passageway_server.version.store import Store

QUESTIONS, FIRST = 60, 10
ITSELF, SECTION = 3.0, 1.0
"""What a package is worth."""

Order = Callable[[str], list[Text]]
"""The first `FIRST` packages for a question."""


def figures() -> dict[str, Any]:
    """All that is measured."""
    packages = [one for one in texts() if one.type == "package"]
    sections = Counter(one.section for one in packages)
    asked = questions(QUESTIONS)

    def quality(order: Order) -> float:
        return fmean(
            gained(order(question), of) / best(sections[of.section]) for of, question in asked
        )

    orders = {
        "passageway": _ours(packages),
        "tantivy": _tantivy(packages),
        "bm25s": _bm25s(packages),
    }
    return {
        "questions": QUESTIONS,
        "nDCG@10": {name: round(quality(order), 4) for name, order in orders.items()},
    }


def gained(found: Sequence[Text], of: Text) -> float:
    """What *found* is worth to one who looks for the package *of*, discounted by place."""
    return _discounted(
        ITSELF if one.id == of.id else SECTION if one.section == of.section else 0.0
        for one in found
    )


def best(of_section: int) -> float:
    """The most that there is, in a section of so many packages."""
    return _discounted([ITSELF, *[SECTION] * min(of_section - 1, FIRST - 1)])


def _discounted(worth: Iterable[float]) -> float:
    return math.fsum(gain / math.log2(place + 2) for place, gain in enumerate(worth))


def _ours(packages: Sequence[Text]) -> Order:
    store = Store.open()
    collection = store.create(CollectionSettings(NAME))
    nodes = [NodeRecord(one.id, name=one.name, content=one.content) for one in packages]
    collection.apply(Batch(put_nodes=tuple(nodes)))
    by_id = {one.id: one for one in packages}

    def order(question: str) -> list[Text]:
        request = SearchRequest(NAME, query=Query(text=question, limit=FIRST))
        answer = search(store, OPERATOR, request)
        return [by_id[hit.node.id] for hit in answer.hits]

    return order


def _tantivy(packages: Sequence[Text]) -> Order:
    other = Tantivy(packages)
    return lambda question: [packages[row] for row in other.first(question, FIRST)]


def _bm25s(packages: Sequence[Text]) -> Order:
    bm25s, stemmer = yardstick("bm25s"), Stemmer.Stemmer("english")

    def tokens(several: Sequence[str]) -> Any:
        return bm25s.tokenize(list(several), stopwords=None, stemmer=stemmer, show_progress=False)

    index = bm25s.BM25(k1=1.2, b=0.75)
    index.index(tokens([f"{one.name} {one.content}" for one in packages]), show_progress=False)

    def order(question: str) -> list[Text]:
        rows, _ = index.retrieve(tokens([question]), k=FIRST, show_progress=False)
        return [packages[int(row)] for row in rows[0]]

    return order


if __name__ == "__main__":
    run_bench("quality", figures)
