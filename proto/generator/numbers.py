"""Writes passageway/_generated/numbers.py: for each choice of the contract, the numbers of its words."""

from generator import text
from generator.schema import Schema

_HEADER = '''"""The numbers of the contract's choices, by the words that Python callers write.

Generated from proto/; never edited.
"""

from collections.abc import Mapping
from typing import Literal, TypeVar

from passageway.v1 import {modules}

_Word = TypeVar("_Word")
_Number = TypeVar("_Number", bound=int)


def number(numbers: Mapping[_Word, _Number], word: _Word, parameter: str) -> _Number:
    """The number of *word*; a ValueError names the words there are."""
    found = numbers.get(word)
    if found is None:
        words = ", ".join(str(known) for known in numbers if known is not None)
        raise ValueError(f"{{parameter}}: {{word!r}} is none of {{words}}")
    return found


def word(numbers: Mapping[_Word, _Number], number: int) -> _Word:
    """The word of *number*; that of the first, None, when it is of a later release."""
    found = next((word for word, known in numbers.items() if known == number), None)
    return next(iter(numbers)) if found is None else found
'''


def module(schema: Schema) -> str:
    """The text of the module of enum numbers."""
    modules = sorted({enum.symbol.partition(".")[0] for enum in schema.enums.values()})
    lines = [_HEADER.format(modules=", ".join(modules)).rstrip(), ""]
    for enum in schema.enums.values():
        words = ", ".join(f'"{word}"' for word, _ in enum.values)
        owner = enum.symbol.rpartition(".")[0]
        lines.append(
            f"{text.constant(enum.name)}: dict[Literal[{words}] | None, {enum.symbol}.ValueType] = {{"
        )
        lines.append(f"    None: {owner}.{enum.unspecified},")
        lines += [f'    "{word}": {owner}.{symbol},' for word, symbol in enum.values]
        lines.append("}")
    return "\n".join(lines) + "\n"
