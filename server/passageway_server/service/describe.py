"""Describe: the shape of a collection as its caller may see it, or the names of those to use."""

import json
from dataclasses import asdict
from hashlib import sha256

from passageway_server.authz.callers import Caller
from passageway_server.engine.describe import observed_fields, observed_routes, observed_types
from passageway_server.engine.sizes import Size
from passageway_server.errors import NotFound
from passageway_server.service.pin import pin, usable
from passageway_server.values.answers import DescribeAnswer
from passageway_server.values.collections import Ontology
from passageway_server.values.halt import UNHALTED, Halt
from passageway_server.values.requests import DescribeRequest
from passageway_server.version.catalog import Catalog


def describe(
    store: Catalog, caller: Caller, request: DescribeRequest, halt: Halt = UNHALTED
) -> DescribeAnswer:
    """The declared ontology, and what the caller's rows show of types, routes and fields.

    Without a collection: the names of those that the caller may use. Where the ontology is still of
    ``if_revision``, its revision alone.
    """
    if not request.collection:
        return DescribeAnswer(collections=_usable_names(store, caller, halt))
    pinned = pin(store, caller, request.collection, request.read, halt)
    version, gates = pinned.version, pinned.gates
    settings = version.settings
    revision = ontology_revision(settings.ontology)
    if request.if_revision == revision:
        return DescribeAnswer(revision=revision)
    size = Size()
    return DescribeAnswer(
        version=version.token,
        collection=settings.name,
        description=settings.description,
        ontology=settings.ontology,
        types=observed_types(version, gates.scope, size=size),
        routes=observed_routes(version, gates.scope, size=size),
        fields=observed_fields(version, read=gates.read, scope=gates.scope, size=size),
        revision=revision,
    )


def ontology_revision(ontology: Ontology) -> str:
    """SHA-256 (hex) of an ontology in canonical form: JSON with sorted keys and no spaces."""
    canonical = json.dumps(asdict(ontology), sort_keys=True, separators=(",", ":"))
    return sha256(canonical.encode()).hexdigest()


def _usable_names(store: Catalog, caller: Caller, halt: Halt) -> list[str]:
    names: list[str] = []
    for name in store.names():
        try:
            usable(store, caller, name, halt)
        except NotFound:
            continue
        names.append(name)
    return names
