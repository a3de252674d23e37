"""What a collection holds after whatever ended its last server: a snapshot, and the commits after it.

Recovering reads and changes nothing, so it can be done any number of times, by owners and followers alike. What
follows from it is done on opening the log (`resume`), by the owner alone, in steps after each of which recovering
finds the same.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import takewhile

from passageway_server.errors import LogDamaged, SnapshotDamaged
from passageway_server.storage import layout, quarantine
from passageway_server.storage.belonging import check_belongs
from passageway_server.storage.checking import open_snapshot
from passageway_server.storage.directory import Directory, holds_folder, writing
from passageway_server.storage.log.opening import open_log
from passageway_server.storage.log.reading import Logged, LogReading
from passageway_server.storage.log.writer import Log
from passageway_server.storage.report import Finding, Kind
from passageway_server.storage.snapshot import OpenSnapshot


@dataclass(frozen=True, slots=True)
class Recovered:
    """A snapshot, and ``commits`` after it, which are read as they are taken: once, and all of them.

    Taking them raises LogDamaged where one that was acknowledged cannot be read, and SnapshotDamaged where the
    snapshot is not the newest, and they do not lead to what the newest held; then nothing that was taken counts.
    ``findings`` is complete when they are exhausted. ``damaged`` names the folders of newer snapshots that are not whole,
    until they are in quarantine.
    """

    snapshot: OpenSnapshot
    commits: Iterator[Logged]
    findings: list[Finding]
    damaged: list[str]


def recover(directory: Directory, collection: str) -> Recovered:
    """The newest snapshot that is whole in every byte, up to the one that counts, and the log after it.

    Raises what is wrong with the snapshot that counts, where no older one is whole; FormatTooNew; ReadFailed.
    """
    current = layout.read_current(directory, collection)
    newest = layout.number_of(current)
    older = takewhile(lambda path: path < current, layout.versions(directory, collection))
    damage: list[tuple[str, SnapshotDamaged]] = []
    for folder in (current, *reversed([*older])):
        try:
            opened = _opened(directory, folder)
        except SnapshotDamaged as error:
            damage.append((folder, error))
            continue
        reading = LogReading(directory, collection, after=layout.number_of(folder), durable=newest)
        reading.findings += [
            Finding(collection, each.file, None, Kind.DAMAGE, each.found) for _, each in damage
        ]
        commits = _bridging(reading, damage[0][1]) if damage else reading.commits()
        return Recovered(opened, commits, reading.findings, [folder for folder, _ in damage])
    raise damage[0][1]


def _opened(directory: Directory, folder: str) -> OpenSnapshot:
    opened = open_snapshot(directory, folder)
    if opened.version.number != layout.number_of(folder):
        raise SnapshotDamaged(folder, f"a snapshot of version {opened.version.number}")
    check_belongs(directory, opened.snapshot.folder, opened.snapshot.manifest)
    return opened


def _bridging(reading: LogReading, damage: SnapshotDamaged) -> Iterator[Logged]:
    """The commits of *reading*; where they do not lead on, it is the snapshot that is missed."""
    try:
        yield from reading.commits()
    except LogDamaged as error:
        raise damage from error


def resume(
    directory: Directory, collection: str, *, after: int, recovered: Recovered | None = None
) -> Log:
    """The log, for commits past *after*; the last one that was *recovered*, or that of a snapshot that was just made.

    Where newer snapshots are damaged, the one that was recovered counts from now on, and they go to quarantine: first
    a copy of them, then CURRENT is written, and then they are taken away. Findings of *recovered* say then where they are.
    DiskFull, StorageFailed, ReadFailed.
    """
    kept: dict[str, str] = {}
    if recovered is not None and recovered.damaged:
        with writing(f"{collection}/{layout.CURRENT}"):
            damaged = [each for each in recovered.damaged if holds_folder(directory, each)]
            for folder in damaged:
                kept[folder] = quarantine.keep(directory, folder)
            layout.name_current(directory, collection, recovered.snapshot.snapshot.folder)
            directory.sync(collection)
            for folder in damaged:
                layout.remove_safely(directory, folder)
        recovered.damaged.clear()
    with writing(collection):
        # What is found here may have been made or moved by a process that came no further: now it stays.
        for folder in (layout.SNAPSHOTS, layout.NAMED):
            if holds_folder(directory, f"{collection}/{folder}"):
                directory.sync(f"{collection}/{folder}")
    snapshot = layout.number_of(layout.read_current(directory, collection))
    log = open_log(directory, collection, after=after, snapshot=snapshot, kept=kept)
    if recovered is not None:
        recovered.findings[:] = [_now_at(kept, each) for each in recovered.findings]
    return log


def _now_at(kept: Mapping[str, str], finding: Finding) -> Finding:
    """*finding*, with where it is by now what it is about."""
    for place, now in kept.items():
        if finding.file == place or finding.file.startswith(f"{place}/"):
            return replace(finding, kept=now + finding.file.removeprefix(place))
    return finding
