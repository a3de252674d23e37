"""Scores by words are BM25F over the caller's own rows, to the last bit."""

import math
from random import Random

import pytest

from passageway_server.authz.callers import ADMIN, Caller
from passageway_server.authz.gates import gates
from passageway_server.columns.words.analysis import Analysis
from passageway_server.engine.lexical import idf, scored
from passageway_server.engine.searched import FieldPlan
from passageway_server.values.collections import (
    CollectionSettings,
    FieldDeclaration,
    Kind,
    NodeType,
    Ontology,
)
from passageway_server.values.queries import ReadOptions
from passageway_server.values.records import Batch, NodeRecord, PassageRecord
from passageway_server.version.collection import Collection
from passageway_server.version.store import Store
from tests.oracle.texts import meets

NOW = 1_700_000_000_000_000
SETTINGS = CollectionSettings(
    "c",
    fields=(FieldDeclaration("notes", Kind.TEXT, repeated=True),),
    ontology=Ontology(node_types=(NodeType("log", indexed=False),)),
)
VOCABULARY = ["ant", "bees", "cow", "dogs", "emu", "日本語", "cow_bell", "running", "beet", "cowl"]
READERS = ("public", "group:a", "group:b", "group:a & group:b")
CALLERS = (
    Caller.holding(("group:a",)),
    Caller.holding(("group:a", "group:b")),
    Caller.holding(()),
    Caller.holding((), roles=(ADMIN,)),
)
Weights = dict[str, float]


class Plain:
    """The rows by id, as a list of texts by field: slow, and obvious."""

    def __init__(self) -> None:
        self.nodes: dict[str, NodeRecord] = {}
        self.spans: dict[str, PassageRecord] = {}

    def put(self, batch: Batch) -> None:
        for id in batch.delete_nodes:
            self.spans.pop(id, None)
            if self.nodes.pop(id, None):
                self.spans = {k: s for k, s in self.spans.items() if s.parent_id != id}
        for node in batch.put_nodes:
            self.spans.pop(node.id, None)
            self.nodes[node.id] = node
        for span in batch.put_passages:
            self.nodes.pop(span.id, None)
            self.spans[span.id] = span

    def texts(self, caller: Caller, *, current: bool) -> dict[str, dict[str, str]]:
        """What the caller's own rows hold, by id and field."""
        found: dict[str, dict[str, str]] = {}
        for node in self.nodes.values():
            if node.type != "log" and _reads(caller, node) and not (current and _retired(node)):
                notes = node.properties.get("notes", [])
                assert isinstance(notes, list)
                texts = {
                    "name": node.name,
                    "content": node.content,
                    "notes": " ".join(map(str, notes)),
                }
                found[node.id] = texts
        for span in self.spans.values():
            parent = self.nodes.get(span.parent_id)
            if parent and _reads(caller, parent) and not (current and _retired(parent)):
                found[span.id] = {"content": span.content}
        return found


def _reads(caller: Caller, node: NodeRecord) -> bool:
    return ADMIN in caller.roles or caller.holds_any(node.readers)


def _retired(node: NodeRecord) -> bool:
    return node.status == "retracted" or str(node.properties.get("expires_at", "2999")) < "2023"


def expected(
    plain: Plain, caller: Caller, weights: Weights, text: str, *, current: bool, edits: int
) -> dict[str, float]:
    """BM25F by id, as it is written; a word is every word within so many *edits*."""
    analysis = Analysis("english")
    counted = {
        id: {field: analysis.words(one) for field, one in texts.items()}
        for id, texts in plain.texts(caller, current=current).items()
    }
    average: dict[str, float] = {}
    for field in weights:
        lengths = [len(words[field]) for words in counted.values() if words.get(field)]
        average[field] = sum(lengths) / len(lengths) if lengths else 1.0
    scores: dict[str, float] = {}
    for word in dict.fromkeys(analysis.words(text)):
        amounts: dict[str, float] = {}
        for field, weight in weights.items():
            for id, words in counted.items():
                count = sum(meets(word, one, edits) for one in words.get(field, []))
                if count:
                    share = weight * count / (1 - 0.75 + 0.75 * len(words[field]) / average[field])
                    amounts[id] = amounts.get(id, 0.0) + share
        for id, amount in amounts.items():
            worth = math.log(1 + (len(counted) - len(amounts) + 0.5) / (len(amounts) + 0.5))
            scores[id] = scores.get(id, 0.0) + worth * amount / (1.2 + amount)
    return scores


