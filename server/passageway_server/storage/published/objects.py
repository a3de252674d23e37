"""The objects of a published store that are there, and those that are to go because nothing names them any more."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from passageway_server.storage.published.bucket import Bucket
from passageway_server.storage.published.index import (
    OBJECTS,
    Listing,
    Published,
    decode_listing,
    digest_of,
    encode_listing,
    path_of,
)

_GRACE: Final = 600.0
"""Seconds that an object stays after nothing names it: a replica may be fetching it."""


class Objects:
    """Which objects there are, and since when nothing names them. *clock* counts seconds."""

    def __init__(self, bucket: Bucket, clock: Callable[[], float]) -> None:
        self._bucket, self._clock = bucket, clock
        self._unnamed = {
            path.removeprefix(OBJECTS): clock()
            for path in bucket.list(OBJECTS)
            if path.startswith(OBJECTS)
        }
        self._present = set(self._unnamed)
        self._files: dict[str, frozenset[str]] = {}  # of listings

    def keep(self, digest: str, content: "bytes | Callable[[], Iterator[bytes]]") -> None:
        """Let there be an object of that digest."""
        if digest not in self._present:
            self._bucket.write(
                path_of(digest), content if isinstance(content, bytes) else content()
            )
            self._present.add(digest)
        self._unnamed.pop(digest, None)

    def keep_listing(self, listing: Listing) -> str:
        """Let there be a listing, whose files are there; its digest."""
        content = encode_listing(listing)
        digest = digest_of(content)
        self.keep(digest, content)
        self._files[digest] = frozenset(listing.files.values())
        return digest

    def let_go_all_but(self, collections: Iterable[Published]) -> None:
        """Remove what none of *collections* names, and has not for a while. StorageFailed, ReadFailed, SnapshotDamaged."""
        named: set[str] = set()
        for one in collections:
            named |= {one.listing, *self._listed(one.listing)}
            named |= {piece.digest for piece in one.log}
        self._let_go_all_but(named)

    def _listed(self, listing: str) -> frozenset[str]:
        """The digests of the files in a listing, that another publisher may have made."""
        if listing not in self._files:
            path = path_of(listing)
            found = decode_listing(b"".join(self._bucket.read(path)), path)
            self._files[listing] = frozenset(found.files.values())
        return self._files[listing]

    def _let_go_all_but(self, named: set[str]) -> None:
        self._files = {listing: files for listing, files in self._files.items() if listing in named}
        now = self._clock()
        for digest in self._present - named:
            self._unnamed.setdefault(digest, now)
        old = [
            digest
            for digest, since in self._unnamed.items()
            if digest not in named and now - since >= _GRACE
        ]
        self._bucket.remove(map(path_of, old))
        for digest in old:
            del self._unnamed[digest]
            self._present.discard(digest)
