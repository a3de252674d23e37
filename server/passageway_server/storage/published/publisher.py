"""Puts what a data folder durably holds into an object store, and keeps it there as the folder changes.

It reads the folder as any follower does, so that nothing is published which a crash could take back. Of two that publish
under one URL, the one that began last goes on, and the other finds out with its next move.
"""

import secrets
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import sha256
from typing import Final

from passageway_server.errors import PassagewayError, SnapshotDamaged
from passageway_server.storage import layout, page_key
from passageway_server.storage import manifest as manifests
from passageway_server.storage.checksums import checksum
from passageway_server.storage.collection import StoredCollection
from passageway_server.storage.directory import ROOT, Directory, reading
from passageway_server.storage.following import FollowedCollection, LogMoved
from passageway_server.storage.manifest import MANIFEST, Manifest, StoredArray, file_of
from passageway_server.storage.names import is_name
from passageway_server.storage.published.bucket import Bucket, Lost
from passageway_server.storage.published.index import (
    CURRENT,
    PAGE_KEY,
    Index,
    Listing,
    Piece,
    Published,
    decode_index,
    digest_of,
    encode_index,
)
from passageway_server.storage.published.objects import Objects
from passageway_server.storage.records import DEFAULT_LIMITS

_READ_AT_ONCE: Final = 1 << 20
_PIECE: Final = 4 << 20
"""Bytes after which a piece of a log is closed."""
_SMALL: Final = 256 << 10
"""Bytes below which the last piece is written anew with what follows: one that fetches has few to ask for."""
_TRIES: Final = 10


