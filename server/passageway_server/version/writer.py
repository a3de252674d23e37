"""The one writer of a collection: the lock that it holds, the log that it keeps, and the end of both."""

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from passageway_server.errors import DiskFull, PassagewayError, ReadOnly, StorageFailed
from passageway_server.version.commits.record import Commit, Stamp, to_record
from passageway_server.version.committing import Log
from passageway_server.version.contents import Contents
from passageway_server.version.draft import Draft
from passageway_server.version.keys import Keys
from passageway_server.version.lines import Lines
from passageway_server.version.merge import merged
from passageway_server.version.merging import Merging
from passageway_server.version.readable import Readable, clock
from passageway_server.version.runs import Runs
from passageway_server.version.sizes import check_sizes
from passageway_server.version.tokens import next_line
from passageway_server.version.upkeep import following
from passageway_server.version.version import Identity, Version

_COMPACT_FROM = 64 << 20  # bytes of heaps and links below which garbage is not looked for
_MERGE_FROM = 262_144  # rows, edges and strings beside the whole arrays; and where these are larger
_MERGE_PART = 4  # of them


class Writer(Readable):
    """Makes the next version of the newest one, and keeps what made it; ``keys`` are those of its commits."""

    def __init__(
        self,
        version: Version,
        *,
        keys: Keys | None = None,
        lines: Lines | None = None,
        now: Callable[[], int] = clock,
    ) -> None:
        super().__init__(version, lines=lines, now=now)
        self.analyzing = threading.Lock()  # held while a measure of it is worked out
        self.runs = Runs()
        self.keys: Keys = Keys() if keys is None else keys
        self._closed: PassagewayError | None = None
        self._opening: Callable[[], None] | None = None  # of a log that found no room so far
        self._merging: Merging | None = None
        self._compact_at = _compact_at(version)

    @property
    def logged_bytes(self) -> int:
        """Bytes of the commits in the log since the snapshot."""
        log = self._committing.log
        return 0 if log is None else log.size

    def keep_in(self, log: Log, *, sync_each: bool) -> None:
        """Keep commits in *log* from now on; where *sync_each*, each is on the disk before it can be read."""
        self.expect(next_line(self.current.identity.line))
        self._committing.keep_in(log, sync_each=sync_each)

    def keep_once_open(self, open_log: Callable[[], Log], *, sync_each: bool) -> None:
        """Keep commits in the log that *open_log* gives, from when there is room for it; as `keep_in`.

        Until then each commit is DiskFull, and tries it first, as `resume` does. With any other error that it raises, no
        commits are taken until a restart.
        """
        self.expect(next_line(self.current.identity.line))
        self._opening = lambda: self._committing.keep_in(open_log(), sync_each=sync_each)
        with suppress(DiskFull, ReadOnly):
            self.resume()

    def resume(self) -> None:
        """Open the log where there was no room for that so far. Raises DiskFull, ReadOnly, and the error of `close` after it."""
        if self._opening is not None:
            with self._writing:
                self._open_version()
                self._check()

    def sync(self) -> None:
        """Put on the disk what can be read already. ReadOnly where that fails, for good."""
        self._committing.sync()

    def mark(self) -> bool:
        """Put on the disk what can be read already, and write down that it is there; whether there is a log that did.

        ReadOnly, DiskFull, StorageFailed.
        """
        self._committing.sync()
        return self._committing.mark()

    def roll(self, after: int | None = None) -> None:
        """Begin the next file of the log; with *after*, commits up to it are in a snapshot.

        DiskFull or StorageFailed, and the file before goes on; ReadOnly.
        """
        self._committing.roll(after)

    def freeze(self, reason: PassagewayError) -> None:
        """Take no commits until a restart: each raises *reason*."""
        self._committing.fail(reason)

    def merge(self) -> Version:
        """The newest version in whole arrays, without what no row names any more, once it is current; commits go on meanwhile.

        Raises ReadOnly.
        """
        while True:
            with self._writing:
                merging = self._merging
                if merging is None:
                    self._merging = merging = Merging(self._bring_up(self._committing.newest))
                    break
            merging.over.wait()
        version = self._merge(merging)
        self._committing.settle(version.identity.number)
        return version

    def close(self, reason: PassagewayError) -> None:
        """Take no more commits: each later one raises *reason*. What is committed stays readable."""
        with self._writing:
            self._closed = reason
            self._committing.settle(self._committing.newest.identity.number)

    def release(self) -> None:
        """Let the log go, after `close`. Raises ReadOnly where it could not be synced."""
        self._committing.close()

    def _check(self) -> None:
        """See that a commit can be taken. Raises ReadOnly; DiskFull where there is no room for a log."""
        self._committing.check()
        if self._opening is None:
            return
        try:
            self._opening()
        except DiskFull:
            raise
        except StorageFailed as error:
            self.freeze(ReadOnly(error.file, error.found))
            self._committing.check()
        self._opening = None

    def _append(self, version: Version, commit: Commit, base: Version) -> Stamp:
        stamp = Stamp(version.identity.line, self._now())
        self._committing.append(version, lambda: to_record(commit, stamp, base.contents))
        self._follow(version, commit)
        return stamp

    def _adopt(self, version: Version, commit: Commit) -> None:
        self._committing.adopt(version)
        self._follow(version, commit)

    def _follow(self, version: Version, commit: Commit) -> None:
        """Let the merge under way know of *commit*, or begin one where *version*, which it made, is due."""
        if self._merging is not None:
            self._merging.note(version.identity, commit)
        elif version.past is None and self._is_due(version):
            self._merging = Merging(version)
            aside = threading.Thread(
                target=self._merge, args=(self._merging,), name="merge", daemon=True
            )
            aside.start()

    def _is_due(self, version: Version) -> bool:
        """Whether much stands beside the whole arrays of *version*, or much garbage may be in them."""
        whole = len(version.nodes) + len(version.docs)
        beside = version.delta_size > max(_MERGE_FROM, whole // _MERGE_PART)
        return beside or _growing_bytes(version.contents) > self._compact_at

    def _merge(self, merging: Merging) -> Version:
        """Work at *merging* until it can take the place of the newest version, unless that is another's by then."""
        try:
            merging.run()
            with self._writing:
                if self._merging is merging:
                    self._committing.exchange(merging.finish())
                    self._compact_at = _compact_at(merging.version)
        finally:
            with self._writing:
                if self._merging is merging:
                    self._merging = None
            merging.over.set()
        return merging.version

    def _compacted(self, version: Version) -> Version:
        """*version*, without garbage once there is much of it: of a stream of batches that nobody derives meanwhile."""
        if version.past is None or _growing_bytes(version.contents) <= self._compact_at:
            return version
        version = merged(version)
        self._compact_at = _compact_at(version)
        return version

    def _open_version(self) -> Version:
        if self._closed is not None:
            raise self._closed.with_traceback(None)
        return self._committing.newest

    def _next(self, base: Version, made: Draft | Contents) -> Version:
        if isinstance(made, Draft):
            check_sizes(made)
        return following(base, made, self._next_identity())

    def _next_identity(self) -> Identity:
        identity = self._committing.newest.identity
        return replace(identity, line=self.coming or identity.line, number=identity.number + 1)


def _compact_at(version: Version) -> int:
    return max(_COMPACT_FROM, 2 * _growing_bytes(version.contents))


def _growing_bytes(contents: Contents) -> int:
    """Bytes of what only grows: texts, keywords and links."""
    strings = (contents.texts, contents.keywords.strings)
    return sum(len(part.heap) + 8 * len(part) for part in strings) + 12 * len(contents.links)
