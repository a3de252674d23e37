"""A collection's settings: are they fit, and their form in a snapshot."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, cast

from passageway_server.columns.kinds import EXPIRES_AT
from passageway_server.columns.words.analysis import LANGUAGES
from passageway_server.errors import Fault, InvalidRequest, LimitExceeded
from passageway_server.storage import records
from passageway_server.storage.records import Limits
from passageway_server.values.collections import (
    CollectionSettings,
    Direction,
    EdgeType,
    FieldDeclaration,
    Kind,
    Membership,
    NodeType,
    Ontology,
    Route,
    Similarity,
)
from passageway_server.version.check import SPAN_LINKS, id_fault, reader_fault

_DECLARABLE = frozenset(
    {Kind.KEYWORD, Kind.TEXT, Kind.INT, Kind.FLOAT, Kind.BOOL, Kind.TIME, Kind.VECTOR}
)


SUB = "{sub}"
"""What stands in the template of membership for the name of the caller."""

_MOST_CITED = 100
_MOST_DEPTH = 10
_MOST_DIMENSIONS = 4096
_MOST_FIELDS = 1_000
_MOST_VERSIONS = 1024
_MOST_WEIGHT = 1e6

LIMITS = Limits(bytes=8 << 20, values=250_000)
"""The most that settings may hold: a part of what a manifest may, which holds all fields and arrays beside them."""


def check_settings(settings: CollectionSettings) -> None:
    """Raise InvalidRequest with every fault of *settings*, LimitExceeded where a snapshot has no room for them."""
    faults: list[Fault] = []
    if len(settings.fields) > _MOST_FIELDS:
        message = f"declares {len(settings.fields)} fields; at most {_MOST_FIELDS}"
        raise InvalidRequest([Fault("collection.fields", message)])
    _distinct(faults, "collection.fields", [field.name for field in settings.fields])
    for i, declaration in enumerate(settings.fields):
        fault = _declaration_fault(declaration)
        if fault is not None:
            faults.append(Fault(f"collection.fields[{i}].{fault[0]}", fault[1]))
        _check_readers(faults, f"collection.fields[{i}].readers", declaration.readers)
    language = _language_fault(settings.language)
    if language is not None:
        faults.append(Fault("collection.language", language[1]))
    _check_cited(faults, settings.citation_fields)
    _check_readers(faults, "collection.default_readers", settings.default_readers)
    _check_readers(faults, "collection.users", settings.users)
    _check_ontology(faults, settings.ontology)
    if settings.membership is not None:
        _check_membership(faults, settings.membership)
    kept = settings.retain_versions
    if kept is not None and not 1 <= kept <= _MOST_VERSIONS:
        message = f"is {kept}; at least 1 and at most {_MOST_VERSIONS}"
        faults.append(Fault("collection.retain_versions", message))
    if faults:
        raise InvalidRequest(faults)
    try:
        records.encode(to_record(settings), limits=LIMITS)
    except ValueError as past:
        raise LimitExceeded(
            "SETTINGS_SIZE",
            limit=LIMITS.bytes,
            parameter="collection",
            advice=f"settings have at most so many bytes, and {LIMITS.values} values ({past}); put users into groups",
        ) from None


def _declaration_fault(declaration: FieldDeclaration) -> tuple[str, str] | None:
    name_fault = id_fault(declaration.name)
    if name_fault is not None:
        return "name", name_fault.replace("an id", "the name of a field")
    if declaration.name in SPAN_LINKS:
        return "name", f"{declaration.name} is the link field of spans"
    if declaration.kind not in _DECLARABLE:
        return "kind", "a declared field is a keyword, text, int, float, bool, time or vector"
    if declaration.name == EXPIRES_AT and declaration.kind != Kind.TIME:
        return "kind", f"{EXPIRES_AT} is a time"
    if declaration.name == EXPIRES_AT and declaration.repeated:
        return "repeated", f"{EXPIRES_AT} is one time"
    if declaration.kind != Kind.TEXT:
        for name in ("weight", "language"):
            if getattr(declaration, name):
                return name, "goes with a text field, which is searched by its words"
    weight = declaration.weight
    if weight is not None and not 0.0 < weight <= _MOST_WEIGHT:
        return "weight", f"is {weight}; a number above 0, and at most {_MOST_WEIGHT:g}"
    return _language_fault(declaration.language) or _vector_fault(declaration)


def _language_fault(language: str) -> tuple[str, str] | None:
    if not language or language in LANGUAGES:
        return None
    return (
        "language",
        f"{language!r:.40} is none whose words are known: {', '.join(sorted(LANGUAGES))}",
    )


def _vector_fault(declaration: FieldDeclaration) -> tuple[str, str] | None:
    dimensions = declaration.dimensions
    if declaration.kind != Kind.VECTOR:
        if declaration.similarity:
            return "similarity", "goes with a vector, which is compared by it"
        return ("dimensions", "only a vector has dimensions") if dimensions else None
    if not 1 <= dimensions <= _MOST_DIMENSIONS:
        found = f"is {dimensions}" if dimensions else "is missing"
        return "dimensions", f"{found}; a vector has at least 1 and at most {_MOST_DIMENSIONS}"
    return ("repeated", "a row holds one vector in a field") if declaration.repeated else None


def _check_readers(faults: list[Fault], place: str, readers: Sequence[str]) -> None:
    for i, reader in enumerate(readers):
        message = reader_fault(reader)
        if message is not None:
            faults.append(Fault(f"{place}[{i}]", message))


def _check_cited(faults: list[Fault], names: Sequence[str]) -> None:
    place, seen = "collection.citation_fields", set[str]()
    if len(names) > _MOST_CITED:
        faults.append(Fault(place, f"names {len(names)} fields; at most {_MOST_CITED}"))
    for i, name in enumerate(names[:_MOST_CITED]):
        fault = id_fault(name)
        if fault is not None or name in seen:
            message = fault and fault.replace("an id", "the name of a field")
            faults.append(Fault(f"{place}[{i}]", message or f"{name!r} stands here twice"))
        seen.add(name)


def _check_membership(faults: list[Fault], membership: Membership) -> None:
    place, template = "collection.membership", membership.node_id_template
    fault = id_fault(template)
    if fault is not None:
        message = fault.replace("an id", "a template")
        faults.append(Fault(f"{place}.node_id_template", message))
    elif template.count(SUB) != 1:
        message = f"holds {SUB} {template.count(SUB)} times; expected once, as in 'user:{SUB}'"
        faults.append(Fault(f"{place}.node_id_template", message))
    if not membership.edge_types:
        faults.append(Fault(f"{place}.edge_types", "is empty; name the types that lead on"))
    seen: set[str] = set()
    for i, name in enumerate(membership.edge_types):
        if not name or name in seen:
            message = "a type is not empty" if not name else f"{name!r} stands here twice"
            faults.append(Fault(f"{place}.edge_types[{i}]", message))
        seen.add(name)
    depth = membership.max_depth
    if depth is not None and not 1 <= depth <= _MOST_DEPTH:
        message = f"is {depth}; at least 1 and at most {_MOST_DEPTH}"
        faults.append(Fault(f"{place}.max_depth", message))


def _check_ontology(faults: list[Fault], ontology: Ontology) -> None:
    place = "collection.ontology"
    _distinct(faults, f"{place}.node_types", [kind.name for kind in ontology.node_types])
    _distinct(faults, f"{place}.edge_types", [kind.name for kind in ontology.edge_types])
    for i, kind in enumerate(ontology.edge_types):
        weight = kind.default_weight
        if weight is not None and not 0.0 <= weight < math.inf:
            message = f"a weight is finite and >= 0, found {weight}"
            faults.append(Fault(f"{place}.edge_types[{i}].default_weight", message))


def _distinct(faults: list[Fault], place: str, names: Sequence[str]) -> None:
    seen: set[str] = set()
    for i, name in enumerate(names):
        if not name or name in seen:
            message = "a name is not empty" if not name else f"{name!r} stands here twice"
            faults.append(Fault(f"{place}[{i}].name", message))
        seen.add(name)


def to_record(settings: CollectionSettings) -> dict[str, object]:
    """*settings* as a snapshot stores them."""
    return cast(dict[str, object], asdict(settings))


def from_record(record: Mapping[str, Any]) -> CollectionSettings:
    """The inverse of `to_record`."""
    ontology = record["ontology"]
    return CollectionSettings(
        name=record["name"],
        description=record["description"],
        fields=tuple(
            FieldDeclaration(
                field["name"],
                Kind(field["kind"]),
                field["repeated"],
                tuple(field.get("readers", ())),  # format 1 has none
                field.get("weight"),  # formats 1 and 2 have none, nor a language
                field.get("language", ""),
                field.get("dimensions", 0),  # one that was stored before vectors has none
                Similarity(field.get("similarity", 0)),
            )
            for field in record["fields"]
        ),
        ontology=Ontology(
            node_types=tuple(map(_node_type, ontology["node_types"])),
            edge_types=tuple(
                EdgeType(
                    kind["name"],
                    kind["description"],
                    kind["default_weight"],
                    Direction(kind["agents_walk"]),
                )
                for kind in ontology["edge_types"]
            ),
            routes=tuple(
                Route(
                    route["source_type"],
                    tuple(route["target_types"]),
                    tuple(route["edge_types"]),
                )
                for route in ontology["routes"]
            ),
        ),
        default_readers=tuple(record["default_readers"]),
        users=tuple(record["users"]),
        membership=_membership(record.get("membership")),  # format 1 has none
        retain_versions=record.get("retain_versions"),  # formats 1 and 2 have none
        language=record.get("language", ""),
        citation_fields=tuple(record.get("citation_fields", ())),
    )


def _node_type(record: Mapping[str, Any]) -> NodeType:
    if not isinstance(record["name"], str):
        raise ValueError("a type of nodes without a name")
    return NodeType(**record)


def _membership(record: Mapping[str, Any] | None) -> Membership | None:
    if record is None:
        return None
    return Membership(record["node_id_template"], tuple(record["edge_types"]), record["max_depth"])
