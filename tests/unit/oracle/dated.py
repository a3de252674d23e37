"""Small histories by hand, and who reads what of an older version."""

from typing import Any

from google.protobuf.message import Message

from passageway.v1 import read_pb2, store_pb2
from tests.oracle import Refused
from tests.oracle.answers import answer_over, graph_at
from tests.oracle.askers import Asker
from tests.oracle.history import UNGUARDED, Guard, History
from tests.unit.oracle.small import ADA, NOW_US, Put, batch

WRITER = Asker("writer", frozenset({"public", "user:writer"}))


def history(*commits: store_pb2.Batch, **settings: Any) -> History:
    """A collection, and a commit for each batch: the first makes version 1."""
    kept = History.of(store_pb2.Collection(**settings))
    for commit in commits:
        kept.apply(commit, writer=WRITER)
    return kept


def put(kept: History, *puts: Put, **deletes: list[str]) -> int:
    """Commit one more batch; the version that has it."""
    return kept.apply(batch(*puts, **deletes), writer=WRITER).version


def guarded(
    kept: History,
    *puts: Put,
    guard: Guard = UNGUARDED,
    writer: Asker = WRITER,
    **deletes: list[str],
) -> str:
    """What comes of a guarded batch: the version that has it, or the refusal."""
    try:
        return str(kept.apply(batch(*puts, **deletes), guard, writer=writer).version)
    except Refused as refused:
        return " ".join([refused.code, *sorted(refused.fields)])


def read(kept: History, version: int | None, request: Message, method: str, **caller: Any) -> Any:
    """An answer at a version, to Ada unless told otherwise."""
    asked: dict[str, Any] = {"sub": "ada", "principals": ADA} | caller
    return answer_over(graph_at(kept, Asker(**asked), version), method, request, now_us=NOW_US)


def rows(kept: History, version: int | None = None, **caller: Any) -> str:
    """The ids of all rows that a caller reads at a version, as words, or the code of a refusal."""
    request = read_pb2.LookupRequest(page_size=100)
    try:
        answer = read(kept, version, request, "Lookup", **caller)
    except Refused as refused:
        return refused.code
    return " ".join(node.id for node in answer.nodes)


def edges(kept: History, version: int | None = None, **caller: Any) -> str:
    """The ids of all edge documents that a caller sees at a version, as words."""
    request = read_pb2.LookupRequest(kind=read_pb2.LookupRequest.KIND_EDGES, page_size=100)
    return " ".join(edge.id for edge in read(kept, version, request, "Lookup", **caller).edges)
