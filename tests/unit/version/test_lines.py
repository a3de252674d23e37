"""Tokens of earlier openings: met where this history has their commit, and refused where a crash took it."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from passageway_server.authz.callers import OPERATOR
from passageway_server.errors import PassagewayError, VersionGone, VersionLate
from passageway_server.service.pin import pin
from passageway_server.values.collections import CollectionSettings
from passageway_server.values.queries import ReadOptions
from passageway_server.values.records import Batch
from passageway_server.version import versions
from passageway_server.version.collection import Collection
from passageway_server.version.durability import Durability
from passageway_server.version.lines import Lines
from passageway_server.version.store import Store
from passageway_server.version.tokens import (
    new_line,
    next_line,
    precedes,
    stored_line,
    token_of,
)
from tests.unit.version.making import node

WHOSE, DRAWN = "00000001", "89abcdef"
A, B, C, D = (f"{WHOSE}{epoch:04x}{DRAWN}" for epoch in range(4))
OTHER_D = D.replace(DRAWN, "89abcdee")
NEVER = Durability(checkpoint_bytes=1 << 40, checkpoint_seconds=1e9)


def put(kept: Collection, id: str) -> str:
    return kept.apply(Batch(put_nodes=(node(id),))).version


class Crashed:
    """A collection that lost a commit in a crash: who opened the folder after it gave its number to others."""

    def __init__(self, folder: Path) -> None:
        store = Store.open(folder / "first", durability=NEVER)
        kept = store.create(CollectionSettings("c"))
        self.kept = put(kept, "a")
        shutil.copytree(folder / "first", folder / "second")
        self.lost = put(kept, "b")
        store.close()
        self.store = Store.open(folder / "second", durability=NEVER)
        self.after = [put(self.store.collection("c"), id) for id in ("c", "d", "e")]

    def told(self, least: str) -> str:
        try:
            return pin(self.store, OPERATOR, "c", ReadOptions(at_least_version=least)).version.token
        except PassagewayError as error:
            return error.reason


@pytest.fixture
def crashed(tmp_path: Path) -> Iterator[Crashed]:
    made = Crashed(tmp_path)
    yield made
    made.store.close()


def test_a_version_of_an_earlier_opening_is_met_and_one_that_a_crash_took_never(
    crashed: Crashed,
) -> None:
    newest = crashed.after[-1]

    assert crashed.lost[20:] == crashed.after[0][20:]
    assert [crashed.told(token) for token in (crashed.kept, *crashed.after)] == [newest] * 4
    assert crashed.told(crashed.lost) == "VERSION_GONE"


def test_that_is_so_after_the_log_is_gone(crashed: Crashed, tmp_path: Path) -> None:
    for _ in range(2):
        crashed.store.close()
        crashed.store = Store.open(tmp_path / "second")
        put(crashed.store.collection("c"), "again")

    newest = crashed.store.collection("c").current.token
    assert [crashed.told(token) for token in (crashed.kept, *crashed.after)] == [newest] * 4
    assert crashed.told(crashed.lost) == "VERSION_GONE"


def test_that_is_so_after_a_restore_in_place(crashed: Crashed, tmp_path: Path) -> None:
    crashed.store.create_snapshot("c", "kept")
    crashed.store.restore("c", "kept")
    shutil.copytree(tmp_path / "second", tmp_path / "third")
    crashed.store.close()
    crashed.store = Store.open(tmp_path / "third")

    newest = crashed.store.collection("c").current.token
    assert [crashed.told(token) for token in (crashed.kept, *crashed.after)] == [newest] * 4
    assert crashed.told(crashed.lost) == "VERSION_GONE"


def test_a_version_that_will_never_come_is_not_waited_for(crashed: Crashed) -> None:
    later = token_of(crashed.lost[:20], 99)

    assert crashed.told(later) == "VERSION_GONE"


def test_a_version_of_a_later_opening_is_waited_for(
    crashed: Crashed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(versions, "_PATIENCE", 0.01)
    line, last = crashed.after[-1][:8], int(crashed.after[-1][20:], 16)

    assert crashed.told(token_of(f"{line}0009{DRAWN}", last + 1)) == VersionLate.reason
    assert crashed.told(token_of(f"{line}0009{DRAWN}", last)) == VersionGone.reason


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


def test_both_versions_of_a_read_have_to_be_in_its_history(crashed: Crashed) -> None:
    read = ReadOptions(at_version=crashed.after[-1], at_least_version=crashed.lost)

    with pytest.raises(VersionGone):
        pin(crashed.store, OPERATOR, "c", read)


LINES = Lines((3, 5, 9), (A, B, D))


@pytest.mark.parametrize(
    ("line", "numbers"),
    [(A, [1, 2, 3, 4]), (B, [5, 6, 7, 8]), (C, []), (D, [9, 10, 11]), (OTHER_D, [])],
)
def test_a_commit_is_of_one_line(line: str, numbers: list[int]) -> None:
    assert [number for number in range(1, 12) if LINES.hold(line, number)] == numbers


def test_of_which_line_commits_before_the_first_known_one_are_is_not_known() -> None:
    lines = Lines((9,), (C,))

    lines_of_then = (A, B, C, C.replace(DRAWN, "00000000"), D)
    assert [lines.hold(line, 4) for line in lines_of_then] == [True, True, True, False, False]


def test_lines_go_on_and_are_those_of_a_snapshot() -> None:
    lines = Lines((1,), (A,)).going_on(A, 2).going_on(B, 3).going_on(B, 4).going_on(D, 7)

    assert lines == Lines((1, 3, 7), (A, B, D))
    assert lines.through(B, 6) == Lines((1, 3), (A, B))
    assert lines.through(D, 8) == lines
    assert Lines((1,), (A,)).through(B, 2) == Lines((1, 2), (A, B))
    assert Lines.from_arrays(lines.arrays(), D, 7) == lines
    assert Lines.from_arrays({}, D, 7) == Lines((7,), (D,))


def test_lines_are_bounded() -> None:
    lines = Lines((1,), (A,))
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
