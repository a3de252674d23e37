"""How far the logs are on the disk is written down, once that can be."""

import threading
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from passageway_server.errors import DiskFull, PassagewayError, StorageFailed
from passageway_server.values.collections import CollectionSettings
from passageway_server.version import marking
from passageway_server.version.catalog import Catalog
from passageway_server.version.collection import Collection
from passageway_server.version.contents import Contents
from passageway_server.version.marking import Marking
from tests.unit.version.logs import MemoryLog


class _Refusing(MemoryLog):
    """Refuses the first marks."""

    def __init__(self, *errors: PassagewayError) -> None:
        super().__init__()
        self.errors = [*errors]
        self.marked = threading.Event()

    def mark(self) -> bool:
        if self.errors:
            raise self.errors.pop(0)
        self.marked.set()
        return True


@pytest.fixture
def catalog(monkeypatch: pytest.MonkeyPatch) -> Iterator[Catalog]:
    """One whose collections are marked."""
    monkeypatch.setattr(marking, "_PAUSE", 0.01)
    catalog = Catalog(page_key=bytes(32))
    marks = Marking(catalog)
    yield catalog
    marks.stop()


@pytest.mark.parametrize(
    "errors",
    [(), (DiskFull("log", "full"), DiskFull("log", "full")), (StorageFailed("log", "refused"),)],
)
def test_a_mark_that_failed_is_tried_again_though_nothing_changed(
    catalog: Catalog, errors: tuple[PassagewayError, ...]
) -> None:
    log = _Refusing(*errors)
    contents = Contents.empty(CollectionSettings("c"))
    collection = Collection.created(contents, datetime(2024, 5, 1, tzinfo=UTC))
    collection.keep_in(log, sync_each=True)

    catalog.put("c", collection)

    assert log.marked.wait(10)
    assert not log.errors
