"""The oracle's filters, Lookup, Slice, Get and Describe, with values worked out by hand."""

import hashlib
from typing import Any

import pytest

from passageway.v1 import query_pb2, read_pb2, store_pb2, types_pb2
from tests.oracle import Refused, World
from tests.oracle.shown import cut
from tests.unit.oracle.small import ask, edge, lookup, node, span, text, world


def number(value: float) -> types_pb2.Value:
    if isinstance(value, int):
        return types_pb2.Value(int_value=value)
    return types_pb2.Value(double_value=value)


def words(*values: str) -> types_pb2.Value:
    return types_pb2.Value(strings=types_pb2.StringList(values=values))


def moment(seconds: int) -> types_pb2.Value:
    value = types_pb2.Value()
    value.time_value.FromSeconds(seconds)
    return value


BIG = 2**53 + 1
DAY = 20_000 * 86_400  # 2024-10-04

SERVICES = world(
    node(
        "a", type="service", status="open", properties={"rank": number(1), "tags": words("x", "y")}
    ),
    node("b", type="service", properties={"rank": number(0.5), "tags": words("y")}),
    node("c", type="team", name="core", properties={"rank": number(BIG), "at": moment(DAY)}),
    node("d", properties={"at": moment(DAY + 86_400), "note": text("")}),
    node("hid", readers=["user:eve"], properties={"secret": text("s")}),
    fields=[store_pb2.Field(name="at", kind=types_pb2.FIELD_KIND_TIME)],
)


@pytest.mark.parametrize(
    ("filter", "ids"),
    [
        ("", "a b c d"),
        ("type = service", "a b"),
        ('type = "service" AND rank >= 1', "a"),
        ("type:(service OR team)", "a b c"),
        ("type IN (team, nothing)", "c"),
        ("status != done", "a"),
        ("NOT status = done", "a b c d"),
        ("NOT status != done", "b c d"),
        ("status:*", "a"),
        ("NOT (status:* OR type = team)", "b d"),
        ("tags = y", "a b"),
        ("tags:y", "a b"),
        ("tags != x", "b"),
        ("NOT tags = x", "b c d"),
        ("rank = 1.0", "a"),
        ("rank < 1", "b"),
        (f"rank = {BIG}", "c"),
        (f"rank = {BIG - 1}", ""),
        ("rank > 9007199254740992.0", "c"),
        ("id < c", "a b"),
        ("at = 2024-10-04", "c"),
        ('at < "2024-10-04"', ""),
        ("at <= 2024-10-04", "c"),
        ("at > 2024-10-04", "d"),
        ("at >= 2024-10-04", "c d"),
        ('at = "2024-10-04T09:00:00+09:00"', "c"),
        ('note = ""', "d"),
        ("starts_with(name, co)", "c"),
        ('ends_with(type, "ice")', "a b"),
        ("contains(tags, y)", "a b"),
        ("lookup(type, from=(id = a), from_field=type)", "a b"),
        ("properties.rank = 1", "a"),
    ],
)
def test_a_filter_selects_the_rows_that_it_says(filter: str, ids: str) -> None:
    assert lookup(SERVICES, filter) == ids.split()


@pytest.mark.parametrize(
    "filter",
    [
        "secret = s",
        "nothing = 1",
        "readers = x",
        "rank = abc",
        "status = 3",
        "at = yesterday",
        'at = "2024-10-04T00:00:00"',
        "a = 1 AND b = 2 OR c = 3",
        "type =",
        "type = $missing",
        'type = "open',
        "(type = a",
        "NOT",
        "lookup(type, from=(id = a), from_field=tags, max_values=0)",
        "lookup(rank, from=(id = a), from_field=type)",
        "lookup(tags, from=(tags:*), from_field=tags, max_values=1)",
        "(" * 40 + "type = a" + ")" * 40,
        " OR ".join(["type = a"] * 513),
    ],
)
def test_a_filter_that_cannot_be_answered_is_refused(filter: str) -> None:
    with pytest.raises(Refused) as refused:
        lookup(SERVICES, filter)

    assert (refused.value.code, *refused.value.fields) == ("INVALID_ARGUMENT", "filter")


def test_hidden_ids_leave_links_and_a_link_field_of_which_none_is_left_is_unknown() -> None:
    links = {
        "mixed": types_pb2.StringList(values=["hid", "b", "b", "gone"]),
        "hidden": types_pb2.StringList(values=["hid"]),
    }
    linked = world(node("a", links=links), node("b"), node("hid", readers=["user:eve"]))

    got = ask(linked, read_pb2.GetRequest(ids=["a"]), read_pb2.GetResponse)

    assert {name: list(ids.values) for name, ids in got.nodes[0].links.items()} == {"mixed": ["b"]}
    assert lookup(linked, "mixed:hid") == []
    assert lookup(linked, "lookup(id, from=(id = a), from_field=mixed)") == ["b"]
    with pytest.raises(Refused):
        lookup(linked, "hidden:*")