class Publisher:
    """Publishes a folder under one URL; for one thread."""

    def __init__(
        self, directory: Directory, bucket: Bucket, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Take over from whoever published there before.

        Lost where that one goes on moving it meanwhile; ReadFailed, FormatTooNew, SnapshotDamaged, StorageFailed.
        """
        self._directory, self._bucket, self._clock = directory, bucket, clock
        self._index, self._tag = self._taken_over()
        self._objects = Objects(bucket, clock)
        self._publishing: dict[str, _Publishing] = {}
        self.failed: dict[str, PassagewayError] = {}
        with reading(page_key.PAGE_KEY):
            bucket.write(PAGE_KEY, directory.read(page_key.PAGE_KEY, limit=_READ_AT_ONCE))

    def _taken_over(self) -> tuple[Index, str]:
        """What stands there, in the name of this publisher, and its tag: whoever was there before has lost."""
        name = secrets.token_hex(8)
        for tries_left in reversed(range(_TRIES)):
            content, tag = self._bucket.named(CURRENT) or (b"", "")
            before = decode_index(content, f"{self._bucket.url}/{CURRENT}")
            index = replace(before, publisher=name, moves=before.moves + 1)
            try:
                return index, self._bucket.move(CURRENT, encode_index(index), tag=tag)
            except Lost:
                if not tries_left:
                    raise
        raise AssertionError  # the last try returns or raises

    def publish(self) -> bool:
        """Bring the store up to the folder; whether there was something to bring.

        ``failed`` tells of collections that could not be read, and stand there as they did. Raises Lost where another
        one publishes there by now; ReadFailed, StorageFailed, and then it can be tried again.
        """
        collections: dict[str, Published] = {}
        self.failed = {}
        for name in self._names():
            known = self._publishing.setdefault(name, self._begun(name))
            try:
                collections[name] = known.advance()
            except PassagewayError as error:
                self.failed[name] = error
                self._publishing[name] = self._begun(name)
                if name in self._index.collections:
                    collections[name] = self._index.collections[name]
        for name in self._publishing.keys() - collections.keys():
            del self._publishing[name]
        moved = self._index.collections != collections
        if moved:
            index = replace(self._index, moves=self._index.moves + 1, collections=collections)
            self._tag = self._bucket.move(CURRENT, encode_index(index), tag=self._tag)
            self._index = index
        self._objects.let_go_all_but(collections.values())
        return moved

    def _names(self) -> list[str]:
        with reading("the data folder"):
            entries = self._directory.entries(ROOT)
        return [entry.name for entry in entries if entry.is_folder and is_name(entry.name)]

    def _begun(self, name: str) -> "_Publishing":
        return _Publishing(self._directory, name, self._objects)


class _Publishing:
    """One collection on its way into the store."""

    def __init__(self, directory: Directory, name: str, objects: Objects) -> None:
        self._directory, self._name, self._objects = directory, name, objects
        # Bytes are compared as they are put into the store.
        self._followed = FollowedCollection(
            StoredCollection(directory, name), opening=StoredCollection.map
        )
        self._published: Published | None = None

    def advance(self) -> Published:
        """What is to stand in the index by now. SnapshotDamaged, LogDamaged, FormatTooNew, ReadFailed, StorageFailed."""
        published = self._published
        if (
            published is None
            or self._followed.newest_snapshot != self._followed.snapshot
            or self._followed.is_another()
        ):
            published = self._with_snapshot(published)
        try:
            pieces = list(self._pieces(published))
        except LogMoved:
            published = self._with_snapshot(None)
            pieces = list(self._pieces(published))
        if pieces:
            published = replace(published, last=pieces[-1].last, log=_joined(published.log, pieces))
        self._published = published
        return published

    def _with_snapshot(self, before: Published | None) -> Published:
        """The newest snapshot in the store, and of the log *before* what it does not hold."""
        followed = self._followed
        last = followed.last
        manifest = followed.open().snapshot.manifest
        folder = f"{self._name}/{layout.SNAPSHOTS}/{layout.version_folder(followed.snapshot)}"
        listing = self._objects.keep_listing(self._listing(folder, manifest))
        published = Published(
            manifest.version.identity, followed.snapshot, listing, followed.snapshot
        )
        if before and before.incarnation == published.incarnation and last >= published.last:
            followed.go_on(last)
            firsts = {piece.first for piece in before.log if piece.first <= published.last + 1}
            log = tuple(p for p in before.log if p.first >= max(firsts, default=0))
            published = replace(published, last=last, log=log)
        return published

    def _listing(self, folder: str, manifest: Manifest) -> Listing:
        files: dict[str, str] = {}
        for name, stored in manifest.arrays.items():
            if stored.is_file:
                file = f"{folder}/{file_of(name)}"
                files[file_of(name)] = self._kept(file, stored, manifest.algorithm)
        with reading(f"{folder}/{MANIFEST}"):
            packed = self._directory.read(f"{folder}/{MANIFEST}", limit=DEFAULT_LIMITS.bytes + 1)
        if manifests.decode(packed, f"{folder}/{MANIFEST}") != manifest:
            raise SnapshotDamaged(folder, "another snapshot took its place")
        return Listing(packed, files)

    def _kept(self, file: str, stored: StoredArray, algorithm: str) -> str:
        """The digest of an array's file, which is in the store then. SnapshotDamaged where it is not what was written."""
        digest = sha256()

        def digested() -> Iterator[bytes]:
            for part in _parts(self._directory, file):
                digest.update(part)
                yield part

        found = checksum(digested(), algorithm)
        if found != stored.checksum:
            what = f"checksum {found:08x}, the manifest says {stored.checksum:08x}"
            raise SnapshotDamaged(file, what)
        self._objects.keep(digest.hexdigest(), lambda: _parts(self._directory, file))
        return digest.hexdigest()

    def _pieces(self, published: Published) -> Iterator[Piece]:
        """What the log has beyond what is published, put into the store; the first one may take the place of the last."""
        open_: Piece | None = published.log[-1] if published.log else None
        begun = False
        for read in self._followed.commits():
            if open_ is None or open_.first != read.first:
                if begun and open_ is not None:
                    yield self._written(open_)
                open_ = Piece(read.first, 0, 0, 0, "")
            elif open_.end - open_.start >= (_PIECE if begun else _SMALL):
                if begun:
                    yield self._written(open_)
                open_ = Piece(read.first, open_.end, open_.end, 0, "")
            open_ = replace(open_, end=read.end, last=read.commit.number)
            begun = True
        if begun and open_ is not None:
            yield self._written(open_)

    def _written(self, piece: Piece) -> Piece:
        file = layout.segment_file(self._name, piece.first)
        with reading(file):
            content = self._directory.read(file, offset=piece.start, limit=piece.end - piece.start)
        digest = digest_of(content)
        self._objects.keep(digest, content)
        return replace(piece, digest=digest)


def _joined(log: tuple[Piece, ...], pieces: list[Piece]) -> tuple[Piece, ...]:
    """*log* with *pieces* behind it; one that begins where the last one does takes its place."""
    if log and (log[-1].first, log[-1].start) == (pieces[0].first, pieces[0].start):
        log = log[:-1]
    return (*log, *pieces)


def _parts(directory: Directory, file: str) -> Iterator[bytes]:
    at = 0
    with reading(file):
        while part := directory.read(file, offset=at, limit=_READ_AT_ONCE):
            yield part
            at += len(part)
