"""Folders as crashes leave them."""

import shutil
from pathlib import Path

from passageway_server.errors import DiskFull
from passageway_server.storage.collection import StoredCollection
from passageway_server.values.records import Batch, Guard, NodeRecord
from passageway_server.version.durability import Durability
from passageway_server.version.store import Store

NEVER = Durability(checkpoint_bytes=1 << 40, checkpoint_seconds=1e9)
KEYED = Guard(idempotency_key="monday/7f7f7f7f7f7f7f7f/1")


def after_a_crash(tmp_path: Path) -> Store:
    """The store that is opened over what was written when the process of the other one ended just now."""
    copies = len(list(tmp_path.iterdir()))
    shutil.copytree(tmp_path / "data", tmp_path / f"crashed{copies}")
    return Store.open(tmp_path / f"crashed{copies}", durability=NEVER)


def put(*ids: str) -> Batch:
    return Batch(put_nodes=tuple(map(NodeRecord, ids)))


def full(stored: StoredCollection, *_: object, **__: object) -> None:
    raise DiskFull(stored.name, "full")
