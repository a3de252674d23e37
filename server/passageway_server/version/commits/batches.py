"""A batch as columns of a record, and back. The same batch is the same record, whatever the order of its maps."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from itertools import chain
from typing import Protocol, cast

import numpy as np

from passageway_server.values.records import (
    Batch,
    EdgeRecord,
    NodeRecord,
    PassageRecord,
    Properties,
)
from passageway_server.version.commits.columns import (
    pack_edge_columns,
    pack_node_columns,
    unpack_edge_columns,
    unpack_node_columns,
)
from passageway_server.version.commits.packing import (
    Malformed,
    fields,
    grouped,
    member,
    pack_array,
    pack_counts,
    pack_flags,
    pack_strings,
    pack_terms,
    pack_tuples,
    parts,
    unpack_array,
    unpack_counts,
    unpack_flags,
    unpack_ids,
    unpack_strings,
    unpack_terms,
    unpack_tuples,
)
from passageway_server.version.commits.properties import pack_properties, unpack_properties

_IDS = ("delete_edges", "delete_nodes", "recut_parents")

_Links = dict[str, tuple[str, ...]]


class _Record(Protocol):
    @property
    def id(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def readers(self) -> tuple[str, ...]: ...
    @property
    def properties(self) -> Properties: ...


def pack_batch(batch: Batch) -> dict[str, object]:
    """The record of *batch*, which has passed its check; what is empty is left out."""
    record: dict[str, object] = {
        name: pack_strings(getattr(batch, name)) for name in _IDS if getattr(batch, name)
    }
    if batch.put_nodes:
        record["nodes"] = _pack_nodes(batch.put_nodes)
    if batch.node_columns is not None:
        record["node_columns"] = pack_node_columns(batch.node_columns)
    if batch.put_edges:
        record["edges"] = _pack_edges(batch.put_edges)
    if batch.edge_columns is not None:
        record["edge_columns"] = pack_edge_columns(batch.edge_columns)
    if batch.put_passages:
        record["passages"] = _pack_passages(batch.put_passages)
    return record


def unpack_batch(value: object) -> Batch:
    """The inverse of `pack_batch`. Raises Malformed."""
    record = fields(value)
    deleted = {name: tuple(unpack_ids(record[name])) for name in _IDS if name in record}
    return Batch(
        deleted.get("delete_edges", ()),
        deleted.get("delete_nodes", ()),
        deleted.get("recut_parents", ()),
        put_nodes=_unpack_nodes(fields(record["nodes"])) if "nodes" in record else (),
        node_columns=unpack_node_columns(record["node_columns"])
        if "node_columns" in record
        else None,
        put_edges=_unpack_edges(fields(record["edges"])) if "edges" in record else (),
        edge_columns=unpack_edge_columns(record["edge_columns"])
        if "edge_columns" in record
        else None,
        put_passages=_unpack_passages(fields(record["passages"])) if "passages" in record else (),
    )


def digest(packed: object) -> bytes:
    """SHA-256 of a packed batch: 32 bytes, the same in every release that can be asked for its keys.

    A map is its values after their keys, and a list its parts; a string or bytes is its length in 8 bytes and itself.
    """
    found = sha256()

    def feed(value: object) -> None:
        value = value.to_bytes(8, "little") if isinstance(value, int) else value
        if isinstance(value, str | bytes):
            encoded = value.encode() if isinstance(value, str) else value
            found.update(len(encoded).to_bytes(8, "little"))
            found.update(encoded)
            return
        inside = cast("dict[str, object] | list[object]", value)
        for part in chain.from_iterable(inside.items()) if isinstance(inside, dict) else inside:
            feed(part)

    feed(packed)
    return found.digest()


def _of_any(records: Sequence[_Record]) -> dict[str, object]:
    """What nodes, edges and spans have in common."""
    return {
        "id": pack_strings([record.id for record in records]),
        "type": pack_terms([record.type for record in records]),
        "readers": pack_tuples([record.readers for record in records]),
        "properties": pack_properties([record.properties for record in records]),
    }


def _pack_nodes(records: Sequence[NodeRecord]) -> dict[str, object]:
    return {
        **_of_any(records),
        "name": pack_strings([record.name for record in records]),
        "content": pack_strings([record.content for record in records]),
        "project": pack_terms([record.project for record in records]),
        "status": pack_terms([record.status for record in records]),
        "links": _pack_links([record.links for record in records]),
        "covered": pack_flags(record.covered for record in records),
    }


def _unpack_nodes(record: Mapping[str, object]) -> tuple[NodeRecord, ...]:
    ids = unpack_ids(member(record, "id"))
    count = len(ids)
    return tuple(
        map(
            NodeRecord,
            ids,
            unpack_terms(member(record, "type"), count),
            unpack_strings(member(record, "name"), count),
            unpack_strings(member(record, "content"), count),
            unpack_terms(member(record, "project"), count),
            unpack_tuples(member(record, "readers"), count),
            unpack_terms(member(record, "status"), count),
            unpack_properties(member(record, "properties"), count),
            _unpack_links(fields(member(record, "links")), count),
            unpack_flags(member(record, "covered"), count),
        )
    )


def _pack_edges(records: Sequence[EdgeRecord]) -> dict[str, object]:
    weights = [np.nan if record.weight is None else record.weight for record in records]
    return {
        **_of_any(records),
        "source": pack_strings([record.source for record in records]),
        "target": pack_strings([record.target for record in records]),
        "weight": pack_array(np.array(weights, dtype=np.float64), "<f8"),
    }


def _unpack_edges(record: Mapping[str, object]) -> tuple[EdgeRecord, ...]:
    ids = unpack_ids(member(record, "id"))
    count = len(ids)
    weights = unpack_array(member(record, "weight"), "<f8", count)
    if not ((weights >= 0) & np.isfinite(weights) | np.isnan(weights)).all():
        raise Malformed("a weight that is none")
    return tuple(
        map(
            EdgeRecord,
            ids,
            unpack_ids(member(record, "source"), count),
            unpack_ids(member(record, "target"), count),
            unpack_terms(member(record, "type"), count),
            [None if weight != weight else weight for weight in weights.tolist()],  # NaN is absent
            unpack_properties(member(record, "properties"), count),
            unpack_tuples(member(record, "readers"), count),
        )
    )


def _pack_passages(records: Sequence[PassageRecord]) -> dict[str, object]:
    totals = [-1 if record.total is None else record.total for record in records]
    return {
        **_of_any(records),
        "parent": pack_strings([record.parent_id for record in records]),
        "index": pack_array(np.array([record.index for record in records], np.int64), "<i8"),
        "name": pack_strings([record.name for record in records]),
        "content": pack_strings([record.content for record in records]),
        "breadcrumb": pack_strings([record.breadcrumb for record in records]),
        "mentions": _pack_groups([record.mentions for record in records]),
        "total": pack_array(np.array(totals, dtype=np.int64), "<i8"),
    }


def _unpack_passages(record: Mapping[str, object]) -> tuple[PassageRecord, ...]:
    ids = unpack_ids(member(record, "id"))
    count = len(ids)
    totals = unpack_array(member(record, "total"), "<i8", count).tolist()
    return tuple(
        map(
            PassageRecord,
            ids,
            unpack_ids(member(record, "parent"), count),
            unpack_array(member(record, "index"), "<i8", count).tolist(),
            unpack_strings(member(record, "name"), count),
            unpack_strings(member(record, "content"), count),
            unpack_strings(member(record, "breadcrumb"), count),
            _unpack_groups(member(record, "mentions"), count),
            unpack_properties(member(record, "properties"), count),
            unpack_terms(member(record, "type"), count),
            unpack_tuples(member(record, "readers"), count),
            [None if total < 0 else total for total in totals],
        )
    )


def _pack_groups(groups: Sequence[tuple[str, ...]]) -> list[object]:
    """Tuples of ids, and how many each has."""
    return [
        pack_strings([id for group in groups for id in group]),
        pack_counts(map(len, groups)),
    ]


def _unpack_groups(value: object, count: int | None = None) -> list[tuple[str, ...]]:
    ids, sizes = parts(value, 2)
    return grouped(unpack_ids(ids), unpack_counts(sizes, count))


def _pack_links(rows: Sequence[_Links]) -> dict[str, object]:
    """Links by row, fields sorted by name."""
    listed = [sorted(links.items()) for links in rows]
    return {
        "fields": pack_counts(map(len, listed)),
        "names": pack_terms([name for links in listed for name, _ in links]),
        "targets": _pack_groups([targets for links in listed for _, targets in links]),
    }


def _unpack_links(record: Mapping[str, object], count: int) -> list[_Links]:
    held = unpack_counts(member(record, "fields"), count)
    targets = _unpack_groups(member(record, "targets"))
    if held.max(initial=0) > len(targets) or int(held.sum()) != len(targets):
        raise Malformed("another number of links than their rows have")
    names = unpack_terms(member(record, "names"), len(targets))
    rows: list[_Links] = []
    start = 0
    for many in held.tolist():
        end = start + many
        rows.append(dict(zip(names[start:end], targets[start:end], strict=True)))
        start = end
    return rows
