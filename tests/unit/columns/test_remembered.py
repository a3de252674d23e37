"""What is remembered is bounded, and found again only for the same objects."""

import numpy as np

from passageway_server.columns.remembered import Followed, Remembered


def test_the_entry_that_was_not_used_for_longest_makes_room() -> None:
    kept = Remembered[str, str](entries=2, bytes=100)
    kept.put("a", "1", size=1)
    kept.put("b", "2", size=1)

    assert kept.get("a") == "1"
    kept.put("c", "3", size=1)

    assert [kept.get(key) for key in "abc"] == ["1", None, "3"]


def test_bytes_are_bounded_and_freed() -> None:
    kept = Remembered[str, str](entries=100, bytes=10)
    kept.put("a", "1", size=6)
    kept.put("b", "2", size=6)
    assert [kept.get(key) for key in "ab"] == [None, "2"]

    kept.put("b", "3", size=2)
    kept.put("c", "4", size=8)

    assert [kept.get(key) for key in "bc"] == ["3", "4"]


def test_what_is_larger_than_all_room_is_not_held_and_takes_nothing_away() -> None:
    kept = Remembered[str, str](entries=100, bytes=10)
    kept.put("a", "1", size=10)

    kept.put("b", "2", size=11)
    assert [kept.get(key) for key in "ab"] == ["1", None]
    kept.put("a", "3", size=11)

    assert kept.get("a") is None
    assert len(kept) == 0


def test_what_follows_from_arrays_is_found_while_they_are_the_same() -> None:
    followed, ours, theirs = Followed(), np.zeros(2), np.zeros(2)
    made: list[str] = []

    def make() -> int:
        made.append("")
        return len(made)

    found = [followed.of("key", inputs, make) for inputs in ((ours,), (ours,), (theirs,), (ours,))]

    assert found == [1, 1, 2, 3]
    assert followed.of("another key", (ours,), make) == 4
