"""Whether a data folder is what was written: every byte of it, read and summed, and nothing changed."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from passageway_server.errors import FormatTooNew, PassagewayError, SnapshotDamaged
from passageway_server.storage import layout, quarantine
from passageway_server.storage.checking import find_damage, verify_snapshot
from passageway_server.storage.directory import ROOT, Directory, reading
from passageway_server.storage.log.checking import LogCheck
from passageway_server.storage.names import is_name
from passageway_server.storage.report import Finding, Kind, Report
from passageway_server.storage.snapshot import read_manifest
from passageway_server.storage.sweeping import leftovers

__all__ = ["collections_in", "find_damage", "verify_folder", "verify_snapshot"]


def verify_folder(directory: Directory) -> Report:
    """What is wrong in the data folder *directory*, collection by collection; nothing is changed.

    FormatTooNew for a folder of a later release; ReadFailed where the folder itself cannot be listed.
    """
    survey = _Survey(directory)
    findings = [*survey.of_folder()]
    names = collections_in(directory)
    for name in names:
        findings += survey.of_collection(name)
    return Report(tuple(names), survey.snapshots, survey.frames, tuple(findings))


def collections_in(directory: Directory) -> list[str]:
    """The names of all collections in a data folder, damaged ones too, sorted. ReadFailed."""
    with reading("the data folder"):
        entries = directory.entries(ROOT)
    return [entry.name for entry in entries if entry.is_folder and is_name(entry.name)]


@dataclass(slots=True)
class _Survey:
    """Finds, and counts what was looked at."""

    directory: Directory
    snapshots: int = field(default=0, init=False)
    frames: int = field(default=0, init=False)

    def of_folder(self) -> Iterator[Finding]:
        try:
            if not layout.read_format(self.directory):
                yield Finding("", layout.FORMAT, None, Kind.DAMAGE, "missing")
        except FormatTooNew:
            raise
        except PassagewayError as error:
            yield _damage("", layout.FORMAT, error)
        for path in leftovers(self.directory):
            collection = path.partition("/")[0] if "/" in path else ""
            yield Finding(collection, path, None, Kind.LEFTOVER, "half made, or half removed")

    def of_collection(self, name: str) -> Iterator[Finding]:
        folders: list[str] = []
        current = ""
        try:
            current = layout.read_current(self.directory, name)
        except PassagewayError as error:
            yield _damage(name, f"{name}/{layout.CURRENT}", error)
        try:
            folders = layout.versions(self.directory, name)
        except PassagewayError as error:
            yield _damage(name, f"{name}/{layout.SNAPSHOTS}", error)
        if current and current not in folders:
            folders.append(current)
        newest = current or max(folders, default="0")
        yield from self._snapshots(name, folders, newest)
        check = LogCheck(self.directory, name, snapshot=layout.number_of(newest))
        try:
            yield from check.findings()
        except PassagewayError as error:
            yield _damage(name, f"{name}/{layout.SEGMENTS}", error)
        self.frames += check.frames
        for path in quarantine.kept(self.directory, name):
            yield Finding(name, path, None, Kind.QUARANTINED, "set aside earlier")

    def _snapshots(self, name: str, folders: list[str], newest: str) -> Iterator[Finding]:
        for folder in folders + layout.named_folders(self.directory, name):
            if folder in folders and folder > newest:
                found = "a snapshot that never came to count"
                yield Finding(name, folder, None, Kind.LEFTOVER, found)
                continue
            self.snapshots += 1
            for error in damage_of(self.directory, folder):
                yield _damage(name, folder, error)


def damage_of(directory: Directory, folder: str) -> list[PassagewayError]:
    """What is wrong with the snapshot in *folder*, every byte read, and the number that it stands under."""
    found = find_damage(directory, folder)
    number = folder.rpartition("/")[2]
    if not found and folder.split("/")[1] == layout.SNAPSHOTS:
        applied = read_manifest(directory, folder).version.number
        if applied != int(number):
            found.append(SnapshotDamaged(folder, f"a snapshot of version {applied}"))
    return found


def _damage(collection: str, file: str, error: PassagewayError) -> Finding:
    """A finding of *error*, in *file* unless it names one."""
    found = getattr(error, "found", None)
    return Finding(
        collection,
        getattr(error, "file", file),
        getattr(error, "offset", None),
        Kind.DAMAGE,
        found if isinstance(found, str) else str(error),
    )
