"""Vectors that an embedder makes of texts: of the records of a load, and of what is searched for."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from passageway._embedder import Embedder, EmbedderError
from passageway.cli.failures import Failure, Usage
from passageway.v1 import store_pb2, types_pb2

_Record = types_pb2.Node | types_pb2.Passage
_TEXTS: Final = ("name", "content")
_AT_ONCE: Final = 256  # texts that an embedder is given


@dataclass(slots=True)
class Filled:
    """How many nodes and passages got a vector, and how many have none because they have no text."""

    made: int = 0
    without_text: int = 0


@dataclass(frozen=True, slots=True)
class Embedding:
    """Which field of nodes and passages is filled, and the texts that it is made of."""

    embedder: Embedder
    field: str
    texts: tuple[str, ...]
    record_bytes: int
    """What it adds to a record, about."""
    filled: Filled
    """Counts the records of all batches."""

    def fill(self, batch: store_pb2.Batch) -> None:
        """Give the nodes and passages of *batch* that have a text, and no vector in the field, one. Failure of the embedder."""
        waiting: list[_Record] = []
        texts: list[str] = []
        records: Iterable[_Record] = chain(batch.put_nodes, batch.put_passages)
        for record in records:
            if self.field in record.properties:
                continue
            text = "\n".join(filter(None, (_text(record, name) for name in self.texts)))
            if text:
                waiting.append(record)
                texts.append(text)
            else:
                self.filled.without_text += 1
        for start in range(0, len(texts), _AT_ONCE):
            some = texts[start : start + _AT_ONCE]
            vectors = _vectors(self.embedder, some)
            for record, vector in zip(waiting[start : start + _AT_ONCE], vectors, strict=True):
                value = types_pb2.Value(vector=types_pb2.FloatList(values=vector))
                record.properties[self.field].CopyFrom(value)
            self.filled.made += len(vectors)


def embedding(callable_: str | None, field: str | None) -> Embedding | None:
    """What ``--embedder MODULE:CALLABLE`` and ``--embed FIELD[=TEXTS]`` say; None where nothing is told.

    Usage where one is missing, Failure where the embedder makes no vectors.
    """
    if callable_ is None and field is None:
        return None
    if callable_ is None or field is None:
        raise Usage("texts are embedded by both, --embedder MODULE:CALLABLE and --embed FIELD")
    name, _, texts = field.partition("=")
    if not name:
        raise Usage(f"--embed {field!r}: expected is FIELD, or FIELD=name,content")
    embedder = _named(callable_)
    (probe,) = _vectors(embedder, ["a text"])
    chosen = tuple(texts.split(",")) if texts else _TEXTS
    return Embedding(embedder, name, chosen, 4 * len(probe), Filled())


def vector(callable_: str, text: str) -> list[float]:
    """The vector of one text. Failure where the embedder makes none."""
    (found,) = _vectors(_named(callable_), [text])
    return found


def _named(callable_: str) -> Embedder:
    try:
        return Embedder.named(callable_)
    except EmbedderError as error:
        raise Failure(f"--embedder {error}") from error


def _vectors(embedder: Embedder, texts: Sequence[str]) -> list[list[float]]:
    try:
        return embedder.vectors(texts)
    except EmbedderError as error:
        raise Failure(str(error)) from error


def _text(record: _Record, name: str) -> str:
    """What *record* has under a name: a member, or a property of one string or several."""
    if name in _TEXTS:
        return str(getattr(record, name))
    if name not in record.properties:
        return ""
    value = record.properties[name]
    held: Iterable[str] = value.strings.values or [value.string_value]
    return "\n".join(held)
