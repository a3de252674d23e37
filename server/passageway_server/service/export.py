"""All records of a collection, as they were put. It needs the role admin, which reads every row, and no audience."""

from collections.abc import Iterator
from dataclasses import dataclass

from passageway_server.authz.callers import ADMIN, Caller
from passageway_server.values.records import Batch
from passageway_server.version import export as records
from passageway_server.version.catalog import Catalog


@dataclass(frozen=True, slots=True)
class Exported:
    """Batches that make one version again, in stored order."""

    version: str
    batches: Iterator[Batch]


def export(store: Catalog, caller: Caller, collection: str) -> Exported:
    """All records of the newest version."""
    caller.require(ADMIN)
    version = store.collection(collection).current
    return Exported(version.token, records.export(version))
