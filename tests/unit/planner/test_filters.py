"""Binding a filter: who may name what, which kinds meet, and what is said where they do not."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from passageway_server.authz.callers import Caller
from passageway_server.engine.predicate import Over
from passageway_server.errors import InvalidRequest
from passageway_server.planner import lookups
from passageway_server.planner.binding import Binding
from passageway_server.planner.expand import plan_expand
from passageway_server.values.collections import CollectionSettings, FieldDeclaration, Kind
from passageway_server.values.queries import Bounds, Vars
from passageway_server.values.records import Batch, EdgeRecord, NodeRecord, PassageRecord
from passageway_server.values.requests import ExpandRequest, SeedGroup
from passageway_server.version.version import Version
from tests.unit.engine.bound import EVERYBODY, all_gates, compiled, ids_of, version_of

EVE = Caller.holding(["user:eve"])
SETTINGS = CollectionSettings(
    "c",
    fields=(
        FieldDeclaration("title", Kind.TEXT),
        FieldDeclaration("since", Kind.TIME),
        FieldDeclaration("count", Kind.INT),
    ),
    default_readers=("public",),
)
SECRET = ("user:eve",)


@pytest.fixture(scope="module")
def version() -> Version:
    return version_of(
        Batch(
            put_nodes=(
                NodeRecord(
                    "a",
                    type="t",
                    properties={"section": "games", "type": "shadow", "size": 3, "done": True},
                    links={"owns": ("b",), "hides": ("s",), "readers": ("b",)},
                ),
                NodeRecord("b", properties={"size": 4}),
                NodeRecord("s", readers=SECRET, properties={"sections": "x", "size": 0.5}),
            ),
            put_edges=(
                EdgeRecord("e", "a", "b", "T", properties={"why": "x"}),
                EdgeRecord("f", "a", "b", "T", properties={"who": "x"}, readers=SECRET),
                EdgeRecord("g", "a", "s", "T", properties={"when": "x"}),
                EdgeRecord("h", "a", "nowhere", "T", properties={"dangling": "x"}),
            ),
            put_passages=(PassageRecord("p", "b", mentions=("a",)),),
        ),
        SETTINGS,
    )


def faults_of(
    version: Version,
    text: str,
    caller: Caller = EVERYBODY,
    over: Over = "nodes",
    vars: Vars | None = None,
) -> list[str]:
    try:
        compiled(text, version, caller, over=over, vars=vars)
    except InvalidRequest as invalid:
        return [fault.message for fault in invalid.faults]
    return []


@pytest.mark.parametrize(
    ("name", "over", "everybody", "eve"),
    [
        ("section", "nodes", True, True),
        ("sections", "nodes", False, True),
        ("owns", "nodes", True, True),
        ("hides", "nodes", False, True),
        ("PART_OF", "nodes", True, True),
        ("title", "nodes", True, True),
        ("title", "edges", True, True),
        ("properties.type", "nodes", True, True),
        ("properties.owns", "nodes", False, False),
        ("readers", "nodes", False, False),
        ("covered", "nodes", False, False),
        ("why", "nodes", False, False),
        ("why", "edges", True, True),
        ("who", "edges", False, True),
        ("when", "edges", False, True),
        ("dangling", "edges", False, False),
        ("source", "edges", True, True),
        ("source", "nodes", False, False),
        ("name", "edges", False, False),
    ],
)
def test_a_field_is_known_to_those_who_may_read_a_row_that_holds_it(
    version: Version, name: str, over: Over, *, everybody: bool, eve: bool
) -> None:
    for caller, known in ((EVERYBODY, everybody), (EVE, eve)):
        assert (faults_of(version, f"{name}:*", caller, over) == []) == known


def test_a_hidden_name_is_never_among_the_near_ones(version: Version) -> None:
    (message,) = faults_of(version, "sectionss = x")

    assert "near names: section" in message
    assert "sections" not in message.replace("sectionss", "")


def test_near_names_are_looked_for_a_few_times_alone(
    version: Version, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[str] = []

    def no_matches(name: str, *_: object, **__: object) -> list[str]:
        looks.append(name)
        return []

    monkeypatch.setattr("difflib.get_close_matches", no_matches)
    binding = binding_of(version)
    binding.node_fields(["x" * 10_000, *(f"sectiom{i}" for i in range(50))])

    assert looks == [f"sectiom{i}" for i in range(5)]
    assert len(binding.faults) == 51


def test_the_nearest_names_come_first_and_three_at_most(version: Version) -> None:
    (message,) = faults_of(version, "sectio = 1 ")

    assert message.split("\n")[0].endswith("no field 'sectio'; near names: section")
    put = NodeRecord("a", properties=dict.fromkeys(("tag1", "tag2", "tags", "tagged", "x"), 1))
    (message,) = faults_of(version_of(Batch(put_nodes=(put,)), SETTINGS), "tag = 1")
    assert message.split("\n")[0].endswith("near names: tags, tag2, tag1")


def test_a_hidden_name_fails_as_it_does_where_nothing_holds_it() -> None:
    seen = NodeRecord("a", properties={"section": "games"})
    hidden = NodeRecord(
        "s", readers=SECRET, properties={"sections": "x"}, links={"sectors": ("a",)}
    )
    whole = version_of(Batch(put_nodes=(seen, hidden)), SETTINGS)
    alone = version_of(Batch(put_nodes=(seen,)), SETTINGS)

    for text in ("sections = x", "sectors:*", "lookup(sections, from=(sectors:*), from_field=id)"):
        assert faults_of(whole, text) == faults_of(alone, text) != []


def test_a_built_in_hides_a_property_of_its_name(version: Version) -> None:
    assert ids_of(version, "type = t") == ["a"]
    assert ids_of(version, "properties.type = shadow") == ["a"]
    assert ids_of(version, "type = shadow") == []


def test_a_number_field_is_int_to_those_who_read_no_double(version: Version) -> None:
    join = "lookup(size, from=(id = a), from_field=count)"

    assert faults_of(version, join) == []
    assert "float (size)" in faults_of(version, join, EVE)[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("section = 5", "section is a keyword, found an int; put it in double quotes"),
        ("section = true", "section is a keyword, found a bool; put it in double quotes"),
        ('size = "5"', "size is a number, found a string"),
        ("size = true", "size is a number, found a bool"),
        ("count = x", "count is an int, found a string"),
        ("done = 1", "done is a bool, found an int"),
        ("since = 5", "since is a time, found an int"),
        ("since > noon", "since is a time: not an RFC 3339"),
        ('since > "2025-06-01T00:00:00"', "since is a time: a time needs a zone"),
        ("owns = 5", "owns is a link, found an int"),
        ("contains(size, x)", "contains tests strings, found int"),
        ("contains(section, 5)", "contains tests strings, found an int"),
        ("lookup(size, from=(id = a), from_field=section)", "found int (size) with keyword"),
        ("lookup(done, from=(id = a), from_field=done)", "found bool (done) with bool"),
        ("lookup(id, from=(id = a), from_field=owns, max_values=0)", "max_values is 0"),
        ("lookup(id, from=(bogus = a), from_field=owns)", "no field 'bogus'"),
        ("section = $gone", "no $gone in vars"),
        ("section = $list", "$list is a list"),
        ("section IN $time", "section is a keyword, found a time"),
    ],
)
def test_what_does_not_meet_is_a_fault_that_names_both(
    version: Version, text: str, message: str
) -> None:
    vars: Vars = {"list": ["a"], "time": datetime(2025, 6, 1, tzinfo=UTC)}

    (fault,) = faults_of(version, text, vars=vars)

    assert message in fault
    assert fault.startswith("line 1, column ")


def test_all_faults_of_a_filter_are_found_at_once(version: Version) -> None:
    assert (
        len(
            faults_of(
                version, "bogus = 1 AND (size = x OR NOT lookup(id, from=(no:*), from_field=nor))"
            )
        )
        == 4
    )


@pytest.mark.parametrize(
    ("text", "at", "said"),
    [
        ('name:"..."', 6, "no word to look for"),
        ('content:(a OR "")', 15, "no word to look for"),
        ("title:$none", 7, "no word to look for"),
        ("title:$long", 7, "more than 65536 bytes"),
        ("title:$many", 7, "513 different words; at most 512"),
        ("title:5", 7, "put it in double quotes"),
        ("title:$number", 7, "found an int"),
        ("title:(a OR $unknown)", 13, "no $unknown in vars"),
    ],
)
def test_a_text_without_words_to_look_for_is_a_fault_at_its_place(
    version: Version, text: str, at: int, said: str
) -> None:
    vars: Vars = {
        "none": ["word", "\N{THUMBS UP SIGN}"],
        "long": "x" * 65_537,
        "many": " ".join(map(str, range(513))),
        "number": 5,
    }

    (message,) = faults_of(version, text, vars=vars)

    assert message.startswith(f"line 1, column {at}: ")
    assert said in message


def test_too_many_distinct_values_are_an_error_not_a_cut() -> None:
    put = tuple(NodeRecord(f"n{i}", properties={"tag": f"t{i // 2}"}) for i in range(200))
    version = version_of(Batch(put_nodes=put))
    join = "lookup(tag, from=(id:*), from_field=tag, max_values=%d)"

    assert len(ids_of(version, join % 100)) == 200
    assert "more than 99 distinct values" in faults_of(version, join % 99)[0]


def binding_of(version: Version, vars: Vars | None = None) -> Binding:
    gate = all_gates(version).read
    return Binding(version, gate, bounds=Bounds.REJECT, vars=vars or {})


def test_a_request_with_another_fault_looks_nothing_up(
    version: Version, monkeypatch: pytest.MonkeyPatch
) -> None:

    def look_up(*_: object, **__: object) -> None:
        pytest.fail("looked up")

    monkeypatch.setattr(lookups, "joined_values", look_up)
    join = "lookup(section, from=(id:*), from_field=section)"
    plain = ExpandRequest("c", seeds=(SeedGroup(("a",)),), return_filter=join)
    faulty = {
        "limit": replace(plain, limit=-5),
        "seeds[0].weight": replace(plain, seeds=(SeedGroup(("a",), weight=-1.0),)),
        "filter": replace(plain, filter="bogus = 1"),
        "fields[0]": replace(plain, fields=("bogus",)),
    }

    for path, request in faulty.items():
        with pytest.raises(InvalidRequest) as refused:
            plan_expand(request, version, all_gates(version).read)
        assert [fault.field for fault in refused.value.faults] == [path]


def test_lookups_with_too_many_values_are_named_together_and_without_those_around_them() -> None:
    put = tuple(NodeRecord(f"n{i}", properties={"tag": f"t{i}"}) for i in range(9))
    version = version_of(Batch(put_nodes=put))
    few = "lookup(tag, from=(id:*), from_field=tag, max_values=3)"
    around = f"lookup(tag, from=({few}), from_field=tag, max_values=1)"

    found = faults_of(version, f"({around}) OR {few} OR id = n1")

    assert [fault.split(":")[0] for fault in found] == ["line 1, column 20", "line 1, column 111"]


def test_vars_that_are_no_finite_numbers_are_faults(version: Version) -> None:
    vars: Vars = {"a": float("nan"), "b": [1.0, float("inf")], "c": 1.0, "d": "x"}

    with pytest.raises(InvalidRequest) as refused:
        binding_of(version, vars).check()

    assert [fault.field for fault in refused.value.faults] == ["vars.a", "vars.b"]


def test_fields_to_show_are_sorted_into_what_they_are(version: Version) -> None:
    binding = binding_of(version)
    shown = binding.node_fields(
        ["name", "span", "owns", "section", "properties.type", "section", "covered"]
    )
    binding.check()

    assert not shown.everything
    assert shown.builtins == {"name", "span", "covered"}
    assert shown.properties == ("section", "type")
    assert shown.links == ("owns",)


def test_unknown_fields_to_show_are_faults_with_their_places(version: Version) -> None:
    binding = binding_of(version)
    binding.node_fields(["name", "readers", "sections", "revisions"])
    binding.edge_fields(["weight", "who", "revision"])
    with pytest.raises(InvalidRequest) as refused:
        binding.check()

    found = [fault.field for fault in refused.value.faults]
    assert found == ["fields[1]", "fields[2]", "fields[3]", "edge_fields[1]", "edge_fields[2]"]


def test_a_revision_is_shown_where_it_is_named_and_is_no_field_of_filters(version: Version) -> None:
    binding = binding_of(version)

    assert binding.node_fields(["name", "revision"]).revision
    assert not binding.node_fields(["name"]).revision
    assert not binding.node_fields(()).revision
    assert faults_of(version, "revision = x")


def test_no_fields_named_is_everything(version: Version) -> None:
    assert binding_of(version).node_fields(()).everything
