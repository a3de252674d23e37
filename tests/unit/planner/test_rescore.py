"""Expressions that give scores: what they are worked out to, and what is said of those that are none."""

import math

import numpy as np
import pytest

from passageway_server.authz.callers import OPERATOR
from passageway_server.errors import InvalidRequest
from passageway_server.service.search import search
from passageway_server.values.collections import CollectionSettings, FieldDeclaration, Kind
from passageway_server.values.queries import Query
from passageway_server.values.records import Batch, NodeRecord, Properties
from passageway_server.values.requests import SearchRequest
from passageway_server.version.store import Store

HELD: dict[str, Properties] = {
    "a": {"rank": 2, "share": 0.5, "many": [3.0, 1.0]},
    "b": {"rank": -4},
    "c": {"word": "none"},
}


@pytest.fixture(scope="module")
def store() -> Store:
    made = Store.open()
    fields = (
        FieldDeclaration("rank", Kind.INT),
        FieldDeclaration("many", Kind.FLOAT, repeated=True),
    )
    collection = made.create(CollectionSettings("c", fields=fields))
    nodes = tuple(NodeRecord(id, properties=held) for id, held in HELD.items())
    collection.apply(Batch(put_nodes=nodes))
    return made


def scores(store: Store, text: str, **query: object) -> dict[str, float]:
    """By id: the score of each row that *text* gives one."""
    asked = Query(filter="id:*", rescore=text, **query)  # type: ignore[arg-type]
    answer = search(store, OPERATOR, SearchRequest("c", query=asked))
    assert answer.total == len(answer.hits)
    return {hit.node.id: hit.score for hit in answer.hits}


@pytest.mark.parametrize(
    ("text", "a", "b", "c"),
    [
        ("score", 1.0, 1.0, 1.0),
        ("rank", 2.0, -4.0, 0.0),
        ("1 - 2 - 3", -4.0, -4.0, -4.0),
        ("2 + 3 * -rank / 4", 0.5, 5.0, 2.0),
        ("--rank", 2.0, -4.0, 0.0),
        ("many", 1.0, 0.0, 0.0),
        ("coalesce(share, score + 1)", 0.5, 2.0, 2.0),
        ("min(rank, 1, share)", 0.5, -4.0, 0.0),
        ("max(rank, properties.share)", 2.0, 0.0, 0.0),
        ("abs(rank) * sqrt(4)", 4.0, 8.0, 0.0),
        ("log1p(abs(rank))", math.log1p(2), math.log1p(4), 0.0),
        ('pow("rank", 3)', 8.0, -64.0, 0.0),
        (".5e1 * $times", 10.0, 10.0, 10.0),
    ],
)
def test_what_is_worked_out(store: Store, text: str, a: float, b: float, c: float) -> None:
    assert scores(store, text, vars={"times": 2}) == {"a": a, "b": b, "c": c}


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("ln(rank)", {"a": math.log(2)}),
        ("sqrt(rank)", {"a": math.sqrt(2), "c": 0.0}),
        ("1 / rank", {"a": 0.5, "b": -0.25}),
        ("pow(rank, 0.5)", {"a": math.sqrt(2), "c": 0.0}),
        ("min(1, ln(rank - 5))", {}),
        (
            "pow(10, 300) * pow(10, rank * 20)",
            {"b": 1e300 * 1e-80, "c": 1e300},
        ),
    ],
)
def test_what_is_not_finite_drops_the_row(store: Store, text: str, left: dict[str, float]) -> None:
    assert scores(store, text) == left


def test_the_best_comes_first_and_ties_go_by_id(store: Store) -> None:
    assert list(scores(store, "rank")) == ["a", "c", "b"]
    assert list(scores(store, "-abs(rank)")) == ["c", "a", "b"]
    assert list(scores(store, "1")) == ["a", "b", "c"]


def test_a_zero_has_no_sign(store: Store) -> None:
    found = scores(store, "0 * -1")

    assert [math.copysign(1, score) for score in found.values()] == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("score +", "line 1, column 8: the expression ends early"),
        ("score score", "column 7: unexpected 'score'"),
        ("rnak * 2", "column 1: no field 'rnak'; near names: rank"),
        ("1 + word", "column 5: word is a keyword, not a number"),
        ("2 * $none", "column 5: no $none in vars"),
        ("$list", "column 1: $list is to be a number, found a list"),
        ("$text", "column 1: $text is to be a number, found a string"),
        ("exp(1)", "no function 'exp'; there are abs, coalesce, ln, log1p, max, min, pow, sqrt"),
        ("ln(1, 2)", "ln takes one number"),
        ("pow(2)", "pow takes two numbers"),
        ("max(2)", "max takes two numbers or more"),
        ("coalesce(1, 2)", "coalesce takes a field and a number"),
        ("1e999", "no double is as large as this number"),
        ("rank % 2", "column 6: '%' has no meaning here"),
        ("rank\n * (", "line 2, column 5: the expression ends early"),
        ("(" * 33 + "1" + ")" * 33, "at most 32 deep"),
        ("+".join("1" * 129), "at most 128 terms"),
        ("1" * 4097, "at most 4096 bytes"),
        ("\udce9", "has no meaning here"),
    ],
)
def test_what_is_said_of_what_is_no_expression(store: Store, text: str, said: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        scores(store, text, vars={"list": [1.0], "text": "x"})

    (fault,) = refused.value.faults
    assert fault.field == "query.rescore"
    assert said in fault.message


def test_a_thousand_rows_are_as_one_alone(store: Store) -> None:
    """What a row is given depends on no other one, to the last bit."""
    numbers = np.random.default_rng(1).lognormal(0, 5, 1000)
    many = Store.open()
    nodes = tuple(
        NodeRecord(f"{place:04}", properties={"x": float(number)})
        for place, number in enumerate(numbers)
    )
    many.create(CollectionSettings("c")).apply(Batch(put_nodes=nodes))
    text = "log1p(x) * pow(x, 0.3) - ln(x)"

    found = scores(many, text, limit=1000)

    for place, number in enumerate(numbers.tolist()):
        said = math.log1p(number) * math.pow(number, 0.3) - math.log(number)
        assert found[f"{place:04}"] == said
