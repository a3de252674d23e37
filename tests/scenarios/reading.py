"""Scenarios: a small collection, one call, and who gets what from it, as a YAML file that reads like a story.

    name: a sentence
    collection: {default_readers: […], fields: [{name: due, kind: time, readers: […]}]}    optional
    nodes: {id: {readers: […], type: …, properties: {…}, links: {…}}}
    edges: [[source, TYPE, target, {weight: …, readers: […]}]]                   the last part is optional
    spans: {id: {of: memory, index: 0, content: …}}
    then: {delete_nodes: […], nodes: {…}}                                        a second commit, optional
    expand | paths | slice | lookup | get | describe: {…}
    meanwhile: {…}                                                a commit between the first two pages, optional
    sees: {caller: expectation}

A caller is ``nobody`` (who holds ``public`` alone), ``admin``, or principals joined by ``&``, its user first; ``bridge for
…`` acts for such a caller, and ``… before …, …`` asks before an audience. What is expected are ids in order, pages of them
as ``a, b``, scores by id, paths as ``a - b``, counts by type or by value, or the name of a status.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path
from typing import Any, cast

import yaml
from google.protobuf.message import Message

from passageway.v1 import graph_pb2, query_pb2, read_pb2, store_pb2, types_pb2
from tests.peers import Caller
from tests.scenarios.answers import Answer

Observed = list[str] | dict[str, float] | dict[str, int] | str
_DELEGATE = frozenset({"reader", "delegate"})
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
    paged: bool
    meanwhile: store_pb2.Batch | None
    sees: dict[Caller, Observed]

    @property
    def method(self) -> str:
        """The call by its name in the contract, such as ``GraphService/Expand``."""
        return f"GraphService/{self.call.capitalize()}"

    def after(self, page: Answer) -> "Scenario":
        """The same, asking for the page that follows a *page*."""
        assert isinstance(self.request, read_pb2.LookupRequest)
        request = read_pb2.LookupRequest()
        request.CopyFrom(self.request)
        request.page_token = page.next_page
        return replace(self, request=request)


_PARTS = ("name", "collection", "nodes", "edges", "spans", "then", "meanwhile", "sees")


def read(file: Path) -> Scenario:
    """The scenario in a file; a KeyError or ValueError says what is wrong with it."""
    told: Part = yaml.safe_load(file.read_text(encoding="utf-8"))
    collection = file.stem.replace("_", "-")[:60]
    kinds = [kind for kind in _REQUESTS if kind in told]
    if len(kinds) != 1:
        raise ValueError(f"{file.name}: one call is wanted, found {kinds}")
    unknown = set(told) - {*kinds, *_PARTS}
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
        paged="page_size" in options,
        meanwhile=_batch(told["meanwhile"]) if "meanwhile" in told else None,
        sees={caller(words): seen for words, seen in told["sees"].items()},
    )


def caller(words: str) -> Caller:
    """Who is meant by ``nobody``, ``user:ada & group:eng``, ``bridge for user:ada`` or ``admin before user:ada, user:bob``."""
    asking, _, readers = words.partition(" before ")
    who, acts, others = asking.partition(" for ")
    audiences = tuple(_principals(one) for one in readers.split(",")) if readers else ()
    if acts:
        held = frozenset({"group:bridges"})
        return Caller(who, held, _DELEGATE, _principals(others), audiences)
    if who == "nobody":
        return Caller("nobody", audiences=audiences)
    if who == "admin":
        return Caller("root", roles=frozenset({"reader", "admin"}), audiences=audiences)
    user, *_ = (part.strip() for part in who.split("&"))
    if not user.startswith("user:"):
        raise ValueError(f"{words!r} does not begin with a user")
    return Caller(user.removeprefix("user:"), _principals(who) - {user}, audiences=audiences)


def _principals(words: str) -> frozenset[str]:
    return frozenset(part.strip() for part in words.split("&"))


def observed(scenario: Scenario, answers: Sequence[Answer]) -> Observed:
    """What an answer says, or several pages of one, in the words of the scenario."""
    if answers[-1].code != "OK":
        return answers[-1].code
    if scenario.paged:
        return [", ".join(_ids(page.document)) for page in answers]
    told = answers[0].document
    match scenario.call:
        case "expand" if scenario.scored:
            return {hit["node"]["id"]: hit["score"] for hit in told.get("hits", [])}
        case "expand":
            return [hit["node"]["id"] for hit in told.get("hits", [])]
        case "paths":
            return [" - ".join(path["node_ids"]) for path in told.get("paths", [])]
        case "slice":
            return [row["id"] for row in told.get("passages", [])]
        case "lookup" if "facets" in told:
            return {each["value"]: each["count"] for each in told["facets"]["counts"]["buckets"]}
        case "lookup" | "get":
            return _ids(told)
        case _:
            return {each["name"]: each["count"] for each in told.get("types", [])}


def _ids(told: Part) -> list[str]:
    return [row["id"] for row in (*told.get("nodes", []), *told.get("edges", []))]


def _settings(name: str, told: Part) -> store_pb2.Collection:
    settings = store_pb2.Collection(name=name, default_readers=told.get("default_readers", []))
    for field in told.get("fields", []):
        settings.fields.add(
            name=field["name"],
            kind=types_pb2.FieldKind.Value(f"FIELD_KIND_{field['kind'].upper()}"),
            readers=field.get("readers", []),
        )
    if "membership" in told:
        membership: Part = told["membership"]
        settings.membership.node_id_template = membership["node"]
        settings.membership.edge_types.extend(membership["edges"])
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
        edges=query_pb2.EdgeSpec(direction=_direction(told), types=told.get("types", [])),
        max_degree=told.get("max_degree", 0),
        decay=told.get("decay"),
    )
    if "shared" in told:
        shared: Part = told["shared"]
        hop.shared.add(name="SHARES", edge_type=shared["edge"], through_type=shared["through"])
    ranking: dict[str, Any] = {}
    if "passes" in told:
        ranking["rank"] = graph_pb2.ExpandRequest.RANK_PPR
        ranking["ppr"] = graph_pb2.ExpandRequest.PageRank(iterations=told["passes"])
    return graph_pb2.ExpandRequest(
        collection=collection,
        read=_scope(told),
        seeds=[graph_pb2.SeedGroup(ids=_words(told["from"]))],
        hops=[hop] * told.get("hops", 1),
        limit=100,
        **ranking,
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
    kind = told.get("kind", "unspecified").upper()
    counts = {"counts": query_pb2.Facet(field=told["counts"])} if "counts" in told else {}
    return read_pb2.LookupRequest(
        collection=collection,
        read=_scope(told),
        kind=read_pb2.LookupRequest.Kind.Value(f"KIND_{kind}"),
        filter=told["filter"],
        sort=told.get("sort", []),
        facets=counts,
        page_size=told.get("page_size", 100),
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
