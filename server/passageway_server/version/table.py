"""The rows of nodes, or of edge documents, while a batch is applied: what changes is aside, the rest is the version's."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns import packed
from passageway_server.columns.ascending import united
from passageway_server.columns.by_row import ByRow
from passageway_server.columns.nodes import DOC_FILL, FILL, Docs, Nodes
from passageway_server.columns.properties import Column
from passageway_server.columns.strings import Strings
from passageway_server.columns.terms import Terms
from passageway_server.values.collections import Kind
from passageway_server.values.records import PropertyValue
from passageway_server.version.fieldset import FieldSet
from passageway_server.version.sheet import Fill, Rows, Sheet


class Valued(NamedTuple):
    """Rows that are being put, and the value of each in one field."""

    rows: list[int]
    values: list[PropertyValue]


class Table:
    """Ids, arrays by row and property columns, of which some rows are being changed."""

    def __init__(
        self,
        ids: Terms,
        arrays: Mapping[str, ByRow[Any]],
        properties: Mapping[str, Column],
        *,
        fill: Fill,
        standing: str,
        fields: FieldSet,
    ) -> None:
        self.ids = ids
        self.fields = fields
        self._sheet = Sheet(arrays, fill)
        self._standing = standing  # the array that is 0 where nothing stands
        self._properties = dict(properties)
        self._valued: dict[str, list[Rows]] = {}  # rows that got a value and nothing else, by field

    @classmethod
    def of_nodes(cls, nodes: Nodes, fields: FieldSet) -> "Table":
        return cls(
            nodes.ids,
            nodes.by_row(),
            nodes.properties,
            fill=FILL,
            standing="kind",
            fields=fields,
        )

    @classmethod
    def of_docs(cls, docs: Docs, fields: FieldSet) -> "Table":
        return cls(
            docs.ids,
            docs.by_row(),
            docs.properties,
            fill=DOC_FILL,
            standing="alive",
            fields=fields,
        )

    def as_nodes(self) -> Nodes:
        """The rows as a version holds them."""
        return Nodes(self.ids, self._sized_properties(), **self._sheet.finished())

    def as_docs(self) -> Docs:
        """The edge documents as a version holds them."""
        return Docs(self.ids, self._sized_properties(), **self._sheet.finished())

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def touched(self) -> Rows:
        """The rows whose arrays were written, new ones included, ascending."""
        return self._sheet.touched

    def valued(self, names: Collection[str]) -> list[Rows]:
        """The rows that `put_single` gave a value of a field among *names*."""
        return [rows for name, several in self._valued.items() if name in names for rows in several]

    def read(self, name: str, rows: NDArray[np.integer]) -> NDArray[Any]:
        """What an array holds at *rows*."""
        return self._sheet.read(name, rows)

    def whole(self, name: str) -> NDArray[Any]:
        """An array, all of it: for those who look at every row."""
        return self._sheet.whole(name)

    def stand(self, rows: NDArray[np.integer]) -> NDArray[np.bool_]:
        """At which of *rows* something stands."""
        there: NDArray[np.bool_] = self.read(self._standing, rows) != 0
        return there

    def found(self, ids: Sequence[str]) -> Rows:
        """The row of each id, -1 where there is none."""
        return self.ids.find_all(ids)

    def existing(self, ids: Sequence[str]) -> Rows:
        """The rows of those *ids* at which something stands, each once."""
        rows = united(self.found(ids))
        rows = rows[rows >= 0]
        standing: Rows = rows[self.stand(rows)]
        return standing

    def interned(self, ids: Sequence[str]) -> Rows:
        """The row of each id; those not met before get new rows, at which nothing stands yet."""
        terms, rows = self.ids.interned(ids)
        self._grow(terms)
        return rows

    def interned_packed(self, ids: Strings, hashes: NDArray[np.uint64]) -> Rows:
        """As `interned`, of distinct *ids* with their *hashes*: none becomes a Python object."""
        terms, rows = packed.interned(self.ids, ids, hashes=hashes)
        self._grow(terms)
        return rows

    def placed(self, ids: Sequence[str]) -> Rows:
        """For each of *ids*, which are distinct: the row at which it stands, or a new one where it does not stand."""
        return self._placed(
            self.found(ids), lambda places: self.ids.anew([ids[int(i)] for i in places])
        )

    def placed_packed(self, ids: Strings, hashes: NDArray[np.uint64]) -> Rows:
        """As `placed`, of ids with their *hashes*: none becomes a Python object."""
        return self._placed(
            packed.found(self.ids, ids, hashes=hashes),
            lambda missing: packed.anew(self.ids, ids.chosen(missing), hashes=hashes[missing]),
        )

    def _placed(self, rows: Rows, anew: Callable[[NDArray[np.int64]], tuple[Terms, Rows]]) -> Rows:
        stand = rows >= 0
        stand[stand] = self.stand(rows[stand])
        missing = np.flatnonzero(~stand)
        if len(missing):
            terms, rows[missing] = anew(missing)
            self._grow(terms)
        return rows

    def _grow(self, ids: Terms) -> None:
        added = len(ids) - len(self.ids)
        self.ids = ids
        if added:
            self._sheet.append(added)

    def put(self, name: str, rows: Rows, values: NDArray[Any]) -> None:
        """Write *values* at *rows* of one array."""
        self._sheet.put(name, rows, values)

    def clear(self, rows: Rows) -> None:
        """Take away what stands at *rows*, if anything."""
        rows = rows[self.stand(rows)]
        if not len(rows):
            return
        self._sheet.clear(rows)
        for name, column in self._properties.items():
            self._properties[name] = column.without(rows[rows < len(column)])

    def column(self, name: str) -> Column | None:
        """What the rows hold of a property, None where none ever did."""
        return self._properties.get(name)

    def columns(self) -> list[Column]:
        """What the rows hold, of each property."""
        return list(self._properties.values())

    def put_single(self, name: str, rows: Rows, values: NDArray[np.generic]) -> None:
        """Put one value of a field at each of *rows*, as `Column.put_single` takes them."""
        column = self._sized(name)
        if column is not None:
            self._properties[name] = column.put_single(rows, values)
            self._valued.setdefault(name, []).append(rows)

    def put_properties(
        self, fields: Mapping[str, Valued], *, keywords: Terms, texts: Strings
    ) -> tuple[Terms, Strings]:
        """Put values of *fields* at rows that are being put; what comes back are the terms and texts that they refer to."""
        # One of which but empty lists came may have no kind: it is absent.
        sized = {name: self._sized(name) for name in fields}
        columns = {name: column for name, column in sized.items() if column is not None}
        of_keywords = (fields[name] for name, one in columns.items() if one.kind == Kind.KEYWORD)
        words = list(dict.fromkeys(_strings(value for one in of_keywords for value in one.values)))
        keywords, found = keywords.interned(words)
        numbers = dict(zip(words, found.tolist(), strict=True))
        for name, column in columns.items():
            rows = np.array(fields[name].rows, dtype=np.int32)
            self._properties[name], texts = column.put(
                rows, fields[name].values, keywords=numbers, texts=texts
            )
        return keywords, texts

    def _sized(self, name: str) -> Column | None:
        """What the rows hold of a property, as many as there are; None where its kind is not known."""
        column = self._properties.get(name)
        if column is not None:
            return column.resized(len(self))
        kind = self.fields.kind(name)
        if kind is None:
            return None
        inferred = name not in self.fields.declared and kind != Kind.TIME
        return Column.empty(kind, inferred, len(self))

    def _sized_properties(self) -> dict[str, Column]:
        return {name: column.resized(len(self)) for name, column in self._properties.items()}


def _strings(values: Iterable[PropertyValue]) -> Iterator[str]:
    """The strings of *values*, which hold no others, one by one."""
    for value in values:
        if isinstance(value, list):
            yield from cast(list[str], value)
        else:
            yield cast(str, value)
