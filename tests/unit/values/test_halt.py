"""A halt: who may set it, and what it says to those who look."""

import queue
import threading
from collections.abc import Callable
from functools import partial

import pytest

from passageway_server.errors import Cancelled, DeadlineExceeded
from passageway_server.values.alarms import Alarm, Alarms
from passageway_server.values.halt import (
    CALLER_GONE,
    DEADLINE_PASSED,
    GOES_ON,
    OUT_OF_TIME,
    Halt,
    OutOfTime,
)


def test_a_halt_that_nobody_sets_lets_work_go_on() -> None:
    halt = Halt()

    assert not halt.spent()
    halt.check()
    assert halt.flag[0] == GOES_ON


def test_spent_time_asks_for_what_there_is() -> None:
    halt = Halt()
    halt.time_out()

    assert halt.spent()
    with pytest.raises(OutOfTime):
        halt.check()
    assert halt.flag[0] == OUT_OF_TIME


def test_a_call_that_is_over_raises_why() -> None:
    expired, cancelled = Halt(), Halt()
    expired.expire()
    cancelled.cancel()

    for look in (Halt.spent, Halt.check):
        with pytest.raises(DeadlineExceeded):
            look(expired)
        with pytest.raises(Cancelled):
            look(cancelled)


def test_who_waits_is_done_with_what_comes_and_asks_for_moments_till_then() -> None:
    halt, moments = Halt(), list[float]()
    halt.time_out()  # which ends no wait

    def comes(moment: float) -> bool:
        moments.append(moment)
        return len(moments) == 3

    assert halt.wait_for(comes)
    assert halt.wait_for(comes, seconds=0) is False
    assert all(0 < moment < 1 for moment in moments[:3])
    assert moments[3:] == [0]


@pytest.mark.parametrize(
    ("end", "error"), [(Halt.expire, DeadlineExceeded), (Halt.cancel, Cancelled)]
)
def test_who_waits_stops_with_the_call(end: Callable[[Halt], None], error: type[Exception]) -> None:
    halt = Halt()

    with pytest.raises(error):
        halt.wait_for(lambda _: end(halt))


def test_a_call_ends_once_and_its_end_outdoes_spent_time() -> None:
    halt = Halt()
    halt.time_out()
    halt.expire()
    halt.cancel()
    halt.time_out()

    assert halt.flag[0] == DEADLINE_PASSED


@pytest.mark.usefixtures("no_time")
def test_the_time_of_a_request_is_over_with_its_block() -> None:
    halt = Halt()

    with halt.within(1):
        assert halt.spent()

    assert not halt.spent()


@pytest.mark.usefixtures("no_time")
def test_the_end_of_a_call_outlives_the_block() -> None:
    halt = Halt()

    with halt.within(1):
        halt.cancel()

    assert halt.flag[0] == CALLER_GONE


def test_time_that_is_over_after_the_block_is_not_spent(monkeypatch: pytest.MonkeyPatch) -> None:
    late: list[Callable[[], None]] = []

    def set_(alarms: Alarms, seconds: float, ring: Callable[[], None]) -> Alarm:
        late.append(ring)
        return Alarm(alarms, seconds, ring)

    monkeypatch.setattr(Alarms, "set", set_)
    halt = Halt()

    with halt.within(1):
        pass
    (ring,) = late
    ring()

    assert not halt.spent()


def test_no_timeout_is_no_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Alarms, "set", None)

    with Halt().within(0):
        pass


def test_kernels_cannot_write_the_flag() -> None:
    assert not Halt().flag.flags.writeable


def test_alarms_ring_in_turn() -> None:
    alarms, rung = Alarms(), queue.SimpleQueue[int]()
    for number in (3, 1, 2):
        alarms.set(number / 100, partial(rung.put, number))

    assert [rung.get(timeout=60) for _ in range(3)] == [1, 2, 3]


def test_an_alarm_that_is_called_off_does_not_ring() -> None:
    alarms, rung = Alarms(), queue.SimpleQueue[str]()
    alarms.set(0.01, lambda: rung.put("off")).cancel()
    alarms.set(0.02, lambda: rung.put("on"))

    assert rung.get(timeout=60) == "on"


def test_alarms_that_are_called_off_are_not_kept() -> None:
    alarms, never = Alarms(), threading.Event()
    kept = alarms.set(1e6, never.set)

    for _ in range(1000):
        alarms.set(1e6, never.set).cancel()

    assert len(alarms) < 100
    assert kept.ring is not None
