"""A batch applied to a version, in the order that a batch acts.

Its records and columns were checked before; nothing here can fail half-way and be kept, since the version it began from is
untouched.
"""

from passageway_server.values.records import Batch
from passageway_server.version.column_drafts import put_edge_columns, put_node_columns
from passageway_server.version.draft import Draft
from passageway_server.version.fieldset import FieldSet
from passageway_server.version.record_drafts import (
    last_of_each,
    placed_first,
    put_edges,
    put_nodes,
    put_passages,
)
from passageway_server.version.version import Version


def drafted(base: Version, batch: Batch, *, fields: FieldSet, edge_fields: FieldSet) -> Draft:
    """What *base* becomes by *batch*; ``fields`` and ``edge_fields`` are the field sets after it."""
    draft = Draft(base, fields, edge_fields)
    if batch.delete_edges:
        draft.clearing.delete_docs(draft.docs.existing(batch.delete_edges))
    if batch.delete_nodes:
        draft.clearing.delete_rows(draft.nodes.existing(batch.delete_nodes))
    if batch.recut_parents:
        draft.clearing.recut(batch.recut_parents, {passage.id for passage in batch.put_passages})
    if batch.put_nodes:
        put_nodes(draft, last_of_each(batch.put_nodes))
    if batch.node_columns is not None:
        put_node_columns(draft, batch.node_columns)
    if batch.put_edges:
        put_edges(draft, placed_first(batch.put_edges))
    if batch.edge_columns is not None:
        put_edge_columns(draft, batch.edge_columns)
    if batch.put_passages:
        put_passages(draft, last_of_each(batch.put_passages))
    return draft
