"""A version made of one batch, and what one caller finds in it by a filter."""

from typing import Any

from passageway_server.authz.callers import Caller
from passageway_server.authz.gates import CallGates, gates
from passageway_server.engine.filter import matching_rows
from passageway_server.engine.predicate import Over, Predicate
from passageway_server.planner.binding import Binding
from passageway_server.values.collections import CollectionSettings
from passageway_server.values.queries import Bounds, ReadOptions, Vars
from passageway_server.values.records import Batch
from passageway_server.version.store import Store
from passageway_server.version.version import Version
from tests.unit.engine.drawn_filters import SETTINGS

EVERYBODY = Caller.holding(())


def version_of(batch: Batch, collection_settings: CollectionSettings = SETTINGS) -> Version:
    kept = Store.open().create(collection_settings)
    kept.apply(batch)
    return kept.current


def all_gates(version: Version, caller: Caller = EVERYBODY) -> CallGates:
    return gates(version, caller, ReadOptions(), 0)


def compiled(
    text: str,
    version: Version,
    caller: Caller = EVERYBODY,
    *,
    over: Over = "nodes",
    vars: Vars | None = None,
) -> Predicate:
    gate = all_gates(version, caller).read
    binding = Binding(version, gate, bounds=Bounds.REJECT, vars=vars or {})
    predicate = binding.filter(text, path="filter", over=over)
    binding.check()
    assert predicate is not None
    return predicate


def ids_of(version: Version, text: str, caller: Caller = EVERYBODY, **vars: Any) -> list[str]:
    call = all_gates(version, caller)
    predicate = compiled(text, version, caller, vars=vars)
    found = matching_rows(predicate, version, read=call.read, scope=call.scope)
    return sorted(version.nodes.ids.take(found))
