"""Salvages what can be read of damaged collections, and says what is lost.

A snapshot is made whole of others that hold the same bytes, where that can be. Of a collection then remains: the newest
snapshot that is good in every byte, a named one too, and the commits that follow it without a gap. All else goes to
quarantine, a copy first. Each step leaves a collection that is damaged still, or repaired, so that a repair that was
stopped can be run again.
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
from passageway_server.storage.log.checking import LogCheck
from passageway_server.storage.log.repairing import LogRepair
from passageway_server.storage.mending import mend
from passageway_server.storage.page_key import PAGE_KEY, read_page_key
from passageway_server.storage.report import Lost, Report
from passageway_server.storage.snapshot import PARTIAL, read_manifest
from passageway_server.storage.sweeping import sweep
from passageway_server.storage.trial import Trial
from passageway_server.storage.verification import collections_in, damage_of, verify_folder

_OLD_FORMAT: Final = layout.FORMAT + layout.DAMAGED
_OLD_PAGE_KEY: Final = PAGE_KEY + layout.DAMAGED


def repair_folder(directory: Directory) -> Report:
    """Repair all collections of a data folder that nobody has open; findings are of what was found before.

    What cannot be read by this release alone is left as it is. FormatTooNew for a folder of a later release;
    ReadFailed; DiskFull or StorageFailed where the disk refuses a step.
    """
    before = verify_folder(directory)
    steps: list[str] = []
    with writing("the data folder"):
        _settle_small_files(directory, steps)
        steps += [f"remove {path}, half made or half removed" for path in sweep(directory)]
    repairs = [_Repair(directory, name, steps) for name in collections_in(directory)]
    for repair in repairs:
        try:
            with writing(repair.name):
                repair.run()
        except FormatTooNew as error:
            repair.leave(str(error))
    return replace(
        before,
        lost=tuple(repair.lost for repair in repairs if repair.lost is not None),
        left=tuple(repair.name for repair in repairs if repair.is_left),
        steps=tuple(steps),
    )


def try_repair(directory: Directory, beside: Directory) -> Report:
    """What `repair_folder` would report, with nothing changed; what it would write goes to *beside*, an empty directory."""
    return repair_folder(Trial(directory, beside))


def _settle_small_files(directory: Directory, steps: list[str]) -> None:
    try:
        missing = not layout.read_format(directory)
        layout.settle_format(directory)
        if missing:
            steps.append(f"write {layout.FORMAT}, which is missing")
    except SnapshotDamaged:
        directory.rename(layout.FORMAT, _OLD_FORMAT)
        layout.settle_format(directory)
        steps.append(f"move {layout.FORMAT} to {_OLD_FORMAT}, and write it anew")
    try:
        read_page_key(directory)
    except SnapshotDamaged:
        directory.rename(PAGE_KEY, _OLD_PAGE_KEY)
        steps.append(f"move {PAGE_KEY} to {_OLD_PAGE_KEY}; the next start makes a new one")


@dataclass(slots=True)
class _Repair:
    """The repair of the collection *name*; ``lost`` is what cannot be kept of it, ``is_left`` that it stays as it was."""

    directory: Directory
    name: str
    steps: list[str]
    lost: Lost | None = field(default=None, init=False)
    is_left: bool = field(default=False, init=False)
    _bad: list[str] = field(default_factory=list[str], init=False)
    """Snapshots, named ones too, that are damaged, or never came to count."""

    def leave(self, why: str) -> None:
        """Say that nothing is done."""
        self.is_left = True
        self.steps.append(f"leave {self.name} as it is: {why}")

    def run(self) -> None:
        """Repair, or do nothing where nothing is wrong. FormatTooNew, ReadFailed, OSError."""
        current, versions = self._current(), self._versions()
        newest = current or max(versions, default="")
        number = layout.number_of(newest) if newest else 0
        self._find_bad(versions, newest)
        base = max((each for each in versions if each not in self._bad), default="")
        base = self._from_named(layout.number_of(base) if base else 0) or base
        if not base:
            check = LogCheck(self.directory, self.name, snapshot=number)
            check.findings()
            last = max(number, check.durable)
            self.lost = Lost(self.name, 1, last) if last else None
            self.leave("no snapshot of it is good")
            return
        log = LogRepair(self.directory, self.name, base=layout.number_of(base), durable=number)
        log.run()
        self.lost = log.lost
        self.steps += log.steps
        log.steps.clear()
        for folder in self._bad:
            quarantine.keep(self.directory, folder)
        self._let_count(base, current)
        for folder in self._bad:
            self._set_aside(folder)
        log.finish()
        self.steps += log.steps

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

    def _find_bad(self, versions: list[str], newest: str) -> None:
        """Look at all snapshots, and mend what others hold whole; those past *newest* never came to count. FormatTooNew."""
        named = layout.named_folders(self.directory, self.name)
        self._bad = [each for each in versions if each > newest]
        for folder in [each for each in versions if each <= newest] + named:
            if self._is_bad(folder):
                self.steps += mend(self.directory, folder, versions + named)
                if self._is_bad(folder):
                    self._bad.append(folder)

    def _is_bad(self, folder: str) -> bool:
        """Whether a byte of a snapshot is not what it was, or cannot be read. FormatTooNew."""
        found = damage_of(self.directory, folder)
        for error in found:
            if isinstance(error, FormatTooNew):
                raise error
        return bool(found)

    def _from_named(self, number: int) -> str:
        """A version made of the newest named snapshot that is good; "" where none is later than version *number*."""
        numbers = {
            read_manifest(self.directory, each).version.number: each
            for each in layout.named_folders(self.directory, self.name)
            if each not in self._bad
        }
        newest = max(numbers, default=0)
        if newest <= number:
            return ""
        folder = f"{self.name}/{layout.SNAPSHOTS}/{layout.version_folder(newest)}"
        if folder in self._bad:
            self._bad.remove(folder)
            self._set_aside(folder)
        remove_tree(self.directory, folder + PARTIAL)
        copy_tree(self.directory, numbers[newest], folder + PARTIAL)
        self.directory.rename(folder + PARTIAL, folder)
        self.directory.sync(parent(folder))
        self.steps.append(f"make {folder} of {numbers[newest]}")
        return folder

    def _let_count(self, base: str, current: str) -> None:
        """Let the snapshot *base* count, in place of *current*."""
        if base == current:
            return
        file, step = f"{self.name}/{layout.CURRENT}", f"let {base} count"
        if any(entry.name == layout.CURRENT for entry in self.directory.entries(self.name)):
            step += f"; a copy of what {file} was is {quarantine.keep(self.directory, file)}"
        layout.name_current(self.directory, self.name, base)
        self.directory.sync(self.name)
        self.steps.append(step)

    def _set_aside(self, folder: str) -> None:
        kept = quarantine.keep(self.directory, folder)
        layout.remove_safely(self.directory, folder)
        self.steps.append(f"move {folder} to {kept}")
