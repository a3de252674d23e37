"""Keeps in a folder what another server published in an object store, laid out as that server's own folder is.

What follows a folder (storage/following.py) then reads it, and is told how far it may. A file counts once every byte of it
was compared with what its name says; what the manifest says is compared when a snapshot is opened. The folder outlives its
process: what was fetched is not fetched again.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from typing import Final

from passageway_server.errors import (
    NothingPublished,
    ObjectDamaged,
    PassagewayError,
    SnapshotDamaged,
)
from passageway_server.storage import layout
from passageway_server.storage.directory import (
    ROOT,
    Directory,
    holds_folder,
    reading,
    remove_tree,
    writing,
)
from passageway_server.storage.manifest import MANIFEST
from passageway_server.storage.names import is_name
from passageway_server.storage.published.bucket import Bucket
from passageway_server.storage.published.index import (
    CURRENT,
    PAGE_KEY,
    Index,
    Listing,
    Piece,
    Published,
    decode_index,
    decode_listing,
    path_of,
)
from passageway_server.storage.snapshot import PARTIAL, link_file

PUBLISHED: Final = "PUBLISHED"
"""The index that the folder holds all of."""

_LISTING: Final = "LISTING"
_MOST: Final = 1 << 30


class Mirror:
    """A folder that follows what is published; for one thread.

    ``held`` tells of each collection in it the commit up to which it may be read.
    """

    def __init__(self, directory: Directory, bucket: Bucket) -> None:
        """With what the folder holds already; with nothing where that cannot be read."""
        self._directory, self._bucket = directory, bucket
        self._tag = ""
        self._index = Index()
        self.failed: dict[str, PassagewayError] = {}
        with suppress(PassagewayError):
            self._index = decode_index(self._read(PUBLISHED), PUBLISHED)

    @property
    def held(self) -> Mapping[str, int]:
        """By collection: the commit up to which it may be read."""
        return {name: one.last for name, one in self._index.collections.items()}

    def page_key(self) -> bytes:
        """The key that seals page tokens, as published; from the folder where it was fetched before.

        NothingPublished where there is none, nor a bucket; StoreReadFailed; StorageFailed, DiskFull of the folder.
        """
        with suppress(PassagewayError):
            return self._read(PAGE_KEY)
        try:
            key = b"".join(self._bucket.read(PAGE_KEY))
        except ObjectDamaged as missing:
            raise NothingPublished(self._bucket.url) from missing
        self._replace(PAGE_KEY, [key])
        return key

    def fetch(self) -> bool:
        """Bring the folder up to what is published by now; whether there was something to bring.

        ``failed`` tells of collections of which something could not be fetched, and which stay as they were. Raises
        ReadFailed, SnapshotDamaged, FormatTooNew, and StorageFailed, DiskFull of the folder.
        """
        found = self._bucket.named(CURRENT, unless=self._tag)
        if found is None:
            return False
        content, tag = found
        index = decode_index(content, f"{self._bucket.url}/{CURRENT}")
        held: dict[str, Published] = {}
        self.failed = {}
        for name, one in index.collections.items():
            known = self._index.collections.get(name)
            try:
                if one != known or not holds_folder(self._directory, name):
                    self._bring(name, one, known)
                held[name] = one
            except PassagewayError as error:
                self.failed[name] = error
                if known is not None and known.incarnation == one.incarnation:
                    held[name] = known
        for name in self._names() - held.keys():
            self._drop(name)
        changed = held != self._index.collections
        self._index = Index(index.publisher, index.moves, held)
        if not self.failed:
            self._tag = tag
            self._replace(PUBLISHED, [content])
        return changed

    def renew(self, name: str) -> None:
        """Fetch all of a collection anew: what the folder holds of it cannot be read."""
        self._drop(name)
        self._tag = ""

    def _bring(self, name: str, one: Published, known: Published | None) -> None:
        if known is not None and known.incarnation != one.incarnation:
            self._drop(name)
        with writing(name):
            for folder in (name, f"{name}/{layout.SNAPSHOTS}", f"{name}/{layout.SEGMENTS}"):
                if not holds_folder(self._directory, folder):
                    self._directory.make_folder(folder)
        for piece in one.log:
            self._bring_piece(name, piece)
        folder = f"{name}/{layout.SNAPSHOTS}/{layout.version_folder(one.snapshot)}"
        if not holds_folder(self._directory, folder):
            self._bring_snapshot(name, one, folder)
        with writing(name):
            layout.name_current(self._directory, name, folder)
            for left in layout.versions(self._directory, name):
                if left < folder:
                    remove_tree(self._directory, left)
            first = min((piece.first for piece in one.log), default=0)
            for begun, path in layout.segments(self._directory, name):
                if begun < first:
                    self._directory.remove(path)

    def _bring_snapshot(self, name: str, one: Published, folder: str) -> None:
        """Fetch a snapshot aside, but for files that an earlier one has; it counts when all of it is there."""
        listed = b"".join(self._fetched(one.listing))
        listing = decode_listing(listed, path_of(one.listing))
        before, known = self._known_files(name)
        aside = folder + PARTIAL
        with writing(folder):
            remove_tree(self._directory, aside)
            self._directory.make_folder(aside)
            for file, digest in listing.files.items():
                path = f"{aside}/{file}"
                old = f"{before}/{known[digest]}" if digest in known else ""
                if not old or not self._linked(old, path):
                    self._directory.write(path, self._fetched(digest))
            self._directory.write(f"{aside}/{MANIFEST}", [listing.manifest])
        with writing(folder):
            self._directory.rename(aside, folder)
        self._replace(f"{name}/{_LISTING}", [listed])

    def _linked(self, old: str, new: str) -> bool:
        try:
            length = self._directory.size(old)
        except OSError:
            return False
        return link_file(self._directory, old, new, length=length)

    def _known_files(self, name: str) -> tuple[str, Mapping[str, str]]:
        """The folder of the snapshot that is there, and its files by digest."""
        try:
            folder = layout.read_current(self._directory, name)
            listing: Listing = decode_listing(self._read(f"{name}/{_LISTING}"), _LISTING)
        except PassagewayError:
            return "", {}
        return folder, {digest: file for file, digest in listing.files.items()}

    def _bring_piece(self, name: str, piece: Piece) -> None:
        """Fetch a piece of a segment, unless it is there; what is there of it stays."""
        path = layout.segment_file(name, piece.first)
        there = {first for first, _ in layout.segments(self._directory, name)}
        with writing(path):
            length = self._directory.size(path) if piece.first in there else 0
            if length >= piece.end:
                return
            content = b"".join(self._fetched(piece.digest))
            if len(content) != piece.end - piece.start or length < piece.start:
                raise SnapshotDamaged(path, f"{length} bytes, and the next piece is {piece}")
            if not length:
                self._directory.write(path, [content])
                return
            file = self._directory.append_to(path)
            try:
                file.append([content[length - piece.start :]])
            finally:
                file.close()

    def _fetched(self, digest: str) -> Iterator[bytes]:
        """The bytes of an object. ObjectDamaged, behind the last of them, where they are not what its name says."""
        found = sha256()
        for part in self._bucket.read(path_of(digest)):
            found.update(part)
            yield part
        if found.hexdigest() != digest:
            raise ObjectDamaged(
                f"{self._bucket.url}/{path_of(digest)}", "other bytes than its name says"
            )

    def _names(self) -> set[str]:
        with reading("the cache"):
            entries = self._directory.entries(ROOT)
        return {entry.name for entry in entries if entry.is_folder and is_name(entry.name)}

    def _drop(self, name: str) -> None:
        with writing(name):
            remove_tree(self._directory, name)

    def _read(self, path: str) -> bytes:
        with reading(path):
            return self._directory.read(path, limit=_MOST)

    def _replace(self, path: str, parts: Iterable[bytes]) -> None:
        with writing(path):
            remove_tree(self._directory, path + PARTIAL)
            self._directory.write(path + PARTIAL, parts)
            self._directory.rename(path + PARTIAL, path)
