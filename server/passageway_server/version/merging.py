"""Merging aside: a version is made whole while commits go on, and what they made is made again on it.

Whole arrays take a while, and no writer should wait for them. So a merge begins with the newest version, without a lock,
keeps the commits that come meanwhile, and makes them again on what it has, until so few are left that the writer may wait
for them. The same commits on equal contents give the same rows in the same order, so that it can take the newest's place.
"""

import threading
from collections import deque

from passageway_server.version.carry import bring_up
from passageway_server.version.commits.record import Commit
from passageway_server.version.merge import merged
from passageway_server.version.replaying import made_again
from passageway_server.version.upkeep import following
from passageway_server.version.version import Identity, Version

_FEW = 1  # commits for which the writer may wait


class Merging:
    """A merge under way, of a *version* that is derived. One thread works at it; the writer notes what it commits."""

    def __init__(self, version: Version) -> None:
        self.version = version
        """The latest in whole arrays, as far as this has come."""
        self.over = threading.Event()
        """Set once it has taken its place, or never will."""
        self._later = deque[tuple[Identity, Commit]]()

    def note(self, identity: Identity, commit: Commit) -> None:
        """Take note of a *commit* that follows, and of the version that it made."""
        self._later.append((identity, commit))

    def run(self) -> None:
        """Make it whole, and follow the commits until few are left, or no fewer than before."""
        self.version = merged(self.version)
        before = None
        while (left := len(self._later)) > _FEW and (before is None or left < before):
            for _ in range(left):
                self._make_next()
            before = left

    def finish(self) -> Version:
        """The newest version in whole arrays, while nobody commits."""
        while self._later:
            self._make_next()
        return self.version

    def _make_next(self) -> None:
        identity, commit = self._later.popleft()
        made = made_again(commit, self.version)
        self.version = bring_up(following(self.version, made, identity))
