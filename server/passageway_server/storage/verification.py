"""Whether a data folder is what was written: every byte of it, read and summed, and nothing changed."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from passageway_server.errors import FormatTooNew, PassagewayError, SnapshotDamaged
from passageway_server.storage import layout, quarantine
from passageway_server.storage.belonging import check_belongs
from passageway_server.storage.checking import find_damage
from passageway_server.storage.directory import ROOT, Directory, reading
from passageway_server.storage.log.checking import LogCheck
from passageway_server.storage.names import is_name
from passageway_server.storage.page_key import PAGE_KEY, read_page_key
from passageway_server.storage.recovery import recover
from passageway_server.storage.report import Checked, Finding, Kind, Report
from passageway_server.storage.snapshot import read_manifest
from passageway_server.storage.sweeping import leftovers


def verify_folder(directory: Directory) -> Report:
    """What is wrong in the data folder *directory*, collection by collection; nothing is changed.

    FormatTooNew for a folder of a later release; ReadFailed where the folder itself cannot be listed.
    """
    findings = [*_of_folder(directory)]
    surveys = [_Survey(directory, name) for name in collections_in(directory)]
    for survey in surveys:
        findings += survey.findings()
    return Report(tuple(survey.checked for survey in surveys), tuple(findings))


def collections_in(directory: Directory) -> list[str]:
    """The names of all collections in a data folder, damaged ones too, sorted. ReadFailed."""
    with reading("the data folder"):
        entries = directory.entries(ROOT)
    return [entry.name for entry in entries if entry.is_folder and is_name(entry.name)]


def _of_folder(directory: Directory) -> Iterator[Finding]:
    """What is wrong beside the collections, and what is left over anywhere."""
    try:
        if not layout.read_format(directory):
            yield Finding("", layout.FORMAT, None, Kind.DAMAGE, "missing")
    except FormatTooNew:
        raise
    except PassagewayError as error:
        yield _damage("", layout.FORMAT, error)
    try:
        read_page_key(directory)
    except PassagewayError as error:
        yield _damage("", PAGE_KEY, error)
    for path in leftovers(directory):
        collection = path.partition("/")[0] if "/" in path else ""
        yield Finding(collection, path, None, Kind.LEFTOVER, "half made, or half removed")


@dataclass(slots=True)
class _Survey:
    """A look at the collection *name*; ``checked`` is what was looked at, once `findings` were asked for."""

    directory: Directory
    name: str
    checked: Checked = field(init=False)
    _snapshots: int = field(default=0, init=False)

    def findings(self) -> list[Finding]:
        """All that is wrong with it. FormatTooNew, ReadFailed."""
        name, folders, found = self.name, list[str](), list[Finding]()
        current = ""
        try:
            current = layout.read_current(self.directory, name)
        except PassagewayError as error:
            found.append(_damage(name, f"{name}/{layout.CURRENT}", error))
        try:
            folders = layout.versions(self.directory, name)
        except PassagewayError as error:
            found.append(_damage(name, f"{name}/{layout.SNAPSHOTS}", error))
        if current and current not in folders:
            folders.append(current)
        newest = current or max(folders, default="0")
        found += self._of_snapshots(folders, newest)
        check = LogCheck(self.directory, name, snapshot=layout.number_of(newest))
        try:
            found += check.findings()
        except PassagewayError as error:
            found.append(_damage(name, f"{name}/{layout.SEGMENTS}", error))
        refused = ""
        if any(each.kind is Kind.DAMAGE for each in found):
            refused = self._refused()
        found += (
            Finding(name, path, None, Kind.QUARANTINED, "set aside earlier")
            for path in quarantine.kept(self.directory, name)
        )
        self.checked = Checked(name, self._snapshots, check.frames, refused)
        return found

    def _of_snapshots(self, folders: list[str], newest: str) -> Iterator[Finding]:
        for folder in folders + layout.named_folders(self.directory, self.name):
            if folder in folders and folder > newest:
                found = "a snapshot that never came to count"
                yield Finding(self.name, folder, None, Kind.LEFTOVER, found)
                continue
            self._snapshots += 1
            for error in damage_of(self.directory, folder):
                yield _damage(self.name, folder, error)

    def _refused(self) -> str:
        """Why the collection cannot be recovered as it is; "" where what counts does not need what is damaged."""
        try:
            for _ in recover(self.directory, self.name).commits:
                pass
        except PassagewayError as error:
            return error.reason
        return ""


def damage_of(directory: Directory, folder: str) -> list[PassagewayError]:
    """What is wrong with the snapshot in *folder*, every byte read, and the number that it stands under."""
    found = find_damage(directory, folder)
    number = folder.rpartition("/")[2]
    if not found:
        manifest = read_manifest(directory, folder)
        applied = manifest.version.number
        if folder.split("/")[1] == layout.SNAPSHOTS and applied != int(number):
            found.append(SnapshotDamaged(folder, f"a snapshot of version {applied}"))
        try:
            check_belongs(directory, folder, manifest)
        except PassagewayError as error:
            found.append(error)
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
