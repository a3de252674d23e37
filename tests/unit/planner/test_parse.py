"""What the filter language takes, and how it says what it does not take."""

import pytest

from passageway_server.planner.limits import FILTER_DEPTH, FILTER_TERMS
from passageway_server.planner.parse import parse
from passageway_server.planner.syntax import (
    AffixCall,
    Chain,
    Choice,
    Comparison,
    Literal,
    LookupCall,
    Negation,
    Presence,
    Tree,
    Unreadable,
    Var,
    shown,
)


def form(tree: Tree) -> object:
    """The tree without its places."""
    match tree:
        case Chain(operator, parts):
            return (operator, *map(form, parts))
        case Negation(part):
            return ("NOT", form(part))
        case Presence(field):
            return ("*", field.text)
        case Comparison(field, sign, value):
            return (sign, field.text, operand(value))
        case Choice(field, sign, values):
            return (sign, field.text, [operand(value) for value in values])
        case AffixCall(function, field, value):
            return (function, field.text, operand(value))
        case LookupCall(field, over, inner, from_field, most):
            return ("lookup", field.text, over, form(inner), from_field.text, most)


def operand(value: Literal | Var) -> object:
    return f"${value.name}" if isinstance(value, Var) else value.value


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ('type = "service"', ("=", "type", "service")),
        ("a=1 AND b<-2.5 AND c!=x", ("AND", ("=", "a", 1), ("<", "b", -2.5), ("!=", "c", "x"))),
        ("NOT a = 1 OR b = 2", ("OR", ("NOT", ("=", "a", 1)), ("=", "b", 2))),
        (
            "(a=1 AND b=2) OR c=3",
            ("OR", ("AND", ("=", "a", 1), ("=", "b", 2)), ("=", "c", 3)),
        ),
        ("type:(service OR team)", (":", "type", ["service", "team"])),
        ("type IN (service, $more)", ("IN", "type", ["service", "$more"])),
        ("type IN $types", ("IN", "type", ["$types"])),
        ("tag:$tag", (":", "tag", "$tag")),
        ("done:*", ("*", "done")),
        ('"my field" >= "a \\"b\\" \\\\"', (">=", "my field", 'a "b" \\')),
        ("version = 1.2.3", ("=", "version", "1.2.3")),
        ("since >= 2025-06-01", (">=", "since", "2025-06-01")),
        ("n = 1e+5", ("=", "n", 1e5)),
        ("n = 9223372036854775808", ("=", "n", 2**63)),
        ("flag = true", ("=", "flag", True)),
        ('flag = "true"', ("=", "flag", "true")),
        ("ANDROID = NOTE", ("=", "ANDROID", "NOTE")),
        ("größe > 3", (">", "größe", 3)),
        ("contains = 3", ("=", "contains", 3)),
        ('contains(name, "x y")', ("contains", "name", "x y")),
        (
            "lookup(id, from=(id = $seed), from_field=related, max_values=5)",
            ("lookup", "id", "nodes", ("=", "id", "$seed"), "related", 5),
        ),
        (
            'lookup(id, from_edges=(a = 1), from_field="b c")',
            ("lookup", "id", "edges", ("=", "a", 1), "b c", None),
        ),
    ],
)
def test_a_filter_is_read_into_its_tree(text: str, tree: object) -> None:
    assert form(parse(text)) == tree


@pytest.mark.parametrize(
    ("text", "at", "message"),
    [
        ("a = 1 AND b = 2 OR c = 3", 16, "parentheses"),
        ("a = 1 AND (b = 2 OR c = 3 AND d = 4)", 26, "parentheses"),
        ("a = 1 and b = 2", 6, "upper case"),
        ("a = ", 3, "ends early"),
        ("a", 1, "ends early"),
        ("(a = 1", 6, "ends early"),
        ("a = 1)", 5, "unexpected ')'"),
        ("a:(b AND c)", 5, "expected ')' or OR"),
        ('a = "x', 4, "quote"),
        (r'a = "x\n"', 6, "stands only before"),
        ("a = -b", 4, "double quotes"),
        ("-1 = 2", 0, "double quotes"),
        ("a = x/y", 5, "double quotes"),
        ("a IN b", 5, "IN takes"),
        ("a = 1e999", 4, "double"),
        ("near(a, b)", 0, "no function"),
        ("contains(a)", 0, "takes a field and a text"),
        ("lookup(id, from=(a = 1))", 0, "is written"),
        ("lookup(id, from=a, from_field=b)", 0, "is written"),
        ("lookup(id, from=(a = 1), from_field=b, limit=1)", 39, "takes no 'limit'"),
        ("lookup(id, from=(a = 1), from_field=b, max_values=x)", 0, "whole number"),
        ("lookup(id, from<(a = 1), from_field=b)", 15, "expected '='"),
        ("a = 1 AND\n  b ? 2", 14, "no part of a word"),
    ],
)
def test_a_fault_of_form_is_shown_where_it_is(text: str, at: int, message: str) -> None:
    with pytest.raises(Unreadable) as unreadable:
        parse(text)

    assert message in unreadable.value.message
    assert unreadable.value.at == at


def test_a_fault_comes_with_line_column_and_caret() -> None:
    assert shown("a = 1 AND\n  b ? 2", 14, "wrong") == "line 2, column 5: wrong\n    b ? 2\n      ^"


def test_only_a_part_of_a_long_line_is_shown() -> None:
    message = shown("x" * 5000, 2500, "wrong")

    assert message.startswith("line 1, column 2501: wrong")
    assert max(map(len, message.split("\n"))) < 200


@pytest.mark.parametrize("opening", ["(", "NOT ", "lookup(id, from=("])
def test_depth_is_bounded(opening: str) -> None:
    closing = {"(": ")", "NOT ": "", "lookup(id, from=(": "), from_field=b)"}[opening]
    parse(opening * FILTER_DEPTH + "a = 1" + closing * FILTER_DEPTH)

    with pytest.raises(Unreadable, match="deep"):
        parse(opening * (FILTER_DEPTH + 1) + "a = 1" + closing * (FILTER_DEPTH + 1))


@pytest.mark.parametrize("text", ["(" * 60_000, "NOT " * 16_000, ")" * 60_000])
def test_hostile_nesting_is_refused(text: str) -> None:
    with pytest.raises(Unreadable):
        parse(text)


def test_terms_and_bytes_are_bounded() -> None:
    parse(" OR ".join(["a = 1"] * FILTER_TERMS))

    with pytest.raises(Unreadable, match="terms"):
        parse(" OR ".join(["a = 1"] * (FILTER_TERMS + 1)))
    with pytest.raises(Unreadable, match="bytes"):
        parse('a = "' + "\u00e9" * 33_000 + '"')
