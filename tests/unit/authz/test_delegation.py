"""For whom a call asks: what the metadata may hold, and whose rights count then."""

import base64
import json

import pytest

from passageway_server.authz.callers import OPERATOR, Caller
from passageway_server.authz.delegation import (
    AUDIENCE,
    MOST_AUDIENCES,
    MOST_BYTES,
    MOST_PRINCIPALS,
    ON_BEHALF_OF,
    acting,
)
from passageway_server.errors import Forbidden, InvalidRequest

BRIDGE = Caller.known("bridge", principals=["group:ops"], roles=["writer", "delegate"])


def encoded(listed: object, *, padding: bool = False) -> str:
    value = base64.urlsafe_b64encode(json.dumps(listed).encode()).decode()
    return value if padding else value.rstrip("=")


def refusal(*, on_behalf_of: list[str | bytes], audiences: list[str | bytes]) -> InvalidRequest:
    with pytest.raises(InvalidRequest) as refused:
        acting(BRIDGE, on_behalf_of=on_behalf_of, audiences=audiences)
    return refused.value


def test_who_is_acted_for_is_a_reader_who_holds_what_is_listed_alone() -> None:
    for padding in (True, False):
        value = encoded(["user:ada", "group:é", "user:ada"], padding=padding)

        caller = acting(BRIDGE, on_behalf_of=[value], audiences=[])

        assert caller == Caller.holding(["user:ada", "group:é"])
        assert (caller.sub, sorted(caller.roles)) == ("", ["reader"])


def test_an_empty_list_is_everybody() -> None:
    assert acting(BRIDGE, on_behalf_of=["W10"], audiences=[]) == Caller.holding(())


def test_the_rights_of_an_admin_do_not_count_either() -> None:
    caller = acting(OPERATOR, on_behalf_of=[encoded(["user:ada"])], audiences=[])

    assert not caller.admin
    with pytest.raises(Forbidden, match="writer"):
        caller.require("writer")


def test_it_takes_the_role() -> None:
    writer = Caller.known("w", principals=(), roles=["writer"])

    for value in (encoded(["user:ada"]), "no base64"):  # nothing is told of the value before
        with pytest.raises(Forbidden, match="delegate"):
            acting(writer, on_behalf_of=[value], audiences=[])


def test_anybody_may_name_audiences_and_keeps_its_own_rights_and_name() -> None:
    ada = Caller.known("ada", principals=["group:eng"], roles=["writer"])

    caller = acting(ada, on_behalf_of=[], audiences=[encoded(["user:bob"]), encoded([])])

    assert caller.alone == ada
    assert caller.audiences == (frozenset({"public", "user:bob"}), frozenset({"public"}))
    assert caller.writer


@pytest.mark.parametrize(
    "value",
    [
        "",
        "=",
        "W10==",
        "W10===",
        "W1",
        "W 10",
        "W10\n",
        "W10,W10",
        "WyIrLyJd+/",
        b"W10",
        "[]",
        "é",
        encoded({}),
        encoded("user:ada"),
        encoded(None),
        encoded([1]),
        encoded(["user:ada", None]),
        encoded([["user:ada"]]),
        encoded([""]),
        encoded([" user:ada"]),
        encoded(["a&b"]),
        encoded(["x" * 257]),
        encoded(["\ud800"]),
        encoded(["a"] * (MOST_PRINCIPALS + 1)),
        base64.urlsafe_b64encode(b'["\xff"]').decode(),
        base64.urlsafe_b64encode(b"[" * 40_000).decode(),
        base64.urlsafe_b64encode(b"9" * 40_000).decode(),
        base64.urlsafe_b64encode(b"[]" + b" " * (MOST_BYTES * 3 // 4 - 1)).decode(),
    ],
)
def test_a_bad_value_is_refused_with_one_text(value: str | bytes) -> None:
    bad = [
        refusal(on_behalf_of=[value], audiences=[]),
        refusal(on_behalf_of=[], audiences=[value]),
        refusal(on_behalf_of=[], audiences=["W10", value]),
    ]

    assert [error.faults[0].field for error in bad] == [ON_BEHALF_OF, AUDIENCE, AUDIENCE]
    assert len({error.faults[0].message for error in bad} | {_text()}) == 1


def _text() -> str:
    return refusal(on_behalf_of=["?"], audiences=[]).faults[0].message


def test_each_limit_is_allowed_at_its_value() -> None:
    principals = [f"group:{number}" for number in range(MOST_PRINCIPALS)]
    longest = "x" * 256
    most = base64.urlsafe_b64encode(b"[]" + b" " * (MOST_BYTES * 3 // 4 - 2)).decode()
    assert len(most) == MOST_BYTES

    many = acting(BRIDGE, on_behalf_of=[encoded(principals)], audiences=[most] * MOST_AUDIENCES)

    assert many.principals == {"public", *principals}
    assert len(many.audiences) == MOST_AUDIENCES
    assert longest in acting(BRIDGE, on_behalf_of=[encoded([longest])], audiences=[]).principals


def test_one_is_acted_for_and_audiences_are_counted() -> None:
    assert refusal(on_behalf_of=["W10", "W10"], audiences=[]).faults[0].field == ON_BEHALF_OF
    many: list[str | bytes] = ["W10"] * (MOST_AUDIENCES + 1)
    assert refusal(on_behalf_of=[], audiences=many).faults[0].field == AUDIENCE


def test_callers_that_differ_are_told_apart() -> None:
    ada = Caller.known("ada", principals=(), roles=())
    callers = [
        ada,
        OPERATOR,
        Caller.holding(()),
        Caller.holding(["user:ada"]),
        Caller.holding(["user:ada", "group:eng"]),
        Caller.known("ada", principals=(), roles=["admin"]),
        ada.before([["user:bob"]]),
        ada.before([["user:bob"], []]),
        ada.before([["user:bob", "group:eng"]]),
    ]

    assert len({caller.identity for caller in callers}) == len(callers)
    assert ada.before([["a"], ["b"]]).identity == ada.before([["b"], ["a"]]).identity
    assert Caller.known("ada", principals=["group:new"], roles=["writer"]).identity == ada.identity
