"""Makes a damaged snapshot whole again, of files in other snapshots that hold the very bytes it has lost.

Versions share arrays, by second names of a file or as copies: one that is gone or damaged in one folder may stand whole in
another. What it has to hold the manifest says, which must be whole itself; nothing else is taken for it.
"""

from collections.abc import Iterable
from contextlib import suppress

from passageway_server.errors import PassagewayError
from passageway_server.storage import quarantine
from passageway_server.storage.checking import check_file
from passageway_server.storage.directory import (
    Directory,
    copy_tree,
    holds_folder,
    parent,
    remove_tree,
)
from passageway_server.storage.manifest import StoredArray, file_of
from passageway_server.storage.snapshot import PARTIAL, read_manifest


def mend(directory: Directory, folder: str, others: Iterable[str]) -> list[str]:
    """Make the snapshot in *folder* whole of files in the snapshots *others*; what was done, nothing unless all can be.

    What the folder was is in quarantine before. OSError.
    """
    missing = _missing(directory, folder, [each for each in others if each != folder])
    if not missing:
        return []
    kept = quarantine.keep(directory, folder)
    aside = folder + PARTIAL
    for file, source in missing.items():
        remove_tree(directory, aside)
        copy_tree(directory, source, aside)
        if holds_folder(directory, file):
            remove_tree(directory, file)
        directory.rename(aside, file)
    directory.sync(folder)
    directory.sync(parent(folder))
    made = [f"make {file} of {source}, which has its bytes" for file, source in missing.items()]
    return [f"copy {folder} as it is to {kept}", *made]


def _missing(directory: Directory, folder: str, others: list[str]) -> dict[str, str]:
    """Each file of *folder* that is not whole, and another one that holds its bytes; nothing where one has no other."""
    found: dict[str, str] = {}
    with suppress(PassagewayError):
        manifest = read_manifest(directory, folder)
        for name, stored in manifest.arrays.items():
            places = [f"{each}/{file_of(name)}" for each in (folder, *others)]
            whole = (one for one in places if _is_whole(directory, one, stored, manifest.algorithm))
            source = next(whole, "") if stored.is_file else places[0]
            if not source:
                return {}
            if source != places[0]:
                found[places[0]] = source
    return found


def _is_whole(directory: Directory, file: str, stored: StoredArray, algorithm: str) -> bool:
    try:
        check_file(directory, file, stored, algorithm=algorithm)
    except PassagewayError:
        return False
    return True
