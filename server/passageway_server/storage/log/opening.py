"""How a log is made ready for commits, once what it holds was read.

What a process left behind the last durable commit is not trusted to be on the disk, though it can be read: it may stand
in memory alone, and after a failed sync the system calls it written all the same. So no file that was appended to is
appended to or synced again: its good part is written into a new one. After each of these steps a crash leaves what
reads as before:

1. The tail of the newest segment, unless it is zeros, is copied into quarantine.
2. The good part is written aside, synced and renamed over the segment, which loses its tail by that; the folder
   is synced.
3. A new segment is begun, which names the length and checksum of that one. Where there is no good part, the new
   segment takes the place of the old one, and step 2 falls away.
4. LOG names the new segment.
"""

from dataclasses import replace

from passageway_server.errors import SnapshotDamaged
from passageway_server.storage import layout, quarantine
from passageway_server.storage.directory import Directory, holds_folder, parent, writing
from passageway_server.storage.log.files import write_segment
from passageway_server.storage.log.frames import (
    HEADER_LENGTH,
    Header,
    Previous,
    encode_header,
)
from passageway_server.storage.log.reading import LogReading
from passageway_server.storage.log.segment import Segment
from passageway_server.storage.log.writer import Log
from passageway_server.storage.snapshot import read_manifest


def open_log(
    directory: Directory, collection: str, *, after: int, snapshot: int, kept: dict[str, str]
) -> Log:
    """The log of *collection*, which was read up to *after*, its last commit; *snapshot* is that of what counts.

    What goes to quarantine comes into *kept*: by file, where it is now. DiskFull or StorageFailed when the disk refuses, and then it can be tried again. ReadFailed; LogDamaged and
    ValueError where reading does not end with *after*.
    """
    folder = f"{collection}/{layout.SEGMENTS}"
    with writing(folder):
        if not holds_folder(directory, folder):
            directory.make_folder(folder)
        directory.sync(collection)
        size = sum(
            directory.size(path) - HEADER_LENGTH
            for _, path in layout.needed_segments(directory, collection, after=snapshot)
        )
        header = _begun(directory, collection, after, kept)
        directory.sync(folder)
        if layout.read_newest_segment(directory, collection) != header.first:
            layout.name_newest_segment(directory, collection, header.first)
        _mark_anew(directory, collection, after, kept)
        directory.sync(collection)
        return Log(directory, collection, header=header, size=size)


def begin_log(directory: Directory, collection: str, *, after: int, identity: str) -> None:
    """Give a collection that is being made aside a log without commits; its own folder is not synced. OSError."""
    folder = f"{collection}/{layout.SEGMENTS}"
    directory.make_folder(folder)
    header = Header.new(after + 1, after=after, previous=Previous(), identity=identity)
    write_segment(directory, layout.segment_file(collection, header.first), [encode_header(header)])
    directory.sync(folder)
    layout.name_newest_segment(directory, collection, header.first)


def _mark_anew(directory: Directory, collection: str, after: int, kept: dict[str, str]) -> None:
    """Write a damaged DURABLE anew: all up to *after* is on the disk by now. OSError."""
    try:
        layout.read_durable(directory, collection)
    except SnapshotDamaged as damage:
        kept[damage.file] = quarantine.keep(directory, damage.file)
        layout.name_durable(directory, collection, after)


def _begun(directory: Directory, collection: str, after: int, kept: dict[str, str]) -> Header:
    """The header of a new segment, which begins with the commit past *after*. OSError; its name is not synced yet."""
    reading = LogReading(directory, collection, after=after, durable=after)
    for commit in reading.commits():
        raise ValueError(f"commit {commit.number} of {collection} was not read")
    segments = layout.segments(directory, collection)
    manifest = read_manifest(directory, layout.read_current(directory, collection))
    identity = manifest.version.identity
    new = Header.new(after + 1, after=after, previous=Previous(), identity=identity)
    if segments:
        new = _settled(directory, segments[-1][1], reading, new, kept)
    write_segment(directory, layout.segment_file(collection, new.first), [encode_header(new)])
    return new


def _settled(
    directory: Directory, path: str, reading: LogReading, new: Header, kept: dict[str, str]
) -> Header:
    """What *new* has to say of the newest segment, at *path*, once that ends where it was *reading* it. OSError."""
    segment = Segment(directory, path)
    header = segment.header()
    last, end = reading.ended
    if not segment.zeros_from(end):
        kept[path] = quarantine.keep(directory, path, start=end)
    if header.first == new.first:
        return replace(new, after=header.after, previous=header.previous)
    if end > HEADER_LENGTH or segment.size > end:
        write_segment(directory, path, segment.parts(0, end))
        directory.sync(parent(path))
    return replace(new, after=last, previous=segment.previous(end))
