"""A measure in one commit: what it writes, what it leaves alone, and which communities it replaces.

Whose a community is, when several audiences or a writer come upon it, is told in test_communities.py.
"""

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from passageway_server.columns.hashed import Hashed
from passageway_server.columns.hashing import hashes_of
from passageway_server.columns.packed import anew, found
from passageway_server.columns.strings import Strings
from passageway_server.columns.terms import Terms
from passageway_server.errors import Cancelled, InvalidRequest
from passageway_server.values.collections import FieldDeclaration, Kind
from passageway_server.values.halt import Halt
from passageway_server.values.records import Batch, EdgeRecord, NodeRecord
from passageway_server.version.collection import Collection
from passageway_server.version.measures import Measured, Written
from tests.unit.version.making import records
from tests.unit.version.partitions import ABC, belonging, filled, partition, rows


def numbers(kept: Collection, name: str, ids: str, values: list[float] | list[int]) -> Written:
    return kept.measure(Measured(name, rows(kept, ids), np.array(values)))


def held(kept: Collection, name: str) -> dict[str, object]:
    all_of_it = records(kept.current)
    found = {node.id: node.properties.get(name) for node in all_of_it.put_nodes}
    found |= {span.id: span.properties.get(name) for span in all_of_it.put_passages}
    return {id: value for id, value in found.items() if value is not None}


@pytest.mark.parametrize(
    ("values", "fields"),
    [
        ([0.5, 1.5], ()),
        ([2, 3], ()),
        ([2, 3], (FieldDeclaration("m", Kind.INT),)),
        ([0.5, 1.5], (FieldDeclaration("m", Kind.FLOAT),)),
        ([0.5, 1.5], (FieldDeclaration("m", Kind.FLOAT, repeated=True),)),
    ],
)
def test_numbers_are_those_that_a_put_would_have_left(
    values: list[float], fields: tuple[FieldDeclaration, ...]
) -> None:
    measured, put = filled(*fields), filled(*fields)
    a, b, _ = ABC.put_nodes

    written = numbers(measured, "m", "ac", values)

    put.apply(
        Batch(
            put_nodes=(
                replace(a, properties={**a.properties, "m": values[0]}),
                b,
                NodeRecord("c", properties={"m": values[1]}),
            )
        )
    )
    assert written == (measured.current.token, 2, 0)
    assert held(measured, "m") == held(put, "m") == {"a": values[0], "c": values[1]}
    assert measured.current.fields == put.current.fields


def test_an_int_in_a_float_field_is_a_float() -> None:
    kept = filled(FieldDeclaration("m", Kind.FLOAT))

    numbers(kept, "m", "a", [2])

    assert isinstance(held(kept, "m")["a"], float)


def test_all_else_of_a_row_stays_and_rows_that_take_no_part_keep_what_they_have() -> None:
    kept = filled()
    numbers(kept, "m", "ab", [1.0, 2.0])
    before = records(kept.current)

    numbers(kept, "m", "a", [9.0])

    assert held(kept, "m") == {"a": 9.0, "b": 2.0}
    after = records(kept.current)
    assert [(n.id, n.name, n.links, n.readers) for n in after.put_nodes] == [
        (n.id, n.name, n.links, n.readers) for n in before.put_nodes
    ]
    assert after.put_edges == before.put_edges


def test_a_number_keeps_everything_that_is_derived() -> None:
    kept = filled()
    before = kept.current.prepare()

    numbers(kept, "m", "ac", [1.0, 2.0])

    after = kept.current
    for name in ("gating", "ways", "ranking"):
        assert after.known[name] is before.known[name]


def test_what_was_deleted_meanwhile_is_left_out() -> None:
    kept = filled()
    all_rows = rows(kept, "abc")
    kept.apply(Batch(delete_nodes=("b",)))

    written = kept.measure(Measured("m", all_rows, np.array([1, 2, 3])))

    assert written.rows == 2
    assert held(kept, "m") == {"a": 1, "c": 3}


def test_a_community_of_none_that_is_left_is_not_made() -> None:
    kept = filled()
    kept.apply(Batch(delete_nodes=("b",)))

    written = partition(kept, "m", "ac", "b")

    assert (written.rows, written.communities) == (2, 1)
    assert belonging(kept) == {"ac": "ac"}


def test_communities_are_nodes_with_readers_and_edges() -> None:
    kept = filled()

    written = partition(kept, "m", "ab", "c", readers="group:a & group:b")

    nodes = {node.id: node for node in records(kept.current).put_nodes}
    communities = [node for node in nodes.values() if node.type == "community"]
    assert [node.readers for node in communities] == [("group:a & group:b",)] * 2
    assert all(not node.properties and not node.content for node in communities)
    assert belonging(kept) == {"ab": "ab", "c": "c"}
    assert nodes["a"].properties["m"] == nodes["b"].properties["m"]
    assert written == (kept.current.token, 3, 2)


