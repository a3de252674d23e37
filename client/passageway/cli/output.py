"""What commands print: tables and texts for people, or one JSON document for machines.

On a terminal tables are drawn; elsewhere they are plain aligned columns, neither wrapped nor cut.
"""

import json
import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from passageway.cli.visible import block, cell

_MILLION, _LARGEST = 1e6, 1e15


@dataclass(frozen=True, slots=True)
class Stored:
    """A number that a row holds, which a table shows as it was put: of ``2021`` nobody knows whether it counts anything."""

    number: int | float


Cell = str | int | float | Stored | None


def say(text: str = "") -> None:
    """A line, or lines, on stdout."""
    print(block(text))


def note(text: str) -> None:
    """A line on stderr, beside the answer."""
    print(block(text), file=sys.stderr)


def document(value: Any) -> None:
    """*value* as the one JSON document of the command; infinities as the contract's JSON spells them."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(value), ensure_ascii=False, allow_nan=False)
    print(text)


def count(shown: int, total: int, what: str) -> None:
    """How many of how many a table shows; *what* is one of them."""
    say(f"{shown:,} of {counted(total, what)}")


def counted(number: int, what: str, several: str = "") -> str:
    """A number of things, of which one is *what*, and more are *several*, or else end with an s."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {several or f'{what}s'}"


def unresolved(ids: Sequence[str]) -> None:
    """The ids that are no row for this caller, told on stderr."""
    if ids:
        note(f"not found: {', '.join(map(cell, ids))}")


def measured(value: object) -> str:
    """A metric: six digits of a float, a whole number as it is, for it may be a year."""
    return _text(value) if isinstance(value, float) else plain(value)


def plain(value: object) -> str:
    """A JSON value as people read it."""
    if isinstance(value, str):
        return cell(value)
    if isinstance(value, list):
        return ", ".join(map(plain, cast(list[object], value)))
    return cell(json.dumps(value, ensure_ascii=False))


def pairs(members: Iterable[tuple[str, str]]) -> None:
    """A line for each name and its value, values aligned."""
    named = [(cell(name), value) for name, value in members]
    width = max((cell_len(name) for name, _ in named), default=0)
    for name, value in named:
        say(f"{_padded(name, width)}  {value}")


def table(
    columns: Sequence[str],
    rows: Iterable[Sequence[Cell]],
    *,
    empty: str = "",
    console: Console | None = None,
) -> None:
    """A table; columns of numbers are aligned at their right, empty columns are left out.

    Without rows it is the line *empty*, or nothing. It is drawn on *console*, or on stdout where that is a terminal.
    """
    values = [tuple(row) for row in rows]
    if not values:
        if empty:
            say(empty)
        return
    cells = [tuple(map(_text, row)) for row in values]
    numeric = [_numeric(row[at] for row in values) for at in range(len(columns))]
    kept = [at for at in range(len(columns)) if any(row[at] for row in cells)]
    if console is None and sys.stdout.isatty():
        console = Console()
    if console is None:
        _align(columns, cells, kept, numeric)
    else:
        _draw(columns, cells, kept, numeric, console)


def _draw(
    columns: Sequence[str],
    cells: list[tuple[str, ...]],
    kept: list[int],
    numeric: list[bool],
    console: Console,
) -> None:
    drawn = Table(box=SIMPLE_HEAD, pad_edge=False)
    for at in kept:
        drawn.add_column(Text(columns[at]), justify="right" if numeric[at] else "left")
    for row in cells:
        drawn.add_row(*(Text(row[at]) for at in kept))
    console.print(drawn)


def _align(
    columns: Sequence[str], cells: list[tuple[str, ...]], kept: list[int], numeric: list[bool]
) -> None:
    lines = [tuple(columns), *cells]
    widths = {at: max(cell_len(line[at]) for line in lines) for at in kept}
    for line in lines:
        parts = [_padded(line[at], widths[at], right=numeric[at]) for at in kept]
        print("  ".join(parts).rstrip())


def _padded(text: str, width: int, *, right: bool = False) -> str:
    """*text* over *width* cells of a terminal, of which a character of Chinese takes two."""
    space = " " * (width - cell_len(text))
    return space + text if right else text + space


def _text(value: Cell) -> str:
    if value is None:
        return ""
    if isinstance(value, Stored):
        return plain(value.number)
    if isinstance(value, float):
        # Six digits; a large number has all before its point, for 2.00391e+06 is hard to read.
        return f"{value:.1f}" if _MILLION <= abs(value) < _LARGEST else f"{value:#.6g}"
    return f"{value:,}" if isinstance(value, int) else cell(value)


def _numeric(column: Iterable[Cell]) -> bool:
    return all(value is None or isinstance(value, int | float | Stored) for value in column)


def _finite(value: Any) -> Any:
    """*value* with words for the numbers that JSON does not have."""
    if isinstance(value, dict):
        return {name: _finite(held) for name, held in cast(dict[str, Any], value).items()}
    if isinstance(value, list | tuple):
        return [_finite(held) for held in cast(Sequence[Any], value)]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value
