"""Measures without a process of their own, and what a caller sees of a version in the end."""

import io
import json
from collections.abc import Iterator, Sequence
from typing import Any
from unittest.mock import patch

import pytest
from numpy.typing import NDArray

from passageway.v1 import store_pb2
from passageway_server.authz.callers import OPERATOR, Caller
from passageway_server.authz.gates import gates
from passageway_server.engine.measures import asking, child, frames
from passageway_server.engine.measures.spawned import Answering
from passageway_server.service.analyze import analyze
from passageway_server.values.answers import AnalyzeProgress
from passageway_server.values.halt import Halt
from passageway_server.values.queries import EdgeSpec, ReadOptions
from passageway_server.values.records import NodeRecord, PassageRecord
from passageway_server.values.requests import AnalyzeRequest, Measure
from passageway_server.version.export import export
from passageway_server.version.store import Store
from passageway_server.version.version import Version
from passageway_server.wire.findings import Findings
from passageway_server.wire.messages.collections import from_create
from passageway_server.wire.records import from_message

PUBLIC = ("public",)


def here(question: dict[str, Any], arrays: Sequence[NDArray[Any]], *, halt: Halt) -> Answering:
    """`asked` without a process: the same frames through memory."""
    out = io.BytesIO()
    sent = b"".join(frames.header(frames.ARRAY, array.nbytes) + array.tobytes() for array in arrays)
    child.answer(json.loads(json.dumps(question)), io.BytesIO(sent), out)
    answer: list[bytes] = []
    for kind, content in frames.Arriving().frames(out.getvalue()):
        if kind == frames.SHARE:
            halt.spent()
            yield frames.share(content)
        elif kind == frames.ARRAY:
            answer.append(content)
    return answer


@pytest.fixture
def in_this_process() -> Iterator[None]:
    """Measures are worked out here: a process each would take most of the time of a test of many graphs."""
    with patch.object(asking, "asked", here):
        yield


def run(
    store: Store,
    measure: Measure,
    *,
    principals: tuple[str, ...] = PUBLIC,
    edges: tuple[EdgeSpec, ...] = (),
    **parts: Any,
) -> AnalyzeProgress:
    """One analysis of the collection c to its end: its last word."""
    request = AnalyzeRequest("c", measure, as_principals=principals, edges=edges, **parts)
    *_, last = analyze(store, OPERATOR, request)
    return last


def values(store: Store, name: str) -> dict[str, Any]:
    """What rows of the collection c hold of a property, by id."""
    held: dict[str, Any] = {}
    for batch in export(store.collection("c").current):
        records: tuple[NodeRecord | PassageRecord, ...] = (*batch.put_nodes, *batch.put_passages)
        for row in records:
            if name in row.properties:
                held[row.id] = row.properties[name]
    return held


def members(store: Store) -> dict[str, list[str]]:
    """The members of each community of the collection c, by the edges that lead to it."""
    found: dict[str, list[str]] = {}
    for batch in export(store.collection("c").current):
        for node in batch.put_nodes:
            if node.type == "community":
                found.setdefault(node.id, [])
        for edge in batch.put_edges:
            if edge.type == "BELONGS_TO":
                found.setdefault(edge.target, []).append(edge.source)
    return {community: sorted(several) for community, several in found.items()}


def seen(version: Version, principals: Sequence[str]) -> tuple[dict[str, Any], list[Any]]:
    """The rows that *principals* read, whole, and the edges between them."""
    gate = gates(version, Caller.holding(principals), ReadOptions(), 0).read
    opened = version.gates.open_rows(gate)
    open_ids = {version.nodes.ids[row] for row in opened.nonzero()[0].tolist()}
    rows: dict[str, Any] = {}
    edges: list[Any] = []
    for batch in export(version):
        records: tuple[NodeRecord | PassageRecord, ...] = (*batch.put_nodes, *batch.put_passages)
        for row in records:
            if row.id in open_ids:
                shown = {name: row.properties[name] for name in {*row.properties} - gate.hidden}
                rows[row.id] = (row.type, row.name, row.readers, shown)
        for edge in batch.put_edges:
            mine = (
                not edge.readers
                or version.readers.held(frozenset(principals), admin=False)[
                    version.readers.intern(edge.readers)
                ]
            )
            if mine and {edge.source, edge.target} <= open_ids:
                edges.append((edge.id, edge.source, edge.type, edge.target))
    return rows, sorted(edges)


def filled(settings: store_pb2.Collection, batches: Sequence[store_pb2.Batch]) -> Store:
    """A store with the collection c of these messages."""
    findings, store = Findings(), Store.open()
    request = store_pb2.CreateCollectionRequest(collection=settings)
    request.collection.name = "c"
    made = store.create(from_create(request, findings))
    for batch in batches:
        made.apply(from_message(batch, findings))
    findings.check()
    return store