def test_vars_give_values_and_lists() -> None:
    assert lookup(SERVICES, "type = $t", vars={"t": text("team")}) == ["c"]
    assert lookup(SERVICES, "id IN $ids", vars={"ids": words("a", "d")}) == ["a", "d"]
    assert lookup(SERVICES, "tags:$t", vars={"t": words("x", "z")}) == ["a"]


def test_lookup_counts_all_and_pages_some() -> None:
    request = read_pb2.LookupRequest(page_size=0)

    answer = ask(SERVICES, request, read_pb2.LookupResponse)

    assert (len(answer.nodes), answer.total) == (0, 4)


def test_the_join_in_fields_of_its_own_meets_the_filter_too() -> None:
    join = {"field": "tags", "from_filter": "id = b", "from_field": "tags"}

    assert lookup(SERVICES, "", **join) == ["a", "b"]
    assert lookup(SERVICES, "status = open", **join) == ["a"]
    with pytest.raises(Refused) as refused:
        lookup(SERVICES, "", field="tags")
    assert refused.value.fields == {"from_filter", "from_field"}


@pytest.mark.parametrize(
    ("whole", "budget", "shown"),
    [
        ("short", 5, "short"),
        ("longer", 5, "long…"),
        ("longer", 1, "…"),
        ("longer", 0, ""),
        ("one two three", 9, "one two…"),
        ("one twothree", 9, "one twot…"),
        ("😀😀😀", 2, "😀…"),
        ("", 0, ""),
    ],
)
def test_a_cut_never_passes_its_budget(whole: str, budget: int, shown: str) -> None:
    assert cut(whole, budget) == shown


def slice_of(world: World, id: str, **options: Any) -> read_pb2.SliceResponse:
    return ask(world, read_pb2.SliceRequest(id=id, **options), read_pb2.SliceResponse)


MEMORY = world(
    node("m", name="memo", type="note", content="whole", project="p", covered=True),
    *(span(f"s{place}", "m", place, content=f"span {place}", total=5) for place in range(5)),
    node("uncut", content="all of it"),
)


@pytest.mark.parametrize(
    ("id", "window", "first", "count"),
    [
        ("m", 3, 0, 3),
        ("s0", 3, 0, 3),
        ("s2", 3, 1, 3),
        ("s4", 3, 2, 3),
        ("s2", 4, 1, 4),
        ("s2", 2, 2, 2),
        ("s4", 2, 3, 2),
        ("s2", 64, 0, 5),
        ("s2", 1, 2, 1),
    ],
)
def test_a_window_slides_to_keep_its_size(id: str, window: int, first: int, count: int) -> None:
    answer = slice_of(MEMORY, id, window=window)

    assert [span.id for span in answer.passages] == [f"s{first + place}" for place in range(count)]
    assert (answer.window_start, answer.total, answer.passage_total) == (first, count, 5)
    assert answer.covers_parent == (count == 5)
    assert (answer.id, answer.parent_id, answer.parent_name, answer.project) == (
        id,
        "m",
        "memo",
        "p",
    )


def test_the_budget_is_spent_in_span_order() -> None:
    answer = slice_of(MEMORY, "m", window=64, content_max_chars=9)

    assert [span.content for span in answer.passages] == ["span 0", "sp…", "", "", ""]
    assert [span.content_truncated for span in answer.passages] == [False, True, True, True, True]
    assert (answer.content_chars, answer.covers_parent) == (9, False)


def test_a_memory_never_cut_comes_whole() -> None:
    answer = slice_of(MEMORY, "uncut", window=100)

    assert [row.content for row in answer.passages] == ["all of it"]
    assert (answer.sliced, answer.total, answer.covers_parent, answer.window) == (
        False,
        1,
        True,
        64,
    )
    assert not answer.HasField("window_start")
    assert dict(answer.applied) == {"window": 64}


def test_a_hidden_span_is_not_counted_and_totals_that_differ_are_none() -> None:
    graph = world(
        node("m", covered=True),
        span("s0", "m", 0, total=2),
        span("s1", "m", 1, total=9, readers=["user:eve"]),
    )
    alone = slice_of(graph, "m")
    assert (alone.total, alone.passage_total, alone.covers_parent) == (1, 2, False)

    admin = ask(graph, read_pb2.SliceRequest(id="m"), read_pb2.SliceResponse, admin=True)
    assert admin.total == 2
    assert not admin.HasField("passage_total")


@pytest.mark.parametrize("id", ["gone", "hid", "hid-span"])
def test_what_may_not_be_read_is_not_found(id: str) -> None:
    graph = world(node("hid", readers=["user:eve"]), span("hid-span", "hid"))

    with pytest.raises(Refused) as refused:
        slice_of(graph, id)

    assert refused.value.code == "NOT_FOUND"


@pytest.mark.parametrize("size", [1, 2, 3, 7, 50])
def test_joined_pages_give_the_text_back(size: int) -> None:
    whole = "e\u0301 😀\u200f\n" * 4
    graph = world(node("m", properties={"body": text(whole), "source": text("here")}))
    read, offset, digest = "", 0, ""
    while True:
        page = slice_of(
            graph, "m", page=read_pb2.TextPageRequest(
                property="body", offset=offset, max_chars=size, sha256=digest
            )
        )  # fmt: skip
        read += page.page.text
        assert page.page.truncated == (size < len(whole))
        assert set(page.passages[0].properties) == {"source"}
        if not page.page.HasField("next_offset"):
            break
        offset, digest = page.page.next_offset, page.page.sha256

    assert read == whole
    assert page.page.sha256 == hashlib.sha256(whole.encode()).hexdigest()
    assert page.page.total_chars == len(whole) == 24


def test_get_previews_a_description_only_when_cutting() -> None:
    graph = world(node("a", properties={"description": text("what it is")}))

    whole = ask(graph, read_pb2.GetRequest(ids=["a"]), read_pb2.GetResponse)
    short = ask(
        graph, read_pb2.GetRequest(ids=["a", "a", "b"], content_max_chars=8), read_pb2.GetResponse
    )

    assert whole.nodes[0].content == ""
    assert [row.content for row in short.nodes] == ["what…"]
    assert list(short.unresolved) == ["b"]


def test_readers_are_shown_to_admins_alone() -> None:
    graph = world(node("a"))

    reader = ask(graph, read_pb2.GetRequest(ids=["a"]), read_pb2.GetResponse)
    admin = ask(graph, read_pb2.GetRequest(ids=["a"]), read_pb2.GetResponse, admin=True)

    assert list(reader.nodes[0].readers) == []
    assert list(admin.nodes[0].readers) == ["public"]


def test_describe_counts_what_the_caller_reads() -> None:
    graph = world(
        node(
            "a",
            type="t",
            properties={"n": number(1)},
            links={"L": types_pb2.StringList(values=["a"])},
        ),
        node("b", type="u", readers=["user:eve"], properties={"n": number(0.5), "m": words("x")}),
        span("s", "a"),
        edge("a", "s", properties={"w": number(2)}),
        edge("a", "b"),
    )

    mine = ask(graph, read_pb2.DescribeRequest(), read_pb2.DescribeResponse)
    theirs = ask(graph, read_pb2.DescribeRequest(), read_pb2.DescribeResponse, admin=True)

    assert [(each.name, each.count) for each in mine.types] == [("passage", 1), ("t", 1)]
    assert [(each.source_type, each.edge_type, each.target_type, each.count) for each in mine.routes] == [
        ("passage", "PART_OF", "t", 1),
        ("t", "L", "t", 1),
        ("t", "T", "passage", 1),
    ]  # fmt: skip
    assert [(each.name, each.kind, each.repeated) for each in mine.fields] == [
        ("L", types_pb2.FIELD_KIND_LINK, True),
        ("PART_OF", types_pb2.FIELD_KIND_LINK, True),
        ("n", types_pb2.FIELD_KIND_INT, False),
        ("w", types_pb2.FIELD_KIND_INT, False),
    ]
    assert ("n", types_pb2.FIELD_KIND_FLOAT) in [(each.name, each.kind) for each in theirs.fields]
    assert ("m", True) in [(each.name, each.repeated) for each in theirs.fields]


def test_a_collection_of_other_users_does_not_exist() -> None:
    graph = world(node("a"), users=["user:eve"])

    with pytest.raises(Refused) as refused:
        ask(graph, read_pb2.GetRequest(ids=["a"]), read_pb2.GetResponse)

    assert refused.value.code == "NOT_FOUND"


def test_a_project_scopes_and_links_still_show_what_lies_outside() -> None:
    links = {"L": types_pb2.StringList(values=["b"])}
    graph = world(node("a", project="p", links=links), node("b", project="q"), span("s", "a"))
    read = query_pb2.ReadOptions(project="p")

    assert lookup(graph, "", read=read) == ["a", "s"]
    assert lookup(graph, "L:b", read=read) == ["a"]
    assert lookup(graph, "lookup(id, from=(id = b), from_field=id)", read=read) == []
