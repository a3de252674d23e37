"""A comparison of vectors stops where its call is over, and leaves nothing half done behind."""

from typing import Any

import numpy as np
import pytest

from passageway_server.columns.properties import Column
from passageway_server.columns.strings import Strings
from passageway_server.engine import vectors
from passageway_server.engine.found import Found
from passageway_server.engine.fusion import fused
from passageway_server.engine.kernels import ranks
from passageway_server.engine.kernels import vectors as kernel
from passageway_server.engine.kernels.arrays import Sight, sealed
from passageway_server.engine.kernels.compiling import LOOK
from passageway_server.engine.vectors import Holders, VectorPlan, compared, sketch_of
from passageway_server.errors import Cancelled
from passageway_server.values.collections import Kind, Similarity
from passageway_server.values.halt import CALLER_GONE, GOES_ON, OUT_OF_TIME, UNHALTED, Halt
from passageway_server.values.records import Vector
from tests.unit.engine.stars import byte_of, stops

MANY = 3 * LOOK
STEP = LOOK + 5
EVERY = sealed(np.arange(MANY, dtype=np.int32))
ONES = sealed(np.ones(MANY, dtype=np.float32))
ONE = sealed(np.ones(1))


def products(stop: Any, dots: Any) -> None:
    kernel.products(ONES, ONE, EVERY, np.empty(1), dots, np.empty(MANY), stop)


def sketched(stop: Any, steps: Any) -> None:
    codes = np.empty(MANY, dtype=np.int8)
    kernel.sketched(ONES, 1, 0, codes, steps, np.empty(MANY), np.empty(MANY), np.empty(1), stop)


def bounded(stop: Any, low: Any) -> None:
    codes = sealed(np.ones(MANY, dtype=np.int8))
    doubles = sealed(np.ones(MANY))
    measures = sealed(np.ones(4))
    query = sealed(np.ones(1, dtype=np.int16))
    args = (codes, doubles, doubles, doubles, query, measures, False, EVERY)
    kernel.bounded(*args, low, np.empty(MANY), stop)


def above(stop: Any, counts: Any) -> None:
    places = np.arange(MANY, dtype=np.int64)
    ranks.above(np.full(MANY, 2.0), np.ones(MANY), places, counts, stop)


KERNELS = [(products, np.float64), (sketched, np.float64), (bounded, np.float64), (above, np.int64)]


@pytest.mark.parametrize(("run", "dtype"), KERNELS)
def test_a_kernel_that_is_halted_from_the_start_writes_nothing(run: Any, dtype: Any) -> None:
    written = np.zeros(MANY, dtype=dtype)

    run(stops(CALLER_GONE), written)

    assert not written.any()


@pytest.mark.parametrize(("run", "dtype"), KERNELS)
def test_a_kernel_goes_on_where_only_time_is_spent(run: Any, dtype: Any) -> None:
    written = np.zeros(MANY, dtype=dtype)

    run(stops(OUT_OF_TIME), written)

    assert written.all()


@pytest.mark.parametrize(("run", "dtype"), KERNELS)
def test_a_kernel_stops_in_the_middle(run: Any, dtype: Any) -> None:
    written = np.zeros(MANY, dtype=dtype)
    # Of what is written in that step, one of the bytes is more than `OUT_OF_TIME`.
    probe = np.zeros(MANY, dtype=dtype)
    run(stops(GOES_ON), probe)
    byte = int(probe[STEP : STEP + 1].view(np.uint8).argmax())

    run(byte_of(written, STEP, byte), written)

    assert np.count_nonzero(written) == 2 * LOOK


def test_rows_that_hold_a_field_are_looked_for_no_longer() -> None:
    classes, expiry = np.zeros(MANY, dtype=np.int32), np.zeros(MANY, dtype=np.int64)
    verdict = sealed(np.ones(1, dtype=np.uint8))
    found = {}
    for state in (GOES_ON, CALLER_GONE):
        sight = Sight(sealed(classes), sealed(expiry), verdict, 0, stops(state))
        rows, entries = np.empty((2, MANY + 1), dtype=np.int32)
        found[state] = kernel.holding(EVERY, sight, rows, entries)

    assert found == {GOES_ON: MANY, CALLER_GONE: 0}


def column() -> Column:
    made = Column.empty(Kind.VECTOR, False, 2 * LOOK)
    rows = np.arange(2 * LOOK, dtype=np.int32)
    held = [Vector.of([1.0, float(row)]) for row in range(2 * LOOK)]
    return made.put(rows, held, keywords={}, texts=Strings.of([""]))[0]


def over() -> Halt:
    halt = Halt()
    halt.cancel()
    return halt


def test_half_a_sketch_is_not_kept() -> None:
    made = column()

    with pytest.raises(Cancelled):
        sketch_of(made, over())

    lengths = sketch_of(made, UNHALTED).lengths.array
    assert np.allclose(lengths, np.hypot(1, np.arange(2 * LOOK)))


@pytest.mark.parametrize("few", [-1, 1 << 20])
def test_a_comparison_whose_caller_is_gone_is_none(
    monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    monkeypatch.setattr(vectors, "_FEW", few)

    class Version:
        class nodes:  # noqa: N801
            properties = {"v": column()}

    rows = np.arange(2 * LOOK, dtype=np.int32)
    version: Any = Version
    plan = VectorPlan("v", Vector.of([1.0, 1.0]), Similarity.COSINE)

    with pytest.raises(Cancelled):
        compared(version, plan, Holders(rows, rows), over())


def test_a_fusion_whose_caller_is_gone_is_none() -> None:
    rows = np.arange(3, dtype=np.int32)

    with pytest.raises(Cancelled):
        fused([Found(rows, np.ones(3))], over())
