"""Scenarios: a small collection, one call, and who gets what from it, as a YAML file that reads like a story.

    name: a sentence
    collection: {default_readers: […], fields: [{name: due, kind: time}]}    optional
    nodes: {id: {readers: […], type: …, properties: {…}, links: {…}}}
    edges: [[source, TYPE, target, {weight: …, readers: […]}]]                   the last part is optional
    spans: {id: {of: memory, index: 0, content: …}}
    then: {delete_nodes: […], nodes: {…}}                                        a second commit, optional
    expand | paths | slice | lookup | get | describe: {…}
    sees: {caller: expectation}

A caller is ``nobody`` (who holds ``public`` alone), ``admin``, or principals joined by ``&``, its user first. What
is expected are ids in order, scores by id, paths as ``a - b``, counts by type, or the name of a status.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any, cast

import yaml
from google.protobuf.message import Message

from passageway.v1 import graph_pb2, query_pb2, read_pb2, store_pb2, types_pb2
from tests.peers import Caller
from tests.scenarios.answers import Answer

Observed = list[str] | dict[str, float] | dict[str, int] | str
Part = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Scenario:
    """One file: what to put, what to ask, and what each caller sees."""

    name: str
    settings: store_pb2.Collection
    batches: list[store_pb2.Batch]
    call: str
    request: Message
    scored: bool
    sees: dict[Caller, Observed]

    @property
    def method(self) -> str:
        """The call by its name in the contract, such as ``GraphService/Expand``."""
        return f"GraphService/{self.call.capitalize()}"


def read(file: Path) -> Scenario:
    """The scenario in a file; a KeyError or ValueError says what is wrong with it."""
    told: Part = yaml.safe_load(file.read_text(encoding="utf-8"))
    collection = file.stem.replace("_", "-")[:60]
    kinds = [kind for kind in _REQUESTS if kind in told]
    if len(kinds) != 1:
        raise ValueError(f"{file.name}: one call is wanted, found {kinds}")
    unknown = set(told) - {*kinds, "name", "collection", "nodes", "edges", "spans", "then", "sees"}
    if unknown:
        raise ValueError(f"{file.name}: unknown parts {sorted(unknown)}")
    options: Part = told[kinds[0]]
    request = _REQUESTS[kinds[0]](collection, options)
    return Scenario(
        name=told["name"],
        settings=_settings(collection, told.get("collection", {})),
        batches=[_batch(part) for part in (told, told.get("then")) if part is not None],
        call=kinds[0],
        request=request,
        scored=bool(options.get("scores")),
        sees={caller(words): seen for words, seen in told["sees"].items()},
    )


def caller(words: str) -> Caller:
    """Who is meant by ``nobody``, ``admin`` or ``user:ada & group:eng``."""
    if words == "nobody":
        return Caller(sub="nobody")
    if words == "admin":
        return Caller(sub="root", roles=frozenset({"reader", "admin"}))
    user, *others = (part.strip() for part in words.split("&"))
    if not user.startswith("user:"):
        raise ValueError(f"{words!r} does not begin with a user")
    return Caller(sub=user.removeprefix("user:"), principals=frozenset(others))


def observed(scenario: Scenario, answer: Answer) -> Observed:
    """What an answer says, in the words of the scenario."""
    if answer.code != "OK":
        return answer.code
    told = answer.document
    match scenario.call:
        case "expand" if scenario.scored:
            return {hit["node"]["id"]: hit["score"] for hit in told.get("hits", [])}
        case "expand":
            return [hit["node"]["id"] for hit in told.get("hits", [])]
        case "paths":
            return [" - ".join(path["node_ids"]) for path in told.get("paths", [])]
        case "slice":
            return [row["id"] for row in told.get("passages", [])]
        case "lookup" | "get":
            return [row["id"] for row in told.get("nodes", [])]
        case _:
            return {each["name"]: each["count"] for each in told.get("types", [])}


def _settings(name: str, told: Part) -> store_pb2.Collection:
    settings = store_pb2.Collection(name=name, default_readers=told.get("default_readers", []))
    for field in told.get("fields", []):
        settings.fields.add(
            name=field["name"],
            kind=types_pb2.FieldKind.Value(f"FIELD_KIND_{field['kind'].upper()}"),
        )
    return settings


def _batch(told: Part) -> store_pb2.Batch:
    batch = store_pb2.Batch(delete_nodes=told.get("delete_nodes", []))
    for row_id, row in told.get("nodes", {}).items():
        links = {
            name: types_pb2.StringList(values=ids) for name, ids in row.get("links", {}).items()
        }
        batch.put_nodes.append(types_pb2.Node(id=row_id, **_record(row), links=links))
    for place, (source, edge_type, target, *rest) in enumerate(told.get("edges", [])):
        edge: dict[str, Any] = {"id": f"edge-{place}"} | _record(rest[0] if rest else {})
        batch.put_edges.append(types_pb2.Edge(source=source, type=edge_type, target=target, **edge))
    for row_id, row in told.get("spans", {}).items():
        batch.put_passages.append(types_pb2.Passage(id=row_id, parent_id=row["of"], **_record(row)))
    return batch


def _record(told: Part) -> dict[str, Any]:
    record = {name: part for name, part in told.items() if name not in ("of", "links")}
    if "properties" in record:
        record["properties"] = {name: _value(value) for name, value in record["properties"].items()}
    return record


def _value(told: object) -> types_pb2.Value:
    value = types_pb2.Value()
    match told:
        case bool():
            value.bool_value = told
        case int():
            value.int_value = told
        case float():
            value.double_value = told
        case str():
            value.string_value = told
        case datetime():
            value.time_value.FromDatetime(told)
        case date():
            value.time_value.FromDatetime(datetime(told.year, told.month, told.day))
        case list():
            value.strings.values.extend(cast(list[str], told))
        case _:
            raise ValueError(f"{told!r} is no value of a property")
    return value


def _words(told: str | list[str]) -> list[str]:
    return [told] if isinstance(told, str) else told


def _scope(told: Part) -> query_pb2.ReadOptions:
    evidence = query_pb2.EVIDENCE_CURRENT if told.get("current") else query_pb2.EVIDENCE_ALL
    return query_pb2.ReadOptions(project=told.get("project", ""), evidence=evidence)


def _direction(told: Part) -> types_pb2.Direction.ValueType:
    return types_pb2.Direction.Value(f"DIRECTION_{told.get('direction', 'unspecified').upper()}")


def _expand(collection: str, told: Part) -> graph_pb2.ExpandRequest:
    hop = graph_pb2.Hop(
        edges=query_pb2.EdgeSpec(direction=_direction(told)),
        max_degree=told.get("max_degree", 0),
        decay=told.get("decay"),
    )
    return graph_pb2.ExpandRequest(
        collection=collection,
        read=_scope(told),
        seeds=[graph_pb2.SeedGroup(ids=_words(told["from"]))],
        hops=[hop] * told.get("hops", 1),
        limit=100,
    )


def _paths(collection: str, told: Part) -> graph_pb2.PathsRequest:
    every = bool(told.get("every"))
    return graph_pb2.PathsRequest(
        collection=collection,
        read=_scope(told),
        sources=_words(told["from"]),
        targets=_words(told["to"]),
        edges=[query_pb2.EdgeSpec(direction=_direction(told))],
        max_depth=told.get("max_depth"),
        k=told.get("k"),
        weighted=bool(told.get("weighted")),
        mode=graph_pb2.PathsRequest.MODE_ALL_SIMPLE
        if every
        else graph_pb2.PathsRequest.MODE_SHORTEST,
    )


def _slice(collection: str, told: Part) -> read_pb2.SliceRequest:
    return read_pb2.SliceRequest(
        collection=collection, read=_scope(told), id=told["id"], window=told.get("window")
    )


def _lookup(collection: str, told: Part) -> read_pb2.LookupRequest:
    return read_pb2.LookupRequest(
        collection=collection, read=_scope(told), filter=told["filter"], page_size=100
    )


def _get(collection: str, told: Part) -> read_pb2.GetRequest:
    return read_pb2.GetRequest(collection=collection, read=_scope(told), ids=told["ids"])


def _describe(collection: str, told: Part) -> read_pb2.DescribeRequest:
    return read_pb2.DescribeRequest(collection=collection, read=_scope(told))


_REQUESTS = {
    "expand": _expand,
    "paths": _paths,
    "slice": _slice,
    "lookup": _lookup,
    "get": _get,
    "describe": _describe,
}
