"""Blocks of JSONL read at once, by Arrow, into columns: some ten times as fast as line by line.

A block is taken only where it says the same as its lines would one by one; where Arrow refuses it, or columns cannot hold
it, it is None, and its lines are read by themselves: they tell what is wrong, and where.
"""

import io
from collections.abc import Mapping
from typing import Any, Final, cast

from passageway._extras import installed
from passageway.cli.parsing import BadLine, Json, decode, parse
from passageway.cli.records import EDGE, NODE
from passageway.v1 import store_pb2

_LOOKED_AT: Final = 200
"""Lines whose properties say what those of the block are."""

_MOST_REFUSED: Final = 3
"""Blocks of one file that Arrow may refuse before it is asked no more."""

_PLAIN: Final[Mapping[str, frozenset[str]]] = {
    "nodes": frozenset({"id", "type", "name", "content", "project", "status"}),
    "edges": frozenset({"id", "source", "target", "type"}),
}
_SHAPES: Final = {"nodes": NODE, "edges": EDGE}


class Blocks:
    """Reads blocks of one file of *kind*, nodes or edges; of passages there are no columns."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._left = _MOST_REFUSED if kind in _SHAPES and installed("pyarrow") else 0

    def batch(self, block: bytes) -> store_pb2.Batch | None:
        """The records of *block*, whole lines, as columns; None where they are to be read one by one."""
        if not self._left:
            return None
        made = self._made(block)
        if made is None:
            self._left -= 1
        return made

    def _made(self, block: bytes) -> store_pb2.Batch | None:
        import pyarrow as pa
        from pyarrow import json

        from passageway.cli.packing import NotPacked
        from passageway.cli.tables import columns

        kinds = _properties(block, self._kind)
        if kinds is None:
            return None
        schema = _schema(self._kind, kinds)
        try:
            block.decode()
            table = json.read_json(
                io.BytesIO(block),
                read_options=json.ReadOptions(use_threads=False, block_size=len(block) + 1),
                parse_options=json.ParseOptions(
                    explicit_schema=schema, unexpected_field_behavior="error"
                ),
            )
            if table.num_rows != block.rstrip(b"\n").count(b"\n") + 1:
                return None  # a blank line, or a line of two records
            return columns(self._kind, table.combine_chunks().to_batches()[0])
        except (pa.ArrowException, NotPacked, UnicodeDecodeError):
            return None


def _properties(block: bytes, kind: str) -> dict[str, type[object]] | None:
    """The properties that the first lines of *block* hold, with their types; None for what columns do not hold.

    A float is not among them: Arrow would read 1 as 1.0.
    """
    known, found = _SHAPES[kind], dict[str, type[object]]()
    for line in block.split(b"\n", _LOOKED_AT)[:_LOOKED_AT]:
        try:
            members = parse(decode(line)) if line else {}
        except BadLine:
            return None
        if not members.keys() <= known.keys() - {"links", "covered"}:
            return None
        properties: object = members.get("properties") or {}
        if not isinstance(properties, dict):
            return None
        for name, value in cast(Json, properties).items():
            of = cast("type[object]", type(value))
            if of not in (str, int, bool) or found.setdefault(name, of) is not of:
                return None
    return found


def _schema(kind: str, properties: Mapping[str, type[object]]) -> Any:
    import pyarrow as pa

    arrow: dict[type[object], Any] = {str: pa.string(), int: pa.int64(), bool: pa.bool_()}
    fields = [pa.field(name, pa.string()) for name in sorted(_PLAIN[kind])]
    fields.append(pa.field("readers", pa.list_(pa.string())))
    if kind == "edges":
        fields.append(pa.field("weight", pa.float64()))
    if properties:
        members = [pa.field(name, arrow[of]) for name, of in properties.items()]
        fields.append(pa.field("properties", pa.struct(members)))
    return pa.schema(fields)
