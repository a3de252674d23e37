"""The record of a commit: it gives back the commit, and nothing else passes for one."""

import copy
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, cast

import numpy as np
import pytest

from passageway_server.errors import LimitExceeded, LogDamaged
from passageway_server.storage import records
from passageway_server.storage.log.frames import LOG_LIMITS
from passageway_server.storage.log.reading import Logged
from passageway_server.values.collections import (
    CollectionSettings,
    Direction,
    EdgeType,
    FieldDeclaration,
    Kind,
    Membership,
    NodeType,
    Ontology,
    Route,
)
from passageway_server.values.records import Batch, NodeRecord, Properties
from passageway_server.version.collection import Collection
from passageway_server.version.commits import record
from passageway_server.version.commits.batches import digest, pack_batch, unpack_batch
from passageway_server.version.commits.packing import Malformed
from passageway_server.version.commits.record import Named, Puts, Stamp, from_record, to_record
from passageway_server.version.contents import Contents
from passageway_server.version.measures import Measured
from passageway_server.version.persist import to_arrays
from passageway_server.version.version import Version
from tests.unit.version.inside import inside
from tests.unit.version.logs import MemoryLog, random_batch
from tests.unit.version.making import PUBLIC, collection
from tests.unit.version.making import records as all_records
from tests.unit.version.partitions import ABC, partition, rows

BASE = Contents.empty(CollectionSettings("c"))
DIGEST = "45dc469b4361182c1eae8afabd3ed72cbd1ef1275f348a85e4981c1fea6445c8"
STAMP = Stamp("0123456789abcdef0123", 1_700_000_000_000_000)
EVERYTHING = CollectionSettings(
    "c",
    description="all of it",
    fields=(FieldDeclaration("t", Kind.TIME, True, ("group:hr",)),),
    ontology=Ontology(
        (NodeType("n", "n-", "a node", False),),
        (EdgeType("e", "an edge", 0.5, Direction.IN),),
        (Route("n", ("n",), ("e",)),),
    ),
    default_readers=("public",),
    users=("user:é", "group:g"),
    membership=Membership("user:{sub}", ("e",), 2),
    retain_versions=3,
)


def places_in(holder: Any) -> Iterator[tuple[Any, str | int]]:
    """Every value in a record, as what holds it and its place there."""
    inside = cast("dict[Any, Any] | list[Any]", holder)
    named = inside if isinstance(inside, dict) else dict(enumerate(inside))
    for key, value in named.items():
        yield holder, key
        if isinstance(value, dict | list):
            yield from places_in(value)


def through_a_file(record: dict[str, object]) -> dict[str, object]:
    return records.decode(records.encode(record, limits=LOG_LIMITS), "log", limits=LOG_LIMITS)


@pytest.mark.parametrize("seed", range(200))
def test_a_batch_comes_out_of_its_record_as_it_went_in(seed: int) -> None:
    batch = random_batch(Random(seed))

    again = unpack_batch(through_a_file(pack_batch(batch)))

    assert again == batch
    assert repr(again.put_nodes) == repr(
        tuple(_sorted(node) for node in batch.put_nodes)
    )  # 1 and 1.0, True and 1, -0.0 and 0.0 are equal, and not the same


def _sorted(node: NodeRecord) -> NodeRecord:
    return NodeRecord(
        node.id,
        node.type,
        node.name,
        node.content,
        node.project,
        node.readers,
        node.status,
        dict(sorted(node.properties.items())),
        dict(sorted(node.links.items())),
        node.covered,
    )


def test_a_batch_of_twenty_thousand_records_is_a_few_dozen_values() -> None:
    batch = Batch(put_nodes=tuple(NodeRecord(f"n{i}", properties={"i": i}) for i in range(20_000)))

    assert len(list(places_in(pack_batch(batch)))) < 60


@pytest.mark.parametrize(
    "commit",
    [
        Puts(Batch()),
        Puts(
            Batch(delete_nodes=("a",)),
            {"f": Kind.FLOAT, "l": Kind.LINK},
            {"f": Kind.KEYWORD},
            Named("ada", "k/1", bytes(range(32)), 7),
        ),
        CollectionSettings("c"),
        EVERYTHING,
    ],
)
def test_a_commit_comes_out_of_its_record_as_it_went_in(commit: Puts | CollectionSettings) -> None:
    assert from_record(through_a_file(to_record(commit, STAMP, BASE)), BASE) == (commit, STAMP)


def test_the_digest_of_a_batch_tells_kinds_apart_and_no_order_of_maps() -> None:
    def of(**properties: Any) -> bytes:
        return digest(pack_batch(Batch(put_nodes=(NodeRecord("a", properties=properties),))))

    assert of(a=1, b="x") == of(b="x", a=1)
    different: list[Properties] = [{}, {"a": 1}, {"a": 1.0}, {"a": True}, {"a": "1"}, {"a": [1]}]
    assert len({of(**each) for each in different}) == len(different)


def test_the_digest_of_a_batch_is_the_same_in_every_release() -> None:
    batch = Batch(put_nodes=(NodeRecord("a", "t", properties={"n": 1, "f": 0.5}),))

    assert digest(pack_batch(batch)).hex() == DIGEST


def replayed(first: Version, log: MemoryLog) -> Collection:
    again = Collection(first)
    for logged in log.logged:
        again.replay(logged, prepare=False)
    return again


