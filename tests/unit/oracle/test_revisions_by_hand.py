"""Revisions: the digest of a text that is written out here."""

from hashlib import sha256
from typing import Any

import pytest

from passageway.v1 import graph_pb2, read_pb2, store_pb2, types_pb2
from tests.oracle import Refused, World
from tests.unit.oracle.small import (
    ask,
    batch,
    expand,
    moment,
    node,
    number,
    paths,
    span,
    text,
    words,
    world,
)

EMPTY = '{"content":"","name":"","project":"","properties":{},"status":"","type":""}'


def digest(spelled: str) -> str:
    return sha256(spelled.encode()).hexdigest()


def got(world: World, *ids: str, fields: str = "", **caller: Any) -> dict[str, str]:
    request = read_pb2.GetRequest(ids=ids, fields=fields.split())
    return {
        row.id: row.revision for row in ask(world, request, read_pb2.GetResponse, **caller).nodes
    }


def test_an_empty_row_has_the_digest_of_empty_parts() -> None:
    assert got(world(node("a")), "a") == {"a": digest(EMPTY)}
    assert digest(EMPTY) == "51ac0225f7d972b4ade20c41a4fea6061da652400ae4674bad5ec6d0d1bcc3cf"


def test_what_the_row_says_is_spelled_in_the_order_of_its_names() -> None:
    ada = node(
        "a",
        type="person",
        name='Ada "the first"',
        content="né\n😀",
        project="p1",
        status="open",
        properties={"z": number(1), "a b": text("x"), "\u00e9": types_pb2.Value(bool_value=True)},
    )

    assert got(world(ada), "a")["a"] == digest(
        '{"content":"né\\n😀","name":"Ada \\"the first\\"","project":"p1",'
        '"properties":{"a b":"x","z":1,"é":true},"status":"open","type":"person"}'
    )


@pytest.mark.parametrize(
    ("value", "spelled"),
    [
        (number(1), "1"),
        (number(1.0), "1.0"),
        (number(-0.0), "-0.0"),
        (number(1e300), "1e+300"),
        (number(2**63 - 1), "9223372036854775807"),
        (text(""), '""'),
        (text("\u2028\x01"), '"\u2028\\u0001"'),
        (words("b", "a", "b"), '["b","a","b"]'),
        (words("b"), '["b"]'),
        (types_pb2.Value(bool_value=False), "false"),
        (types_pb2.Value(bools=types_pb2.BoolList(values=[True])), "[true]"),
        (types_pb2.Value(ints=types_pb2.IntList(values=[2, 1])), "[2,1]"),
        (types_pb2.Value(doubles=types_pb2.DoubleList(values=[2, 0.5])), "[2.0,0.5]"),
        (moment(-1), '{"t":-1}'),
        (moment(1_750_000_000_000_001), '{"t":1750000000000001}'),
    ],
)
def test_a_value_is_spelled_by_its_kind(value: types_pb2.Value, spelled: str) -> None:
    holds = node("a", properties={"p": value})

    assert got(world(holds), "a")["a"] == digest(
        f'{{"content":"","name":"","project":"","properties":{{"p":{spelled}}},"status":"","type":""}}'
    )


def test_an_empty_list_and_an_unset_value_are_nothing() -> None:
    holds = node("a", properties={"list": words(), "unset": types_pb2.Value()})

    assert got(world(holds), "a")["a"] == digest(EMPTY)


def test_readers_links_and_cover_are_left_out() -> None:
    plain = world(node("a"), node("b"))
    other = world(
        node("b"),
        node(
            "a",
            readers=["user:ada"],
            covered=True,
            links={"to": types_pb2.StringList(values=["b"])},
        ),
    )

    assert got(plain, "a") == got(other, "a")


def test_a_span_has_the_default_type_and_neither_project_nor_place() -> None:
    one = world(node("m", project="p1", status="open"), span("s", "m", content="x"))
    two = world(
        node("other"),
        span("s", "other", 7, content="x", breadcrumb="top", total=9, mentions=["other"]),
    )

    assert got(one, "s") == got(two, "s")
    assert got(one, "s")["s"] == digest(
        '{"content":"x","name":"","project":"","properties":{},"status":"","type":"passage"}'
    )


SECRET = store_pb2.Field(name="pay", kind=types_pb2.FIELD_KIND_INT, readers=["group:hr"])


def test_a_field_that_one_may_not_read_is_not_in_the_digest() -> None:
    less = world(node("a", properties={"pay": number(1)}), fields=[SECRET])
    more = world(node("a", properties={"pay": number(2)}), fields=[SECRET])
    hr: dict[str, Any] = {"principals": frozenset({"public", "group:hr"})}

    assert got(less, "a") == got(more, "a") == {"a": digest(EMPTY)}
    assert got(less, "a", **hr) != got(more, "a", **hr)
    assert got(less, "a", **hr) == got(less, "a", admin=True)


def test_old_content_put_back_brings_the_old_revision_back() -> None:
    kept = world(node("a", content="one"))
    first = got(kept, "a")
    kept.apply(batch(node("a", content="two")))
    second = got(kept, "a")
    kept.apply(batch(node("a", content="one")))

    assert first != second
    assert got(kept, "a") == first


def test_get_shows_it_unless_fields_name_others() -> None:
    kept = world(node("a", name="Ada"))

    assert got(kept, "a", fields="name") == {"a": ""}
    assert got(kept, "a", fields="name revision") == got(kept, "a")


def test_other_answers_show_it_where_it_is_named() -> None:
    kept = world(node("m", content="text"), span("s", "m"))
    revision = got(kept, "m")["m"]

    silent = expand(kept, "m").hits[0].node
    walked = expand(kept, "m", fields=["revision"]).hits[0].node
    way = paths(kept, "m", "m", fields=["revision"]).nodes["m"]
    found = ask(kept, read_pb2.LookupRequest(fields=["revision"]), read_pb2.LookupResponse).nodes[0]

    assert silent.revision == ""
    assert [one.revision for one in (walked, way, found)] == [revision] * 3
    assert found.content == ""


def test_a_page_of_a_text_shows_it_and_a_window_does_not() -> None:
    kept = world(node("m", content="text"), span("s", "m"))
    paging = read_pb2.SliceRequest(id="m", page=read_pb2.TextPageRequest(property="content"))

    page = ask(kept, paging, read_pb2.SliceResponse)
    window = ask(kept, read_pb2.SliceRequest(id="m"), read_pb2.SliceResponse)

    assert page.passages[0].revision == got(kept, "m")["m"]
    assert [row.revision for row in window.passages] == [""]


@pytest.mark.parametrize(
    "options",
    [
        {"filter": "revision:*"},
        {"sort": ["revision"]},
        {"filter": "id:*", "field": "revision", "from_filter": "id:*", "from_field": "id"},
    ],
)
def test_it_cannot_be_searched_by(options: dict[str, Any]) -> None:
    with pytest.raises(Refused):
        ask(world(node("a")), read_pb2.LookupRequest(**options), read_pb2.LookupResponse)


def test_a_property_of_that_name_is_asked_for_by_its_long_one() -> None:
    kept = world(node("a", properties={"revision": text("of the writer")}))
    request = graph_pb2.ExpandRequest(
        seeds=[graph_pb2.SeedGroup(ids=["a"])], fields=["properties.revision"]
    )

    shown = ask(kept, request, graph_pb2.ExpandResponse).hits[0].node

    assert (shown.revision, shown.properties["revision"].string_value) == ("", "of the writer")
