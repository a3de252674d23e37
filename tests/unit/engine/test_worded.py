"""`:` on texts asks for words: by postings where texts are searched, by a look at them where they are not."""

from dataclasses import replace
from random import Random
from unittest.mock import Mock

import numpy as np
import pytest

from passageway_server.authz.callers import Caller
from passageway_server.columns.words import analysis
from passageway_server.columns.words.analysis import Analysis
from passageway_server.engine.filter import edge_matches, matches
from passageway_server.engine.matching_edges import matching_edges
from passageway_server.errors import Cancelled
from passageway_server.planner.binding import Binding
from passageway_server.values.collections import (
    CollectionSettings,
    FieldDeclaration,
    Kind,
    NodeType,
    Ontology,
)
from passageway_server.values.halt import Halt
from passageway_server.values.queries import Bounds
from passageway_server.values.records import Batch, EdgeRecord, NodeRecord, PassageRecord
from passageway_server.version.store import Store
from passageway_server.version.version import Version
from tests.unit.engine.bound import all_gates, compiled, ids_of, version_of
from tests.unit.engine.stopping import after

EVE = Caller.holding(["user:eve"])
SETTINGS = CollectionSettings(
    "c",
    fields=(
        FieldDeclaration("notes", Kind.TEXT, repeated=True),
        FieldDeclaration("nota", Kind.TEXT, language="spanish"),
        FieldDeclaration("content", Kind.TEXT),
    ),
    default_readers=("public",),
    ontology=Ontology(node_types=(NodeType("log", indexed=False),)),
)


@pytest.fixture(scope="module")
def version() -> Version:
    return version_of(
        Batch(
            put_nodes=(
                NodeRecord(
                    "a",
                    name="Retry policy",
                    content="It was Running, while the policy changed.",
                    properties={
                        "notes": ["a big dog", "a small cat"],
                        "nota": "los perros corriendo",
                    },
                ),
                NodeRecord(
                    "b",
                    "log",
                    name="retry_policy",
                    content="running",
                    properties={"notes": ["big dogs", "cats"], "content": "hidden running"},
                ),
                NodeRecord("c", name="日本語の文", content="한국어 문서", status="retracted"),
                NodeRecord("cafe", name="cafe\u0301 ﬁle", project="p"),
                NodeRecord("s", content="running secretly", readers=("user:eve",)),
                NodeRecord("empty"),
            ),
            put_edges=(
                EdgeRecord("e", "a", "b", properties={"notes": ["ran fast", "slow"]}),
                EdgeRecord("f", "a", "b", properties={"notes": ["ran", "fast runs"]}),
                EdgeRecord("g", "a", "s", properties={"notes": ["fast runs"]}),
            ),
            put_passages=(PassageRecord("a#0", "a", 0, content="the first run"),),
        ),
        SETTINGS,
    )


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("content:run", "a a#0 b"),
        ("content:RUNS", "a a#0 b"),
        ("NOT content:running", "c cafe empty"),
        ('name:"policy, retry!"', "a b"),
        ('content:"running policy"', "a"),
        ("name:retry_policy", "b"),
        ("content:(first OR changed)", "a a#0"),
        ('content:("running policy" OR first)', "a a#0"),
        ("content:running AND type = log", "b"),
        ("content:run AND NOT name:*", "a#0"),
        ("name:日本", "c"),
        ("name:日本語", "c"),
        ("name:語日", ""),
        ("name:日", ""),
        ("content:한국어", "c"),
        ('name:"caf\u00e9"', "cafe"),
        ("name:FILE", "cafe"),
        ("notes:dog", "a b"),
        ('notes:"big dog"', "a b"),
        ('notes:"dog cat"', ""),
        ('notes:("dog cat" OR "small cats")', "a"),
        ("nota:perro", "a"),
        ("nota:correr", "a"),
        ("properties.content:run", "b"),
        ("lookup(id, from=(content:first), from_field=PART_OF)", "a"),
        ("lookup(id, from_edges=(notes:slow), from_field=target)", "b"),
    ],
)
def test_a_text_is_asked_for_its_words(version: Version, text: str, ids: str) -> None:
    assert ids_of(version, text) == ids.split()


def test_a_list_of_vars_is_any_of_its_texts(version: Version) -> None:
    wanted = ["first", "changed policy", "none"]

    assert ids_of(version, "content:$wanted", wanted=wanted) == ["a", "a#0"]
    assert ids_of(version, "content:$wanted", wanted=[]) == []


