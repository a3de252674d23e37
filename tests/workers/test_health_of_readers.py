"""The health of a reader: of collections it says what one process would, to admins alone."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from passageway_server.version.store import Store
from tests.wire.serving import Keys, guarded, served
from tests.wire.test_health import check, watch
from tests.workers.pair import Pair, pair
from tests.workers.serving import wait_until


@pytest.fixture
def keys(tmp_path: Path) -> Keys:
    keys = Keys(tmp_path)
    keys.add("root", roles=["admin"])
    keys.add("ada")
    return keys


@pytest.fixture
def both(tmp_path: Path, keys: Keys) -> Iterator[Pair]:
    """With a collection that is damaged, and one that is whole."""
    with served(guarded(keys, data=tmp_path / "data")) as wire:
        for name in ("broken", "whole"):
            wire.create(name, keys.of("root"))
    (tmp_path / "data" / "broken" / "CURRENT").write_bytes(b"nonsense\n")
    with pair(tmp_path, keys) as both:
        wait_until(lambda: both.reader._store.names() == ["whole"])
        yield both


def test_collections_serve_or_not_as_by_one_process(both: Pair, keys: Keys) -> None:
    root = keys.of("root")

    assert [check(both.line, name, root) for name in ("", "whole", "broken", "absent")] == [
        "SERVING",
        "SERVING",
        "NOT_SERVING",
        "NOT_FOUND",
    ]
    assert [next(watch(both.line, name, root)) for name in ("", "whole", "broken", "absent")] == [
        "SERVING",
        "SERVING",
        "NOT_SERVING",
        "SERVICE_UNKNOWN",
    ]


def test_to_others_they_are_unknown(both: Pair, keys: Keys) -> None:
    for name in ("whole", "broken", "absent"):
        assert check(both.line, name, keys.of("ada")) == "NOT_FOUND"
        assert next(watch(both.line, name, keys.of("ada"))) == "SERVICE_UNKNOWN"


def test_one_of_which_no_snapshot_can_be_written_does_not_serve(both: Pair, keys: Keys) -> None:
    store = both.owner._store
    assert isinstance(store, Store)
    store.checkpoints.failed["whole"] = ValueError("more than 1000000 values")

    assert check(both.line, "whole", keys.of("root")) == "NOT_SERVING"


def test_what_is_held_serves_while_the_owner_is_away(both: Pair, keys: Keys) -> None:
    root = keys.of("root")
    both.owner.stop()

    assert check(both.line, "", root) == "SERVING"
    assert check(both.line, "whole", root) == "SERVING"
    assert check(both.line, "absent", root) == "UNAVAILABLE"
    assert check(both.line, "whole", keys.of("ada")) == "NOT_FOUND"
    assert check(both.line, "absent", keys.of("ada")) == "NOT_FOUND"
