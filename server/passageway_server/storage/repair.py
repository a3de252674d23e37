"""Salvages what can be read of damaged collections, and says what is lost.

Of a collection that remains: the newest snapshot that is good in every byte, and the commits that follow it without
a gap. All else goes to quarantine, a copy first. Each step leaves a collection that is damaged still, or repaired, so that a
repair that was stopped can be run again.
"""

from dataclasses import dataclass, field, replace
from typing import Final

from passageway_server.errors import FormatTooNew, SnapshotDamaged
from passageway_server.storage import layout, quarantine
from passageway_server.storage.directory import (
    Directory,
    copy_tree,
    holds_folder,
    parent,
    remove_tree,
    writing,
)
from passageway_server.storage.log.repairing import LogRepair
from passageway_server.storage.report import Lost, Report
from passageway_server.storage.snapshot import PARTIAL, read_manifest
from passageway_server.storage.sweeping import sweep
from passageway_server.storage.verification import collections_in, damage_of, verify_folder

_OLD_FORMAT: Final = layout.FORMAT + ".damaged"


def repair_folder(directory: Directory) -> Report:
    """Repair all collections of a data folder that nobody has open; the report is of what was found before.

    What cannot be read by this release alone is left as it is. FormatTooNew for a folder of a later release;
    ReadFailed; DiskFull or StorageFailed where the disk refuses a step.
    """
    before = verify_folder(directory)
    done: list[str] = []
    lost: list[Lost] = []
    with writing("the data folder"):
        _settle_format(directory, done)
        done += [f"{path} was removed, half made or half removed" for path in sweep(directory)]
    for name in collections_in(directory):
        repair = _Repair(directory, name, done)
        try:
            with writing(name):
                repair.run()
        except FormatTooNew as error:
            done.append(f"{name} was left as it is: {error}")
        if repair.lost is not None:
            lost.append(Lost(name, *repair.lost))
    return replace(before, lost=tuple(lost), done=tuple(done))


def _settle_format(directory: Directory, done: list[str]) -> None:
    try:
        layout.settle_format(directory)
    except SnapshotDamaged:
        directory.rename(layout.FORMAT, _OLD_FORMAT)
        layout.settle_format(directory)
        done.append(f"{layout.FORMAT} was written anew, what it was is {_OLD_FORMAT}")


@dataclass(slots=True)
class _Repair:
    """The repair of the collection *name*; ``lost`` is the first and last commit that is gone for good."""

    directory: Directory
    name: str
    done: list[str]
    lost: tuple[int, int] | None = field(default=None, init=False)

    def run(self) -> None:
        """Repair, or do nothing where nothing is wrong. FormatTooNew, ReadFailed, OSError."""
        current, versions = self._current(), self._versions()
        newest = current or max(versions, default="")
        bad = [each for each in versions if each > newest or self._is_bad(each)]
        base = max((each for each in versions if each not in bad), default="")
        base = base or self._from_named(bad)
        number = layout.number_of(newest) if newest else 0
        if not base:
            self.done.append(f"{self.name} was left as it is: no snapshot of it is good")
            self.lost = (1, number) if number else None
            return
        log = LogRepair(self.directory, self.name, base=layout.number_of(base), durable=number)
        log.run()
        self.lost = log.lost
        self.done += log.done
        for folder in bad:
            quarantine.keep(self.directory, folder)
        self._let_count(base, current)
        for folder in bad + [each for each in self._named() if self._is_bad(each)]:
            self._set_aside(folder)

    def _current(self) -> str:
        """What CURRENT names; "" where it names nothing."""
        try:
            return layout.read_current(self.directory, self.name)
        except SnapshotDamaged:
            return ""

    def _versions(self) -> list[str]:
        if not holds_folder(self.directory, f"{self.name}/{layout.SNAPSHOTS}"):
            self.directory.make_folder(f"{self.name}/{layout.SNAPSHOTS}")
            self.directory.sync(self.name)
        return layout.versions(self.directory, self.name)

    def _named(self) -> list[str]:
        return layout.named_folders(self.directory, self.name)

    def _is_bad(self, folder: str) -> bool:
        """Whether a byte of a snapshot is not what it was, or cannot be read. FormatTooNew."""
        found = damage_of(self.directory, folder)
        for error in found:
            if isinstance(error, FormatTooNew):
                raise error
        return bool(found)

    def _from_named(self, bad: list[str]) -> str:
        """A version made of the newest named snapshot that is good; "" where there is none."""
        numbers = {
            read_manifest(self.directory, each).version.number: each
            for each in self._named()
            if not self._is_bad(each)
        }
        if not numbers:
            return ""
        number, source = max(numbers.items())
        folder = f"{self.name}/{layout.SNAPSHOTS}/{layout.version_folder(number)}"
        if folder in bad:
            bad.remove(folder)
            self._set_aside(folder)
        remove_tree(self.directory, folder + PARTIAL)
        copy_tree(self.directory, source, folder + PARTIAL)
        self.directory.rename(folder + PARTIAL, folder)
        self.directory.sync(parent(folder))
        self.done.append(f"{folder} was made of {source}")
        return folder

    def _let_count(self, base: str, current: str) -> None:
        """Let the snapshot *base* count, in place of *current*."""
        if base == current:
            return
        file = f"{self.name}/{layout.CURRENT}"
        if any(entry.name == layout.CURRENT for entry in self.directory.entries(self.name)):
            quarantine.keep(self.directory, file)
        layout.name_current(self.directory, self.name, base)
        self.directory.sync(self.name)
        self.done.append(f"{file} names {base} now")

    def _set_aside(self, folder: str) -> None:
        kept = quarantine.keep(self.directory, folder)
        layout.remove_safely(self.directory, folder)
        self.done.append(f"{folder} was moved to {kept}")
