"""What stands on a disk at one moment, and what a crash then may leave of it.

A state leads from the number of each file and folder to what it is; 0 is the root. Nothing in it is ever changed, so that
a history of thousands of states costs little more than the differences.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from random import Random

SECTOR = 512
"""A disk writes so many bytes whole or not at all."""


@dataclass(frozen=True)
class FileState:
    """The bytes that are on the disk, and the appends (bytes) and cuts (lengths) since, oldest first."""

    kept: bytes = b""
    since: tuple[bytes | int, ...] = ()

    @cached_property
    def content(self) -> bytes:
        """What a reader finds."""
        return self.after(len(self.since))

    def after(self, count: int) -> bytes:
        """The content after the first *count* of the changes."""
        content = self.kept
        for change in self.since[:count]:
            content = content[:change] if isinstance(change, int) else content + change
        return content

    def synced(self, count: int) -> "FileState":
        """The file once the first *count* of its changes are on the disk."""
        return FileState(self.after(count), self.since[count:])


@dataclass(frozen=True, slots=True)
class Change:
    """What one act did to the names of a folder; both folders of a rename between two have the same *number*."""

    number: int
    names: Mapping[str, int | None]

    def to(self, names: Mapping[str, int]) -> Mapping[str, int]:
        """The *names* after it; None took one away."""
        after = {name: there for name, there in names.items() if name not in self.names}
        return after | {name: there for name, there in self.names.items() if there is not None}


@dataclass(frozen=True, slots=True)
class FolderState:
    """The names that are on the disk, the changes since, oldest first, and the names that a reader finds."""

    kept: Mapping[str, int] = field(default_factory=dict[str, int])
    changes: tuple[Change, ...] = ()
    names: Mapping[str, int] = field(default_factory=dict[str, int])

    def with_those(self, keeps: Callable[[Change], bool]) -> Mapping[str, int]:
        """The names after those changes that *keeps* says yes to."""
        names = self.kept
        for change in self.changes:
            if keeps(change):
                names = change.to(names)
        return names

    def changed(self, change: Change) -> "FolderState":
        """The folder after one more change, which is not on the disk."""
        return FolderState(self.kept, (*self.changes, change), change.to(self.names))

    def synced(self) -> "FolderState":
        """The folder with all of it on the disk."""
        return FolderState.of(self.names)

    @classmethod
    def of(cls, names: Mapping[str, int]) -> "FolderState":
        """A folder of these names, all of them on the disk."""
        return cls(names, (), names)


State = Mapping[int, FileState | FolderState]
ROOT = 0
EMPTY: State = {ROOT: FolderState()}


def survivor(state: State, draw: Random, remains: Sequence[bytes] = ()) -> State:
    """What a crash leaves of *state*, all of it on the disk; the same for the same *draw*.

    Blocks that were not in use may hold *remains*: content of files that are gone.

    Of the changes of folders that were not synced it keeps none, all, or any; of each file that was not synced nothing,
    all, a part, or sectors among zeros and foreign bytes.
    """
    share = draw.choice((0.0, 1.0, 0.5, 0.5, 0.8))
    verdicts: dict[int, bool] = {}

    def keeps(change: Change) -> bool:
        return verdicts.setdefault(change.number, draw.random() < share)

    foreign = list(remains) or [
        there.kept for there in state.values() if isinstance(there, FileState)
    ]
    left: dict[int, FileState | FolderState] = {}
    to_see = [ROOT]
    while to_see:
        number = to_see.pop()
        if number in left:
            continue
        there = state[number]
        if isinstance(there, FileState):
            left[number] = FileState(_left_of(there, draw, foreign)) if there.since else there
        else:
            names = there.with_those(keeps) if there.changes else there.kept
            left[number] = FolderState.of(names) if there.changes else there
            to_see += sorted(names.values())
    return left


def _left_of(file: FileState, draw: Random, foreign: list[bytes]) -> bytes:
    """The bytes of a file after a crash: those that no change touched, and anything that its changes may leave."""
    contents = [file.after(count) for count in range(len(file.since) + 1)]
    whole = contents[-1] if draw.random() < 0.7 else draw.choice(contents)
    certain = min(len(content) for content in contents)
    manner = draw.randrange(9)
    if manner == 0:
        return file.kept
    if manner == 1:
        return whole
    longest = max(len(content) for content in contents)
    end = draw.randint(certain, longest)
    if manner == 2:  # torn at a byte
        return whole[:end]
    if manner == 3:  # torn between two sectors
        return whole[: max(certain, end // SECTOR * SECTOR)]
    if manner == 4:  # the length is there, the bytes behind some point are not
        return whole[:end].ljust(longest, b"\0")
    if manner == 5:  # nothing but the length
        return whole[:certain].ljust(longest, b"\0")
    if manner == 6 and foreign:  # nothing was written, and something else stood there
        end = draw.randint(certain, longest)
        return whole[:certain] + draw.choice(foreign)[certain:end].ljust(end - certain, b"\0")
    return _in_any_order(contents, certain, draw, foreign)


def _in_any_order(contents: list[bytes], certain: int, draw: Random, foreign: list[bytes]) -> bytes:
    """Each sector as it was at any of its times, or never: zeros then, or what stood there of another file."""
    length = len(draw.choice(contents)) if draw.random() < 0.3 else max(map(len, contents))
    left = bytearray(contents[-1][:certain])
    for start in range(certain // SECTOR * SECTOR, length, SECTOR):
        end = min(start + SECTOR, length)
        chance = draw.random()
        if chance < 0.5:
            source = contents[-1]
        elif chance < 0.7:
            source = draw.choice(contents)
        elif foreign and chance < 0.9:
            source = draw.choice(foreign)
        else:
            source = b""
        first = max(start, certain)
        left += source[first:end].ljust(end - first, b"\0")
    return bytes(left)
