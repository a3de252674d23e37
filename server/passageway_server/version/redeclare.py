"""Other declarations for fields that rows hold already.

A field may be declared, dropped or changed as long as every value that is held keeps its meaning, and is opened to nobody
in passing; what does not fit is named, and nothing changes.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.kinds import EXPIRES_AT, kind_name
from passageway_server.columns.properties import Column
from passageway_server.errors import Fault, InvalidRequest
from passageway_server.values.collections import CollectionSettings, FieldDeclaration, Kind
from passageway_server.version import derive
from passageway_server.version.contents import Contents
from passageway_server.version.fieldset import FieldSet

_INFERABLE = frozenset({Kind.KEYWORD, Kind.INT, Kind.FLOAT, Kind.BOOL})


def redeclare(contents: Contents, changed: CollectionSettings) -> Contents:
    """*contents* under *changed* settings. Raises InvalidRequest where values that are held forbid it.

    The kinds of inferred fields that no row holds any more are forgotten.
    """
    if changed.fields == contents.settings.fields:
        return replace(contents, settings=changed)
    _check_readers(contents, changed)
    nodes = _redeclared(contents.nodes.properties, changed.fields, rows="nodes")
    docs = _redeclared(contents.docs.properties, changed.fields, rows="edges")
    links = _link_fields(contents)
    taken = sorted(links & {declaration.name for declaration in changed.fields})
    if taken:
        message = f"{taken[0]!r} is a link field, it cannot be declared"
        raise InvalidRequest([Fault("collection.fields", message)])
    declared = {declaration.name: declaration for declaration in changed.fields}
    kinds = {name: column.kind for name, column in nodes.items() if name not in declared}
    edge_kinds = {name: column.kind for name, column in docs.items() if name not in declared}
    return replace(
        contents,
        settings=changed,
        fields=FieldSet(declared, kinds | dict.fromkeys(links, Kind.LINK)),
        edge_fields=FieldSet(declared, edge_kinds),
        nodes=replace(contents.nodes, properties=nodes),
        docs=replace(contents.docs, properties=docs),
    )


def _check_readers(contents: Contents, changed: CollectionSettings) -> None:
    """Raise InvalidRequest where values of a field with readers would be everybody's, though nobody said so.

    Its declaration goes, or comes back as another kind without them. Other readers of one that stays are what was asked for.
    """
    declared = {declaration.name: declaration for declaration in changed.fields}
    faults: list[Fault] = []
    for before in contents.settings.fields:
        after = declared.get(before.name)
        said = after is not None and (after.readers or after.kind == before.kind)
        held = _held(contents, before.name)
        if before.readers and held and not said:
            fate = "dropped" if after is None else "made another kind without its readers"
            message = (
                f"{before.name!r} has readers and cannot be {fate}: {held} hold it, and everybody"
                " who reads them would; put them without it first, or keep the declaration with readers"
            )
            faults.append(Fault("collection.fields", message))
    if faults:
        raise InvalidRequest(faults)


def _held(contents: Contents, name: str) -> str:
    """How many rows hold values of a field, such as "2 nodes and 1 edges"; "" where none does."""
    tables = (("nodes", contents.nodes.properties), ("edges", contents.docs.properties))
    counts = [(properties[name].held, rows) for rows, properties in tables if name in properties]
    return " and ".join(f"{count} {rows}" for count, rows in counts if count)


def _link_fields(contents: Contents) -> set[str]:
    """The link fields that rows hold."""
    links = contents.links
    source = links.source.array
    live = derive.live_links(contents.nodes, np.arange(len(source)), source)
    return set(contents.edge_types.take(np.unique(links.field.array[live])))


def _redeclared(
    columns: Mapping[str, Column], declarations: Iterable[FieldDeclaration], *, rows: str
) -> dict[str, Column]:
    """*columns* under other declarations; values that the new kind would not hold are a fault.

    A declaration that goes leaves its values under the kind that would have been inferred. Columns that no
    row holds are dropped, and so is their kind. *rows* says in a fault what they are columns of.
    """
    declared = {declaration.name: declaration for declaration in declarations}
    faults: list[Fault] = []
    kept: dict[str, Column] = {}
    for name, column in columns.items():
        entries = column.at.whole[column.at.whole >= 0]
        if not len(entries):
            continue
        declaration = declared.get(name)
        kind = _kind_under(name, column, declaration, entries)
        if kind is None:
            wanted = "inferred" if declaration is None else _declared_kind(declaration)
            faults.append(
                Fault(
                    "collection.fields",
                    f"{name!r} cannot become {wanted}: {len(entries)} {rows} hold it as"
                    f" {_held_kind(column)}; put them without it first",
                )
            )
        else:
            inferred = declaration is None and name != EXPIRES_AT
            kept[name] = column.declared_as(kind, inferred=inferred)
    if faults:
        raise InvalidRequest(faults)
    return kept


def _declared_kind(declaration: FieldDeclaration) -> str:
    if declaration.kind == Kind.VECTOR:
        return f"a vector of {declaration.dimensions} numbers"
    return kind_name(declaration.kind)


def _held_kind(column: Column) -> str:
    if column.kind == Kind.VECTOR:
        return f"vectors of {column.dimensions} numbers"
    return kind_name(column.kind, inferred=column.inferred)


def _kind_under(
    name: str, column: Column, declaration: FieldDeclaration | None, entries: NDArray[np.int32]
) -> Kind | None:
    """The kind that a held column has under *declaration*, None where its values do not allow it."""
    number = column.kind in (Kind.INT, Kind.FLOAT)
    if declaration is None:
        if name == EXPIRES_AT:
            return Kind.TIME
        return (Kind.FLOAT if number else column.kind) if column.kind in _INFERABLE else None
    if column.dimensions not in (None, declaration.dimensions):
        return None
    if not declaration.repeated and column.many[entries].any():
        return None
    if number and declaration.kind in (Kind.INT, Kind.FLOAT):
        first, last = column.bounds[entries], column.bounds[entries + 1]
        before = np.concatenate([[0], np.cumsum(column.floats, dtype=np.int64)])
        doubles, values = int((before[last] - before[first]).sum()), int((last - first).sum())
        fits = doubles == (0 if declaration.kind == Kind.INT else values)
        return declaration.kind if fits else None
    return declaration.kind if declaration.kind == column.kind else None