def test_hidden_rows_are_of_no_concern_and_shown_to_their_reader(version: Version) -> None:
    assert ids_of(version, "content:secretly") == []
    assert ids_of(version, "content:secretly", EVE) == ["s"]


@pytest.mark.parametrize(
    ("text", "ids"), [("notes:run", "f"), ('notes:"ran fast"', "e"), ('notes:"fast slow"', "")]
)
def test_the_texts_of_edges_have_words_too(version: Version, text: str, ids: str) -> None:
    predicate = compiled(text, version, over="edges")

    found = matching_edges(predicate, version, all_gates(version).read)

    assert version.docs.ids.take(found) == ids.split()
    every = np.arange(3, dtype=np.int32)
    met = edge_matches(predicate, version, every).tolist()
    assert version.docs.ids.take(every[np.array(met)])[: len(found)] == ids.split()


WORDS = ("ant", "bee", "cow", "dog", "emu", "fox")


@pytest.mark.parametrize("seed", range(40))
def test_few_candidates_and_all_rows_agree_with_the_texts_after_any_commits(seed: int) -> None:
    rng, held = Random(seed), dict[str, tuple[str, str]]()
    kept = Store.open().create(SETTINGS)
    for _ in range(rng.randint(1, 5)):
        put: list[NodeRecord] = []
        for id in rng.sample(range(300), rng.choice((3, 20, 200))):
            text = " ".join(rng.choices(WORDS, k=rng.choice((0, 1, 1, 3))))
            kind = rng.choice(("", "", "", "log"))
            put.append(NodeRecord(f"n{id}", kind, content=text))
            held[f"n{id}"] = kind, text
        kept.apply(Batch(put_nodes=tuple(put)))
        if rng.random() < 0.3:
            kept.merge()
    version = kept.current
    rows, read = version.nodes.ids.find_all(sorted(held)), all_gates(version).read
    for _ in range(6):
        asked = [rng.sample(WORDS, rng.choice((1, 1, 2))) for _ in range(rng.choice((1, 2)))]
        quoted = [f'"{" ".join(words)}"' for words in asked]
        text = f"content:({' OR '.join(quoted)})"
        analysis = Analysis("english")
        expected = [
            any(set(analysis.words(" ".join(words))) <= set(analysis.words(one)) for words in asked)
            for _, (_, one) in sorted(held.items())
        ]
        predicate = compiled(text, version)
        some = slice(*sorted(rng.sample(range(len(rows) + 1), 2)))

        assert matches(predicate, version, None, read)[rows].tolist() == expected
        assert matches(predicate, version, rows[some], read).tolist() == expected[some]
        assert matches(predicate, version, rows[:1], read).tolist() == expected[:1]
        found = [id for id, met in zip(sorted(held), expected, strict=True) if met]
        assert ids_of(version, text) == found


def test_the_words_of_a_filter_are_taken_apart_until_the_call_is_over(
    version: Version, monkeypatch: pytest.MonkeyPatch
) -> None:
    halt = Halt()
    gate = replace(all_gates(version).read, halt=halt)
    binding = Binding(version, gate, bounds=Bounds.REJECT, vars={"all": ["a", "b", "c"]})
    seen = Mock(side_effect=after(2, Analysis("english").words, halt.cancel))
    monkeypatch.setattr(Analysis, "words", seen)

    with pytest.raises(Cancelled):
        binding.filter("content:$all", path="filter", over="nodes")

    assert seen.call_count == 2


def test_a_long_text_is_taken_apart_until_the_call_is_over(
    version: Version, monkeypatch: pytest.MonkeyPatch
) -> None:
    halt = Halt()
    predicate = compiled("content:policy AND type = log", version)
    read = replace(all_gates(version).read, halt=halt)
    seen = Mock(side_effect=after(1, Analysis("english").words, halt.cancel))
    texts = version_of(Batch(put_nodes=(NodeRecord("b", "log", content="a long text"),)), SETTINGS)
    monkeypatch.setattr(analysis, "AT_ONCE", 1)
    monkeypatch.setattr(Analysis, "words", seen)

    with pytest.raises(Cancelled):
        matches(predicate, texts, None, read)

    assert seen.call_count == 1
