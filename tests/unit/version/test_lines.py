"""Lines of versions: which commits are of which, and what a snapshot keeps of them."""

import numpy as np
import pytest

from passageway_server.version.lines import Lines
from passageway_server.version.tokens import (
    new_line,
    next_line,
    precedes,
    stored_line,
)

WHOSE, DRAWN = "00000001", "89abcdef"
A, B, C, D = (f"{WHOSE}{epoch:04x}{DRAWN}" for epoch in range(4))
OTHER_D = D.replace(DRAWN, "89abcdee")


LINES = Lines((3, 5, 9), (A, B, D), 11)


def test_of_two_lines_of_one_epoch_neither_comes_to_the_other() -> None:
    assert [LINES.may_come_to(line) for line in (C, D, OTHER_D)] == [False, True, False]
    assert not precedes(D, OTHER_D)
    assert not precedes(OTHER_D, D)


def test_every_opening_begins_another_line() -> None:
    begun = {next_line(C) for _ in range(8)}

    assert len(begun) == 8
    assert {line[:12] for line in begun} == {D[:12]}
    assert len({len(line) for line in (*begun, new_line(), C)}) == 1


def test_a_line_of_an_earlier_format_was_not_drawn() -> None:
    assert stored_line("0123456789ab") == "0123456789ab00000000"
    assert stored_line(A) == A
    for wrong in ("", "0123456789a", "0123456789ab0", "0123456789aB", A + "0"):
        with pytest.raises(ValueError, match="no line"):
            stored_line(wrong)


@pytest.mark.parametrize(
    ("line", "numbers"),
    [(A, [1, 2, 3, 4]), (B, [5, 6, 7, 8]), (C, []), (D, [9, 10, 11]), (OTHER_D, [])],
)
def test_a_commit_is_of_one_line(line: str, numbers: list[int]) -> None:
    assert [number for number in range(1, 20) if LINES.hold(line, number)] == numbers


def test_of_which_line_commits_before_the_first_known_one_are_is_not_known() -> None:
    lines = Lines((9,), (C,), 9)

    lines_of_then = (A, B, C, C.replace(DRAWN, "00000000"), D)
    assert [lines.hold(line, 4) for line in lines_of_then] == [True, True, True, False, False]


def test_lines_go_on_and_are_those_of_a_snapshot() -> None:
    lines = Lines((1,), (A,), 1).going_on(A, 2).going_on(B, 3).going_on(B, 4).going_on(D, 7)

    assert lines == Lines((1, 3, 7), (A, B, D), 7)
    assert lines.through(B, 6) == Lines((1, 3), (A, B), 6)
    assert lines.through(D, 8) == lines.going_on(D, 8)
    assert Lines((1,), (A,), 1).through(B, 2) == Lines((1, 2), (A, B), 2)
    assert Lines.from_arrays(lines.arrays(), D, 7) == lines
    assert Lines.from_arrays({}, D, 7) == Lines((7,), (D,), 7)


def test_lines_are_bounded() -> None:
    lines = Lines((1,), (A,), 1)
    for number in range(2, 5000):
        lines = lines.going_on((A, B)[number % 2], number)

    assert len(lines.firsts) == len(lines.lines) == 4096
    assert lines.firsts[-1] == 4999


def test_epochs_go_round() -> None:
    last = f"{WHOSE}ffff{DRAWN}"

    earlier = [
        (one, other) for one in (last, A, B) for other in (last, A, B) if precedes(one, other)
    ]
    assert earlier == [(last, A), (last, B), (A, B)]


@pytest.mark.parametrize(
    ("line", "number"), [(B, 9), (D, 8), ("00000002" + D[8:], 9)], ids=["line", "number", "whose"]
)
def test_lines_of_another_version_are_damage(line: str, number: int) -> None:
    with pytest.raises(ValueError, match="lines"):
        Lines.from_arrays(LINES.arrays(), line, number)


def test_lines_of_another_form_are_damage() -> None:
    arrays = LINES.arrays()

    for spoiled in (
        {**arrays, "firsts": arrays["firsts"][:2]},
        {**arrays, "firsts": arrays["firsts"][::-1]},
        {**arrays, "lines": np.zeros((3, 6), np.uint8)},
        {"firsts": arrays["firsts"]},
    ):
        with pytest.raises((ValueError, KeyError)):
            Lines.from_arrays(spoiled, D, 9)
