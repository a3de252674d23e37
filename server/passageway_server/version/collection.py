"""A collection: its current version, and the one writer that makes the next.

Readers take `current` and never wait. A commit works on the version it began from and publishes the next one by
assigning it.
"""

import os
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from passageway_server.errors import PassagewayError
from passageway_server.values.collections import (
    Acknowledgement,
    CollectionSettings,
    CollectionState,
)
from passageway_server.values.halt import UNHALTED, Halt
from passageway_server.values.records import Batch
from passageway_server.version import derive, persist
from passageway_server.version.carry import carry
from passageway_server.version.check import check_batch
from passageway_server.version.compact import compacted
from passageway_server.version.draft import apply_batch
from passageway_server.version.measures import Measured, Written, write_measure
from passageway_server.version.redeclare import redeclare
from passageway_server.version.settings import check_settings
from passageway_server.version.version import Contents, Identity, Version

_COMPACT_FROM = 64 << 20  # bytes of heaps and links below which garbage is not looked for


class Collection:
    """One collection in memory."""

    def __init__(self, version: Version) -> None:
        self.current = version
        self.analyzing = threading.Lock()  # held while a measure of it is worked out
        self._writing = threading.Lock()
        self._closed: PassagewayError | None = None
        # What a killed server committed last may be lost: no token of it must name another version.
        self._line = _new_line()
        self._compact_at = max(_COMPACT_FROM, 2 * _growing_bytes(version.contents))

    @classmethod
    def created(cls, contents: Contents, created_at: datetime) -> "Collection":
        """A new collection with *contents*; its versions are told from those of any other."""
        return cls(Version(Identity(_new_line(), 1, created_at), contents))

    @property
    def state(self) -> CollectionState:
        """What it is and how much it holds."""
        version = self.current
        counts = version.counts
        return CollectionState(
            settings=version.settings,
            version=version.token,
            nodes=counts.nodes,
            edges=counts.edges,
            passages=counts.passages,
            memory_bytes=persist.memory_bytes(version),
            created_at=version.identity.created_at,
        )

    def apply(self, batch: Batch, *, prepare: bool = True) -> Acknowledgement:
        """Commit *batch*, whole or not at all, and make its version current.

        With ``prepare`` readers find the new version worked out; a stream of batches does without until its
        last. Raises InvalidRequest with the batch's faults, and the error of `close` after it.
        """
        with self._writing:
            base = self._open_version()
            fields, edge_fields = check_batch(batch, base.fields, base.edge_fields)
            contents = apply_batch(base.contents, batch, fields=fields, edge_fields=edge_fields)
            version = self._next(contents)
            if prepare:
                version.prepare()
            self.current = version = self._compacted(version)
        return Acknowledgement(version.token, derive.dangling_edges(contents))

    def measure(self, measured: Measured, halt: Halt = UNHALTED) -> Written:
        """Commit what a measure found, unless *halt* says before its end that nobody wants it: then its error.

        Raises InvalidRequest where the property takes no such value by now, and the error of `close` after it.
        """
        with self._writing:
            halt.spent()
            contents, rows, communities = write_measure(self._open_version().contents, measured)
            halt.spent()
            version = self._compacted(self._next(contents).prepare())
            halt.spent()
            self.current = version
        return Written(version.token, rows, communities)

    def update(self, change: Callable[[CollectionSettings], CollectionSettings]) -> None:
        """Commit other settings. Raises InvalidRequest where they are not fit, or rows forbid them."""
        with self._writing:
            changed = change(self._open_version().settings)
            check_settings(changed)
            contents = redeclare(self.current.contents, changed)
            self.current = self._next(contents).prepare()

    def compact(self) -> Version:
        """The current version, without what no row names any more."""
        with self._writing:
            self.current = compacted(self.current)
            return self.current

    def close(self, reason: PassagewayError) -> None:
        """Take no more commits: each later one raises *reason*. What is committed stays readable."""
        with self._writing:
            self._closed = reason

    def _compacted(self, version: Version) -> Version:
        """*version*, without garbage once there is much of it."""
        if _growing_bytes(version.contents) <= self._compact_at:
            return version
        version = compacted(version)
        self._compact_at = max(_COMPACT_FROM, 2 * _growing_bytes(version.contents))
        return version

    def _open_version(self) -> Version:
        if self._closed is not None:
            raise self._closed
        return self.current

    def _next(self, contents: Contents) -> Version:
        identity = self.current.identity
        version = Version(replace(identity, line=self._line, number=identity.number + 1), contents)
        carry(self.current, version)
        return version


def _new_line() -> str:
    return os.urandom(6).hex()


def _growing_bytes(contents: Contents) -> int:
    """Bytes of what only grows: texts, keywords and links."""
    strings = (contents.texts, contents.keywords.strings)
    return sum(len(part.heap) + 8 * len(part) for part in strings) + 12 * len(contents.links)
