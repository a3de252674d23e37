"""Makes a log readable again: the commits behind a snapshot stay up to the first gap, the rest goes to quarantine."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final

from passageway_server.errors import LogDamaged, SnapshotDamaged
from passageway_server.storage import layout, quarantine
from passageway_server.storage.belonging import own_segments
from passageway_server.storage.directory import Directory, parent, remove_tree
from passageway_server.storage.log.checking import LogCheck
from passageway_server.storage.log.files import write_segment
from passageway_server.storage.log.frames import (
    HEADER_LENGTH,
    BadFrame,
    Frame,
    Header,
    Previous,
    encode_frame,
    encode_header,
)
from passageway_server.storage.log.reading import LogReading, told_beside
from passageway_server.storage.log.segment import Segment
from passageway_server.storage.report import Kind, Lost

_PAST_ALL: Final = 2**63


@dataclass(slots=True)
class LogRepair:
    """The repair of the log of *collection* behind the snapshot of version *base*; *durable* is what is known of D.

    Once it has `run`, ``lost`` is what cannot be kept, ``last`` the last commit that is, and ``steps`` is what was done.
    What was lost is known by DURABLE, and the collection refused, until `finish`.
    """

    directory: Directory
    collection: str
    base: int
    durable: int
    lost: Lost | None = field(default=None, init=False)
    last: int = field(default=0, init=False)
    steps: list[str] = field(default_factory=list[str], init=False)

    def run(self) -> None:
        """Repair, or do nothing where nothing is wrong. OSError, FormatTooNew, ReadFailed."""
        check = LogCheck(self.directory, self.collection, snapshot=self.base)
        check.findings()
        reading = LogReading(self.directory, self.collection, after=self.base, durable=self.durable)
        with suppress(LogDamaged):
            for _ in reading.commits():
                pass
        self.last = reading.last
        self.lost = self._lost(max(self.durable, check.durable, reading.durable), check.highest)
        if self.lost is not None and self.lost.last is not None:
            self._remember(self.lost.last)
        self._end_behind(reading)
        for segment, _ in own_segments(self.directory, self.collection, after=-1):
            if segment.behind:
                self._cut(segment, segment.length)
        self._leave_out_covered()

    def finish(self) -> None:
        """Let DURABLE name no commit that is lost, once all else is done. OSError."""
        named = self._marked()
        if named is None or named > self.last:
            self._mark(self.last)
            self.steps.append(f"let {self._durable_file} name commit {self.last}")

    def _lost(self, durable: int, highest: int) -> Lost | None:
        """What cannot be kept, where D is *durable* and *highest* the last commit that can be read, a gap before it or not."""
        # A segment that is as long as a header held no commit.
        more = told_beside(self.directory, self.collection).is_cut or any(
            isinstance(header, BadFrame) and segment.length != HEADER_LENGTH
            for segment, header in own_segments(self.directory, self.collection, after=_PAST_ALL)
        )
        if durable <= self.last:
            return Lost(self.collection, self.last + 1, None, more) if more else None
        return Lost(self.collection, self.last + 1, max(durable, highest), more)

    @property
    def _durable_file(self) -> str:
        return f"{self.collection}/{layout.DURABLE}"

    def _remember(self, number: int) -> None:
        """Let DURABLE name *number* or a later one, so that a repair which is stopped and run again says the same."""
        if (self._marked() or 0) < number:
            self._mark(number)

    def _marked(self) -> int | None:
        """The number in DURABLE, 0 without one; None where it is damaged, of which a copy is in quarantine then. OSError."""
        try:
            return layout.read_durable(self.directory, self.collection)
        except SnapshotDamaged:
            kept = quarantine.keep(self.directory, self._durable_file)
            self.steps.append(f"copy {self._durable_file}, which names nothing, to {kept}")
            return None

    def _mark(self, number: int) -> None:
        layout.name_durable(self.directory, self.collection, number)
        self.directory.sync(self.collection)

    def _end_behind(self, reading: LogReading) -> None:
        """Let the log end with the last commit that was read; later segments go once LOG names none of them."""
        segments = layout.segments(self.directory, self.collection)
        needed = layout.needed_segments(self.directory, self.collection, after=self.base)
        behind = [path for _, path in needed if path > reading.path]
        stay = [first for first, path in segments if path not in behind]
        self._name_newest(stay[-1] if stay else None)
        if reading.path:
            segment, end = Segment(self.directory, reading.path), reading.ended[1]
            if segment.length > end:
                self._cut(segment, end)
        for path in behind:
            self._set_aside(path)

    def _cut(self, segment: Segment, end: int) -> None:
        """Let *segment* end at *end*; what stands behind goes to quarantine, unless it is zeros."""
        step = f"cut {segment.path} at offset {end}"
        whole = Segment(self.directory, segment.path)
        if whole.zeros_from(end):
            step += ", where zeros follow"
        else:
            kept = quarantine.keep(self.directory, segment.path, start=end)
            step += f", and move the {whole.size - end:,} bytes behind it to {kept}"
        write_segment(self.directory, segment.path, whole.parts(0, end))
        self.directory.sync(parent(segment.path))
        self.steps.append(step)

    def _name_newest(self, first: int | None) -> None:
        """Let LOG name the segment *first*, or not be there."""
        file = f"{self.collection}/{layout.LOG}"
        there = any(entry.name == layout.LOG for entry in self.directory.entries(self.collection))
        step = f"let {file} name segment {first}" if first is not None else f"remove {file}"
        if missing := told_beside(self.directory, self.collection).missing:
            if missing.file == file:
                step += f"; a copy of what it was is {quarantine.keep(self.directory, file)}"
        elif not there or layout.read_newest_segment(self.directory, self.collection) == first:
            return
        if first is not None:
            layout.name_newest_segment(self.directory, self.collection, first)
        elif there:
            self.directory.remove(file)
        self.directory.sync(self.collection)
        self.steps.append(step)

    def _set_aside(self, path: str) -> None:
        kept = quarantine.keep(self.directory, path)
        remove_tree(self.directory, path)
        self.directory.sync(parent(path))
        self.steps.append(f"move {path} to {kept}")

    def _leave_out_covered(self) -> None:
        """Take away what is still wrong, among commits that the snapshot holds, and what leads up to it."""
        check = LogCheck(self.directory, self.collection, snapshot=self.base)
        wrong = {finding.file for finding in check.inside() if finding.kind is Kind.DAMAGE}
        needed = own_segments(self.directory, self.collection, after=self.base)
        if needed and needed[0][0].path in wrong:
            self._begin_later(needed)
        segments = layout.segments(self.directory, self.collection)
        last = max((path for _, path in segments if path in wrong), default="")
        for _, path in segments:
            if path <= last:
                self._set_aside(path)

    def _begin_later(self, needed: list[tuple[Segment, Header | BadFrame]]) -> None:
        """Write the first of *needed* anew from the commit past the snapshot on.

        The segments behind it follow other bytes then, so their headers are written anew before, the last one first:
        they name none.
        """
        for segment, header in reversed(needed[1:]):
            if isinstance(header, Header) and header.previous.length:
                unchained = encode_header(replace(header, previous=Previous()))
                rest = segment.parts(HEADER_LENGTH, segment.size)
                write_segment(self.directory, segment.path, _joined(unchained, rest))
                self.directory.sync(parent(segment.path))
        segment, header = needed[0]
        if isinstance(header, BadFrame) or header.first > self.base:
            return
        new = Header.new(
            self.base + 1, after=self.base, previous=Previous(), identity=header.identity
        )
        path = layout.segment_file(self.collection, new.first)
        frames = _frames_past(self.base, segment, header)
        parts = (
            part
            for frame in frames
            for part in encode_frame(
                frame.number, frame.payload, durable_upto=frame.durable_upto, salt=new.salt
            )
        )
        write_segment(self.directory, path, _joined(encode_header(new), parts))
        self.directory.sync(parent(path))
        if len(needed) == 1:
            self._name_newest(new.first)
        self.steps.append(f"make {path} of what is good in {segment.path}")


def _frames_past(base: int, segment: Segment, header: Header) -> Iterator[Frame]:
    """The frames of *segment* behind commit *base*; what is bad before them is passed over."""
    at, expected = HEADER_LENGTH, header.first
    while True:
        try:
            frame = segment.frame(at, salt=header.salt)
        except BadFrame:
            frame = next(segment.search(at, salt=header.salt, after=expected - 1), None)
        if frame is None:
            return
        at, expected = frame.end, frame.number + 1
        if frame.number > base:
            yield frame


def _joined(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest
