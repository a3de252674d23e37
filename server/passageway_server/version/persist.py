"""A version as named arrays and a plain map beside them, which is what a snapshot stores, and back.

What was derived (adjacency, gates, ranks, spans) is stored too: opening maps files and works out nothing. Array
names are listed in snapshots/README.md.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from numpy.typing import NDArray

from passageway_server.columns.adjacency import Adjacency
from passageway_server.columns.by_row import ByRow
from passageway_server.columns.edge_classes import EdgeClasses
from passageway_server.columns.in_slots import InSlots
from passageway_server.columns.links import Links
from passageway_server.columns.nodes import FILL, Docs, Nodes
from passageway_server.columns.properties import Column
from passageway_server.columns.readers import ReaderSets
from passageway_server.columns.standing import place_in
from passageway_server.columns.strings import Strings
from passageway_server.columns.terms import Terms
from passageway_server.values.collections import FieldDeclaration, Kind
from passageway_server.version import settings as settings_records
from passageway_server.version.contents import Contents
from passageway_server.version.derivatives import adopt, derived_arrays, under, within
from passageway_server.version.earlier import brought_up
from passageway_server.version.fieldset import FieldSet
from passageway_server.version.tokens import stored_line
from passageway_server.version.version import Identity, Version

Arrays = dict[str, NDArray[Any]]

_TERMS = ("types", "statuses", "projects", "edge_types", "keywords")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def to_arrays(version: Version) -> tuple[Arrays, dict[str, object]]:
    """The arrays of *version* by name, and the map that says what else there is."""
    version.prepare()  # first: deriving interns the reader sets that gates name
    out = version.out.merged()
    derived = derived_arrays(version, out)
    return _stored(version.contents, out) | under("derived", derived), _meta(version)


def _stored(contents: Contents, out: Adjacency) -> Arrays:
    """The arrays of what was put, by name; edge documents stand in slots of *out*."""
    nodes, docs = contents.nodes, contents.docs
    arrays: Arrays = {}
    arrays |= under("nodes", {name: array.stored for name, array in nodes.by_row().items()})
    arrays |= under("nodes.ids", nodes.ids.arrays())
    arrays |= under("docs", place_in(docs, out, contents.edge_classes).arrays())
    arrays |= under("docs.ids", docs.ids.arrays())
    for table, properties in (("nodes", nodes.properties), ("docs", docs.properties)):
        for i, column in enumerate(properties.values()):
            arrays |= under(f"{table}.properties.{i}", column.arrays())
    arrays |= under("links", contents.links.arrays())
    for name in _TERMS:
        arrays |= under(name, getattr(contents, name).arrays())
    arrays |= under("edge_classes", contents.edge_classes.arrays())
    arrays |= under("texts", contents.texts.arrays())
    return arrays | under("readers", contents.readers.arrays())


def _meta(version: Version) -> dict[str, object]:
    """What a snapshot holds beside the arrays."""
    contents = version.contents
    created = (version.identity.created_at - _EPOCH) // timedelta(microseconds=1)
    return {
        "line": version.identity.line,
        "number": version.identity.number,
        "created_at": created,
        "settings": settings_records.to_record(contents.settings),
        "inferred": _kinds(contents.fields),
        "inferred_of_edges": _kinds(contents.edge_fields),
        "properties": list(contents.nodes.properties),
        "properties_of_edges": list(contents.docs.properties),
        "next_number": contents.next_number,
    }


def from_arrays(arrays: Mapping[str, NDArray[Any]], meta: Mapping[str, Any]) -> Version:
    """The inverse of `to_arrays`, and what earlier formats stored. Raises ValueError or KeyError where the parts do not fit together."""
    arrays = brought_up(arrays)
    parts = _Parts(arrays)
    settings = settings_records.from_record(meta["settings"])
    declared = {declaration.name: declaration for declaration in settings.fields}
    out = Adjacency.from_arrays(parts.under("derived.out"))
    classes = EdgeClasses.from_arrays(parts.under("edge_classes"))
    in_slots = InSlots.from_arrays(parts.under("docs"), out, classes)
    contents = Contents(
        settings=settings,
        fields=FieldSet(declared, _from_kinds(meta["inferred"])),
        edge_fields=FieldSet(declared, _from_kinds(meta["inferred_of_edges"])),
        nodes=Nodes(
            Terms.from_arrays(parts.under("nodes.ids")),
            parts.columns("nodes", meta["properties"], declared),
            **{name: ByRow.of(arrays[f"nodes.{name}"]) for name in FILL},
        ),
        docs=Docs(
            Terms.from_arrays(parts.under("docs.ids")),
            parts.columns("docs", meta["properties_of_edges"], declared),
            **in_slots.columns(),
        ),
        links=Links.from_arrays(parts.under("links")),
        **{name: Terms.from_arrays(parts.under(name)) for name in _TERMS},
        edge_classes=classes,
        texts=Strings.from_arrays(parts.under("texts")),
        readers=ReaderSets.from_arrays(parts.under("readers")),
        next_number=meta["next_number"],
    )
    created_at = _EPOCH + timedelta(microseconds=meta["created_at"])
    identity = Identity(stored_line(meta["line"]), meta["number"], created_at)
    version = Version(identity, contents)
    version.edge_classes.check(types=len(version.edge_types), sets=len(version.readers))
    adopt(version, parts.under("derived"), out)
    in_slots.check(
        rows=len(version.nodes), types=len(version.edge_types), sets=len(version.readers)
    )
    _check_readers(version)
    return version


def _check_readers(version: Version) -> None:
    """Raise ValueError where a row or a class names a reader set that is not stored, as no edge does.

    The next set to be interned would get its number, and with it what it opens.
    """
    named = (version.nodes.readers.whole, version.gates.readers)
    if any(array.max(initial=0) >= len(version.readers) for array in named):
        raise ValueError("a reader set that is named is not stored")


class _Parts:
    """The stored arrays, by the first part of their names."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self._arrays = arrays

    def under(self, prefix: str) -> Arrays:
        return within(self._arrays, prefix)

    def columns(
        self, table: str, names: Iterable[str], declared: Mapping[str, FieldDeclaration]
    ) -> dict[str, Column]:
        """The fields of *table*. Raises ValueError where vectors are not as they are *declared*."""
        columns: dict[str, Column] = {}
        for i, name in enumerate(names):
            column = columns[name] = Column.from_arrays(self.under(f"{table}.properties.{i}"))
            if column.kind == Kind.VECTOR:
                column.check_vectors(declared[name].dimensions)
        return columns


def _kinds(fields: FieldSet) -> dict[str, int]:
    return {name: int(kind) for name, kind in fields.inferred.items()}


def _from_kinds(kinds: object) -> dict[str, Kind]:
    return {name: Kind(kind) for name, kind in cast(dict[str, int], kinds).items()}
