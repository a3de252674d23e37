"""What no row names is left out of the next version, and of its snapshot."""

import threading
from pathlib import Path
from random import Random

import pytest

from passageway_server.values.records import Batch, NodeRecord
from passageway_server.version.merge import merged
from passageway_server.version.persist import to_arrays
from passageway_server.version.store import Store
from tests.unit.version.batches import random_batch
from tests.unit.version.inside import anew, inside
from tests.unit.version.making import PUBLIC, records


@pytest.mark.parametrize("seed", range(20))
def test_a_merged_version_is_equal_in_all_but_its_garbage(seed: int) -> None:
    rng, kept = Random(seed), Store.open().create(PUBLIC)
    for _ in range(15):
        kept.apply(random_batch(rng))

    whole = merged(kept.current)

    assert records(whole) == records(kept.current)
    assert inside(whole) == anew(whole)
    assert merged(whole) is whole
    assert whole.delta_size == 0


def test_what_was_deleted_is_in_no_file_of_the_next_snapshot(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    kept = store.create(PUBLIC)
    kept.apply(
        Batch(put_nodes=(NodeRecord("a", content="the secret", properties={"k": "a secret too"}),))
    )
    kept.apply(Batch(delete_nodes=("a",)))

    store.close()

    assert not any(b"secret" in file.read_bytes() for file in tmp_path.rglob("*.npy"))


def test_replacing_a_row_again_and_again_does_not_grow_the_collection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("passageway_server.version.writer._COMPACT_FROM", 10_000)
    kept = Store.open().create(PUBLIC)

    for i in range(300):
        kept.apply(Batch(put_nodes=(NodeRecord("a", content=str(i) * 500),)))
        _end("merge")

    assert len(kept.current.contents.texts.heap) < 20_000


def _end(name: str) -> None:
    """Wait for the threads of this *name*."""
    for thread in threading.enumerate():
        if thread.name == name:
            thread.join()


def test_reader_sets_can_be_stored_while_a_writer_adds_more() -> None:
    kept = Store.open().create(PUBLIC)
    stop = threading.Event()

    def write() -> None:
        for number in range(20_000):
            if stop.is_set():
                return
            kept.current.readers.intern((f"user:{number}", f"a & {number}"))

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(20):
            arrays, _ = to_arrays(kept.current)
            assert arrays["readers.bounds"][-1] == len(arrays["readers.members"])
    finally:
        stop.set()
        writer.join()
