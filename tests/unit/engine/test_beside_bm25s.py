"""Where a caller reads all, scores of one field are those of bm25s, a library of its own, as near as its floats are."""

from importlib import import_module
from random import Random
from typing import Any

import numpy as np
import pytest

from passageway_server.authz.callers import OPERATOR
from passageway_server.columns.words.analysis import Analysis
from passageway_server.service.search import search
from passageway_server.values.collections import CollectionSettings
from passageway_server.values.queries import Query
from passageway_server.values.records import Batch, NodeRecord
from passageway_server.values.requests import SearchRequest
from passageway_server.version.store import Store

bm25s: Any = import_module("bm25s")  # its types say little

WORDS = [f"w{number}" for number in range(40)] + ["running", "Émile", "max_nodes", "日本語"]


@pytest.mark.parametrize("seed", range(20))
def test_scores_of_contents_are_those_of_bm25s(seed: int) -> None:
    rng = Random(seed)
    texts = [" ".join(rng.choices(WORDS, k=rng.randint(1, 30))) for _ in range(rng.randint(2, 200))]
    store = Store.open()
    nodes = tuple(NodeRecord(f"{place:03}", content=text) for place, text in enumerate(texts))
    store.create(CollectionSettings("c")).apply(Batch(put_nodes=nodes))
    analysis = Analysis("english")
    other = bm25s.BM25(k1=1.2, b=0.75, method="lucene")
    other.index([analysis.words(text) for text in texts], show_progress=False)

    for _ in range(10):
        asked = rng.sample(WORDS, rng.randint(1, 4))
        query = Query(" ".join(asked), limit=len(texts), text_fields=("content",))
        answer = search(store, OPERATOR, SearchRequest("c", query=query))
        words = [*dict.fromkeys(analysis.words(query.text))]
        known = [word for word in words if word in other.vocab_dict]
        expected = other.get_scores(known) if known else np.zeros(len(texts))
        found = np.zeros(len(texts))
        for hit in answer.hits:
            found[int(hit.node.id)] = hit.score

        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
