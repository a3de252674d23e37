"""A collection: the version that readers take, and the one writer that makes the next.

Readers take `current` and never wait. A commit is made on the newest version, which need not be seen yet, and ends when its
own can be read: by then it is on the disk (committing.py). Recovering, and following another process, is to `replay` what
was logged.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from passageway_server.errors import PassagewayError
from passageway_server.storage.log.reading import Logged
from passageway_server.values.collections import (
    Acknowledgement,
    CollectionSettings,
    CollectionState,
    Kind,
)
from passageway_server.values.halt import UNHALTED, Halt
from passageway_server.values.records import UNGUARDED, Batch, Guard
from passageway_server.version.applying import drafted
from passageway_server.version.check import check_batch
from passageway_server.version.columns_fit import check_columns, check_room
from passageway_server.version.commits.batches import digest, pack_batch
from passageway_server.version.commits.record import Named, Puts
from passageway_server.version.contents import Contents
from passageway_server.version.guarding import Guarding, Hidden, nothing_hidden
from passageway_server.version.keys import Entry
from passageway_server.version.measures import Measured, Written, write_measure
from passageway_server.version.memory import memory_bytes
from passageway_server.version.readable import clock
from passageway_server.version.redeclare import redeclare
from passageway_server.version.replaying import replayed
from passageway_server.version.runs import Run
from passageway_server.version.settings import check_settings
from passageway_server.version.tokens import new_line
from passageway_server.version.upkeep import following
from passageway_server.version.version import Identity, Version
from passageway_server.version.writer import Writer


class Collection(Writer):
    """One collection in memory, which may have a log that keeps what is committed."""

    @classmethod
    def created(
        cls, contents: Contents, created_at: datetime, *, now: Callable[[], int] = clock
    ) -> "Collection":
        """A new collection with *contents*; its versions are told from those of any other."""
        return cls(Version(Identity(new_line(), 1, created_at), contents), now=now)

    @classmethod
    def copied(
        cls, held: Version, name: str, created_at: datetime, *, now: Callable[[], int] = clock
    ) -> "Collection":
        """A new collection *name* with what another one *held*."""
        settings = replace(held.settings, name=name)
        made = cls.created(replace(held.contents, settings=settings), created_at, now=now)
        made.current.known |= held.known
        return made

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
            memory_bytes=memory_bytes(version),
            created_at=version.identity.created_at,
        )

    def apply(
        self,
        batch: Batch,
        guard: Guard = UNGUARDED,
        *,
        sub: str = "",
        hidden: Hidden = nothing_hidden,
        run: Run | None = None,
        prepare: bool = True,
    ) -> Acknowledgement:
        """Commit *batch*, whole or not at all, where *guard* allows it; its version is current then, or a later one.

        The key of *guard* is that of the writer *sub*: what came under it before is answered as it was then. With
        ``prepare`` readers find the new version worked out; a stream of batches does without until its last, unless
        somebody reads meanwhile; it says of which *run* it is. Raises LoadOvertaken, InvalidRequest, VersionMoved, RevisionsMoved, DiskFull, StorageFailed, ReadOnly, and the error of `close` after it.
        """
        key = guard.idempotency_key
        packed = pack_batch(batch) if key else None
        fingerprint = digest(packed) if key else b""
        guarding = Guarding(guard, batch, hidden)
        self._look(guarding)
        with self._writing:
            base = self._open_version()
            if run is not None:
                run.check()
            first = self.keys.find(sub, key, fingerprint) if key else None
            if first is None:
                self._check()
                if guarding.asks_for_revisions:
                    self._bring_up(base)  # for whom a field is there may hang on the graph
                guarding.check(base)
                fields, edge_fields = check_columns(
                    batch, *check_batch(batch, base.fields, base.edge_fields)
                )
                check_room(base.fields, fields)
                check_room(base.edge_fields, edge_fields)
                draft = drafted(base, batch, fields=fields, edge_fields=edge_fields)
                version = self._next(base, draft)
                dangling = version.dangling
                if prepare or self._is_read:
                    self._bring_up(version)
                puts = Puts(
                    batch,
                    _added(fields.inferred, base.fields.inferred),
                    _added(edge_fields.inferred, base.edge_fields.inferred),
                    Named(sub, key, fingerprint, dangling) if key else None,
                    packed,
                )
                stamp = self._append(self._compacted(version), puts, base)
                number = version.identity.number
                answer = Acknowledgement(version.token, dangling)
                if puts.named is not None:
                    self.keys.add(Entry.of(puts.named, stamp, number))
            else:
                number, answer = first.number, first.answer
        self._committing.settle(number)
        return answer

    def _look(self, guarding: Guarding) -> None:
        """Let *guarding* look at the newest version while others commit; where it cannot, it will do so in its turn."""
        newest = self._committing.newest
        if guarding.asks_for_revisions and newest.past is None:
            with suppress(PassagewayError):  # a key that is known comes before what a guard raises
                guarding.look(newest)

    def measure(self, measured: Measured, halt: Halt = UNHALTED) -> Written:
        """Commit what a measure found, unless *halt* says before its end that nobody wants it: then its error.

        Raises InvalidRequest where the property takes no such value by now, and else as `apply`.
        """
        with self._writing:
            base = self._open_version()
            self._check()
            halt.spent()
            draft, rows, communities = write_measure(base, measured)
            check_room(base.fields, draft.nodes.fields)
            halt.spent()
            version = self._bring_up(self._next(base, draft))
            halt.spent()
            self._append(version, measured, base)
        self._committing.settle(version.identity.number)
        return Written(version.token, rows, communities)

    def update(self, change: Callable[[CollectionSettings], CollectionSettings]) -> None:
        """Commit other settings. Raises InvalidRequest where they are not fit, or rows forbid them, LimitExceeded; else as `apply`."""
        with self._writing:
            base = self._open_version()
            self._check()
            changed = change(base.settings)
            check_settings(changed)
            contents = redeclare(base.contents, changed)
            check_room(base.fields, contents.fields)
            check_room(base.edge_fields, contents.edge_fields)
            version = self._bring_up(self._next(base, contents))
            self._append(version, changed, base)
        self._committing.settle(version.identity.number)

    def restore(self, restored: Version, write: Callable[[Version], None]) -> None:
        """Commit the contents of *restored* in the place of all there is, but for the name, once *write* has put them on the disk.

        Nothing of it is logged. Raises what *write* does, with nothing changed, and as `apply`.
        """
        with self._writing:
            base = self._open_version()
            self._check()
            self._committing.settle(base.identity.number)
            settings = replace(restored.settings, name=base.settings.name)
            contents = replace(restored.contents, settings=settings)
            version = Version(self._next_identity(), contents)
            version.known |= restored.known
            write(version.prepare())
            self._merging = None  # it goes on to nothing
            self._committing.adopt(version)

    def replay(self, logged: Logged, *, prepare: bool = True) -> None:
        """Let readers see a commit that is on the disk. Raises LogDamaged, with nothing changed.

        Of many that come at once, only the last is worth to ``prepare``.
        """
        with self._writing:
            base = self.current
            made = replayed(base, logged)
            line, number = made.stamp.line, logged.number
            identity = replace(base.identity, line=line, number=number)
            version = following(base, made.what, identity)
            if prepare:
                self._bring_up(version)
            if made.named is not None:
                self.keys.add(Entry.of(made.named, made.stamp, number))
            self._adopt(self._compacted(version), made.commit)

    def rebase(self, aside: "Collection") -> None:
        """Go on as *aside*, which is this collection as a later snapshot has it, with other rows for the same ids."""
        with self._writing:
            self.keys = aside.keys
            self._merging = None  # it goes on to nothing
            self._go_on_as(aside)

    def loaded(self, sub: str, name: str) -> tuple[int, Acknowledgement] | None:
        """The place of the latest batch of the load *name*, and what was answered to it. Raises ReadOnly."""
        found = self.keys.loaded(sub, name)
        if found is None:
            return None
        place, entry = found
        self._committing.settle(entry.number)
        return place, entry.answer


def _added(after: Mapping[str, Kind], before: Mapping[str, Kind]) -> dict[str, Kind]:
    """What stands in *after* and not in *before*."""
    return {} if after is before else {n: k for n, k in after.items() if n not in before}
