"""Where excerpts begin, in texts of every sort, and how long that takes."""

from dataclasses import replace
from time import process_time

import numpy as np
import pytest

from passageway_server.columns.words import analysis
from passageway_server.columns.words.analysis import Analysis
from passageway_server.engine import excerpts as module
from passageway_server.engine.excerpts import Wanted, excerpts
from passageway_server.engine.searched import FieldPlan
from passageway_server.engine.sizes import Size
from passageway_server.errors import Cancelled, LimitExceeded
from passageway_server.values.halt import Halt, OutOfTime
from passageway_server.values.records import Batch, NodeRecord
from passageway_server.version.version import Version
from tests.unit.engine.bound import all_gates, version_of
from tests.unit.engine.stopping import LONG, after

FIELD = FieldPlan("content", 1.0, "english", ("needl", "hay"))
TEXT = "one two. Three needle four hay five six. \n\n Needle  again.  一。二。\n 三"


def wanted() -> Wanted:
    return Wanted(Analysis("english"), {"needl": {"needl"}, "hay": {"hay"}})


@pytest.mark.parametrize("at_once", [1, 7, 20, 1000])
def test_a_long_sentence_has_the_words_of_its_parts(
    monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(module, "AT_ONCE", at_once)
    monkeypatch.setattr(analysis, "AT_ONCE", at_once)

    assert wanted().thickest(TEXT, Halt()) == TEXT.index("Three")
    found = [TEXT[start:end] for start, end in module._sentences(TEXT, Halt()) if start < end]
    assert found == [
        "one two.",
        "Three needle four hay five six.",
        "Needle  again.",
        "一。",
        "二。",
        "三",
    ]


def test_white_space_without_end_is_passed_at_once() -> None:
    began = process_time()

    assert wanted().thickest("hay" + " " * 200_000 + "\n needle hay", Halt()) == 200_005

    assert process_time() - began < 5


def of_two() -> Version:
    rows = [NodeRecord(id, content=TEXT, readers=("public",)) for id in "ab"]
    return version_of(Batch(put_nodes=tuple(rows)))


def test_out_of_time_there_is_no_further_excerpt(monkeypatch: pytest.MonkeyPatch) -> None:
    halt, version = Halt(), of_two()
    gate = replace(all_gates(version).read, halt=halt)
    monkeypatch.setattr(Wanted, "thickest", after(1, Wanted.thickest, halt.time_out))

    with halt.within(LONG):
        found = excerpts(version, np.arange(2), FIELD, 20, gate, size=Size())

    assert [piece is not None for piece in found] == [True, False]


def test_a_text_is_read_until_the_call_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    halt = Halt()
    monkeypatch.setattr(Analysis, "words", after(1, Analysis.words, halt.cancel))

    with pytest.raises(Cancelled):
        wanted().thickest(TEXT, halt)


def test_a_text_is_not_read_where_no_time_is_left() -> None:
    halt = Halt()
    halt.time_out()

    with pytest.raises(OutOfTime):
        wanted().thickest(TEXT, halt)


def test_excerpts_count_in_the_size_of_the_answer() -> None:
    version, size = of_two(), Size()
    size.add((64 << 20) - 30)

    with pytest.raises(LimitExceeded):
        excerpts(version, np.arange(2), FIELD, 20, all_gates(version).read, size=size)
