"""The commits of a log that another process, or thread, appends to.

A follower is told how far the log is durable, or takes what stands there: then it may see commits that are not, and
that a crash of the owner's machine undoes.
"""

from collections.abc import Iterator

from passageway_server.errors import LogDamaged
from passageway_server.storage import layout
from passageway_server.storage.directory import Directory
from passageway_server.storage.log.frames import HEADER_LENGTH, BadFrame, Frame, Header
from passageway_server.storage.log.reading import Logged, decoded
from passageway_server.storage.log.segment import Segment


class LogMoved(Exception):
    """The log does not lead on from the last commit that was read: recover the collection again.

    A snapshot holds what comes next and the log was dropped, or the owner lost commits that it had not acknowledged.
    """


class LogCursor:
    """Where a follower stands in the log of *collection*: behind commit ``last``. For one thread.

    ``durable`` is the last commit that the frames which were read say to be on the disk.
    """

    def __init__(self, directory: Directory, collection: str, *, after: int) -> None:
        self.last = after
        self.durable = 0
        self._directory, self._collection = directory, collection
        self._header: Header | None = None  # of the segment that the last commit was read from
        self._at = HEADER_LENGTH

    @property
    def place(self) -> tuple[int, int]:
        """The first commit of the segment that the last one was read from, 0 for none, and the offset behind it."""
        return (0, 0) if self._header is None else (self._header.first, self._at)

    def commits(self, upto: int | None = None) -> Iterator[Logged]:
        """The commits past ``last``, up to *upto* or as far as they go; none of them twice.

        LogMoved where the log does not lead on; LogDamaged where a commit up to *upto* is not there though it does;
        FormatTooNew, ReadFailed.
        """
        while upto is None or self.last < upto:
            segments = layout.segments(self._directory, self._collection)
            path = max((each for each in segments if each[0] <= self.last + 1), default=(0, ""))[1]
            if not path:
                raise LogMoved(f"no segment of {self._collection} holds commit {self.last + 1}")
            before = self.last
            try:
                yield from self._of(Segment(self._directory, path), upto)
            except BadFrame as bad:
                if upto is not None:
                    raise LogDamaged(path, offset=bad.offset, found=bad.found) from bad
            if self.last > before:
                continue
            if upto is None:
                return
            if segments[-1][1] != path:
                raise LogMoved(f"commit {self.last + 1} is in no segment of {self._collection}")
            raise LogDamaged(path, offset=self._at, found=f"no commit {self.last + 1}")

    def _of(self, segment: Segment, upto: int | None) -> Iterator[Logged]:
        """The commits past ``last`` that *segment* holds. BadFrame where it does not end well."""
        self._move_to(segment)
        while upto is None or self.last < upto:
            frame = self._frame(segment, self.last + 1)
            if frame is None:
                return
            commit = decoded(segment.path, frame)
            self._at, self.last = frame.end, frame.number
            self.durable = max(self.durable, frame.durable_upto)
            yield commit

    def _move_to(self, segment: Segment) -> None:
        """Go on in *segment*. BadFrame while it has no header; LogMoved where it tells another story."""
        header, known = segment.header(), self._header
        if known == header:
            if segment.length < self._at:
                raise LogMoved(f"{segment.path} was cut")
            return
        if known is not None and (header.first <= self.last or header.identity != known.identity):
            raise LogMoved(f"{segment.path} is another one")
        self._header, self._at = header, HEADER_LENGTH
        for number in range(header.first, self.last + 1):
            frame = self._frame(segment, number)
            if frame is None:
                raise BadFrame(self._at, f"no commit {number}")
            self._at = frame.end

    def _frame(self, segment: Segment, number: int) -> Frame | None:
        """The frame of commit *number*, which is the next; None where the segment ends. BadFrame."""
        salt = 0 if self._header is None else self._header.salt
        frame = segment.frame(self._at, salt=salt)
        if frame is not None and frame.number != number:
            raise BadFrame(self._at, f"commit {frame.number} in the place of {number}")
        return frame
