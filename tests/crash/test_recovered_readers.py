"""Rows that were taken from readers after the last snapshot are theirs no more once the server is up again."""

from random import Random

import pytest

from passageway_server.authz.callers import Caller
from passageway_server.authz.gates import gates
from passageway_server.values.collections import CollectionSettings
from passageway_server.values.queries import ReadOptions
from passageway_server.values.records import Batch, NodeRecord, PassageRecord
from passageway_server.version.version import Version
from tests.crash.forgetting import ForgettingDirectory
from tests.crash.sizes import seed_of
from tests.crash.stories import opened
from tests.properties.words import NOW_US

NAME = "a"
ADA = Caller.known("ada", principals=["group:eng"], roles=[])
BESIDE = tuple(NodeRecord(f"n{number}", readers=("public",)) for number in range(500))
"""Rows beside which a commit of a few is followed, and not all worked out anew."""


def read_by(version: Version, caller: Caller) -> set[str]:
    """The ids of those rows that a caller may read, but for those beside."""
    gate = gates(version, caller, ReadOptions(), NOW_US).read
    rows = version.nodes.kind.whole.nonzero()[0]
    ids = version.nodes.ids.take(rows[version.gates.open(gate, rows)])
    return {*ids} - {node.id for node in BESIDE}


@pytest.mark.parametrize("seed", range(3))
def test_spans_are_closed_with_a_parent_that_was_closed_after_the_snapshot(seed: int) -> None:
    directory = ForgettingDirectory()
    spans = tuple(PassageRecord(f"report#{place}", "report", place) for place in range(3))
    with opened(directory) as store:
        collection = store.create(CollectionSettings(NAME))
        report = NodeRecord("report", readers=("group:eng",))
        collection.apply(Batch(put_nodes=(*BESIDE, report), put_passages=spans))
        store.create_snapshot(NAME, "")
        before = read_by(collection.current, ADA)
        collection.apply(Batch(put_nodes=(NodeRecord("report", readers=("user:boss",)),)))

    assert before == {"report", *(span.id for span in spans)}
    for left in (directory.whole(), directory.crashed(Random(seed_of(seed)))):
        with opened(left) as store:
            assert read_by(store.collection(NAME).current, ADA) == set()
