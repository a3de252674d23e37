"""The embedder that the operator plugged in, as the services of this process call it."""

from logging import ERROR

from passageway._embedder import Embedder, EmbedderError
from passageway_server.errors import EmbedderFailed, SettingInvalid
from passageway_server.values.records import Vector
from passageway_server.version.catalog import Embed
from passageway_server.wire.journal import write


def named(name: str) -> Embed:
    """The callable ``MODULE:CALLABLE``, tried once. Raises SettingInvalid."""
    try:
        embedder = Embedder.named(name)
        embedder.vectors(["a text"])
    except EmbedderError as error:
        raise SettingInvalid("embedder", [str(error)]) from error
    return guarded(embedder)


def guarded(embedder: Embedder) -> Embed:
    """*embedder* for one text at a time; what goes wrong is told to the log, and callers learn that it did."""

    def embed(text: str) -> Vector:
        try:
            (vector,) = embedder.vectors([text])
        except EmbedderError as error:
            write("embedder failed", level=ERROR, reason=str(error))
            raise EmbedderFailed from None
        return Vector.of(vector)

    return embed
