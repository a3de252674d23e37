"""The latest versions of a collection, and each of them as it may be read today.

What of an older version may be read is worked out when it is asked for, and kept until a commit changes who may read what.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from passageway_server.columns.nodes import Docs
from passageway_server.version.latest import Gone
from passageway_server.version.narrowing import Narrowing
from passageway_server.version.version import Version

USUALLY = 8
"""How many versions are kept where the collection does not say."""


@dataclass(frozen=True, slots=True)
class _Shown:
    """What of a version may be read by the newest version ``by``, and what was taken away for that."""

    by: str
    view: Version
    narrowing: Narrowing | None = None


class _Kept:
    """A version that may be asked for."""

    def __init__(self, version: Version) -> None:
        self.version = version
        self.gone: Gone | None = None  # between the one before and this one
        self.shown = _Shown(version.token, version)
        self.lock = threading.Lock()  # held while it is worked out what of it may be read


class Retained:
    """Versions by their tokens, oldest first; one thread adds, any may ask."""

    def __init__(self, first: Version) -> None:
        self.kept = {first.token: _Kept(first)}
        self.newest = first
        self._lock = threading.Lock()

    @property
    def oldest(self) -> str:
        """The token of the oldest version that may be asked for."""
        with self._lock:
            return next(iter(self.kept))

    def add(self, version: Version) -> None:
        """Keep *version*, the next one, or the newest in another form; let go those that are too old by it."""
        with self._lock:
            kept = self.kept.get(version.token)
            if kept is not None:
                kept.version, kept.shown = version, _Shown(version.token, version)
            else:
                self.kept[version.token] = _Kept(version)
                self.newest.forget()  # most readers go on with the new one
            self.newest = version
            self._let_go()

    def stand_with(self, put: Docs, held: Docs) -> None:
        """Let the versions before the newest hold edge documents as it does: *held* is in slots what it had as *put*."""
        with self._lock:
            kept = list(self.kept.values())
        for each in kept:
            each.version.stand_with(put, held)

    def go_on_as(self, other: "Retained") -> None:
        """Keep what *other* has, of the same collection, and what is older here, unless commits lie between."""
        theirs = dict(other.kept)
        first = next(iter(theirs.values())).version.identity.number
        with self._lock:
            follows = self.newest.identity.number + 1 >= first
            older = {
                token: kept
                for token, kept in self.kept.items()
                if follows and kept.version.identity.number < first
            }
            self.kept = older | theirs
            self.newest = other.newest
            self._let_go()

    def _let_go(self) -> None:
        """Keep no more than the newest version says."""
        most = self.newest.settings.retain_versions or USUALLY
        for token in list(islice(self.kept, max(0, len(self.kept) - most))):
            del self.kept[token]

    def at(self, token: str) -> Version | None:
        """The version *token* without what today's readers take away from it; None where it is not kept."""
        with self._lock:
            asked = self.kept.get(token)
            if asked is None:
                return None
            every = list(self.kept.values())
        chain = every[every.index(asked) :]
        newest = chain[-1].version.token
        shown = asked.shown
        if shown.by == newest:
            return shown.view
        with asked.lock:
            narrowing = Narrowing.of([each.version for each in chain], lambda: _gone(chain))
            before = asked.shown
            view = before.view
            if before.narrowing is None or not narrowing.same(before.narrowing):
                view = narrowing.view(asked.version)
            asked.shown = _Shown(newest, view, narrowing)
            return view


def _gone(chain: Sequence[_Kept]) -> list[Gone]:
    """What was deleted between each two versions of *chain*."""
    found: list[Gone] = []
    for before, after in pairwise(chain):
        if after.gone is None:
            after.gone = Gone.between(before.version, after.version)
        found.append(after.gone)
    return found
