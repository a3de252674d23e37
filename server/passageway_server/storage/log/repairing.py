"""Makes a log readable again: the commits behind a snapshot stay up to the first gap, the rest goes to quarantine."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace

from passageway_server.errors import LogDamaged
from passageway_server.storage import layout, quarantine
from passageway_server.storage.directory import Directory, parent
from passageway_server.storage.log.checking import LogCheck
from passageway_server.storage.log.frames import (
    HEADER_LENGTH,
    BadFrame,
    Frame,
    Header,
    Previous,
    encode_frame,
    encode_header,
)
from passageway_server.storage.log.reading import LogReading, missing_newest
from passageway_server.storage.log.segment import Segment, open_segments
from passageway_server.storage.log.writer import write_segment
from passageway_server.storage.report import Kind


@dataclass(slots=True)
class LogRepair:
    """The repair of the log of *collection* behind the snapshot of version *base*; *durable* is what is known of D.

    Once it has `run`, ``lost`` is the first and last commit that cannot be read any more, None where nothing is lost,
    and ``done`` is what was done.
    """

    directory: Directory
    collection: str
    base: int
    durable: int
    lost: tuple[int, int] | None = field(default=None, init=False)
    done: list[str] = field(default_factory=list[str], init=False)

    def run(self) -> None:
        """Repair, or do nothing where nothing is wrong. OSError, FormatTooNew, ReadFailed."""
        check = LogCheck(self.directory, self.collection, snapshot=self.base)
        check.findings()
        reading = LogReading(self.directory, self.collection, after=self.base, durable=self.durable)
        with suppress(LogDamaged):
            for _ in reading.commits():
                pass
        kept_to = max(self.durable, check.durable, check.highest, reading.durable)
        if kept_to > reading.last:
            self.lost = reading.last + 1, kept_to
        self._end_behind(reading)
        self._leave_out_covered()

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
                if not segment.zeros_from(end):
                    kept = quarantine.keep(self.directory, segment.path, start=end)
                    self.done.append(f"{segment.path} was cut at offset {end}, the rest is {kept}")
                write_segment(self.directory, segment.path, segment.parts(0, end))
                self.directory.sync(parent(segment.path))
        for path in behind:
            self._set_aside(path)

    def _name_newest(self, first: int | None) -> None:
        """Let LOG name the segment *first*, or not be there."""
        file = f"{self.collection}/{layout.LOG}"
        there = any(entry.name == layout.LOG for entry in self.directory.entries(self.collection))
        if missing := missing_newest(self.directory, self.collection):
            if missing.file == file:
                quarantine.keep(self.directory, file)
        elif not there or layout.read_newest_segment(self.directory, self.collection) == first:
            return
        if first is not None:
            layout.name_newest_segment(self.directory, self.collection, first)
        elif there:
            self.directory.remove(file)
        self.directory.sync(self.collection)
        self.done.append(f"{file} was written anew")

    def _set_aside(self, path: str) -> None:
        kept = quarantine.keep(self.directory, path)
        self.directory.remove(path)
        self.directory.sync(parent(path))
        self.done.append(f"{path} was moved to {kept}")

    def _leave_out_covered(self) -> None:
        """Take away what is still wrong, among commits that the snapshot holds, and what leads up to it."""
        check = LogCheck(self.directory, self.collection, snapshot=self.base)
        wrong = {finding.file for finding in check.findings() if finding.kind is Kind.DAMAGE}
        needed = open_segments(self.directory, self.collection, after=self.base)
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
        new = Header.new(self.base + 1, after=self.base, previous=Previous())
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
        self.done.append(f"{path} was made of what is good in {segment.path}")


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
