"""Reads beside a load: what readers need of a version is worked out once, however many ask, and nobody is held by it."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import pytest

from passageway_server.authz.callers import OPERATOR, Caller
from passageway_server.columns.adjacency import Adjacency
from passageway_server.errors import Cancelled, DeadlineExceeded
from passageway_server.service import apply
from passageway_server.service.pin import pin
from passageway_server.values.collections import Membership
from passageway_server.values.halt import Halt
from passageway_server.values.queries import ReadOptions
from passageway_server.values.records import Batch, EdgeRecord, NodeRecord
from passageway_server.version import readable
from passageway_server.version.carry import bring_up
from passageway_server.version.collection import Collection
from passageway_server.version.contents import Contents
from passageway_server.version.gating import Gating
from passageway_server.version.store import Store
from passageway_server.version.version import Version
from tests.unit.version.making import PUBLIC, collection, edges

READER = Caller.known("ada", principals=(), roles=())


class Derivations:
    """How often a whole graph was worked out."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ways = self.gates = 0
        turned, of = Adjacency.turned, Gating.of

        def count_ways(*given: object, **named: object) -> object:
            self.ways += 1
            return turned(*given, **named)  # type: ignore[arg-type]

        def count_gates(*given: object) -> object:
            self.gates += 1
            return of(*given)  # type: ignore[arg-type]

        monkeypatch.setattr(Adjacency, "turned", count_ways)
        monkeypatch.setattr(Gating, "of", count_gates)


@pytest.fixture
def derived(monkeypatch: pytest.MonkeyPatch) -> Derivations:
    return Derivations(monkeypatch)


def ring(part: int, size: int = 50) -> Batch:
    """Nodes in a ring, and one edge to that of the part before."""
    ids = [f"n{part}-{number}" for number in range(size)]
    ends = zip(ids, [*ids[1:], f"n{max(0, part - 1)}-0"], strict=True)
    return Batch(
        put_nodes=tuple(map(NodeRecord, ids)),
        put_edges=tuple(EdgeRecord(f"e{one}", one, other) for one, other in ends),
    )


def cold(batches: int = 5) -> Collection:
    """A collection with batches of a load that nobody has read."""
    kept = collection()
    for part in range(batches):
        kept.apply(ring(part), prepare=False)
    return kept


def test_reads_between_the_batches_of_a_load_work_out_one_graph(derived: Derivations) -> None:
    kept = cold()
    before = derived.ways

    for part in range(5, 30):
        token = kept.apply(ring(part), prepare=False).version
        for _ in range(3):
            assert kept.readable().token == token

    assert len(edges(kept.readable())) == 30 * 50
    assert (derived.ways - before, derived.gates) <= (1, 1)


def test_what_is_read_lately_is_worked_out_before_it_is_asked_for(derived: Derivations) -> None:
    kept = cold()
    kept.readable()

    kept.apply(ring(5), prepare=False)

    assert kept.current.past is None
    assert kept.readable() is kept.current


def test_what_nobody_reads_is_not_worked_out() -> None:
    now = 0
    kept = collection()
    kept._now = lambda: now
    kept.readable()
    now = 11_000_000

    kept.apply(ring(0), prepare=False)

    assert kept.current.past is not None


def test_a_thread_that_cannot_be_had_is_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    kept, start = cold(), threading.Thread.start

    def no_more(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", no_more)
    with pytest.raises(RuntimeError):
        kept.readable()
    monkeypatch.setattr(threading.Thread, "start", start)

    assert len(edges(kept.readable())) == 5 * 50


def test_many_who_come_at_once_share_one_graph(derived: Derivations) -> None:
    kept = cold()
    began = derived.ways
    at_once = threading.Barrier(16)

    def read() -> Version:
        at_once.wait()
        return kept.readable()

    with ThreadPoolExecutor(16) as pool:
        found = [each.result() for each in [pool.submit(read) for _ in range(16)]]

    assert {id(version) for version in found} == {id(kept.current)}
    assert all(version.is_derived for version in found)
    assert derived.ways - began <= 1


class Held:
    """Working a version out, until a test lets it go on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun, self.open = threading.Event(), threading.Event()
        self.times = 0

        def held(version: Version) -> Version:
            self.times += 1
            self.begun.set()
            assert self.open.wait(60)
            return bring_up(version)

        monkeypatch.setattr(readable, "bring_up", held)


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[Held]:
    held = Held(monkeypatch)
    yield held
    held.open.set()


@pytest.mark.parametrize(
    ("end", "error"), [(Halt.cancel, Cancelled), (Halt.expire, DeadlineExceeded)]
)
def test_who_gives_up_is_free_and_the_others_get_their_version(
    held: Held, end: object, error: type[Exception]
) -> None:
    assert callable(end)
    kept, halt = cold(), Halt()
    with ThreadPoolExecutor(2) as pool:
        gone, stays = pool.submit(kept.readable, halt), pool.submit(kept.readable)
        assert held.begun.wait(60)

        end(halt)
        with pytest.raises(error):
            gone.result()
        assert not stays.done()
        held.open.set()

        assert stays.result() is kept.current
    assert held.times == 1


def test_what_fails_is_told_and_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = cold()

    def failing(_: Version) -> Version:
        raise MemoryError

    with monkeypatch.context() as patched:
        patched.setattr(readable, "bring_up", failing)
        with pytest.raises(MemoryError):
            kept.readable()

    assert kept.readable().is_derived


def test_a_call_between_two_batches_reads_what_was_acknowledged(derived: Derivations) -> None:
    store = Store.open()
    store.create(PUBLIC)
    batches = (partial(apply.Keyed, ring(part)) for part in range(12))

    for loaded in apply.load(store, OPERATOR, "c", iter(batches)):
        read = ReadOptions(at_least_version=loaded.version)
        for options in (ReadOptions(), read):
            pinned = pin(store, READER, "c", options)
            assert pinned.version.token == loaded.version
            assert len(edges(pinned.version)) == 50 * loaded.batch

    assert derived.ways <= 1


def test_a_writer_whom_the_graph_lets_in_loads_without_working_it_out_each_time(
    derived: Derivations,
) -> None:
    store = Store.open()
    settings = replace(PUBLIC, users=("staff",), membership=Membership("user:{sub}", ("IN",)))
    ada = NodeRecord("user:ada", links={"IN": ("staff",)})
    store.create(settings).apply(Batch(put_nodes=(ada, NodeRecord("staff"))))
    writer = Caller.known("ada", principals=(), roles=("writer",))
    began = derived.ways

    batches = (partial(apply.Keyed, ring(part)) for part in range(12))
    loaded = list(apply.load(store, writer, "c", iter(batches)))

    assert len(loaded) == 12
    assert derived.ways - began <= 1


def test_an_older_version_that_nobody_had_read_is_worked_out_once_for_all_who_name_it(
    derived: Derivations,
) -> None:
    kept = cold()
    token = kept.current.token
    kept.apply(ring(5), prepare=False)
    kept.readable()
    began = derived.ways, derived.gates
    at_once = threading.Barrier(16)

    def read() -> Version:
        at_once.wait()
        return kept.at(token)

    with ThreadPoolExecutor(16) as pool:
        found = [each.result() for each in [pool.submit(read) for _ in range(16)]]

    assert {each.token for each in found} == {token}
    assert all(each.is_derived and len(edges(each)) == 5 * 50 for each in found)
    assert (derived.ways - began[0], derived.gates - began[1]) == (1, 1)


@pytest.mark.parametrize(
    ("end", "error"), [(Halt.cancel, Cancelled), (Halt.expire, DeadlineExceeded)]
)
def test_who_gives_up_an_older_version_is_free_and_the_others_get_it(
    monkeypatch: pytest.MonkeyPatch, end: Callable[[Halt], None], error: type[Exception]
) -> None:
    kept, halt = cold(), Halt()
    token = kept.current.token
    kept.apply(ring(5), prepare=False)
    kept.readable()
    begun, go_on, of, times = threading.Event(), threading.Event(), Gating.of, list[None]()

    def slow(contents: Contents) -> Gating:
        times.append(None)
        begun.set()
        assert go_on.wait(60)
        return of(contents)

    monkeypatch.setattr(Gating, "of", slow)
    with ThreadPoolExecutor(2) as pool:
        gone = pool.submit(kept.at, token, halt)
        assert begun.wait(60)
        stays = pool.submit(kept.at, token)
        try:
            end(halt)
            with pytest.raises(error):
                gone.result(60)
            assert not stays.done()
        finally:
            go_on.set()

        assert stays.result(60) is kept.at(token)
    assert len(times) == 1