def assert_same(again: Version, version: Version) -> None:
    assert all_records(again) == all_records(version)
    assert (again.token, again.settings) == (version.token, version.settings)
    assert dict(again.fields.inferred) == dict(version.fields.inferred)
    assert dict(again.edge_fields.inferred) == dict(version.edge_fields.inferred)
    assert again.nodes.ids.take(range(len(again.nodes))) == version.nodes.ids.take(
        range(len(version.nodes))
    )
    assert inside(again) == inside(version)


@pytest.mark.parametrize("seed", range(40))
def test_replaying_a_log_gives_the_same_rows_in_the_same_order(seed: int) -> None:
    rng, kept, log = Random(seed), collection(), MemoryLog()
    first = kept.current
    kept.keep_in(log, sync_each=True)

    for i in range(8):
        kept.apply(random_batch(rng))
        if i == 4:
            ids = kept.current.nodes.ids
            some = np.array(sorted(rng.sample(range(len(ids)), len(ids) // 2)), dtype=np.int32)
            kept.measure(Measured("rank", some, np.arange(len(some)) / 3))
            kept.update(lambda before: CollectionSettings(before.name, default_readers=("user:b",)))

    assert_same(replayed(first, log).current, kept.current)


def test_replaying_communities_gives_the_same_nodes_and_edges() -> None:
    kept, log = collection(), MemoryLog()
    first = kept.current
    kept.keep_in(log, sync_each=True)
    kept.apply(ABC)
    partition(kept, "group", "ab", "c")
    kept.apply(Batch(delete_nodes=("b",)))
    partition(kept, "group", "a", "c")
    kept.measure(Measured("degree", rows(kept, "ac"), np.array([1, 2])))

    assert_same(replayed(first, log).current, kept.current)


def _spoiled(record: Any, rng: Random) -> Any:
    """*record* with one value of it missing, cut, or another one."""
    spoiled = copy.deepcopy(record)
    holder, key = rng.choice(list(places_in(spoiled)))
    value: Any = holder[key]
    cut = isinstance(value, str | bytes | list)
    others: list[Callable[[], Any]] = [
        lambda: None,
        lambda: 3,
        lambda: -1,
        lambda: "zz",
        lambda: b"",
        lambda: b"\1\xff",
        lambda: b"\x08" + b"\xff" * 8,
        list,
        dict,
        lambda: value[:-1] if cut else value,
        lambda: value * 2 if cut else value,
    ]
    holder[key] = rng.choice(others)()
    return spoiled


@pytest.mark.parametrize("seed", range(400))
def test_whatever_stands_in_a_record_it_is_a_commit_or_damage(seed: int) -> None:
    rng, log, kept = Random(seed), MemoryLog(), collection()
    first = kept.current
    kept.keep_in(log, sync_each=True)
    kept.apply(ABC)
    kept.apply(random_batch(rng))
    partition(kept, "group", "ab", "c")
    kept.update(lambda _: EVERYTHING)
    place = rng.randrange(len(log.frames))

    again = Collection(first)
    for logged in log.logged[:place]:
        again.replay(logged)
    before = again.current
    try:
        again.replay(Logged(place + 2, _spoiled(log.logged[place].payload, rng)))
    except LogDamaged:
        assert again.current is before
    else:
        to_arrays(again.current)


@pytest.mark.parametrize(
    "spoil",
    [
        {"line": "0123456789abcdef012B"},
        {"line": "0123456789ab"},
        {"kind": "other"},
        {"at": "now"},
        {"key": ["ada", "k", b"short", 0]},
        {"inferred": [["f", b"\1\1"], b"\1\x63"]},
    ],
)
def test_what_no_release_writes_is_no_commit(spoil: dict[str, object]) -> None:
    with pytest.raises(Malformed):
        from_record(to_record(Puts(Batch()), STAMP, BASE) | spoil, BASE)


def test_a_commit_that_no_frame_holds_is_refused_with_nothing_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(record, "MOST_BYTES", 1000)
    kept, log = collection(), MemoryLog()
    kept.keep_in(log, sync_each=True)
    before = kept.current

    with pytest.raises(LimitExceeded) as exceeded:
        kept.apply(Batch(put_nodes=(NodeRecord("a", content="x" * 1000),)))

    assert exceeded.value.limit_reason == "COMMIT_BYTES"
    assert (kept.current, log.frames) == (before, [])
    kept.apply(Batch(put_nodes=(NodeRecord("a"),)))


def test_a_commit_out_of_its_turn_is_damage() -> None:
    kept = collection(PUBLIC)
    empty = to_record(Puts(Batch()), Stamp(kept.current.identity.line, STAMP.at), BASE)

    for number in (1, 3):
        with pytest.raises(LogDamaged):
            kept.replay(Logged(number, empty))
    kept.replay(Logged(2, empty))

    assert kept.current.identity.number == 2


def test_a_log_of_another_collection_is_damage() -> None:
    mine, theirs, log = collection(), collection(), MemoryLog()
    theirs.keep_in(log, sync_each=True)
    theirs.apply(Batch(put_nodes=(NodeRecord("a"),)))

    with pytest.raises(LogDamaged, match="of another collection"):
        mine.replay(log.logged[0])
