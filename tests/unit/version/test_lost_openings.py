"""Commits of several openings that a repair lost, or an older copy of the folder: none of their tokens names another version."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from passageway_server.authz.callers import OPERATOR
from passageway_server.errors import PassagewayError, VersionMoved
from passageway_server.service.pin import pin
from passageway_server.storage.disk import DiskDirectory
from passageway_server.storage.repair import repair_folder
from passageway_server.values.collections import CollectionSettings
from passageway_server.values.queries import ReadOptions
from passageway_server.values.records import Guard
from passageway_server.version.collection import Collection
from passageway_server.version.store import Store
from tests.unit.version.crashing import NEVER, put


class Lost:
    """A folder in which three openings made two commits each, and a backup of it from the first one."""

    def __init__(self, folder: Path) -> None:
        self.kept: list[str] = []
        self.tokens: list[str] = []
        shutil.copytree(folder / "lost0", folder / "lost1")
        for opening in range(1, 4):
            store = Store.open(folder / f"lost{opening}", durability=NEVER)
            tokens = committed(store.collection("c"), f"{opening}a", f"{opening}b")
            if opening == 1:
                self.kept = tokens
                shutil.copytree(folder / "lost1", folder / "backup")
            else:
                self.tokens += tokens
            shutil.copytree(folder / f"lost{opening}", folder / f"lost{opening + 1}")
            store.close()


def committed(kept: Collection, *ids: str) -> list[str]:
    return [kept.apply(put(id)).version for id in ids]


def told(store: Store, read: ReadOptions) -> str:
    try:
        return pin(store, OPERATOR, "c", read).version.token
    except PassagewayError as error:
        return error.reason


@pytest.fixture
def lost(tmp_path: Path) -> Lost:
    store = Store.open(tmp_path / "lost0", durability=NEVER)
    store.create(CollectionSettings("c"))
    store.close()
    return Lost(tmp_path)


@pytest.fixture(params=["repaired", "put back"])
def reopened(request: pytest.FixtureRequest, lost: Lost, tmp_path: Path) -> Iterator[Store]:
    """The store that goes on without what was lost, for as many commits."""
    folder = tmp_path / "backup"
    if request.param == "repaired":
        folder = tmp_path / "lost4"
        second = sorted((folder / "c" / "log").iterdir())[-2]
        broken = bytearray(second.read_bytes())
        broken[64 + 24] ^= 1  # in its first frame
        second.write_bytes(broken)
        assert repair_folder(DiskDirectory(folder)).lost
    store = Store.open(folder, durability=NEVER)
    assert store.collection("c").current.token == lost.kept[-1]
    yield store
    store.close()


def test_no_token_of_what_was_lost_is_given_again(lost: Lost, reopened: Store) -> None:
    kept = reopened.collection("c")

    again = committed(kept, "x", "y", "z", "zz")

    assert [token[20:] for token in again] == [token[20:] for token in lost.tokens]
    assert not set(again) & set(lost.tokens)
    for token in lost.tokens:
        assert told(reopened, ReadOptions(at_version=token)) == "VERSION_GONE"
        assert told(reopened, ReadOptions(at_least_version=token)) == "VERSION_GONE"
    for token in (*lost.kept, *again):
        assert told(reopened, ReadOptions(at_least_version=token)) == again[-1]


def test_a_write_that_is_guarded_by_what_was_lost_is_refused(lost: Lost, reopened: Store) -> None:
    kept = reopened.collection("c")
    committed(kept, "x")

    with pytest.raises(VersionMoved):
        kept.apply(put("lost update"), Guard(if_version=lost.tokens[0]))
