"""A table of integers holds those that it was made of, and no others."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from passageway_server.engine.kernels.sets import among, table_of

integers = st.one_of(
    st.integers(-3, 3),
    st.sampled_from([2**63 - 1, -(2**63), 2**62, 2**32]),
    st.integers(-(2**63), 2**63 - 1),
)


@given(st.lists(integers, min_size=1, max_size=40, unique=True), st.lists(integers))
def test_only_its_own_numbers_are_in_a_table(numbers: list[int], others: list[int]) -> None:
    held, asked = np.array(numbers, dtype=np.int64), np.array(numbers + others, dtype=np.int64)

    met = among(asked, table_of(held))

    assert met.tolist() == [number in numbers for number in asked.tolist()]


def test_no_two_tables_mix_their_numbers_alike() -> None:
    numbers = np.arange(4096, dtype=np.int64)

    one, other = table_of(numbers), table_of(numbers)

    assert (one.places != other.places).any()


def test_numbers_that_differ_in_their_upper_bits_alone_are_told_apart() -> None:
    near = np.arange(4096, dtype=np.int64) << 52

    assert among(near, table_of(near[::2])).tolist() == [True, False] * 2048
