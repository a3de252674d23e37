"""What an answer would take is what its parts take, as far as they have to be counted."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from passageway_server.columns.strings import Strings
from passageway_server.engine.kernels.arrays import sealed
from passageway_server.engine.kernels.cut import previews_size
from passageway_server.engine.previews import cut

ALL = 1 << 62
contents = st.lists(st.text(alphabet="ab é…😀\n", max_size=20), min_size=1, max_size=8)


def previewed(texts: list[str], budget: int, *, most: int = ALL) -> int:
    strings = Strings.of(texts)
    entries = np.arange(len(texts), dtype=np.int32)
    return previews_size(
        sealed(strings.heap), sealed(strings.bounds), sealed(entries), budget, most
    )


@given(contents, st.integers(0, 25))
def test_previews_take_the_bytes_that_they_have(texts: list[str], budget: int) -> None:
    shown = [cut(text, budget)[0] for text in texts]

    assert previewed(texts, budget) == sum(len(preview.encode()) for preview in shown)


@given(contents, st.integers(0, 25), st.integers(0, 80))
def test_no_more_previews_are_read_than_it_takes_to_know_that_they_are_too_many(
    texts: list[str], budget: int, most: int
) -> None:
    sizes = np.cumsum([previewed([text], budget) for text in texts])
    expected = next((size for size in sizes.tolist() if size > most), sizes[-1])

    assert previewed(texts, budget, most=most) == expected
