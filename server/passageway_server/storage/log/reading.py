"""The commits of a log after some number, in order, and how the log ends.

**Tail or damage.** A commit is acknowledged once it is on the disk. How far that had come is written down in many
places: each frame holds ``durable_upto``, a segment begins when all before it is on the disk, DURABLE names a commit
that is, and what the snapshot that counts holds is on the disk too. D is the largest of these numbers. What cannot be
read up to D is damage, and is never passed over; what cannot be read past D was not acknowledged by anyone who could
tell: a tail. A segment has its name when its header is on the disk, so no crash leaves one without.

A bad frame among commits that the snapshot holds is damage as well, but nothing is lost by it: reading goes on.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from passageway_server.errors import LogDamaged, SnapshotDamaged
from passageway_server.storage import layout, records
from passageway_server.storage.belonging import own_segments
from passageway_server.storage.directory import Directory
from passageway_server.storage.log.frames import (
    HEADER_LENGTH,
    LOG_LIMITS,
    BadFrame,
    Frame,
    Header,
)
from passageway_server.storage.log.segment import Segment
from passageway_server.storage.report import Finding, Kind


@dataclass(frozen=True, slots=True)
class Logged:
    """One commit of the log, as it was appended."""

    number: int
    payload: Mapping[str, object]


def decoded(path: str, frame: Frame) -> Logged:
    """The commit that *frame* of the segment *path* holds; LogDamaged unless it is a record."""
    try:
        payload = records.decode(frame.payload, path, limits=LOG_LIMITS)
    except SnapshotDamaged as damage:
        raise LogDamaged(path, offset=frame.offset, found=damage.found) from damage
    return Logged(frame.number, payload)


@dataclass(frozen=True, slots=True)
class Told:
    """What stands beside the segments of a log: *durable* is D by what DURABLE, LOG and the names of segments say.

    ``missing`` is what is wrong with LOG, or that the segment is not there which it names; ``unmarked`` what is wrong with
    DURABLE, which then says nothing.
    """

    durable: int
    missing: LogDamaged | None
    unmarked: SnapshotDamaged | None
    is_cut: bool
    """Whether the newest segment is not there."""


def told_beside(directory: Directory, collection: str) -> Told:
    """What is known of the log of *collection* before it is read. ReadFailed."""
    firsts = [first for first, _ in layout.segments(directory, collection)]
    durable, missing, unmarked, is_cut = 0, None, None, False
    try:
        newest = layout.read_newest_segment(directory, collection)
        if newest is not None and newest not in firsts:
            file = layout.segment_file(collection, newest)
            missing = LogDamaged(file, offset=0, found=f"missing, and {layout.LOG} names it")
            firsts.append(newest)
            is_cut = True
    except SnapshotDamaged as damage:
        missing = LogDamaged(damage.file, offset=0, found=damage.found)
    try:
        durable = layout.read_durable(directory, collection)
    except SnapshotDamaged as damage:
        unmarked = damage
    durable = max(durable, *(first - 1 for first in firsts), 0)
    return Told(durable, missing, unmarked, is_cut)


@dataclass(slots=True)
class LogReading:
    """One pass over the log of *collection*, after commit *after*, which a snapshot holds.

    *durable* is what is known of D, and more of it while reading goes on; ``last`` is the commit that was read last.
    ``path`` is the segment that was read last, "" before there is one, and ``ended`` is the last commit that was
    read in it, and the offset behind that.
    ``findings`` is what was passed over: a tail, and damage among commits that the snapshot holds.
    """

    directory: Directory
    collection: str
    after: int
    durable: int
    last: int = field(init=False)
    path: str = field(default="", init=False)
    ended: tuple[int, int] = field(default=(0, 0), init=False)
    findings: list[Finding] = field(default_factory=list[Finding], init=False)

    def __post_init__(self) -> None:
        self.last = self.after

    def commits(self) -> Iterator[Logged]:
        """The commits past *after*, each read when it is asked for. LogDamaged, FormatTooNew, ReadFailed."""
        told = told_beside(self.directory, self.collection)
        self.durable = max(self.durable, told.durable)
        if told.unmarked is not None:
            self._note(Kind.DAMAGE, told.unmarked.file, 0, told.unmarked.found)
        before: Segment | None = None
        for segment, header in own_segments(self.directory, self.collection, after=self.after):
            if isinstance(header, BadFrame):
                raise LogDamaged(segment.path, offset=0, found=header.found) from header
            if before is not None:
                self._check_chain(before, header)
            elif header.first > self.after + 1:
                raise self._gap(header.first)
            self.path, before = segment.path, segment
            yield from self._commits_of(segment, header)
            if segment.behind:
                self._note(Kind.DAMAGE, segment.path, segment.length, segment.said_behind)
        if told.missing is not None:
            raise told.missing
        if self.last < self.durable:
            found = f"it ends with commit {self.last}, and {self.durable} was on the disk"
            raise self._damage(found)

    def _check_chain(self, segment: Segment, header: Header) -> None:
        """Raise LogDamaged unless *segment*, which was read to its end, is the one that *header* follows."""
        ended = self.ended[0]
        if max(ended, header.after) > self.after and ended != header.after:
            raise self._gap(header.first)
        if header.first - 1 > max(self.after, header.after):
            raise self._gap(header.first)
        before = header.previous
        if not before.length or segment.previous(before.length) == before:
            return
        found = f"segment {header.first} follows other bytes"
        if any(finding.file == segment.path for finding in self.findings):
            return  # that is how the damage shows which was found inside
        if ended > self.after:
            raise LogDamaged(segment.path, offset=before.length, found=found)
        self._note(Kind.DAMAGE, segment.path, 0, found)

    def _commits_of(self, segment: Segment, header: Header) -> Iterator[Logged]:
        at, expected = HEADER_LENGTH, header.first
        while True:
            self.ended = expected - 1, at
            try:
                frame = segment.frame(at, salt=header.salt)
                if frame and frame.number != expected:
                    self.durable = max(self.durable, frame.durable_upto)
                    raise BadFrame(at, f"commit {frame.number}")
            except BadFrame as bad:
                frame = self._behind(segment, header, bad, expected)
            if frame is None:
                break
            self.durable = max(self.durable, frame.durable_upto)
            at, expected = frame.end, frame.number + 1
            if frame.number > self.after:
                commit = decoded(segment.path, frame)
                self.last = frame.number
                yield commit
        if at < segment.length and not any(f.file == segment.path for f in self.findings):
            self._note(Kind.TAIL, segment.path, at, "zeros", size=segment.length - at)

    def _behind(
        self, segment: Segment, header: Header, bad: BadFrame, expected: int
    ) -> Frame | None:
        """The frame to go on with behind a bad one; None where nothing that was kept follows."""
        covered = expected <= self.after
        if covered:
            found = f"{bad.of(expected)}, which the snapshot holds"
            self._note(Kind.DAMAGE, segment.path, bad.offset, found)
        for frame in segment.search(bad.offset, salt=header.salt, after=expected - 1):
            self.durable = max(self.durable, frame.durable_upto)
            if covered and frame.number <= self.after + 1:
                return frame
        if not covered and expected <= self.durable:
            raise LogDamaged(segment.path, offset=bad.offset, found=bad.of(expected)) from bad
        if not covered:
            size = segment.length - bad.offset
            self._note(Kind.TAIL, segment.path, bad.offset, bad.of(expected), size=size)
        return None

    def _gap(self, first: int) -> LogDamaged:
        found = f"commit {self.last + 1} should follow, and segment {first} is next"
        return self._damage(found)

    def _damage(self, found: str) -> LogDamaged:
        """Damage behind what was read."""
        path = self.path or layout.segment_file(self.collection, self.last + 1)
        return LogDamaged(path, offset=self.ended[1], found=found)

    def _note(
        self, kind: Kind, file: str, offset: int, found: str, *, size: int | None = None
    ) -> None:
        self.findings.append(Finding(self.collection, file, offset, kind, found, size))
