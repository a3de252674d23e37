"""The latest versions of a collection, and each of them as it may be read today.

What of an older version may be read is worked out when it is asked for, aside, one at a time, and once for all who ask (readying.py), and
kept (views.py) until a commit changes who may read what.
"""

import threading
from collections.abc import Sequence
from itertools import dropwhile, islice, pairwise

from passageway_server.columns.nodes import Docs
from passageway_server.values.halt import UNHALTED, Halt
from passageway_server.version.latest import Gone
from passageway_server.version.narrowing import Narrowing, readied
from passageway_server.version.readying import Readying
from passageway_server.version.version import Version
from passageway_server.version.views import Shown, Views

USUALLY = 8
"""How many versions are kept where the collection does not say."""


class _Kept:
    """A version that may be asked for."""

    def __init__(self, version: Version) -> None:
        self.version = version
        self.gone: Gone | None = None  # between the one before and this one
        self.readying = Readying[Shown | None]()  # of what of it may be read


class Retained:
    """Versions by their tokens, oldest first; one thread adds, any may ask."""

    def __init__(self, first: Version) -> None:
        self.kept = {first.token: _Kept(first)}
        self.newest = first
        self.views = Views()
        self._lock = threading.Lock()
        self._showing = threading.Lock()  # held while what may be read of one is worked out

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
        """The version *token*, worked out, without what today's readers take away from it; None where it is not kept.

        Raises DeadlineExceeded, Cancelled.
        """
        with self._lock:
            asked, newest = self.kept.get(token), self.newest
        if asked is None:
            return None
        if asked.version is newest and newest.past is None:
            return newest
        shown = self.views.get(token)
        if shown is None or shown.of is not asked.version or shown.by != newest.identity:
            number = newest.identity.number
            shown = asked.readying.wait_for(
                lambda: self._show(token),
                halt,
                fits=lambda made: made is None or made.by.number >= number,
            )
        return None if shown is None else shown.view

    def _show(self, token: str) -> Shown | None:
        """What of the version *token* may be read by the newest one; None where it is no longer kept."""
        with self._showing:
            return self._worked_out(token)

    def _worked_out(self, token: str) -> Shown | None:
        with self._lock:
            if token not in self.kept:
                return None
            chain = list(dropwhile(lambda kept: kept.version.token != token, self.kept.values()))
        # Once: a merge may give each another form meanwhile, with other rows.
        versions = [each.version for each in chain]
        version, newest = versions[0], versions[-1].identity
        before = self.views.get(token)
        if before is not None and before.of is not version:
            before = None
        base = readied(version) if before is None else before.base
        narrowing = Narrowing.of([base, *versions[1:]], lambda: _gone(chain, versions))
        if before is not None and narrowing.same(before.narrowing):
            view = before.view
        else:
            view = narrowing.view(base)
        shown = Shown(version, base, newest, view, narrowing)
        self.views.put(token, shown)
        with self._lock:
            if token not in self.kept:  # it went meanwhile
                self.views.drop(token)
        return shown


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
