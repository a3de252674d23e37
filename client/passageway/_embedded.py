"""A client over a folder, without a server: the engine runs in this process and holds the folder's lock."""

import os
from collections.abc import Sequence
from math import inf

from passageway._embedder import Embedder, Function
from passageway._extras import needs_server
from passageway._generated.client import Client
from passageway._session import Session


def open(
    directory: str | os.PathLike[str],
    *,
    principals: Sequence[str] | None = None,
    create: bool = False,
    embedder: Function | None = None,
) -> Client:
    """Open the data folder *directory*; close the client to write back and release it.

    principals: who calls, such as ``["user:ada", "group:eng"]``. None: ``public``, with every role.
    create: make the folder where there is none; otherwise that is FailedPrecondition with reason FOLDER_MISSING.
    embedder: makes a vector of the text of a query that names a ``vector_field`` and has no vector: it takes a list of texts,
    and gives a row of numbers for each, such as an array of numpy. It may be called by several threads at a time.
    FailedPrecondition too with reason FOLDER_IN_USE when a server, or another client, holds the folder, and
    FOLDER_FOREIGN when what is there is no data folder.
    A call that is given no ``timeout`` runs to its end here; a read that is given one ends with DeadlineExceeded past it.
    """
    with needs_server("passageway.open()"):
        from passageway_server.wire.local import open_local
    plugged = None if embedder is None else Embedder(embedder)
    transport = open_local(directory, principals=principals, create=create, embedder=plugged)
    # Nothing is sent, so nothing is sent again: writes need no keys.
    return Client(Session(transport, timeout=inf, keyed=False))
