"""What the inner query of a lookup gives is kept per version, caller and query."""

from datetime import UTC, datetime
from typing import cast

import numpy as np
import pytest

from passageway_server.authz.callers import Caller
from passageway_server.columns.remembered import Remembered
from passageway_server.engine import joined
from passageway_server.engine.filter import matches
from passageway_server.engine.predicate import Joined
from passageway_server.engine.semijoin import joined_values
from passageway_server.errors import InvalidRequest
from passageway_server.values.records import Batch, NodeRecord
from passageway_server.version.store import Store
from tests.unit.engine.bound import all_gates, compiled, ids_of, version_of
from tests.unit.engine.drawn_filters import SETTINGS

ADMIN = Caller.holding((), roles=("admin",))
EVE = Caller.holding(["user:eve"])
TEXT = "lookup(tag, from=(type = t), from_field=tag)"


def test_a_repeated_lookup_is_worked_out_once_for_each_set_of_readable_rows() -> None:
    secret = NodeRecord("s", type="t", properties={"tag": "y"}, readers=("user:eve",))
    version = version_of(
        Batch(put_nodes=(NodeRecord("a", type="t", properties={"tag": "x"}), secret))
    )

    def values(caller: Caller) -> object:
        predicate = compiled(TEXT, version, caller)
        assert isinstance(predicate, Joined)
        return predicate.values

    mine, again = values(Caller.holding(["user:ada"])), values(Caller.holding(["user:bob"]))
    eves = values(EVE)

    assert mine is again
    assert eves is not mine


def test_what_was_refused_is_not_kept() -> None:
    put = [NodeRecord(f"n{i}", properties={"tag": f"t{i}", "note": f"t{i}"}) for i in range(9)]
    version = version_of(Batch(put_nodes=tuple(put)))
    for field in ("tag", "note", "id"):
        for text in (f"lookup({field}, from=(id:*), from_field={field}, max_values=8)",) * 2:
            with pytest.raises(InvalidRequest):
                compiled(text, version)
    compiled("lookup(tag, from=(id:*), from_field=tag, max_values=9)", version)

    kept = cast(Remembered[bytes, object], version.known[joined_values])
    assert len(kept) == 1


def test_a_query_is_told_from_others_by_what_it_asks() -> None:
    put = [NodeRecord(f"n{i}", type=f"t{i}", properties={"tag": f"t{i}"}) for i in range(3)]
    version = version_of(Batch(put_nodes=tuple(put)))
    nested = "lookup(tag, from=(lookup(tag, from=(id = n%d), from_field=tag)), from_field=tag)"

    assert [ids_of(version, nested % i) for i in range(3)] == [["n0"], ["n1"], ["n2"]]
    assert ids_of(version, "lookup(tag, from=(id = $id), from_field=type)", id="n1") == ["n1"]
    assert ids_of(version, "lookup(tag, from=(type = $id), from_field=tag)", id="n1") == []


def test_a_lookup_sees_what_the_newest_version_holds() -> None:
    kept = Store.open().create(SETTINGS)
    kept.apply(Batch(put_nodes=(NodeRecord("a", type="t", properties={"tag": "x"}),)))
    before = kept.current
    kept.apply(Batch(put_nodes=(NodeRecord("b", type="t", properties={"tag": "y"}),)))

    assert ids_of(before, TEXT) == ["a"]
    assert ids_of(kept.current, TEXT) == ["a", "b"]


@pytest.mark.parametrize("field", ["id", "tag", "name", "note", "related", "type", "status"])
@pytest.mark.parametrize("from_field", ["id", "tag", "name", "note", "related", "type", "status"])
def test_any_string_field_joins_any_other(field: str, from_field: str) -> None:
    def node(id: str, value: str) -> NodeRecord:
        return NodeRecord(
            id,
            name=value,
            type=value,
            status=value,
            properties={"tag": [value, "x"], "note": value},
            links={"related": (value,)},
        )

    version = version_of(Batch(put_nodes=(node("k0", "k1"), node("k1", "k0"), node("k2", "k2"))))

    found = ids_of(version, f"lookup({field}, from=(id = k0), from_field={from_field})")

    wanted = {"k0"} if from_field == "id" else {"k1", "x"} if from_field == "tag" else {"k1"}
    held = {"k0": {"k1"}, "k1": {"k0"}, "k2": {"k2"}}
    if field == "id":
        held = {id: {id} for id in held}
    if field == "tag":
        held = {id: {*values, "x"} for id, values in held.items()}
    assert found == sorted(id for id, values in held.items() if values & wanted)


