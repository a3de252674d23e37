"""What a start serves of a folder in which any byte may have changed: all that was written, or nothing; and what it leaves there."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from passageway_server.errors import SnapshotDamaged
from passageway_server.storage.disk import DiskDirectory
from passageway_server.storage.report import Kind
from passageway_server.storage.verification import verify_folder
from passageway_server.values.collections import CollectionSettings
from passageway_server.values.records import Batch, EdgeRecord, NodeRecord
from passageway_server.version.durability import Durability
from passageway_server.version.export import export
from passageway_server.version.store import Store

NEVER = Durability(checkpoint_bytes=1 << 40, checkpoint_seconds=1e9)
SECTOR = 512


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As a kill leaves it: a snapshot of everything but the last commit, and the log from the beginning on."""
    data = tmp_path_factory.mktemp("sound") / "data"
    store = Store.open(data, durability=NEVER)
    made = store.create(CollectionSettings("c"))
    store.create(CollectionSettings("other"))
    for number in range(40):
        readers = ("public",) if number % 2 else ("user:ada",)
        node = NodeRecord(f"n{number}", "person", f"N {number}", "x" * number, readers=readers)
        edge = EdgeRecord(f"e{number}", f"n{number}", "n0", "KNOWS", float(number))
        made.apply(Batch(put_nodes=(node,), put_edges=(edge,)))
    store.create_snapshot("c", "")
    made.apply(Batch(put_nodes=(NodeRecord("last"),)))
    shutil.copytree(data, data.with_name("killed"))
    store.close()
    return data.with_name("killed")


@pytest.fixture
def data(sound: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(sound, tmp_path / "data"))


def arrays(data: Path) -> list[Path]:
    """The files of the newest snapshot of ``c``, its manifest too."""
    return sorted(max((data / "c/snapshots").iterdir()).iterdir())


def flipped(file: Path, at: int) -> None:
    content = bytearray(file.read_bytes())
    content[at] ^= 1 << at % 8
    file.write_bytes(content)


def everything(store: Store) -> list[object]:
    return [store.collection("c").current.token, *export(store.collection("c").current)]


def places(file: Path) -> Iterator[int]:
    """A byte of each sector of *file*, and its first and its last one."""
    draw, size = Random(file.name), file.stat().st_size
    yield from {0, size - 1}
    for start in range(0, size, SECTOR):
        yield draw.randrange(start, min(start + SECTOR, size))


def test_a_flip_in_any_file_of_a_snapshot_is_not_served_and_no_new_snapshot_has_it(
    sound: Path, tmp_path: Path
) -> None:
    whole = Path(shutil.copytree(sound, tmp_path / "whole"))
    store = Store.open(whole, durability=NEVER)
    expected = everything(store)[1:]
    store.close()
    count = 0
    for place, name in enumerate(file.name for file in arrays(sound)):
        file = sound / "c/snapshots" / max((sound / "c/snapshots").iterdir()).name / name
        at = Random(name).choice([*places(file)])
        data = Path(shutil.copytree(sound, tmp_path / str(place)))
        flipped(data / file.relative_to(sound), at)

        store = Store.open(data, durability=NEVER)
        assert store.damaged == {}, name
        assert everything(store)[1:] == expected, name
        [finding] = store.findings
        assert (finding.kind, finding.file) == (Kind.DAMAGE, str(file.relative_to(sound)))
        assert finding.kept.startswith("c/quarantine/snapshot-")
        store.close()

        kinds = {each.kind for each in verify_folder(DiskDirectory(data)).findings}
        assert kinds == {Kind.QUARANTINED}, name
        shutil.rmtree(data)
        count += 1
    assert count > 40


def test_where_nothing_stands_in_for_it_the_file_is_named_and_the_others_are_served(
    data: Path,
) -> None:
    shutil.rmtree(min((data / "c/snapshots").iterdir()))
    file = max(arrays(data), key=lambda each: each.stat().st_size)
    flipped(file, 5 * SECTOR)
    before = {path: path.read_bytes() for path in sorted(data.rglob("*.npy"))}

    store = Store.open(data, durability=NEVER)

    assert store.names() == ["other"]
    refused = store.damaged["c"]
    assert isinstance(refused, SnapshotDamaged)
    assert refused.file == str(file.relative_to(data))
    store.close()
    assert all(path.read_bytes() == content for path, content in before.items())


def test_what_a_checkpoint_links_it_does_not_read(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store.open(data, durability=NEVER)
    store.create_snapshot("c", "")
    store.collection("c").update(lambda settings: settings)
    read: list[str] = []
    real = DiskDirectory.read

    def reading(self: DiskDirectory, path: str, *, offset: int = 0, limit: int) -> bytes:
        read.append(path)
        return real(self, path, offset=offset, limit=limit)

    monkeypatch.setattr(DiskDirectory, "read", reading)
    store.create_snapshot("c", "")

    assert [path for path in read if path.endswith(".npy")] == []
    store.close()
