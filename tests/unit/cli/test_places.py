"""The column of a value in a line is that of its first character."""

import pytest

from passageway.cli.places import column

LINE = '  {"id": "é", "properties": {"a.b": [1, {"c": 2}], "[x]": 3}, "links": {"l": ["u", "v"]}, "w": 4}'


@pytest.mark.parametrize(
    ("path", "begins"),
    [
        ("", '{"id"'),
        ("id", '"é"'),
        ("w", "4}"),
        ("properties", '{"a.b"'),
        ('properties["a.b"]', "[1,"),
        ('properties["a.b"][1].c', "2}]"),
        ('properties["[x]"]', "3}"),
        ("links.l[1]", '"v"'),
        ("links[l][0]", '"u"'),
        ("links.l[7]", '["u"'),
        ("links.unknown", '{"l"'),
        ("unknown", '{"id"'),
    ],
)
def test_a_path_leads_to_its_value_as_deep_as_it_goes(path: str, begins: str) -> None:
    assert LINE[column(LINE, path) - 1 :].startswith(begins)


@pytest.mark.parametrize(
    ("path", "begins"),
    [
        ("w", '"w"'),
        ('properties["a.b"]', '"a.b"'),
        ('properties["a.b"][1].c', '"c"'),
        ("links.l[1]", '"v"'),
    ],
)
def test_a_path_leads_to_its_key_too(path: str, begins: str) -> None:
    assert LINE[column(LINE, path, of_key=True) - 1 :].startswith(begins)


def test_a_line_that_is_no_json_has_the_column_where_it_begins() -> None:
    assert column(" nothing", "id") == 2
    assert column("", "id") == 1
    assert column('{"id"', "id") == 1
