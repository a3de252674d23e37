"""Vectors of the texts of queries, where the operator plugged in what makes them."""

from dataclasses import replace

from passageway_server.values.queries import Query
from passageway_server.values.requests import SeedGroup
from passageway_server.version.catalog import Catalog


def embedded(store: Catalog, query: Query) -> Query:
    """*query* with a vector of its text, where it names a vector field and has none; and so the queries beside it.

    Raises EmbedderFailed.
    """
    if store.embed is None:
        return query
    also = tuple(embedded(store, one) for one in query.also)
    vector = query.vector
    if vector is None and query.text and query.vector_field:
        vector = store.embed(query.text)
    return replace(query, vector=vector, also=also)


def embedded_seeds(store: Catalog, seeds: tuple[SeedGroup, ...]) -> tuple[SeedGroup, ...]:
    """*seeds* with `embedded` queries. Raises EmbedderFailed."""
    return tuple(
        group if group.query is None else replace(group, query=embedded(store, group.query))
        for group in seeds
    )
