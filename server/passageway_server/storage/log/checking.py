"""Whether a log is what was appended: every segment and every frame, each thing that is wrong by itself.

Reading (reading.py) stops at damage that costs a commit. A check goes on behind it, and looks at what a snapshot
holds too; it tells a tail from damage by the same rule.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from passageway_server.errors import LogDamaged
from passageway_server.storage import layout
from passageway_server.storage.belonging import own_segments
from passageway_server.storage.directory import Directory
from passageway_server.storage.log.frames import HEADER_LENGTH, BadFrame, Frame, Header
from passageway_server.storage.log.reading import decoded, told_beside
from passageway_server.storage.log.segment import Segment
from passageway_server.storage.report import Finding, Kind


@dataclass(slots=True)
class LogCheck:
    """One look at the whole log of *collection*, where what counts is the snapshot of version *snapshot*.

    Once `findings` has been asked for, ``frames`` counts the commits that can be read, ``highest`` is the greatest
    number among them, and ``durable`` is D.
    """

    directory: Directory
    collection: str
    snapshot: int
    frames: int = field(default=0, init=False)
    highest: int = field(default=0, init=False)
    durable: int = field(default=0, init=False)
    _path: str = field(default="", init=False)
    _ended: tuple[int, int] = field(default=(0, 0), init=False)
    """The last commit of the segment that was read last, and the offset behind it."""
    _is_good: bool = field(default=True, init=False)
    """Whether all frames of that segment are good: else its checksum says nothing new."""

    def findings(self) -> list[Finding]:
        """All that is wrong: beside the segments, from the first of them to the last, and at the end. FormatTooNew, ReadFailed."""
        return self._judged([*self._beside(), *self._inside(), *self._at_the_end()])

    def inside(self) -> list[Finding]:
        """What is wrong in the segments, and from one to the next. FormatTooNew, ReadFailed."""
        return self._judged([*self._inside()])

    def _judged(self, found: list[tuple[int, Finding]]) -> list[Finding]:
        """Each of *found* as what it is: with the commit that makes it damage if it was on the disk, 0 where it is in any case."""
        durable = max(self.durable, self.snapshot)
        judged: dict[tuple[str, Kind, int], Finding] = {}
        for expected, finding in found:
            # What follows a tail is no other one; each damage is.
            kind = Kind.DAMAGE if expected <= durable else Kind.TAIL
            key = (finding.file, kind, (finding.offset or 0) if kind is Kind.DAMAGE else 0)
            count = finding.bytes if kind is Kind.TAIL else None
            judged.setdefault(key, replace(finding, kind=kind, bytes=count))
        return [*judged.values()]

    def _beside(self) -> Iterator[tuple[int, Finding]]:
        told = told_beside(self.directory, self.collection)
        self.durable = told.durable
        for wrong in (told.missing, told.unmarked):
            if wrong is not None:
                yield 0, self._finding(wrong.file, 0, wrong.found)

    def _inside(self) -> Iterator[tuple[int, Finding]]:
        before: Segment | None = None
        segments = own_segments(self.directory, self.collection, after=-1)
        for place, (segment, header) in enumerate(segments):
            if isinstance(header, BadFrame):
                yield 0, self._finding(segment.path, 0, header.found)
                before = None
                continue
            if place == 0 and header.first - 1 > self.snapshot:
                found = f"commit {self.snapshot + 1} should stand here, {header.first} does"
                yield 0, self._finding(segment.path, 0, found)
            if before is not None:
                yield from self._chain(before, header)
            self._path, self._is_good, before = segment.path, True, segment
            yield from self._frames_of(segment, header)
            if segment.behind:
                yield 0, self._finding(segment.path, segment.length, segment.said_behind)

    def _at_the_end(self) -> Iterator[tuple[int, Finding]]:
        last, offset = self._ended
        if max(last, self.snapshot) < self.durable:
            path = self._path or layout.segment_file(self.collection, self.snapshot + 1)
            found = f"it ends with commit {last}" if self._path else "missing"
            yield 0, self._finding(path, offset, f"{found}, and {self.durable} was on the disk")

    def _chain(self, segment: Segment, header: Header) -> Iterator[tuple[int, Finding]]:
        """Whether *segment* is the one that *header* follows."""
        ended, end = self._ended
        if ended != header.after or header.first - 1 > max(header.after, self.snapshot):
            found = (
                f"it ends with commit {ended}, and segment {header.first} follows {header.after}"
            )
            yield 0, self._finding(segment.path, end, found)
        elif (
            self._is_good
            and header.previous.length
            and segment.previous(header.previous.length) != header.previous
        ):
            found = f"not the bytes that segment {header.first} follows"
            yield 0, self._finding(segment.path, end, found)

    def _frames_of(self, segment: Segment, header: Header) -> Iterator[tuple[int, Finding]]:
        at, expected = HEADER_LENGTH, header.first
        while True:
            self._ended = expected - 1, at
            frame: Frame | None
            try:
                frame = segment.frame(at, salt=header.salt)
                if frame and frame.number != expected:
                    self.durable = max(self.durable, frame.durable_upto)
                    raise BadFrame(at, f"commit {frame.number}")
            except BadFrame as bad:
                self._is_good = False
                size = segment.length - bad.offset
                yield expected, self._finding(segment.path, bad.offset, bad.of(expected), size)
                frame = next(segment.search(at, salt=header.salt, after=expected - 1), None)
                if frame is None:
                    return
            if frame is None:
                break
            at, expected = frame.end, frame.number + 1
            self.durable = max(self.durable, frame.durable_upto)
            self.frames, self.highest = self.frames + 1, max(self.highest, frame.number)
            try:
                decoded(segment.path, frame)
            except LogDamaged as damage:
                yield 0, self._finding(segment.path, frame.offset, damage.found)
        if at < segment.length:
            yield 2**64, self._finding(segment.path, at, "zeros", segment.length - at)

    def _finding(self, file: str, offset: int, found: str, size: int | None = None) -> Finding:
        return Finding(self.collection, file, offset, Kind.DAMAGE, found, size)
