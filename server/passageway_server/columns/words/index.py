"""The words of all rows, field by field: where do postings of a word lie, and how long is the text of a row?

Of each field there is a large part, and a few smaller ones that commits added, each at most half as large as the one before, so
that a word is looked for in few places and a commit costs what it changed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.growing import Growing
from passageway_server.columns.terms import Terms
from passageway_server.columns.words.analysis import MADE_BY, Analysis
from passageway_server.columns.words.gathering import Gathering
from passageway_server.columns.words.part import Part

Rows = NDArray[np.int32]

_MOST_JOINED: Final = (
    1 << 16
)  # postings of parts that a commit makes one: larger ones wait for a merge


class Field(NamedTuple):
    """A field of texts: how it is named, and the language of its words."""

    name: str
    language: str


class Texts(NamedTuple):
    """What some rows, which ascend, hold in one field."""

    rows: Rows
    texts: Sequence[str]


@dataclass(frozen=True, slots=True)
class Words:
    """``lengths[field]`` is by row: how many words its text has, 0 where there is none."""

    fields: tuple[Field, ...]
    terms: Terms  # the words, by number
    lengths: tuple[Growing[np.int32], ...]
    parts: tuple[tuple[Part, ...], ...]  # by field, the oldest and largest first

    @classmethod
    def none(cls, fields: Sequence[Field], rows: int) -> "Words":
        """*fields* of which none of *rows* rows has a text."""
        nothing = tuple(Growing(np.zeros(rows, dtype=np.int32)) for _ in fields)
        return cls(tuple(fields), Terms.of(), nothing, ((),) * len(fields))

    def over(self, fields: Sequence[Field]) -> "Words":
        """These words, and of those among *fields* that are not theirs none so far."""
        missing = [field for field in fields if field not in self.fields]
        if not missing:
            return self
        more = Words.none(missing, len(self.lengths[0]))
        return replace(
            self,
            fields=self.fields + more.fields,
            lengths=self.lengths + more.lengths,
            parts=self.parts + more.parts,
        )

    @property
    def nbytes(self) -> int:
        """Bytes of its arrays, but for the words themselves."""
        parts = sum(part.nbytes for part in chain.from_iterable(self.parts))
        return parts + sum(lengths.array.nbytes for lengths in self.lengths)

    @property
    def delta_size(self) -> int:
        """How many postings stand beside the first part of each field."""
        return sum(len(part) for parts in self.parts for part in parts[1:])

    def is_whole(self, fields: Sequence[Field]) -> bool:
        """Whether it is as `merged` makes it."""
        if self.fields != tuple(fields) or any(
            len(parts) > 1 or not all(p.is_whole for p in parts) for parts in self.parts
        ):
            return False
        return len(self._held()) == len(self.terms)

    def changed(self, rows: int, gone: Rows, texts: Mapping[int, Texts]) -> "Words":
        """These words over *rows* rows, without those of *gone*, which ascend, and with *texts* by field.

        Rows that get texts are among those gone, or new.
        """
        lengths = [_resized(one, rows) for one in self.lengths]
        had = [gone[one.array[gone] > 0] for one in lengths]
        parts = [
            tuple(part.without(those) for part in several)
            for several, those in zip(self.parts, had, strict=True)
        ]
        lengths = [
            _written(one, those, np.zeros(len(those), dtype=np.int32))
            for one, those in zip(lengths, had, strict=True)
        ]
        terms = self.terms
        for language in dict.fromkeys(self.fields[field].language for field in texts):
            with Analysis.lent(language) as analysis:
                gathering = Gathering(analysis, terms)
                for field, (at, held) in texts.items():
                    if self.fields[field].language != language:
                        continue
                    found = gathering.found(at, held)
                    lengths[field] = _written(lengths[field], at, found.lengths)
                    if len(found.part):
                        parts[field] = _with(parts[field], found.part)
                terms = gathering.terms
        return replace(self, terms=terms, lengths=tuple(lengths), parts=tuple(parts))

    def merged(self, fields: Sequence[Field]) -> "Words":
        """The same, whose fields are *fields*, in this order, in one part each, without words that no row has.

        The same object where it is that.
        """
        if self.is_whole(fields):
            return self
        places = [self.fields.index(field) for field in fields]
        joined = (Part.joined(self.parts[at]) if self.parts[at] else None for at in places)
        whole = Words(
            tuple(fields),
            self.terms,
            tuple(self.lengths[at] for at in places),
            tuple((part,) if part else () for part in joined),
        )
        held = whole._held()
        numbers = np.zeros(len(self.terms), dtype=np.int32)
        numbers[held] = np.arange(len(held), dtype=np.int32)
        return replace(
            whole,
            terms=self.terms.chosen(held),
            parts=tuple(tuple(p.renamed(numbers) for p in parts) for parts in whole.parts),
        )

    def _held(self) -> NDArray[np.int64]:
        """The numbers of the words that some part has, ascending."""
        held = np.zeros(len(self.terms), dtype=np.bool_)
        for part in chain.from_iterable(self.parts):
            held[part.words] = True
        return np.flatnonzero(held)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What a snapshot stores, of one that is whole, by name; `from_arrays` is told the fields."""
        arrays: dict[str, NDArray[Any]] = {
            f"terms.{name}": array for name, array in self.terms.arrays().items()
        }
        arrays["made_by"] = np.frombuffer(MADE_BY, dtype=np.uint8)
        for field, (lengths, parts) in enumerate(zip(self.lengths, self.parts, strict=True)):
            arrays[f"{field}.lengths"] = lengths.array
            for part in parts:
                arrays |= {f"{field}.{name}": array for name, array in part.arrays().items()}
        return arrays

    @classmethod
    def from_arrays(
        cls, fields: Sequence[Field], arrays: Mapping[str, NDArray[Any]], *, rows: int
    ) -> "Words | None":
        """The inverse of `arrays`; None where other rules made them. Raises ValueError or KeyError where they do not fit together."""
        if arrays["made_by"].tobytes() != MADE_BY:
            return None
        terms = Terms.from_arrays(_under("terms", arrays))
        lengths: list[Growing[np.int32]] = []
        parts: list[tuple[Part, ...]] = []
        for field in range(len(fields)):
            stored = _under(str(field), arrays)
            lengths.append(Growing(stored.pop("lengths")))
            if len(lengths[-1]) != rows or lengths[-1].array.min(initial=0) < 0:
                raise ValueError("lengths of texts of other rows")
            part = [Part(**stored).check(words=len(terms), rows=rows)] if stored else []
            parts.append(tuple(part))
        return cls(tuple(fields), terms, tuple(lengths), tuple(parts))


def _with(parts: tuple[Part, ...], added: Part) -> tuple[Part, ...]:
    """*parts* and *added*, which is joined with those before it that are hardly larger."""
    first = len(parts)
    size = len(added)
    while (
        first and len(parts[first - 1]) <= 2 * size and size + len(parts[first - 1]) <= _MOST_JOINED
    ):
        first -= 1
        size += len(parts[first])
    joined = Part.joined([*parts[first:], added]) if first < len(parts) else added
    return (*parts[:first], joined)


def _resized(lengths: Growing[np.int32], rows: int) -> Growing[np.int32]:
    return lengths.extended(np.zeros(rows - len(lengths), dtype=np.int32))


def _written(
    lengths: Growing[np.int32], rows: Rows, values: NDArray[np.int32]
) -> Growing[np.int32]:
    return lengths.rewritten(rows, values) if len(rows) else lengths


def _under(prefix: str, arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    start = len(prefix) + 1
    return {name[start:]: array for name, array in arrays.items() if name.startswith(f"{prefix}.")}
