"""Snapshots of earlier formats open, and are gone on from."""

from random import Random

import pytest

from passageway_server.values.collections import CollectionSettings, FieldDeclaration, Kind
from passageway_server.values.records import Batch, NodeRecord
from passageway_server.version.collection import Collection
from passageway_server.version.persist import from_arrays, to_arrays
from tests.unit.version.batches import random_batch
from tests.unit.version.earlier_formats import as_format_1, as_format_2
from tests.unit.version.inside import anew, inside
from tests.unit.version.making import collection, records

SETTINGS = CollectionSettings(
    "c",
    fields=(
        FieldDeclaration("salary", Kind.INT, readers=("group:hr", "team:a & level:b")),
        FieldDeclaration("lifecycle", Kind.KEYWORD),
    ),
    default_readers=("public",),
)


def test_a_snapshot_of_format_1_opens_and_its_fields_are_everybodys() -> None:
    kept = collection(SETTINGS)
    kept.apply(
        Batch(
            put_nodes=(
                NodeRecord("a", status="retracted"),
                NodeRecord("b", properties={"lifecycle": "obsolete"}),
                NodeRecord("c"),
            )
        )
    )

    opened = from_arrays(*as_format_1(kept.current, Random(1)))

    assert opened.settings.membership is None
    assert [field.readers for field in opened.settings.fields] == [(), ()]
    assert opened.gates.retired_by[opened.gates.of].tolist() == [1, 2, 0]
    again, _ = to_arrays(opened)
    assert "derived.gates.retired_by" in again
    assert "derived.gates.retired" not in again


@pytest.mark.parametrize("seed", range(20))
def test_a_snapshot_of_format_2_opens_as_what_it_was_made_of(seed: int) -> None:
    rng, kept = Random(seed), collection(CollectionSettings("c", default_readers=("public",)))
    for _ in range(8):
        kept.apply(random_batch(rng))
    arrays, meta = as_format_2(kept.current, rng)

    opened = from_arrays(arrays, meta)

    assert inside(opened) == anew(opened)
    assert records(opened) == records(kept.current)
    kept = Collection(opened)
    for _ in range(3):
        kept.apply(random_batch(rng))
        assert inside(kept.current) == anew(kept.current)
