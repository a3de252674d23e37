"""What a collection keeps can be read again, wherever the clock of the machine stood."""

import time
from pathlib import Path

import pytest

from passageway_server.storage.data_folder import held
from passageway_server.storage.verification import verify_folder
from passageway_server.values.collections import CollectionSettings
from passageway_server.values.records import Batch, NodeRecord
from passageway_server.version.store import Store

_YEAR = 365 * 86_400 * 10**9


@pytest.mark.parametrize("years", [-1, 8_100])
def test_what_is_made_before_1970_or_after_9999_is_there_after_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, years: int
) -> None:
    monkeypatch.setattr(time, "time_ns", lambda: years * _YEAR)
    store = Store.open(tmp_path)
    kept = store.create(CollectionSettings("c"))
    kept.apply(Batch(put_nodes=(NodeRecord("a"),)))
    store.create_snapshot("c", "s")
    kept.apply(Batch(put_nodes=(NodeRecord("b"),)))
    store.restore("c", "s")
    kept.apply(Batch(put_nodes=(NodeRecord("b"),)))
    store.close()
    monkeypatch.undo()

    with held(tmp_path) as directory:
        assert not verify_folder(directory).findings
    again = Store.open(tmp_path)
    assert again.collection("c").state.nodes == 2
    again.close()