def found(
    kept: Collection,
    caller: Caller,
    weights: Weights,
    text: str,
    *,
    current: bool,
    edits: int = 0,
) -> dict[str, float]:
    version = kept.current
    words = tuple(dict.fromkeys(Analysis("english").words(text)))
    plan = [FieldPlan(field, weight, "english", words, edits) for field, weight in weights.items()]
    scope = gates(version, caller, ReadOptions(current=current), NOW).scope
    rows, scores = scored(version, plan, scope)
    ids = version.nodes.ids.take(rows)
    assert len(set(ids)) == len(ids)
    return dict(zip(ids, scores.tolist(), strict=True))


def random_text(rng: Random) -> str:
    return " ".join(rng.choices(VOCABULARY, k=rng.choice((0, 1, 2, 5, 12))))


def random_batch(rng: Random) -> Batch:
    ids = [f"n{number}" for number in range(14)]
    nodes = tuple(
        NodeRecord(
            id,
            type=rng.choice(("", "log", "memory")),
            name=random_text(rng),
            content=random_text(rng),
            readers=(rng.choice(READERS),),
            status=rng.choice(("", "", "retracted")),
            properties={
                "notes": [random_text(rng) for _ in range(rng.randint(0, 2))],
                **rng.choice(({}, {}, {"expires_at": "2020-01-01"}, {"expires_at": "2030-01-01"})),
            },
        )
        for id in rng.sample(ids, rng.randint(0, 6))
    )
    spans = tuple(
        PassageRecord(f"s{number}", rng.choice(ids), number, content=random_text(rng))
        for number in rng.sample(range(8), rng.randint(0, 4))
    )
    return Batch(
        delete_nodes=tuple(rng.sample([*ids, "s1", "s2"], rng.randint(0, 2))),
        put_nodes=nodes,
        put_passages=spans,
    )


@pytest.mark.parametrize("seed", range(150))
def test_scores_are_those_of_the_formula_over_the_callers_own_rows(seed: int) -> None:
    rng, plain = Random(seed), Plain()
    kept = Store.open().create(SETTINGS)
    for _ in range(rng.randint(1, 6)):
        batch = random_batch(rng)
        kept.apply(batch, prepare=rng.random() < 0.7)
        plain.put(batch)
        if rng.random() < 0.2:
            kept.merge()
        text, current, edits = random_text(rng), rng.random() < 0.5, rng.choice((0, 0, 1, 2))
        weights = rng.choice(
            ({"name": 2.0, "content": 1.0, "notes": 0.5}, {"content": 1.0}, {"notes": 3.0})
        )
        for caller in CALLERS:
            told = expected(plain, caller, weights, text, current=current, edits=edits)
            assert found(kept, caller, weights, text, current=current, edits=edits) == told


def test_a_score_is_what_is_worked_out_by_hand() -> None:
    kept = Store.open().create(CollectionSettings("c", default_readers=("public",)))
    kept.apply(
        Batch(
            put_nodes=(
                NodeRecord("a", content="cat cat dog"),
                NodeRecord("b", content="dog"),
                NodeRecord("c", content="emu emu"),
            )
        )
    )

    scores = found(kept, Caller.holding(()), {"content": 1.0}, "cat", current=False)

    # One of three rows has the word, twice among three words; a text has two on average: ln(1 + 2.5 / 1.5), and 2 / 1.375.
    assert idf(3, 1) == pytest.approx(0.980829253)
    assert scores == {"a": pytest.approx(0.980829253 * 1.454545455 / 2.654545455)}
