"""A string has one hash, whatever strings it stands among."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from passageway_server.columns.hashing import hashes, hashes_of

_MASK = (1 << 64) - 1


def plain(encoded: bytes) -> int:
    """The same, one word after another."""
    found = (len(encoded) + 1) * 0x9E3779B97F4A7C15 & _MASK
    for at in range(0, len(encoded), 8):
        mixed = (
            found ^ int.from_bytes(encoded[at : at + 8], "little")
        ) * 0xBF58476D1CE4E5B9 & _MASK
        mixed = (mixed ^ mixed >> 29) * 0x94D049BB133111EB & _MASK
        found = mixed ^ mixed >> 32
    return found


@given(st.lists(st.binary(max_size=40), max_size=30))
def test_each_hash_is_that_of_the_string_alone(encoded: list[bytes]) -> None:
    assert hashes_of(encoded).tolist() == [plain(one) for one in encoded]


@given(st.integers(0, 40), st.integers(1, 20))
def test_strings_of_one_length_have_the_same_hashes(length: int, count: int) -> None:
    encoded = [np.random.default_rng(i).bytes(length) for i in range(count)]

    assert hashes_of(encoded).tolist() == [plain(one) for one in encoded]


def test_no_strings_have_no_hashes() -> None:
    assert len(hashes(np.empty(0, np.uint8), np.empty(0, np.int64))) == 0


def test_a_million_ids_have_as_many_hashes() -> None:
    encoded = [b"n%08d" % number for number in range(1_000_000)]

    assert len(np.unique(hashes_of(encoded))) == len(encoded)
