"""Scenarios: a small collection, one call, and who gets what from it, as a YAML file that reads like a story.

    name: a sentence
    collection: {default_readers: […], fields: [{name: due, kind: time, readers: […]}]}    optional
    nodes: {id: {readers: […], type: …, properties: {…}, links: {…}}}
    edges: [[source, TYPE, target, {weight: …, readers: […]}]]                   the last part is optional
    spans: {id: {of: memory, index: 0, content: …}}
    then: […]                                    what is done afterwards, one step or several, optional
    expand | paths | slice | lookup | get | describe: {…}
    meanwhile: {…}                                                a commit between the first two pages, optional
    sees: {caller: expectation}

A step is a commit such as ``{delete_nodes: […], recut: […], nodes: {…}, spans: {…}}``, which may have guards (``if_version:
1``, ``if_as_in: {plan: 1}``, ``key: …``) and say what comes of it (``told: ABORTED``); or ``{update: {users: […]}}``,
``{snapshot: monday}``, ``{restore: monday}``. Versions are numbered: 1 is what the file puts first, and each commit makes one
more. A call is ``as_of: 1`` one of them, or ``in: copy`` the collection that a step made by ``{restore: monday, into: copy}``.

A caller is ``nobody`` (who holds ``public`` alone), ``admin``, or principals joined by ``&``, its user first; ``bridge for
…`` acts for such a caller, and ``… before …, …`` asks before an audience. What is expected are ids in order, pages of them
as ``a, b``, scores by id, paths as ``a - b``, counts by type or by value, or the name of a status; of a call with
``contents: true`` texts by id, of a slice with ``whole: true`` its ids and whether they are the whole memory.
"""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from passageway.v1 import graph_pb2, query_pb2, read_pb2, store_pb2, types_pb2
from tests.peers import Caller
from tests.scenarios.answers import Answer
from tests.scenarios.records import BATCH_PARTS, Part, batch_of, settings_of
from tests.scenarios.steps import Step, copied, step_of

Observed = list[str] | dict[str, float] | dict[str, int] | dict[str, Any] | str
_DELEGATE = frozenset({"reader", "delegate"})


Request = (
    graph_pb2.ExpandRequest
    | graph_pb2.PathsRequest
    | read_pb2.SliceRequest
    | read_pb2.LookupRequest
    | read_pb2.GetRequest
    | read_pb2.DescribeRequest
)


@dataclass(frozen=True, slots=True)
class Scenario:
    """One file: what to put, what to ask, and what each caller sees."""

    name: str
    settings: store_pb2.Collection
    steps: list[Step]
    call: str
    request: Request
    as_of: int | None
    shows: str
    meanwhile: store_pb2.Batch | None
    sees: dict[Caller, Observed]

    @property
    def method(self) -> str:
        """The call by its name in the contract, such as ``GraphService/Expand``."""
        return f"GraphService/{self.call.capitalize()}"

    @property
    def asked(self) -> str:
        """The name of the collection that is asked."""
        return self.request.collection

    @property
    def batches(self) -> list[store_pb2.Batch]:
        """What is put, commit by commit."""
        return [step.batch for step in self.steps if step.batch is not None]

    def dated(self, tokens: Mapping[str, list[str]]) -> "Scenario":
        """The same, its version named by the token that a server has for it; *tokens* are those of each collection."""
        if self.as_of is None:
            return self
        request = deepcopy(self.request)
        request.read.at_version = tokens[self.settings.name][self.as_of]
        return replace(self, request=request)

    def after(self, page: Answer) -> "Scenario":
        """The same, asking for the page that follows a *page*."""
        assert isinstance(self.request, read_pb2.LookupRequest)
        request = read_pb2.LookupRequest()
        request.CopyFrom(self.request)
        request.page_token = page.next_page
        return replace(self, request=request)


_SHOWN = ("page_size", "scores", "contents", "whole")
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
    asked = copied(collection, options["in"]) if "in" in options else collection
    return Scenario(
        name=told["name"],
        settings=settings_of(collection, told.get("collection", {})),
        steps=[step_of(step) for step in (_part(told), *_steps(told.get("then", [])))],
        call=kinds[0],
        request=_REQUESTS[kinds[0]](asked, options),
        as_of=options.get("as_of"),
        shows=next((name for name in _SHOWN if options.get(name)), "ids"),
        meanwhile=batch_of(told["meanwhile"]) if "meanwhile" in told else None,
        sees={caller(words): seen for words, seen in told["sees"].items()},
    )


def _steps(told: Part | list[Part]) -> list[Part]:
    return told if isinstance(told, list) else [told]


def _part(told: Part) -> Part:
    """What the file puts first."""
    return {name: told.get(name, {}) for name in BATCH_PARTS[:3]}


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
    if scenario.shows == "page_size":
        return [", ".join(_ids(page.document)) for page in answers]
    told = answers[0].document
    if scenario.shows == "contents":
        return {row["id"]: row.get("content", "") for row in _rows(told)}
    match scenario.call:
        case "expand" if scenario.shows == "scores":
            return {hit["node"]["id"]: hit["score"] for hit in told.get("hits", [])}
        case "expand":
            return [hit["node"]["id"] for hit in told.get("hits", [])]
        case "paths":
            return [" - ".join(path["node_ids"]) for path in told.get("paths", [])]
        case "slice" if scenario.shows == "whole":
            ids = ", ".join(row["id"] for row in told.get("passages", []))
            return {"passages": ids, "whole": told.get("covers_parent", False)}
        case "slice":
            return [row["id"] for row in told.get("passages", [])]
        case "lookup" if "facets" in told:
            return {each["value"]: each["count"] for each in told["facets"]["counts"]["buckets"]}
        case "lookup" | "get":
            return _ids(told)
        case _:
            return {each["name"]: each["count"] for each in told.get("types", [])}


def _rows(told: Part) -> list[Any]:
    return [*told.get("passages", []), *told.get("nodes", [])]


def _ids(told: Part) -> list[str]:
    return [row["id"] for row in (*told.get("nodes", []), *told.get("edges", []))]


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


_REQUESTS: dict[str, Callable[[str, Part], Request]] = {
    "expand": _expand,
    "paths": _paths,
    "slice": _slice,
    "lookup": _lookup,
    "get": _get,
    "describe": _describe,
}
