"""Tables for people keep their columns, and one JSON document is JSON whatever the numbers are."""

import io
import json
import math
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console

from passageway.cli import output
from passageway.cli.visible import block, cell

COLUMNS = ("id", "name", "empty", "size")
ROWS: list[tuple[output.Cell, ...]] = [
    ("a", "Alpha", None, 3),
    ("漢字", "é\u0301", "", 12_000),
    ("c", "", None, None),
]


def test_columns_stand_one_under_another_whatever_the_width_of_their_characters(
    capsys: pytest.CaptureFixture[str],
) -> None:
    output.table(COLUMNS, ROWS)

    header, *lines = capsys.readouterr().out.splitlines()
    assert header.split() == ["id", "name", "size"]
    assert {cell_len(line) for line in lines[:2]} == {cell_len(header)}
    assert cell_len(lines[1].partition("é")[0]) == header.index("name")


def test_each_cell_is_measured_a_fixed_number_of_times(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    measured: list[str] = []

    def counted(text: str) -> int:
        measured.append(text)
        return len(text)

    monkeypatch.setattr(output, "cell_len", counted)

    output.table(("a", "b"), [("x", number) for number in range(500)])

    assert len(capsys.readouterr().out.splitlines()) == 501
    assert len(measured) == 2 * 2 * 501


def test_a_table_is_drawn_on_a_terminal() -> None:
    screen = io.StringIO()

    output.table(COLUMNS, ROWS, console=Console(file=screen, force_terminal=True, width=80))

    drawn = screen.getvalue()
    assert "─" in drawn
    assert "empty" not in drawn
    assert [cell_len(line) for line in drawn.splitlines() if "Alpha" in line or "漢字" in line] == [
        cell_len(drawn.splitlines()[-2])
    ] * 2


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (math.inf, "Infinity"),
        (-math.inf, "-Infinity"),
        (math.nan, "NaN"),
        ({"hits": [{"score": math.inf, "hop": 1, "ids": ("a",)}]},
         {"hits": [{"score": "Infinity", "hop": 1, "ids": ["a"]}]}),
        ({"score": 0.5, "none": None, "flag": True}, {"score": 0.5, "none": None, "flag": True}),
    ],
)  # fmt: skip
def test_a_document_is_json_though_a_number_is_not(
    value: Any, expected: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    output.document(value)

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is no JSON")

    assert json.loads(capsys.readouterr().out, parse_constant=refuse) == expected


@pytest.mark.parametrize("number", [0x61C, 0x200B, 0x202E, 0x2060, 0xFEFF, 0x1B, 0xE0041])
def test_a_character_that_is_not_seen_is_shown_as_its_number(number: int) -> None:
    shown = f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"

    assert cell(f"a{chr(number)}b") == f"a{shown}b"
    assert block(f"a{chr(number)}\nb") == f"a{shown}\nb"


@pytest.mark.parametrize("text", ["👩\u200d💻", "می\u200cخواهم", "é"])
def test_scripts_and_emoji_keep_their_joiners(text: str) -> None:
    assert cell(text) == block(text) == text


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (44_699, "44699"),
        (7193.386891, "7193.39"),
        (2_003_912.0, "2003912.0"),
        (1e20, "1.00000e+20"),
        (0.1, "0.100000"),
        (True, "true"),
        ("a\nb", "a b"),
        ([1000, 2000], "1000, 2000"),
    ],
)
def test_a_metric_has_six_digits_and_no_commas(value: object, told: str) -> None:
    assert output.measured(value) == told


def test_counts_have_commas_and_numbers_that_rows_hold_are_as_they_were_put(
    capsys: pytest.CaptureFixture[str],
) -> None:
    output.table(
        ("id", "year", "share", "edges"),
        [("a", output.Stored(2021), output.Stored(48.13715421), 2021), ("b", None, None, 3)],
    )

    assert capsys.readouterr().out.splitlines() == [
        "id  year        share  edges",
        "a   2021  48.13715421  2,021",
        "b                          3",
    ]
