"""The collections of a folder that another process writes, at the versions that it has on the disk.

A collection begins with a snapshot, mapped from its files, and goes on with the commits of the log, replayed. It begins
again with a later snapshot where the log does not lead on, and where so much was replayed that memory is better
shared with the files. What readers hold stays.
"""

from collections.abc import Callable
from dataclasses import dataclass

from passageway_server.errors import (
    FollowerOnly,
    LogDamaged,
    PassagewayError,
)
from passageway_server.storage.collection import StoredCollection
from passageway_server.storage.directory import Directory
from passageway_server.storage.following import FollowedCollection, LogMoved
from passageway_server.storage.snapshot import OpenSnapshot
from passageway_server.version.catalog import Catalog, Clock
from passageway_server.version.collection import Collection
from passageway_server.version.readable import clock
from passageway_server.version.recovering import opened_lines, opened_version
from passageway_server.version.tokens import Token, incarnation

_LONG_TAIL = 16 << 20
"""Bytes of commits that are replayed after a snapshot before a later one is begun again with."""

Report = Callable[[str, Exception], None]
"""Hears of a collection that cannot be followed, and why."""


@dataclass(slots=True)
class _Followed:
    """A collection that is served, and where it stands in its files."""

    stored: FollowedCollection
    collection: Collection
    tail: int = 0  # bytes of the log that were replayed since its snapshot

    @property
    def number(self) -> int:
        return self.collection.current.identity.number


class Following(Catalog):
    """Collections of *directory*, to be read: a commit to one raises FollowerOnly, which names *source*.

    One thread follows; any may read.
    """

    def __init__(
        self,
        directory: Directory,
        *,
        source: str,
        page_key: bytes,
        report: Report,
        now: Clock = clock,
        opening: Callable[[StoredCollection], OpenSnapshot] = StoredCollection.open,
    ) -> None:
        """With no collections yet. Snapshots are opened by *opening*, as ``FollowedCollection`` says."""
        super().__init__(page_key=page_key, now=now)
        self._directory = directory
        self._refusal = FollowerOnly(source)
        self._report = report
        self._opening = opening
        self._followed: dict[str, _Followed] = {}

    def catch_up(self, name: str, token: str = "", *, upto: int | None = None) -> bool:
        """Let *name* be read at the version *token*, or at commit *upto*, or as its files have it; whether it is so now.

        One that cannot be followed is served as it was, and where it never was, it is among the ``damaged``.
        """
        try:
            known = self._followed.get(name)
            if known is None or self._is_another(known, token):
                known = self._begun(name)
            told = Token.of(token)
            self._go_on(known, upto=told.number if told else upto)
            self._followed[name] = known
            if self._collections.get(name) is not known.collection:
                self.put(name, known.collection)
        except (PassagewayError, LogMoved) as fault:
            self._report(name, fault)
            if name not in self._followed and isinstance(fault, PassagewayError):
                self.damaged[name] = fault
            return False
        if token:
            return known.collection.current.token == token
        return upto is None or known.number >= upto

    def drop(self, name: str) -> None:
        """Serve *name* no longer: it is gone. Whoever waits for a version of it waits on."""
        self._followed.pop(name, None)
        self.take_away(name)

    def _is_another(self, known: _Followed, token: str) -> bool:
        """Whether *token*, or what stands in the files, is not what is served nor a later version of it."""
        if not token:
            newest = known.stored.newest_snapshot
            if newest == known.stored.snapshot:
                return known.stored.is_another()
            return newest < known.stored.snapshot
        current = known.collection.current.token
        told, here = Token.of(token), Token.of(current)
        if told is None or here is None or told.incarnation != here.incarnation:
            return True
        return told.number < here.number or (told.number == here.number and token != current)

    def _begun(self, name: str) -> _Followed:
        """The newest snapshot of *name*, that nobody reads yet."""
        stored = FollowedCollection(StoredCollection(self._directory, name), opening=self._opening)
        collection = self._opened(name, stored.open())
        collection.close(self._refusal)
        return _Followed(stored, collection)

    def _opened(self, name: str, snapshot: OpenSnapshot) -> Collection:
        """The collection *name* as *snapshot* has it, without keys, which nobody asks for here."""
        version = opened_version(name, snapshot)
        return Collection(version, lines=opened_lines(name, snapshot, version), now=self.now)

    def _go_on(self, known: _Followed, *, upto: int | None) -> None:
        """Replay what follows; from a later snapshot where the log does not lead on to it, or only at length."""
        try:
            known.tail += _replayed(known.stored, known.collection, upto=upto)
        except (LogMoved, LogDamaged):
            self._begin_again(known, upto=upto)
            return
        newest = known.stored.newest_snapshot
        if newest > known.number or (known.tail > _LONG_TAIL and newest > known.stored.snapshot):
            self._begin_again(known, upto=upto)

    def _begin_again(self, known: _Followed, *, upto: int | None) -> None:
        """From the newest snapshot, aside, until it has come as far as what is served; then it takes its place."""
        before = known.number
        try:
            aside = self._opened(known.stored.name, known.stored.open())
            known.tail = _replayed(known.stored, aside, upto=upto)
            line, here = aside.current.identity.line, known.collection.current.identity.line
            if incarnation(line) != incarnation(here):
                aside.close(self._refusal)
                known.collection = aside
            elif aside.current.identity.number >= before:
                known.collection.rebase(aside)
            else:
                known.stored.go_on(before)
        except (PassagewayError, LogMoved):
            known.stored.go_on(before)
            raise


def _replayed(stored: FollowedCollection, collection: Collection, *, upto: int | None) -> int:
    """Let *collection* have the commits that *stored* reads next, up to *upto* or as far as they go; their bytes."""
    size = 0
    commits = stored.commits(upto)
    read = next(commits, None)
    while read is not None:
        following = next(commits, None)
        collection.replay(read.commit, prepare=following is None)
        size += read.size
        read = following
    return size
