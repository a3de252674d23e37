"""The rows of nodes, or of edge documents, while a batch is applied.

An array is copied when it is first written, so that the version it came from stays as it is.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns import packed
from passageway_server.columns.nodes import DOC_FILL, FILL, Docs, Nodes
from passageway_server.columns.properties import Column
from passageway_server.columns.strings import Strings
from passageway_server.columns.terms import Terms
from passageway_server.values.collections import Kind
from passageway_server.values.records import PropertyValue
from passageway_server.version.fieldset import FieldSet

Rows = NDArray[np.int32]


class Table:
    """Ids, arrays by row and property columns, copied on write."""

    def __init__(
        self,
        ids: Terms,
        arrays: Mapping[str, NDArray[Any]],
        properties: Mapping[str, Column],
        *,
        fill: Mapping[str, tuple[type[np.generic], float]],
        fields: FieldSet,
    ) -> None:
        self.ids = ids
        self.fields = fields
        self._arrays = dict(arrays)
        self._properties = dict(properties)
        self._fill = fill
        self._own: set[str] = set()  # arrays that no version holds

    @classmethod
    def of_nodes(cls, nodes: Nodes, fields: FieldSet) -> "Table":
        return cls(nodes.ids, nodes.by_row(), nodes.properties, fill=FILL, fields=fields)

    @classmethod
    def of_docs(cls, docs: Docs, fields: FieldSet) -> "Table":
        return cls(docs.ids, docs.by_row(), docs.properties, fill=DOC_FILL, fields=fields)

    def as_nodes(self) -> Nodes:
        """The rows as a version holds them."""
        return Nodes(self.ids, self._sized_properties(), **self._frozen())

    def as_docs(self) -> Docs:
        """The edge documents as a version holds them."""
        return Docs(self.ids, self._sized_properties(), **self._frozen())

    def __len__(self) -> int:
        return len(self.ids)

    def array(self, name: str) -> NDArray[Any]:
        """An array by row, for reading."""
        return self._arrays[name]

    def found(self, ids: Sequence[str]) -> Rows:
        """The row of each id, -1 where there is none."""
        return self.ids.find_all(ids)

    def existing(self, ids: Sequence[str]) -> Rows:
        """The rows of those *ids* at which something stands, each once."""
        rows = np.unique(self.found(ids))
        rows = rows[rows >= 0]
        standing: Rows = rows[self._standing()[rows] != 0]
        return standing

    def interned(self, ids: Sequence[str]) -> Rows:
        """The row of each id; those not met before get new rows, at which nothing stands yet."""
        terms, rows = self.ids.interned(ids)
        self._grow(terms)
        return rows

    def interned_packed(self, ids: Strings, hashes: NDArray[np.uint64]) -> Rows:
        """As `interned`, of distinct *ids* with their *hashes*: no id becomes a Python object."""
        terms, rows = packed.interned(self.ids, ids, hashes=hashes)
        self._grow(terms)
        return rows

    def _grow(self, ids: Terms) -> None:
        added = len(ids) - len(self.ids)
        self.ids = ids
        if added:
            for name, (dtype, fill) in self._fill.items():
                new = np.full(added, fill, dtype=dtype)
                self._arrays[name] = np.concatenate([self._arrays[name], new])
                self._own.add(name)

    def put(self, name: str, rows: Rows, values: NDArray[Any]) -> None:
        """Write *values* at *rows* of one array."""
        self._writable(name)[rows] = values

    def clear(self, rows: Rows) -> None:
        """Take away what stands at *rows*, if anything."""
        rows = rows[self._standing()[rows] != 0]
        if not len(rows):
            return
        for name, (_, fill) in self._fill.items():
            self._writable(name)[rows] = fill
        for name, column in self._properties.items():
            held = rows[rows < len(column)]
            if (column.at[held] >= 0).any():
                self._properties[name] = column.without(held)

    def column(self, name: str) -> Column | None:
        """What the rows hold of a property, None where none ever did."""
        return self._properties.get(name)

    def columns(self) -> list[Column]:
        """What the rows hold, of each property."""
        return list(self._properties.values())

    def put_single(self, name: str, rows: Rows, values: NDArray[np.generic]) -> None:
        """Put one value of a field at each of *rows*, as `Column.put_single` takes them."""
        column = self._properties.get(name)
        if column is None:
            column = self._empty(name)
        if column is not None:
            self._properties[name] = column.resized(len(self)).put_single(rows, values)

    def put_property(
        self,
        name: str,
        rows: Sequence[int],
        values: Sequence[PropertyValue],
        *,
        keywords: Terms,
        texts: Strings,
    ) -> tuple[Terms, Strings]:
        """Put values of one field; what comes back are the terms and texts that it now refers to."""
        column = self._properties.get(name)
        if column is None:
            column = self._empty(name)
        if column is None:  # only empty lists came: absent
            return keywords, texts
        column, keywords, texts = column.resized(len(self)).put(
            np.array(rows, dtype=np.int32), values, keywords=keywords, texts=texts
        )
        self._properties[name] = column
        return keywords, texts

    def _empty(self, name: str) -> Column | None:
        """A column of a field that no row holds, None where its kind is not known."""
        kind = self.fields.kind(name)
        if kind is None:
            return None
        inferred = name not in self.fields.declared and kind != Kind.TIME
        return Column.empty(kind, inferred, len(self))

    def _standing(self) -> NDArray[Any]:
        return self._arrays["kind" if "kind" in self._arrays else "alive"]

    def _writable(self, name: str) -> NDArray[Any]:
        if name not in self._own:
            self._arrays[name] = self._arrays[name].copy()
            self._own.add(name)
        return self._arrays[name]

    def _frozen(self) -> dict[str, NDArray[Any]]:
        for array in self._arrays.values():
            array.flags.writeable = False
        return self._arrays

    def _sized_properties(self) -> dict[str, Column]:
        return {name: column.resized(len(self)) for name, column in self._properties.items()}
