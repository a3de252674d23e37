"""The files of a log: how a segment comes to its name, and how those go that nothing needs."""

from collections.abc import Iterable
from itertools import pairwise

from passageway_server.storage import layout
from passageway_server.storage.directory import Directory, parent, remove_tree, writing
from passageway_server.storage.snapshot import PARTIAL, discard


def write_segment(directory: Directory, path: str, parts: Iterable[bytes]) -> None:
    """Let the segment at *path* hold *parts*; it has its name for good once its folder is synced.

    OSError, and then what had the name has it still.
    """
    aside = path + PARTIAL
    try:
        remove_tree(directory, aside)
        directory.write(aside, parts)
        directory.rename(aside, path)
    except BaseException:
        discard(directory, aside)
        raise


def drop_segments(directory: Directory, collection: str, *, through: int) -> list[str]:
    """Remove the segments that hold no commit past *through*, and name them; the newest one stays. StorageFailed.

    Each removal is on the disk before the next: what a crash leaves has no gap.
    """
    segments = layout.segments(directory, collection)
    newest = layout.read_newest_segment(directory, collection)
    dropped: list[str] = []
    for (first, path), (following, _) in pairwise(segments):
        if following - 1 > through or first == newest:
            break
        with writing(path):
            directory.remove(path)
            directory.sync(parent(path))
        dropped.append(path)
    return dropped
