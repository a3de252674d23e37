"""The latest versions of a collection, and each of them as it may be read today.

What of an older version may be read is worked out when it is asked for, and kept (views.py) until a commit changes who may
read what.
"""

import threading
from collections.abc import Sequence
from itertools import islice, pairwise

from passageway_server.columns.nodes import Docs
from passageway_server.values.halt import UNHALTED, Halt
from passageway_server.version.latest import Gone
from passageway_server.version.narrowing import Narrowing
from passageway_server.version.version import Version
from passageway_server.version.views import Shown, Views

USUALLY = 8
"""How many versions are kept where the collection does not say."""


class _Kept:
    """A version that may be asked for."""

    def __init__(self, version: Version) -> None:
        self.version = version
        self.gone: Gone | None = None  # between the one before and this one
        self.lock = threading.Lock()  # held while it is worked out what of it may be read


class Retained:
    """Versions by their tokens, oldest first; one thread adds, any may ask."""

    def __init__(self, first: Version) -> None:
        self.kept = {first.token: _Kept(first)}
        self.newest = first
        self.views = Views()
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
                kept.version = version
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
            self.views.clear()
            self.newest = other.newest
            self._let_go()

    def _let_go(self) -> None:
        """Keep no more than the newest version says."""
        most = self.newest.settings.retain_versions or USUALLY
        for token in list(islice(self.kept, max(0, len(self.kept) - most))):
            del self.kept[token]
            self.views.drop(token)

    def at(self, token: str, halt: Halt = UNHALTED) -> Version | None:
        """The version *token* without what today's readers take away from it; None where it is not kept.

        Raises DeadlineExceeded, Cancelled, where another call works that out meanwhile.
        """
        with self._lock:
            asked = self.kept.get(token)
            if asked is None:
                return None
            every = list(self.kept.values())
        chain = every[every.index(asked) :]
        if len(chain) == 1:
            return asked.version
        halt.wait_for(lambda moment: asked.lock.acquire(timeout=moment))
        try:
            return self._shown(chain)
        finally:
            asked.lock.release()

    def _shown(self, chain: Sequence[_Kept]) -> Version:
        """What of the first of *chain* may be read by the last."""
        version, newest = chain[0].version, chain[-1].version.token
        before = self.views.get(version.token)
        if before is not None and before.of is not version:
            before = None
        if before is not None and before.by == newest:
            return before.view
        # Once: a merge may give the newest another form meanwhile, with other rows.
        versions = [each.version for each in chain]
        narrowing = Narrowing.of(versions, lambda: _gone(chain, versions))
        if before is not None and narrowing.same(before.narrowing):
            view = before.view
        else:
            view = narrowing.view(version)
        self.views.put(version.token, Shown(version, newest, view, narrowing))
        with self._lock:
            if version.token not in self.kept:  # it went meanwhile
                self.views.drop(version.token)
        return view


def _gone(chain: Sequence[_Kept], versions: Sequence[Version]) -> list[Gone]:
    """What was deleted between each two of *versions*, which are those of *chain*, each in one of its forms."""
    found: list[Gone] = []
    for after, (base, new) in zip(chain[1:], pairwise(versions), strict=True):
        if base.readers is not new.readers:  # in another form it may be otherwise
            found.append(Gone.between(base, new))
            continue
        if after.gone is None:
            after.gone = Gone.between(base, new)
        found.append(after.gone)
    return found
