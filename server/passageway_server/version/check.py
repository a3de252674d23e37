"""Is a batch fit to be put? Every fault of it at once, each with its place, such as ``batch.put_nodes[17].weight``.

What the records mean for the graph is not looked at: edges may come before their ends.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from passageway_server.columns.kinds import EXPIRES_AT, classify, kind_fault
from passageway_server.columns.readers import parts
from passageway_server.errors import Fault, InvalidRequest
from passageway_server.values.collections import Kind
from passageway_server.values.records import Batch, Properties, Vector
from passageway_server.version.fieldset import FieldSet

MAX_ID_BYTES = 1024
MAX_PRINCIPAL_BYTES = 256
SPAN_LINKS = ("PART_OF", "MENTIONS")
MOST_FAULTS = 100
"""So many faults of a call are told."""


@dataclass(slots=True)
class _Fields:
    """Kinds of one set of fields while a batch is looked at."""

    known: FieldSet
    new: dict[str, Kind] = field(default_factory=dict[str, Kind])
    fine: set[tuple[str, type]] = field(default_factory=set[tuple[str, type]])

    def kind(self, name: str) -> Kind | None:
        return self.known.kind(name) or self.new.get(name)


@dataclass(slots=True)
class _Check:
    nodes: _Fields
    edges: _Fields
    faults: list[Fault] = field(default_factory=list[Fault])
    readers: set[tuple[str, ...]] = field(default_factory=set[tuple[str, ...]])

    def add(self, place: str, message: str) -> None:
        self.faults.append(Fault(place, message))
        if len(self.faults) >= MOST_FAULTS:
            raise InvalidRequest(self.faults)


def check_batch(batch: Batch, fields: FieldSet, edge_fields: FieldSet) -> tuple[FieldSet, FieldSet]:
    """The sets of fields after *batch*; raises InvalidRequest with its faults (the first 100)."""
    check = _Check(_Fields(fields), _Fields(edge_fields))
    for name in ("delete_nodes", "delete_edges", "recut_parents"):
        _check_ids(check, getattr(batch, name), f"batch.{name}")
    _check_nodes(check, batch)
    _check_edges(check, batch)
    _check_passages(check, batch)
    if check.faults:
        raise InvalidRequest(check.faults)
    return fields.with_inferred(check.nodes.new), edge_fields.with_inferred(check.edges.new)


def id_fault(identifier: str) -> str | None:
    """Why *identifier* cannot be an id, or None."""
    if not identifier:
        return "an id is not empty"
    if "\0" in identifier:
        return "an id holds no NUL"
    try:
        length = len(identifier.encode())
    except UnicodeEncodeError:
        return "an id holds no lone surrogate"
    if length > MAX_ID_BYTES:
        return f"an id has at most {MAX_ID_BYTES} UTF-8 bytes, found {length}"
    return None


def reader_fault(reader: str) -> str | None:
    """Why *reader* cannot stand among readers, or None."""
    if reader != reader.strip():
        return "a principal has no white space at its ends"
    for principal in parts(reader):
        if not principal:
            return "a principal is not empty"
        if len(principal.encode()) > MAX_PRINCIPAL_BYTES:
            return f"a principal has at most {MAX_PRINCIPAL_BYTES} UTF-8 bytes"
    return None


def _check_nodes(check: _Check, batch: Batch) -> None:
    for i, node in enumerate(batch.put_nodes):
        if not _plain(node.id):
            _check_id(check, node.id, f"batch.put_nodes[{i}].id")
        if node.readers and node.readers not in check.readers:
            _check_readers(check, node.readers, f"batch.put_nodes[{i}].readers")
        if node.links:
            _check_links(check, node.links, f"batch.put_nodes[{i}].links")
        if node.properties:
            _check_properties(
                check, check.nodes, node.properties, f"batch.put_nodes[{i}].properties"
            )


def _check_edges(check: _Check, batch: Batch) -> None:
    for i, edge in enumerate(batch.put_edges):
        if not (_plain(edge.id) and _plain(edge.source) and _plain(edge.target)):
            for name in ("id", "source", "target"):
                _check_id(check, getattr(edge, name), f"batch.put_edges[{i}].{name}")
        weight = edge.weight
        if weight is not None and not 0.0 <= weight < math.inf:
            check.add(
                f"batch.put_edges[{i}].weight", f"a weight is finite and >= 0, found {weight}"
            )
        if edge.readers and edge.readers not in check.readers:
            _check_readers(check, edge.readers, f"batch.put_edges[{i}].readers")
        if edge.properties:
            _check_properties(
                check, check.edges, edge.properties, f"batch.put_edges[{i}].properties"
            )


def _check_passages(check: _Check, batch: Batch) -> None:
    if batch.put_passages:
        for name in SPAN_LINKS:
            _check_link_field(check, name, f"batch.put_passages[0].{name}")
    for i, passage in enumerate(batch.put_passages):
        if not (_plain(passage.id) and _plain(passage.parent_id)):
            _check_id(check, passage.id, f"batch.put_passages[{i}].id")
            _check_id(check, passage.parent_id, f"batch.put_passages[{i}].parent_id")
        if passage.mentions:
            _check_ids(check, passage.mentions, f"batch.put_passages[{i}].mentions")
        if passage.readers and passage.readers not in check.readers:
            _check_readers(check, passage.readers, f"batch.put_passages[{i}].readers")
        if passage.properties:
            _check_properties(
                check, check.nodes, passage.properties, f"batch.put_passages[{i}].properties"
            )


def _plain(identifier: str) -> bool:
    """Whether an id is fit beyond doubt: short and ASCII, as most are."""
    return 0 < len(identifier) <= MAX_ID_BYTES and identifier.isascii() and "\0" not in identifier


def _check_id(check: _Check, identifier: str, place: str) -> None:
    fault = id_fault(identifier)
    if fault is not None:
        check.add(place, fault)


def _check_ids(check: _Check, identifiers: Sequence[str], place: str) -> None:
    for i, identifier in enumerate(identifiers):
        if not _plain(identifier):
            _check_id(check, identifier, f"{place}[{i}]")


def _check_readers(check: _Check, readers: tuple[str, ...], place: str) -> None:
    check.readers.add(readers)
    for i, reader in enumerate(readers):
        fault = reader_fault(reader)
        if fault is not None:
            check.readers.discard(readers)  # each record that has it is named
            check.add(f"{place}[{i}]", fault)


def _check_links(check: _Check, links: Mapping[str, Sequence[str]], place: str) -> None:
    for name, targets in links.items():
        if _check_name(check, name, place):
            _check_link_field(check, name, f"{place}.{name}")
        _check_ids(check, targets, f"{place}.{name}")


def _check_link_field(check: _Check, name: str, place: str) -> None:
    kind = check.nodes.kind(name)
    if kind is None:
        check.nodes.new[name] = Kind.LINK
    elif kind != Kind.LINK:
        check.add(place, f"{name!r} is a property here, it cannot be a link field")


def _check_name(check: _Check, name: str, place: str) -> bool:
    fault = id_fault(name)
    if fault is not None:
        check.add(place, fault.replace("an id", "the name of a field"))
    return fault is None


def _check_properties(check: _Check, fields: _Fields, properties: Properties, place: str) -> None:
    """The kinds of *properties*; a kind of value that passed under a name is not looked at again."""
    for name, value in properties.items():
        key = (name, type(value))
        if key in fields.fine and not isinstance(value, list | float | int | Vector):
            continue
        known = fields.kind(name)
        if known is None and name in SPAN_LINKS and fields is check.nodes:
            known = Kind.LINK
        declared = fields.known.declared.get(name)
        fault = kind_fault(name, value, declared=declared, known=known)
        if fault is not None:
            check.add(f"{place}.{name}", fault)
        elif known is None and _check_name(check, name, place):
            _infer(fields, name, classify(value))
        if fault is None and known not in (Kind.TIME, None) and name != EXPIRES_AT:
            fields.fine.add(key)


def _infer(fields: _Fields, name: str, kind: Kind | None) -> None:
    if kind is not None:
        fields.new[name] = Kind.TIME if name == EXPIRES_AT else kind
