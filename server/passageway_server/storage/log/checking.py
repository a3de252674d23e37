"""Whether a log is what was appended: every segment and every frame, each thing that is wrong by itself.

Reading (reading.py) stops at damage that costs a commit. A check goes on behind it, and looks at what a snapshot
holds too; it tells a tail from damage by the same rule.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from passageway_server.errors import LogDamaged
from passageway_server.storage.directory import Directory
from passageway_server.storage.log.frames import HEADER_LENGTH, BadFrame, Frame, Header
from passageway_server.storage.log.reading import decoded, missing_newest
from passageway_server.storage.log.segment import Segment, open_segments
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
        """All that is wrong, from the first segment to the last. FormatTooNew, ReadFailed."""
        found = [*self._all()]
        durable = max(self.durable, self.snapshot)
        judged: dict[tuple[str, Kind, int], Finding] = {}
        for expected, finding in found:
            # What follows a tail is no other one; each damage is.
            kind = Kind.DAMAGE if expected <= durable else Kind.TAIL
            key = (finding.file, kind, (finding.offset or 0) if kind is Kind.DAMAGE else 0)
            judged.setdefault(key, replace(finding, kind=kind))
        return [*judged.values()]

    def _all(self) -> Iterator[tuple[int, Finding]]:
        """What is wrong, and the commit that makes it damage if it was on the disk: 0 where it is in any case."""
        if missing := missing_newest(self.directory, self.collection):
            yield 0, self._finding(missing.file, 0, missing.found)
        before: Segment | None = None
        segments = open_segments(self.directory, self.collection, after=-1)
        for place, (segment, header) in enumerate(segments):
            if isinstance(header, BadFrame):
                torn = place + 1 == len(segments) and segment.length <= HEADER_LENGTH
                yield (2**64 if torn else 0), self._finding(segment.path, 0, header.found)
                before = None
                continue
            self.durable = max(self.durable, header.first - 1)
            if place == 0 and header.first - 1 > self.snapshot:
                found = f"commit {self.snapshot + 1} should stand here, {header.first} does"
                yield 0, self._finding(segment.path, 0, found)
            if before is not None:
                yield from self._chain(before, header)
            self._path, self._is_good, before = segment.path, True, segment
            yield from self._frames_of(segment, header)
        if self._path and self._ended[0] < self.durable:
            found = f"it ends with commit {self._ended[0]}, and {self.durable} was on the disk"
            yield 0, self._finding(self._path, self._ended[1], found)

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
                    raise BadFrame(at, f"commit {frame.number}")
            except BadFrame as bad:
                self._is_good = False
                yield expected, self._finding(segment.path, bad.offset, bad.of(expected))
                frame = next(segment.search(at, salt=header.salt, after=expected - 1), None)
            if frame is None:
                break
            at, expected = frame.end, frame.number + 1
            self.durable = max(self.durable, frame.durable_upto)
            self.frames, self.highest = self.frames + 1, max(self.highest, frame.number)
            try:
                decoded(segment.path, frame)
            except LogDamaged as damage:
                yield 0, self._finding(segment.path, frame.offset, damage.found)
        if at < segment.size:
            what = "zeros" if segment.zeros_from(at) else "bytes behind its end"
            yield 2**64, self._finding(segment.path, at, what)

    def _finding(self, file: str, offset: int, found: str) -> Finding:
        return Finding(self.collection, file, offset, Kind.DAMAGE, found)
