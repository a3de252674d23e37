"""The fields that a caller may name: built in, declared and not hidden from it, or held by a row that it may read.

An edge's field counts where a visible edge holds it. Each name is judged when it is asked for, by a few
verdicts on those who hold it.
"""

import difflib
from collections.abc import Iterator, Mapping
from itertools import islice

from passageway_server.columns.gates import Gate
from passageway_server.engine.holders import (
    Classes,
    Holders,
    edge_holders,
    link_holders,
    node_holders,
)
from passageway_server.engine.predicate import KnownField, Source
from passageway_server.values.collections import Kind
from passageway_server.version.fieldset import FieldSet
from passageway_server.version.version import Version

NODE_BUILT_INS: Mapping[str, Kind] = dict.fromkeys(
    ("id", "type", "name", "content", "project", "status"), Kind.KEYWORD
)
"""What a filter over nodes may name of the row itself."""

EDGE_BUILT_INS: Mapping[str, Kind] = {
    **dict.fromkeys(("id", "type", "source", "target"), Kind.KEYWORD),
    "weight": Kind.FLOAT,
}
"""What a filter over edges may name of the edge itself."""

PREFIX = "properties."
"""Before a property's name, where a built-in may hide it."""

_NEVER_NAMED = "readers"
_NEAR, _LONG = 5, 64  # how often near names are looked for, and up to which length
_ALIKE = 0.6  # as `difflib` counts
_AT_ONCE = 256  # names compared between two looks at the halt


class KnownFields(Mapping[str, KnownField]):
    """The fields of one set that one caller may name, by name.

    A plain name is the built-in if there is one, else the property or link field; ``properties.x``
    is always the property x. Each field is judged when it is asked for.
    """

    def __init__(self, version: Version, gate: Gate, *, over: str) -> None:
        edges = over == "edges"
        self._version, self._gate, self._edges = version, gate, edges
        self._built_ins = EDGE_BUILT_INS if edges else NODE_BUILT_INS
        self._fields: FieldSet = version.edge_fields if edges else version.fields
        self._found: dict[str, KnownField | None] = {}
        self._near_left = _NEAR

    def __getitem__(self, name: str) -> KnownField:
        if name in self._found:
            found = self._found[name]
        else:
            found = self._found[name] = self._find(name)
        if found is None:
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[str]:
        yield from self._built_ins
        for name in sorted({*self._fields.declared, *self._fields.inferred}):
            plain = self._named(name)
            if plain in self:
                yield plain

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def near(self, name: str) -> list[str]:
        """Up to three known names like *name*, the most alike first.

        None past the first few times, nor for a long name: to compare takes its time, and a request
        may have a thousand names that nobody knows.
        """
        if not self._near_left or len(name) > _LONG:
            return []
        self._near_left -= 1
        names = [
            *self._built_ins,
            *map(self._named, {**self._fields.declared, **self._fields.inferred}),
        ]
        if len(names) > _AT_ONCE:
            names = [one for some in self._in_parts(names) for one in _alike(name, some)]
        return list(islice((one for one in _alike(name, names) if one in self), 3))

    def _in_parts(self, names: list[str]) -> Iterator[list[str]]:
        for start in range(0, len(names), _AT_ONCE):
            self._gate.halt.spent()
            yield names[start : start + _AT_ONCE]

    def _named(self, name: str) -> str:
        hidden = name in self._built_ins or name == _NEVER_NAMED or name.startswith(PREFIX)
        return PREFIX + name if hidden else name

    def _find(self, name: str) -> KnownField | None:
        if name in self._built_ins:
            return KnownField(name, Source.BUILT_IN, self._built_ins[name])
        if name == _NEVER_NAMED:
            return None
        field = name.removeprefix(PREFIX)
        kind = None if field in self._gate.hidden else self._fields.kind(field)
        if kind is None or (kind == Kind.LINK and field != name):
            return None
        if field in self._fields.declared:
            return KnownField(field, Source.PROPERTY, kind, declared=True)
        holders = self._holders(field, kind)
        if not self._any_open(holders.classes):
            return None
        if kind == Kind.LINK:
            return KnownField(field, Source.LINK, kind)
        if kind == Kind.FLOAT and not self._any_open(holders.floats):
            kind = Kind.INT
        return KnownField(field, Source.PROPERTY, kind)

    def _holders(self, name: str, kind: Kind) -> Holders:
        if kind == Kind.LINK:
            return link_holders(self._version, name)
        return (edge_holders if self._edges else node_holders)(self._version, name)

    def _any_open(self, classes: tuple[Classes, ...]) -> bool:
        if not classes:
            return False
        *sets, last = classes
        verdict = self._gate.verdict
        if not self._edges:
            open_ = verdict[last] == 1
            for others in sets:
                open_ &= verdict[others] == 1
            return bool(open_.any())
        readers, source = sets
        held = self._gate.holds[readers] == 1
        return bool((held & (verdict[source] == 1) & (verdict[last] == 1)).any())


def _alike(name: str, names: list[str]) -> list[str]:
    """Those of *names* that are like *name*, the most alike first."""
    return difflib.get_close_matches(name, names, n=max(len(names), 1), cutoff=_ALIKE)


def known_node_fields(version: Version, gate: Gate) -> KnownFields:
    """The fields of nodes and spans that the holder of *gate*, a read gate, may name."""
    return KnownFields(version, gate, over="nodes")


def known_edge_fields(version: Version, gate: Gate) -> KnownFields:
    """The fields of edges that the holder of *gate*, a read gate, may name."""
    return KnownFields(version, gate, over="edges")