def test_many_values_of_one_kind_of_terms_meet_those_of_another() -> None:
    count = 3000
    put = [NodeRecord(f"n{i:05}", properties={"next": f"n{i + 1:05}"}) for i in range(count)]
    version = version_of(Batch(put_nodes=tuple(put)))

    found = ids_of(version, "lookup(id, from=(id:*), from_field=next)", ADMIN)

    assert found == [f"n{i:05}" for i in range(1, count)]


@pytest.mark.parametrize("outnumbered", [0, 8])
def test_many_texts_meet_ids_keywords_and_other_texts(
    monkeypatch: pytest.MonkeyPatch, outnumbered: int
) -> None:
    monkeypatch.setattr(joined, "_OUTNUMBERED", outnumbered)
    count = 300
    put = [
        NodeRecord(
            f"n{i:05}",
            name=f"n{i // 2 + 1:05}",
            content=f"n{i:05}" + "x" * (i % 3 * 1000),
            properties={"tag": f"n{2 * i:05}", "note": f"n{i + 7:05}"},
        )
        for i in range(count)
    ]
    version = version_of(Batch(put_nodes=tuple(put)))
    every = range(count)
    names = {i // 2 + 1 for i in every}
    expected = {
        "id": [i for i in every if i in names],
        "tag": [i for i in every if 2 * i in names],
        "note": [i for i in every if i + 7 in names],
        "content": [i for i in every if i % 3 == 0 and i in names],
    }
    for field, numbers in expected.items():
        for _ in range(2):
            found = ids_of(version, f"lookup({field}, from=(id:*), from_field=name)", ADMIN)

            assert found == [f"n{i:05}" for i in numbers]


@pytest.mark.parametrize("few", [1, 256])
@pytest.mark.parametrize("count", [1, 300])
def test_few_and_many_candidates_meet_the_same_values(
    monkeypatch: pytest.MonkeyPatch, count: int, few: int
) -> None:
    monkeypatch.setattr(joined, "_FEW", few)
    tags = [f"t{i % 50}" for i in range(300)]
    put = [NodeRecord(f"n{i:03}", properties={"tag": tag}) for i, tag in enumerate(tags)]
    version = version_of(Batch(put_nodes=(*put, NodeRecord("z", name="t7"), NodeRecord("t9"))))
    predicate = compiled("lookup(tag, from=(id IN (z, t9)), from_field=name)", version)
    rows = version.nodes.ids.find_all([f"n{i:03}" for i in range(300)])

    found = [
        matches(predicate, version, rows[i : i + count], all_gates(version).read).tolist()
        for i in range(0, 300, count)
    ]

    assert [met for part in found for met in part] == [tag == "t7" for tag in tags]


def test_a_double_never_meets_an_int_of_the_same_bits() -> None:
    bits = int(np.float64(0.5).view(np.int64))
    secret = NodeRecord("s", properties={"size": 0.5}, readers=("user:eve",))
    put = (NodeRecord("a", properties={"size": bits}), NodeRecord("b", properties={"count": bits}))
    version = version_of(Batch(put_nodes=(*put, secret)))
    predicate = compiled("lookup(size, from=(id = b), from_field=count)", version)

    found = matches(predicate, version, None, all_gates(version).read)

    rows = np.flatnonzero(found)
    assert version.nodes.ids.take(rows) == ["a"]


def test_times_meet_to_the_microsecond() -> None:
    time = datetime(2025, 6, 1, 0, 0, 0, 1, tzinfo=UTC)
    put = (
        NodeRecord("a", properties={"since": time}),
        NodeRecord("b", properties={"since": time.replace(microsecond=2)}),
    )
    version = version_of(Batch(put_nodes=put))

    assert ids_of(version, "lookup(since, from=(id = a), from_field=since)") == ["a"]
