"""Are columns fit to be put as they are? Where they may not be, their records are looked at one by one, which names the faults.

What passes here passes `check_batch` record by record; the reverse need not hold.
"""

from collections.abc import Iterable

import numpy as np

from passageway_server.columns.kinds import EXPIRES_AT
from passageway_server.errors import Fault, InvalidRequest, LimitExceeded
from passageway_server.values.collections import Kind
from passageway_server.values.columns import (
    Coded,
    EdgeColumns,
    NodeColumns,
    PackedStrings,
    PropertyColumn,
)
from passageway_server.values.records import Batch
from passageway_server.version.check import (
    MAX_ID_BYTES,
    SPAN_LINKS,
    check_batch,
    id_fault,
    reader_fault,
)
from passageway_server.version.fieldset import FieldSet

_MOST_FIELDS, _MOST_LINKS = 1_000, 10_000

_TAKEN = {
    Kind.KEYWORD: (Kind.KEYWORD, Kind.TEXT),
    Kind.INT: (Kind.INT,),
    Kind.FLOAT: (Kind.FLOAT,),
    Kind.BOOL: (Kind.BOOL,),
    Kind.TIME: (Kind.TIME,),
}


def check_columns(
    batch: Batch, fields: FieldSet, edge_fields: FieldSet
) -> tuple[FieldSet, FieldSet]:
    """The sets of fields after the columns of *batch*; raises InvalidRequest with their faults (the first 100)."""
    nodes, edges = batch.node_columns, batch.edge_columns
    if nodes is not None:
        if _nodes_fit(nodes, fields):
            fields = _with_names(fields, nodes.properties)
        else:
            records = Batch(put_nodes=nodes.records())
            fields, _ = _checked(records, fields, edge_fields, "put_nodes", "node_columns")
    if edges is not None:
        if _edges_fit(edges, edge_fields):
            edge_fields = _with_names(edge_fields, edges.properties)
        else:
            records = Batch(put_edges=edges.records())
            _, edge_fields = _checked(records, fields, edge_fields, "put_edges", "edge_columns")
    return fields, edge_fields


def check_room(before: FieldSet, after: FieldSet) -> None:
    """Raise LimitExceeded where a commit brings more fields than a collection has room for.

    Each costs memory for every row: one row with many names would fill it.
    """
    for limit, links in ((_MOST_FIELDS, False), (_MOST_LINKS, True)):
        held = [
            sum((kind == Kind.LINK) is links for kind in fields.inferred.values())
            for fields in (before, after)
        ]
        if held[1] > max(held[0], limit):
            what = "link fields" if links else "properties that are not declared"
            raise LimitExceeded(
                "MAX_FIELDS",
                limit=limit,
                parameter="links" if links else "properties",
                advice=f"a collection has no more names of {what}; put what varies into values",
            )


def _checked(
    records: Batch, fields: FieldSet, edge_fields: FieldSet, puts: str, columns: str
) -> tuple[FieldSet, FieldSet]:
    try:
        return check_batch(records, fields, edge_fields)
    except InvalidRequest as error:
        faults = [Fault(f.field.replace(puts, columns, 1), f.message) for f in error.faults]
        raise InvalidRequest(faults) from None


def _nodes_fit(nodes: NodeColumns, fields: FieldSet) -> bool:
    return (
        _ids_fit(nodes.ids)
        and _readers_fit(nodes.readers)
        and all(_property_fits(column, fields) for column in nodes.properties)
    )


def _edges_fit(edges: EdgeColumns, fields: FieldSet) -> bool:
    weights = edges.weights
    return (
        all(map(_ids_fit, (edges.ids, edges.sources, edges.targets)))
        and bool((np.isnan(weights) | ((weights >= 0) & (weights < np.inf))).all())
        and _readers_fit(edges.readers)
        and all(_property_fits(column, fields) for column in edges.properties)
    )


def _ids_fit(ids: PackedStrings) -> bool:
    lengths = ids.lengths
    inside = lengths.min(initial=1) > 0 and lengths.max(initial=1) <= MAX_ID_BYTES
    return bool(inside) and not (ids.heap == 0).any()


def _readers_fit(readers: Coded[tuple[str, ...]]) -> bool:
    return all(reader_fault(one) is None for several in readers.values for one in several)


def _property_fits(column: PropertyColumn, fields: FieldSet) -> bool:
    name, values = column.name, column.values
    if name == EXPIRES_AT or name in SPAN_LINKS:
        return False
    if column.kind == Kind.FLOAT and not np.isfinite(np.asarray(values)).all():
        return False
    known, declared = fields.kind(name), name in fields.declared
    if known is None:
        return column.kind != Kind.TIME and id_fault(name) is None
    if known == Kind.FLOAT and not declared:
        return column.kind in (Kind.INT, Kind.FLOAT)
    return known in _TAKEN[column.kind]


def _with_names(fields: FieldSet, columns: Iterable[PropertyColumn]) -> FieldSet:
    """*fields* with the names that none of them has."""
    new = {
        column.name: Kind.FLOAT if column.kind == Kind.INT else column.kind
        for column in columns
        if fields.kind(column.name) is None and len(column.records)
    }
    return fields.with_inferred(new)
