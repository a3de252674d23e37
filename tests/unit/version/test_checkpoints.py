"""Snapshots that cannot be written: the commits are kept all the same, it is said once, and a stop is a stop."""

import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from passageway_server.errors import LimitExceeded
from passageway_server.storage.data_folder import DataFolder
from passageway_server.values.collections import CollectionSettings, FieldDeclaration, Kind
from passageway_server.values.records import Batch, NodeRecord, PropertyValue
from passageway_server.version import persist
from passageway_server.version.checkpoints import Checkpoints
from passageway_server.version.durability import Durability
from passageway_server.version.settings import LIMITS
from passageway_server.version.store import Store

AT_ONCE = Durability(checkpoint_bytes=1, checkpoint_seconds=0.0)


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def store(data: Path) -> Iterator[Store]:
    made = Store.open(data, durability=Durability(checkpoint_bytes=1 << 40, checkpoint_seconds=1e9))
    yield made
    made.close()


def refuse(monkeypatch: pytest.MonkeyPatch, error: Exception) -> list[str]:
    """Let no snapshot be written of collections named ``bad``, because of *error*; which were tried."""
    tried: list[str] = []
    real = persist.to_arrays

    def to_arrays(version: Any) -> Any:
        tried.append(version.settings.name)
        if version.settings.name == "bad":
            raise error
        return real(version)

    monkeypatch.setattr(persist, "to_arrays", to_arrays)
    return tried


def put(store: Store, name: str, id: str) -> None:
    store.collection(name).apply(Batch(put_nodes=(NodeRecord(id),)))


def test_what_will_not_go_away_is_told_once_tried_ever_less_often_and_stops_no_other(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("bad", "good"):
        store.create(CollectionSettings(name))
    timer = Clock()
    checkpoints = Checkpoints(store._required_folder(), AT_ONCE, now=store.now, timer=timer)
    checkpoints.counting = store.checkpoints.counting
    store.checkpoints = checkpoints
    tried = refuse(monkeypatch, ValueError("more than 1000000 values"))
    times: list[float] = []
    with caplog.at_level(logging.INFO, "passageway.server"):
        for second in range(1500):
            timer.seconds = float(second)
            if second % 100 == 0:
                put(store, "bad", f"n{second}")
                put(store, "good", f"n{second}")
            before = tried.count("bad")
            store.checkpoint()
            times += [timer.seconds] * (tried.count("bad") - before)

    assert times == [0.0, 10.0, 30.0, 70.0, 150.0, 310.0, 630.0, 1270.0]
    assert tried.count("good") == 15
    assert [each.message for each in caplog.records if "snapshot" in each.message] == [
        "no snapshot of bad can be written: ValueError"
    ]
    assert list(store.unsaved) == ["bad"]
    assert store.unsaved["bad"].__traceback__ is None


def test_it_is_over_with_the_first_snapshot_that_is_written(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.create(CollectionSettings("bad"))
    put(store, "bad", "n1")
    with monkeypatch.context() as patched:
        refuse(patched, ValueError("x"))
        store.checkpoints.try_to_write("bad", store.collection("bad"))
        assert list(store.unsaved) == ["bad"]

    store.create_snapshot("bad", "")

    assert store.unsaved == {}


def test_a_server_stops_without_the_snapshot_and_the_next_one_has_every_commit(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store.open(data)
    store.create(CollectionSettings("bad"))
    put(store, "bad", "n1")
    with monkeypatch.context() as patched:
        refuse(patched, ValueError("x"))
        store.close()

    again = Store.open(data)

    assert again.collection("bad").state.nodes == 1
    again.close()
    with DataFolder.open(data) as folder:
        assert folder.collection("bad").open().version.number == 2


@pytest.mark.parametrize(
    "change",
    [
        {"users": tuple(f"user:{number}" for number in range(LIMITS.values))},
        {"description": "x" * LIMITS.bytes},
    ],
)
def test_settings_that_no_snapshot_holds_are_refused_and_nothing_changes(
    store: Store, change: dict[str, Any]
) -> None:
    made = store.create(CollectionSettings("c"))
    before = made.current

    with pytest.raises(LimitExceeded) as refused:
        made.update(lambda settings: replace(settings, **change))
    with pytest.raises(LimitExceeded):
        store.create(replace(CollectionSettings("d"), **change))

    assert refused.value.limit_reason == "SETTINGS_SIZE"
    assert made.current is before
    assert store.names() == ["c"]


def test_the_most_that_commits_admit_can_be_written(store: Store) -> None:
    """1,000 declared fields, as many inferred ones of nodes and of edges, long names, and settings near their limit."""
    name = "ü" * 500
    declared = tuple(FieldDeclaration(f"{name}d{number}", Kind.INT) for number in range(1000))
    settings = CollectionSettings("c", fields=declared)
    made = store.create(replace(settings, users=tuple(f"u:{n}" for n in range(230_000))))
    every: dict[str, PropertyValue] = {f"{name}i{number}": number for number in range(1000)}
    every |= {each.name: 1 for each in declared}
    made.apply(Batch(put_nodes=(NodeRecord("n", properties=every),)))
    links: dict[str, tuple[str, ...]] = {f"{name}l{number}": ("n",) for number in range(10_000)}
    made.apply(Batch(put_nodes=(NodeRecord("m", links=links),)))

    store.create_snapshot("c", "")

    assert store.unsaved == {}


def test_fields_whose_declarations_go_count_as_those_that_were_never_declared(store: Store) -> None:
    def declare(first: int) -> None:
        fields = tuple(FieldDeclaration(f"f{n}", Kind.INT) for n in range(first, first + 600))
        made.update(lambda settings: replace(settings, fields=fields))

    made = store.create(CollectionSettings("c"))
    for first in (0, 600):
        declare(first)
        values: dict[str, PropertyValue] = {f"f{number}": 1 for number in range(first, first + 600)}
        made.apply(Batch(put_nodes=(NodeRecord(f"n{first}", properties=values),)))

    with pytest.raises(LimitExceeded) as refused:
        declare(1200)

    assert refused.value.limit_reason == "MAX_FIELDS"
