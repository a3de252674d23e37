"""Ranges side by side agree with ranges one by one."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from passageway_server.columns.ranges import side_by_side


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 4)), max_size=8))
def test_ranges_come_in_their_order_each_with_its_owner(ranges: list[tuple[int, int]]) -> None:
    starts = np.array([start for start, _ in ranges], dtype=np.int32)
    lengths = np.array([length for _, length in ranges], dtype=np.int32)

    found = side_by_side(starts, lengths)

    each = [list(range(start, start + length)) for start, length in ranges]
    assert found.positions.tolist() == [position for one in each for position in one]
    assert found.owners.tolist() == [i for i, one in enumerate(each) for _ in one]
    assert found.bounds.tolist() == [0, *np.cumsum(lengths).tolist()]
