"""What calls take besides their messages: ids for seeds, text for a query, a name for a collection."""

import secrets
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Mapping, Sequence
from typing import Any

from passageway._expected import said
from passageway._generated import values
from passageway._properties import several
from passageway.v1 import graph_pb2, query_pb2, store_pb2


def seeds(seeds: Sequence[values.SeedGroup | str]) -> list[graph_pb2.SeedGroup]:
    """Groups as they are; ids that stand alone make one group together, in the place of the first."""
    groups: list[graph_pb2.SeedGroup] = []
    alone: graph_pb2.SeedGroup | None = None
    for seed in several(seeds, "seeds"):
        if not isinstance(seed, str):
            groups.append(seed.to_message())
            continue
        if alone is None:
            alone = graph_pb2.SeedGroup()
            groups.append(alone)
        alone.ids.append(seed)
    return groups


def read_options(
    *,
    at_version: str | None,
    at_least_version: str | None,
    project: str,
    evidence: query_pb2.Evidence.ValueType,
) -> query_pb2.ReadOptions:
    """Which version a read sees, and which of its rows."""
    options = query_pb2.ReadOptions(project=project, evidence=evidence)
    if at_version is not None and at_least_version is not None:
        raise ValueError("at_version and at_least_version exclude each other")
    if at_version is not None:
        options.at_version = at_version
    if at_least_version is not None:
        options.at_least_version = at_least_version
    return options


def query(query: values.Query | str) -> query_pb2.Query:
    """A query; a string is its text."""
    return query_pb2.Query(text=query) if isinstance(query, str) else query.to_message()


def collection(collection: values.Collection | str) -> store_pb2.Collection:
    """A collection's settings; a string is its name, with all else at its default."""
    if isinstance(collection, str):
        return store_pb2.Collection(name=collection)
    return collection.to_message()


def batch(batch: values.Batch | store_pb2.Batch) -> store_pb2.Batch:
    """A batch; a message, made by whoever is in a hurry, stands for itself."""
    return batch if isinstance(batch, store_pb2.Batch) else batch.to_message()


_AnyBatch = values.Batch | store_pb2.Batch

_MOST_BATCHES = 10**12


def load_requests(
    collection: str, batches: Iterable[_AnyBatch] | _AnyBatch, *, load: str = "", after: int = 0
) -> Iterator[store_pb2.LoadRequest]:
    """The messages of a load: the first one names the collection. A batch by itself is a load of one.

    Each is named by the *load*, where it has a name, and by its place, of which *after* come before.
    """
    request = _LoadRequests(collection, load, after)
    return map(request.next, _one_after_another(batches))


async def async_load_requests(
    collection: str,
    batches: Iterable[_AnyBatch] | AsyncIterable[_AnyBatch] | _AnyBatch,
    *,
    load: str = "",
    after: int = 0,
) -> AsyncIterator[store_pb2.LoadRequest]:
    """The same from either kind of iterable."""
    if not isinstance(batches, AsyncIterable):
        for each in load_requests(collection, batches, load=load, after=after):
            yield each
        return
    request = _LoadRequests(collection, load, after)
    async for batch in batches:
        yield request.next(batch)


def resume_requests(collection: str, load: str) -> list[store_pb2.LoadRequest]:
    """The message that asks how far a *load* came, which has a name."""
    _check_run(load, 0)
    if not load:
        raise ValueError("name: is empty; give the name that the load had")
    return [store_pb2.LoadRequest(collection=collection, idempotency_key=load, resume=True)]


def _check_run(load: str, after: int) -> None:
    """Raise TypeError or ValueError for what is no name of a load, or no place in one."""
    given: Any = load
    if not isinstance(given, str):
        raise TypeError(f"name: takes a string, not {said(load)}")
    given = after
    if not isinstance(given, int) or isinstance(given, bool):
        raise TypeError(f"after: takes a whole number, not {said(after)}")
    if not 0 <= after < _MOST_BATCHES:
        raise ValueError(f"after: is {after}; a load has from 0 to {_MOST_BATCHES:,} batches")
    if after and not load:
        raise ValueError("after: goes with the name of the load; give name, too")


class _LoadRequests:
    """The messages of one load, made one after another.

    The key of a batch has a part that is drawn for each load: one that begins anew loads everything, though its name
    and its batches are those of a former one.
    """

    def __init__(self, collection: str, load: str, after: int) -> None:
        _check_run(load, after)
        self._collection = collection
        self._keys = f"{load}/{secrets.token_hex(8)}/" if load else ""
        self._place = after

    def next(self, batch: _AnyBatch) -> store_pb2.LoadRequest:
        """The message of the next batch; the first one names the collection."""
        self._place += 1
        collection, self._collection = self._collection, ""
        key = f"{self._keys}{self._place}" if self._keys else ""
        return store_pb2.LoadRequest(
            collection=collection, batch=_loaded(batch), idempotency_key=key
        )


def _one_after_another(batches: Iterable[_AnyBatch] | _AnyBatch) -> Iterable[_AnyBatch]:
    if isinstance(batches, _AnyBatch):
        return [batches]
    given: Any = batches
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise TypeError(f"batches: takes Batch values, one after another, not {said(batches)}")
    return batches


def _loaded(each: object) -> store_pb2.Batch:
    """The message of one batch of a load, which takes no bare record."""
    if isinstance(each, _AnyBatch):
        return batch(each)
    lists = {values.Node: "put_nodes", values.Edge: "put_edges", values.Passage: "put_passages"}
    place = next((name for kind, name in lists.items() if isinstance(each, kind)), None)
    remedy = "" if place is None else f"; write [Batch({place}=[…])]"
    raise TypeError(f"batches: takes Batch values, not {said(each)}{remedy}")
