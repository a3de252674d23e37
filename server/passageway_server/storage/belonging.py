"""Whether a snapshot is of the collection in whose folder it stands: one that was put there may be whole in every byte.

Segments and snapshots say of which collection they are; one that says otherwise than most was put there. The settings in a
snapshot say its name, too.
"""

from collections import Counter
from contextlib import suppress
from typing import Final

from passageway_server.errors import PassagewayError, SnapshotDamaged
from passageway_server.storage import layout
from passageway_server.storage.directory import Directory
from passageway_server.storage.log.frames import BadFrame, Header
from passageway_server.storage.log.segment import Segment, open_segments
from passageway_server.storage.manifest import MANIFEST, Manifest
from passageway_server.storage.snapshot import read_manifest

_WITH_IDENTITY: Final = 3
"""The first format in which every version of a collection has its identity."""


def check_belongs(directory: Directory, folder: str, manifest: Manifest) -> None:
    """Raise SnapshotDamaged where the snapshot in *folder*, by its *manifest*, is not of the collection there.

    It may be of one that had the same name before.
    """
    file, collection = f"{folder}/{MANIFEST}", folder.partition("/")[0]
    if manifest.collection not in ("", collection):
        raise SnapshotDamaged(file, f"a snapshot of the collection {manifest.collection!r:.80}")
    known = manifest.version.identity
    newest = layout.segments(directory, collection)[-1:]
    if manifest.format < _WITH_IDENTITY or known in _headed(directory, newest):
        return
    if identity_of(directory, collection) not in ("", known):
        found = "a snapshot of another collection, or of an earlier one of this name"
        raise SnapshotDamaged(file, found)


def identity_of(directory: Directory, collection: str) -> str:
    """The identity that most segments and snapshots of *collection* have; of as many, that of the newest. "" for none.

    Named snapshots, of which there may be many, are asked where the others do not agree. ReadFailed where it cannot be
    listed what there is.
    """
    said = _said_by(directory, _versions(directory, collection))
    said += _headed(directory, layout.segments(directory, collection))
    if len(set(said)) != 1:
        said = _said_by(directory, layout.named_folders(directory, collection)) + said
    counts = Counter(reversed(said))  # of as many, the first that was counted comes first
    return counts.most_common(1)[0][0] if counts else ""


def _said_by(directory: Directory, snapshots: list[str]) -> list[str]:
    """The identities that *snapshots* have, of those that have one and can be read."""
    said: list[str] = []
    for folder in snapshots:
        with suppress(PassagewayError):  # whoever reads the snapshot says what is wrong
            manifest = read_manifest(directory, folder)
            if manifest.format >= _WITH_IDENTITY:
                said.append(manifest.version.identity)
    return said


def _headed(directory: Directory, segments: list[tuple[int, str]]) -> list[str]:
    """The identities that *segments* have, in their order, of those whose header can be read."""
    said: list[str] = []
    for _, path in segments:
        with suppress(BadFrame, PassagewayError):  # whoever reads the log says what is wrong
            said.append(Segment(directory, path).header().identity)
    return said


def own_segments(
    directory: Directory, collection: str, *, after: int
) -> list[tuple[Segment, Header | BadFrame]]:
    """As `open_segments`, for the collection that *collection* holds by most of its files."""
    opened = open_segments(directory, collection, after=after, identity="")
    newest = _said_by(directory, _versions(directory, collection)[-1:])
    said = {header.identity for _, header in opened if isinstance(header, Header)} | {*newest}
    if newest and len(said) == 1:
        return opened
    identity = identity_of(directory, collection)
    return open_segments(directory, collection, after=after, identity=identity)


def _versions(directory: Directory, collection: str) -> list[str]:
    try:
        return layout.versions(directory, collection)
    except SnapshotDamaged:  # there are none
        return []
