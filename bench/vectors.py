"""What does a search by a vector cost, and what does it cost faiss over the same rows?

100,000 seeded vectors of 384 numbers, near 1,000 centers, of unit length: some rows are hidden from the caller, or all but one in a
hundred. Ours is the query alone, and the whole call of Search; beside it faiss compares the same rows, by an exact index and a
bitmap, where it is installed (`pip install .[bench]`).

    python -m bench.vectors [--out FILE]
"""

import importlib
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.measure import milliseconds, run_bench, timed
from passageway_server.authz.callers import Caller
from passageway_server.authz.gates import gates
from passageway_server.engine.diversity import shown
from passageway_server.engine.query import run_query
from passageway_server.engine.vectors import sketch_of
from passageway_server.planner.search import plan_search
from passageway_server.service.search import search
from passageway_server.values.collections import CollectionSettings, FieldDeclaration, Kind
from passageway_server.values.halt import UNHALTED
from passageway_server.values.queries import Bounds, Query, ReadOptions
from passageway_server.values.records import Batch, NodeRecord, Vector
from passageway_server.values.requests import SearchRequest
from passageway_server.version.store import Store

ROWS, NUMBERS, CENTERS, QUERIES, FIRST = 100_000, 384, 1_000, 20, 10
ROUNDS = 7
SHARES = {"60 %": 0.6, "1 %": 0.01}
WORDS = ("red", "green", "blue", "chess", "engine")
Matrix = NDArray[np.float32]


def drawn(count: int, seed: int) -> Matrix:
    """*count* vectors, each near one of the centers."""
    draw = np.random.default_rng(seed)
    centers = np.random.default_rng(0).standard_normal((CENTERS, NUMBERS), dtype=np.float32)
    vectors = centers[draw.integers(0, CENTERS, count)]
    vectors += draw.standard_normal((count, NUMBERS), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def figures() -> dict[str, Any]:
    """All that is measured."""
    vectors, asked = drawn(ROWS, 1), drawn(QUERIES, 2)
    draw = np.random.default_rng(3)
    groups = {name: draw.random(ROWS) < share for name, share in SHARES.items()}
    store = filled(vectors, groups)
    version = store.collection("bench").readable(UNHALTED)
    column = version.nodes.properties["embedding"]
    begun = timed(lambda: sketch_of(column, UNHALTED))
    exact = _faiss(vectors)
    found: dict[str, Any] = {"the first search": round(begun, 1)}
    for name, held in groups.items():
        caller = Caller.holding((f"group:{name}",))
        found[name] = {
            "query": _cost(partial(_first, store, caller), asked),
            "call": _cost(partial(_called, store, caller, ""), asked),
            "with words": _cost(partial(_called, store, caller, "chess engine"), asked),
        }
        if exact is not None:
            bitmap = np.packbits(held, bitorder="little")
            found[name]["faiss"] = _cost(partial(exact, bitmap), asked)
    return {"milliseconds": found}


def filled(vectors: Matrix, groups: dict[str, NDArray[np.bool_]]) -> Store:
    """A store with a collection of a row for each vector, which the groups may read that have it."""
    draw = np.random.default_rng(4)
    words: list[list[str]] = draw.choice(WORDS, (len(vectors), 3)).tolist()
    rows = tuple(
        NodeRecord(
            f"row:{i:06}",
            type=f"type {i % 20}",
            content=" ".join(words[i]),
            readers=tuple(f"group:{name}" for name, held in groups.items() if held[i]) or ("x",),
            properties={"embedding": Vector(vector.tobytes())},
        )
        for i, vector in enumerate(vectors)
    )
    field = FieldDeclaration("embedding", Kind.VECTOR, dimensions=NUMBERS)
    store = Store.open()
    store.create(CollectionSettings("bench", fields=(field,))).apply(Batch(put_nodes=rows))
    return store


def _cost(run: Callable[[Vector], object], asked: Matrix) -> float:
    cases = [Vector(vector.tobytes()) for vector in asked]
    return round(milliseconds(run, cases, rounds=ROUNDS), 3)


def _first(store: Store, caller: Caller, vector: Vector) -> None:
    """The first rows, in the order in which they are shown."""
    version = store.collection("bench").readable(UNHALTED)
    call = gates(version, caller, ReadOptions(current=True), 0)
    plan = plan_search(_request(Query(vector=vector)), version=version, gate=call.read)
    found = run_query(version, plan.finding.query, scope=call.scope, read=call.read)
    chosen = shown(version, found, FIRST, type_cap=2, names=frozenset(), gate=call.read)
    assert len(found.at(chosen.places)) == FIRST


def _called(store: Store, caller: Caller, text: str, vector: Vector) -> None:
    """A whole call of Search, as far as its answer."""
    assert len(search(store, caller, _request(Query(text, vector=vector))).hits) == FIRST


def _request(query: Query) -> SearchRequest:
    return SearchRequest(
        "bench", read=ReadOptions(current=True), query=query, bounds=Bounds.REJECT, fields=("id",)
    )


def _faiss(vectors: Matrix) -> Callable[[NDArray[np.uint8], Vector], None] | None:
    """A search of the rows of a bitmap by faiss; None where it is not installed."""
    try:
        faiss: Any = importlib.import_module("faiss")
    except ModuleNotFoundError:
        return None
    index = faiss.IndexFlatIP(NUMBERS)
    index.add(vectors)

    def run(bitmap: NDArray[np.uint8], query: Vector) -> None:
        chosen = faiss.IDSelectorBitmap(ROWS, faiss.swig_ptr(bitmap))
        parameters = faiss.SearchParameters(sel=chosen)
        index.search(query.numbers.reshape(1, -1), FIRST, params=parameters)

    return run


if __name__ == "__main__":
    run_bench("vectors", figures)
