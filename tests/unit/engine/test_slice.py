"""Windows of spans and pages of text."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from passageway_server.authz.callers import OPERATOR, Caller
from passageway_server.authz.gates import gates
from passageway_server.engine import sizes
from passageway_server.engine.previews import cut
from passageway_server.engine.slice import Window, page_of, window_of
from passageway_server.errors import InvalidRequest, TextChanged
from passageway_server.values.answers import TextPage
from passageway_server.values.collections import CollectionSettings
from passageway_server.values.queries import ReadOptions
from passageway_server.values.records import Batch, NodeRecord, PassageRecord
from passageway_server.version.store import Store
from passageway_server.version.version import Version

ANYONE = Caller.holding(())


def memory(
    *spans: PassageRecord, covered: bool = False, content: str = "the whole memory"
) -> Version:
    collection = Store.open().create(CollectionSettings("c", default_readers=("public",)))
    node = NodeRecord("m", content=content, covered=covered)
    collection.apply(Batch(put_nodes=(node,), put_passages=spans))
    return collection.current


def cut_into(count: int, *, total: int | None = None, covered: bool = False) -> Version:
    """A memory of spans s0, s1, …, put in reverse."""
    spans = [
        PassageRecord(f"s{i}", "m", index=i, content=f"text {i}", total=total) for i in range(count)
    ]
    return memory(*reversed(spans), covered=covered)


def window(
    kept: Version, id: str, *, size: int = 3, max_chars: int = 18_000, caller: Caller = ANYONE
) -> Window:
    call = gates(kept, caller, ReadOptions(), 0)
    return window_of(
        kept,
        kept.nodes.ids.find(id),
        read=call.read,
        scope=call.scope,
        size=size,
        max_chars=max_chars,
        admin=caller.admin,
    )


def ids(found: Window) -> list[str]:
    return [passage.id for passage in found.passages]


@pytest.mark.parametrize(
    ("anchor", "size", "expected"),
    [
        ("m", 2, ["s0", "s1"]),
        ("s2", 1, ["s2"]),
        ("s2", 2, ["s2", "s3"]),
        ("s2", 3, ["s1", "s2", "s3"]),
        ("s2", 4, ["s1", "s2", "s3", "s4"]),
        ("s0", 3, ["s0", "s1", "s2"]),
        ("s4", 3, ["s2", "s3", "s4"]),
        ("s4", 64, ["s0", "s1", "s2", "s3", "s4"]),
    ],
)
def test_a_window_keeps_its_size_at_both_ends(anchor: str, size: int, expected: list[str]) -> None:
    found = window(cut_into(5), anchor, size=size)

    assert ids(found) == expected
    assert found.start == int(expected[0][1:])
    assert found.sliced


def test_spans_of_one_index_go_by_id() -> None:
    kept = memory(*(PassageRecord(id, "m", index=7) for id in ("é", "b", "a")))

    assert ids(window(kept, "m")) == ["a", "b", "é"]


def test_hidden_spans_take_no_place() -> None:
    kept = memory(
        PassageRecord("s0", "m", index=0, readers=("user:eve",), total=9),
        PassageRecord("s1", "m", index=1, total=3),
        PassageRecord("s2", "m", index=2),
    )

    found = window(kept, "s2", size=2)

    assert ids(found) == ["s1", "s2"]
    assert (found.start, found.passage_total) == (1, 3)
    assert window(kept, "m", caller=OPERATOR).passage_total is None


def test_the_budget_is_spent_in_span_order() -> None:
    kept = memory(
        *(
            PassageRecord(f"s{i}", "m", index=i, content=text)
            for i, text in enumerate(("abcd", "efgh", "ij", ""))
        )
    )

    found = window(kept, "m", size=4, max_chars=6)

    assert [passage.content for passage in found.passages] == ["abcd", "e…", "", ""]
    assert [passage.content_truncated for passage in found.passages] == [False, True, True, False]


@given(
    st.lists(st.text(alphabet="abé \n", max_size=60), min_size=1, max_size=4), st.integers(0, 20)
)
def test_contents_are_cut_as_if_all_of_each_had_been_read(texts: list[str], budget: int) -> None:
    spans = [PassageRecord(f"s{i}", "m", index=i, content=text) for i, text in enumerate(texts)]

    found = window(memory(*spans), "m", size=4, max_chars=budget)

    for passage, text in zip(found.passages, texts, strict=True):
        assert (passage.content, passage.content_truncated) == cut(text, budget)
        budget = 0 if passage.content_truncated else budget - len(text)


def test_a_window_of_long_contents_takes_no_more_of_an_answer_than_it_shows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sizes, "MOST_BYTES", 1000)
    spans = [PassageRecord(f"s{i}", "m", index=i, content="x" * 2000) for i in range(3)]

    found = window(memory(*spans), "m", max_chars=9)

    assert [passage.content for passage in found.passages] == ["x" * 8 + "…", "", ""]


def test_nothing_stands_in_for_a_content_that_is_not_there() -> None:
    span = PassageRecord("s", "m", index=0, properties={"summary": "short"})

    found = window(memory(span), "m")

    assert [passage.content for passage in found.passages] == [""]


def test_coverage_is_claimed_only_when_every_index_is_there_whole() -> None:
    assert window(cut_into(3, total=3, covered=True), "s1").covers_parent
    assert not window(cut_into(3, total=3, covered=False), "s1").covers_parent
    assert not window(cut_into(3, total=4, covered=True), "s1").covers_parent
    assert not window(cut_into(3, total=None, covered=True), "s1").covers_parent
    assert not window(cut_into(3, total=3, covered=True), "s1", size=2).covers_parent
    assert not window(cut_into(3, total=3, covered=True), "s1", max_chars=17).covers_parent
    assert not window(cut_into(1, total=2**32 - 1, covered=True), "m").covers_parent


def test_coverage_is_not_claimed_over_spans_that_stand_beside_the_window() -> None:
    more_than_declared = cut_into(4, total=2, covered=True)

    assert not window(more_than_declared, "m", size=2).covers_parent
    assert window(more_than_declared, "m", size=4).covers_parent
    assert not window(cut_into(3, total=0, covered=True), "m").covers_parent


def test_a_memory_that_was_never_cut_is_its_own_window() -> None:
    found = window(memory(), "m")

    assert (ids(found), found.sliced, found.start) == (["m"], False, None)
    assert found.covers_parent
    cut_short = window(memory(), "m", max_chars=8)
    assert (cut_short.passages[0].content, cut_short.covers_parent) == ("the…", False)


@given(st.text(max_size=60), st.integers(1, 70))
def test_the_pages_of_a_text_give_it_back(text: str, max_chars: int) -> None:
    pages: list[TextPage] = []
    offset, digest = 0, ""
    while True:
        page = page_of(text, offset=offset, max_chars=max_chars, sha256=digest)
        pages.append(page)
        if page.next_offset is None:
            break
        offset, digest = page.next_offset, page.sha256

    assert "".join(page.text for page in pages) == text
    assert {page.total_chars for page in pages} == {len(text)}
    assert all(page.truncated == (len(pages) > 1) for page in pages)


def test_a_page_at_the_end_is_empty() -> None:
    page = page_of("abc", offset=3, max_chars=5, sha256="")

    assert (page.text, page.next_offset, page.truncated) == ("", None, True)


def test_an_offset_past_the_end_is_a_fault() -> None:
    with pytest.raises(InvalidRequest) as refused:
        page_of("abc", offset=4, max_chars=5, sha256="")

    assert [fault.field for fault in refused.value.faults] == ["page.offset"]


def test_a_digest_of_another_text_says_that_the_text_changed() -> None:
    digest = hashlib.sha256(b"abc").hexdigest()

    assert page_of("abc", offset=1, max_chars=5, sha256=digest).text == "bc"
    with pytest.raises(TextChanged):
        page_of("abd", offset=9, max_chars=5, sha256=digest)