def test_former_communities_go_in_the_same_commit() -> None:
    kept = filled()
    partition(kept, "m", "ab", "c")
    version = kept.current.identity.number

    partition(kept, "m", "a", "bc")

    assert belonging(kept) == {"a": "a", "bc": "bc"}
    assert kept.current.identity.number == version + 1


def test_communities_of_another_property_stay() -> None:
    kept = filled()
    partition(kept, "coarse", "abc")
    partition(kept, "fine", "ab", "c")

    partition(kept, "fine", "abc")

    assert belonging(kept) == {"abc": "abc"}
    partition(kept, "fine", "a", "bc")
    assert belonging(kept) == {"abc": "abc", "a": "a", "bc": "bc"}


def test_communities_of_rows_that_were_put_anew_go_too() -> None:
    kept = filled()
    partition(kept, "m", "ab", "c")
    kept.apply(ABC)

    partition(kept, "m", "a", "bc")

    assert belonging(kept) == {"a": "a", "bc": "bc"}


def test_communities_of_rows_that_take_no_part_stay() -> None:
    kept = filled()
    partition(kept, "m", "ab", "c")

    partition(kept, "m", "ab")

    assert belonging(kept) == {"ab": "ab", "c": "c"}


def test_nodes_of_a_writer_that_are_called_communities_stay() -> None:
    kept = filled()
    kept.apply(
        Batch(
            put_nodes=(NodeRecord("ours", "community"), NodeRecord("a", properties={"m": "ours"})),
            put_edges=(EdgeRecord("e", "a", "ours", "BELONGS_TO"),),
        )
    )

    partition(kept, "m", "abc")

    assert "ours" in {node.id for node in records(kept.current).put_nodes}


@pytest.mark.parametrize(
    ("field", "values"),
    [
        (FieldDeclaration("m", Kind.KEYWORD), [1, 2]),
        (FieldDeclaration("m", Kind.INT), [0.5, 1.0]),
        (FieldDeclaration("m", Kind.TIME), [0.5, 1.0]),
    ],
)
def test_a_property_of_another_kind_is_refused_and_nothing_is_written(
    field: FieldDeclaration, values: list[float]
) -> None:
    kept = filled(field)
    before = kept.current

    with pytest.raises(InvalidRequest) as refused:
        numbers(kept, "m", "ab", values)

    assert [fault.field for fault in refused.value.faults] == ["property"]
    assert kept.current is before


@pytest.mark.parametrize("kind", [Kind.TEXT, Kind.FLOAT])
def test_communities_need_a_keyword_field(kind: Kind) -> None:
    kept = filled(FieldDeclaration("m", kind))

    with pytest.raises(InvalidRequest):
        partition(kept, "m", "ab")


def test_links_and_the_fields_of_others_take_no_measure() -> None:
    kept = filled()

    for name in ("r", "tags", "PART_OF", "MENTIONS", "expires_at", "a\0b", ""):
        with pytest.raises(InvalidRequest):
            numbers(kept, name, "ab", [1.0, 2.0])


def test_a_halt_writes_nothing() -> None:
    kept, halt = filled(), Halt()
    before = kept.current
    halt.cancel()

    with pytest.raises(Cancelled):
        kept.measure(Measured("m", rows(kept, "ab"), np.array([1, 2])), halt)

    assert kept.current is before
    assert numbers(kept, "m", "a", [1]).rows == 1


@pytest.mark.parametrize("seed", range(8))
def test_packed_strings_get_the_numbers_of_plain_ones(seed: int) -> None:
    rng = Random(seed)
    words = list(dict.fromkeys(str(rng.randrange(500)) for _ in range(200)))
    terms = Terms.of(words[: rng.randint(0, len(words))])
    rng.shuffle(words)
    strings, hashes = Strings.of(words), hashes_of([word.encode() for word in words])

    mine = found(terms, strings, hashes=hashes)
    missing = np.flatnonzero(mine < 0)
    extended, numbers = anew(terms, strings.chosen(missing), hashes=hashes[missing])

    expected, theirs = terms.interned(words)
    assert mine.tolist() == terms.find_all(words).tolist()
    assert numbers.tolist() == theirs[missing].tolist()
    assert extended.strings.take(range(len(extended))) == expected.strings.take(
        range(len(expected))
    )
    assert np.array_equal(extended.hashes, expected.hashes)
    assert found(extended, strings, hashes=hashes).tolist() == theirs.tolist()


def test_packed_strings_whose_hashes_collide_are_told_apart() -> None:
    same = np.zeros(3, dtype=np.uint64)
    hashed = Hashed(same.astype(np.uint32), np.array([0, 1, 2], dtype=np.int32))
    terms = Terms(Strings.of(["a", "b", "c"]), hashed)

    numbers = found(terms, Strings.of(["c", "x", "a"]), hashes=same)

    assert numbers.tolist() == [2, -1, 0]
