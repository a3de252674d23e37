"""A version as the records that would make it again, in stored order.

Links, mentions and parents that dangle are in it, and weights and readers stand as they were put.
"""

from collections.abc import Iterator, Mapping
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.nodes import NODE, SPAN
from passageway_server.columns.properties import Column
from passageway_server.columns.readers import ANYONE
from passageway_server.values.records import (
    Batch,
    EdgeRecord,
    NodeRecord,
    PassageRecord,
    Properties,
    Vector,
)
from passageway_server.version.version import Version

_MAX_RECORDS = 5000
_MAX_CHARACTERS = 4 << 20  # of a batch, roughly: a message of it stays far under its limit

Rows = NDArray[np.int64]
_Record = TypeVar("_Record", NodeRecord, EdgeRecord, PassageRecord)


def export(version: Version) -> Iterator[Batch]:
    """Batches of nodes, then of passages, then of edges, 5,000 records each at most."""
    for rows in _chunks(_of_kind(version, NODE)):
        for some in _sized(_nodes(version, rows)):
            yield Batch(put_nodes=tuple(some))
    for rows in _chunks(_of_kind(version, SPAN)):
        for spans in _sized(_passages(version, rows)):
            yield Batch(put_passages=tuple(spans))
    for rows in _chunks(np.flatnonzero(version.docs.alive.whole)):
        for several in _sized(_edges(version, rows)):
            yield Batch(put_edges=tuple(several))


def _of_kind(version: Version, kind: int) -> Rows:
    """The rows at which a node, or a span, stands, in the order in which they were put."""
    rows = np.flatnonzero(version.nodes.kind.whole == kind)
    return rows[np.argsort(version.nodes.number[rows], kind="stable")]


def _chunks(rows: Rows) -> Iterator[Rows]:
    for start in range(0, len(rows), _MAX_RECORDS):
        yield rows[start : start + _MAX_RECORDS]


def _sized(records: Iterator[_Record]) -> Iterator[list[_Record]]:
    """The records in groups of bounded text."""
    group: list[_Record] = []
    characters = 0
    for record in records:
        size = _characters(record)
        if group and characters + size > _MAX_CHARACTERS:
            yield group
            group, characters = [], 0
        group.append(record)
        characters += size
    if group:
        yield group


def _characters(record: NodeRecord | EdgeRecord | PassageRecord) -> int:
    size = 0 if isinstance(record, EdgeRecord) else len(record.content)
    for value in record.properties.values():
        if isinstance(value, str):
            size += len(value)
        elif isinstance(value, Vector):
            size += len(value.packed)
        elif isinstance(value, list):
            size += sum(len(one) if isinstance(one, str) else 8 for one in value)
    return size


def _nodes(version: Version, rows: Rows) -> Iterator[NodeRecord]:
    nodes = version.nodes
    columns = zip(
        nodes.ids.take(rows),
        version.types.take(nodes.type[rows]),
        version.texts.take(nodes.name[rows]),
        version.texts.take(nodes.content[rows]),
        version.projects.take(nodes.project[rows]),
        nodes.readers[rows].tolist(),
        version.statuses.take(nodes.status[rows]),
        _properties(version, nodes.properties, rows),
        (_links(version, row) for row in rows.tolist()),
        nodes.covered[rows].tolist(),
        strict=True,
    )
    for id_, type_, name, content, project, readers, status, properties, links, covered in columns:
        yield NodeRecord(
            id=id_,
            type=type_,
            name=name,
            content=content,
            project=project,
            readers=version.readers.readers(readers) if readers >= 0 else (),
            status=status,
            properties=properties,
            links={field: tuple(ids) for field, ids in links.items()},
            covered=covered,
        )


def _edges(version: Version, rows: Rows) -> Iterator[EdgeRecord]:
    docs = version.docs
    columns = zip(
        docs.ids.take(rows),
        version.nodes.ids.take(docs.source[rows]),
        version.nodes.ids.take(docs.target[rows]),
        version.edge_types.take(docs.type[rows]),
        docs.weight[rows].tolist(),
        _properties(version, docs.properties, rows),
        docs.readers[rows].tolist(),
        strict=True,
    )
    for id_, source, target, type_, weight, properties, readers in columns:
        yield EdgeRecord(
            id=id_,
            source=source,
            target=target,
            type=type_,
            weight=None if np.isnan(weight) else weight,
            properties=properties,
            readers=version.readers.readers(readers) if readers != ANYONE else (),
        )


def _passages(version: Version, rows: Rows) -> Iterator[PassageRecord]:
    nodes = version.nodes
    columns = zip(
        rows.tolist(),
        nodes.ids.take(rows),
        nodes.ids.take(nodes.parent[rows]),
        version.types.take(nodes.type[rows]),
        version.texts.take(nodes.name[rows]),
        version.texts.take(nodes.content[rows]),
        version.texts.take(nodes.breadcrumb[rows]),
        _properties(version, nodes.properties, rows),
        nodes.index[rows].tolist(),
        nodes.readers[rows].tolist(),
        nodes.total[rows].tolist(),
        strict=True,
    )
    for row, id_, parent, type_, name, content, breadcrumb, properties, *numbers in columns:
        index, readers, total = numbers
        yield PassageRecord(
            id=id_,
            parent_id=parent,
            index=index,
            name=name,
            content=content,
            breadcrumb=breadcrumb,
            mentions=tuple(_links(version, row).get("MENTIONS", ())),
            properties=properties,
            type="" if type_ == "passage" else type_,
            readers=version.readers.readers(readers) if readers >= 0 else (),
            total=total if total >= 0 else None,
        )


def _links(version: Version, row: int) -> Mapping[str, list[str]]:
    """The links of *row* by field, dangling ones too."""
    first = int(version.nodes.first_link[row])
    last = first + int(version.nodes.link_count[row])
    links: dict[str, list[str]] = {}
    if first == last:
        return links
    fields = version.edge_types.take(version.links.field.array[first:last])
    targets = version.nodes.ids.take(version.links.target.array[first:last])
    for field, target in zip(fields, targets, strict=True):
        links.setdefault(field, []).append(target)
    return links


def _properties(version: Version, columns: Mapping[str, Column], rows: Rows) -> list[Properties]:
    """The properties of each row, fields sorted by name."""
    properties: list[Properties] = [{} for _ in rows]
    for name, column in sorted(columns.items()):
        values = column.take(rows, keywords=version.keywords, texts=version.texts)
        for held, value in zip(properties, values, strict=True):
            if value is not None:
                held[name] = value
    return properties
