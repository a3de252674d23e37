"""Arrays that grow share memory, and still each of them holds what it was made of, whatever was made of the others."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from passageway_server.columns.growing import Growing

STEPS = st.lists(
    st.tuples(st.integers(0, 99), st.sampled_from([0, 1, 2, 3, 60, 70, 200]), st.integers(1, 2)),
    max_size=20,
)
"""From which of the arrays so far to go on, with how many more elements, and which."""


def ones(count: int, value: int = 1) -> NDArray[np.int32]:
    return np.full(count, value, dtype=np.int32)


@given(STEPS)
def test_every_array_holds_what_it_was_made_of_however_others_went_on(
    steps: list[tuple[int, int, int]],
) -> None:
    made = [Growing(ones(0))]
    expected: list[list[int]] = [[]]

    for place, count, value in steps:
        at = place % len(made)
        made.append(made[at].extended(ones(count, value)))
        expected.append(expected[at] + [value] * count)

    assert [array.array.tolist() for array in made] == expected


def test_what_follows_a_short_branch_is_not_taken_from_a_long_one_that_moved() -> None:
    first = Growing(ones(0)).extended(ones(1))
    long = first.extended(ones(1000))
    short = first.extended(ones(1, 2))

    followed = short.extended(ones(100))

    assert followed.array.tolist() == [1, 2] + [1] * 100
    assert long.array.tolist() == [1] * 1001


def test_extending_copies_nothing_where_there_is_room() -> None:
    first = Growing(ones(0)).extended(ones(1))

    assert np.shares_memory(first.array, first.extended(ones(1)).array)
