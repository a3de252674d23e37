"""`passageway get` and `passageway lookup`: rows by id, and rows by a filter."""

import dataclasses
from collections.abc import Sequence
from typing import Annotated

import typer

import passageway
from passageway._json import json_properties
from passageway.cli import measures, output, requests
from passageway.cli.connection import READ, Place, placed
from passageway.cli.options import (
    AtLeastVersionOption,
    AtVersionOption,
    BoundsOption,
    CollectionArgument,
    ContentOption,
    EvidenceOption,
    FacetOption,
    FieldOption,
    MetricOption,
    ProjectOption,
    RequestOption,
    TimeoutOption,
    VarOption,
    preview,
)

_BUILT_IN = {field.name for field in dataclasses.fields(passageway.Node)}


@placed(READ)
def get(
    place: Place,
    collection: CollectionArgument,
    ids: Annotated[list[str] | None, typer.Argument(metavar="ID", help="Rows.")] = None,
    field: FieldOption = None,
    content_max_chars: ContentOption = None,
    project: ProjectOption = None,
    evidence: EvidenceOption = None,
    at_version: AtVersionOption = None,
    at_least_version: AtLeastVersionOption = None,
    request: RequestOption = None,
) -> None:
    """Show whole rows by id.

    \b
    Examples:
      passageway get debian 0ad
      passageway get debian 0ad 0ad-data --field section --json
    """
    flags = {
        "ids": ids,
        "fields": field,
        "content_max_chars": content_max_chars,
        "project": project,
        "evidence": evidence,
        "at_version": at_version,
        "at_least_version": at_least_version,
    }
    given = requests.parameters(
        passageway.CollectionClient.get, request, flags, needed={"ids": "ID"}, ids=[]
    )
    with place.connect() as client:
        answer = client.collection(collection).get(**given)
    if place.as_json:
        output.document(answer.to_dict())
        return
    for node in answer.nodes:
        _row(node)
        output.say()
    output.unresolved(answer.unresolved)


@placed(READ)
def lookup(
    place: Place,
    collection: CollectionArgument,
    filter: Annotated[
        str | None, typer.Argument(metavar="FILTER", help="Which rows, in the filter language.")
    ] = None,
    var: VarOption = None,
    kind: Annotated[
        passageway.LookupKind | None,
        typer.Option(
            "--kind",
            show_default="nodes",
            help="Select nodes, or edges: those that have an id. Links and the edges of passages"
            " are found by a filter over the nodes that hold them.",
        ),
    ] = None,
    field_of_join: Annotated[
        str | None,
        typer.Option("--join-field", metavar="NAME", help="Rows whose field holds any value…"),
    ] = None,
    from_field: Annotated[
        str | None, typer.Option("--from-field", metavar="NAME", help="…that this field holds…")
    ] = None,
    from_filter: Annotated[
        str | None,
        typer.Option("--from-filter", metavar="FILTER", help="…over the rows that match this."),
    ] = None,
    from_kind: Annotated[
        passageway.LookupKind | None,
        typer.Option("--from-kind", show_default="nodes", help="…which are nodes, or edges."),
    ] = None,
    max_values: Annotated[
        int | None,
        typer.Option(
            "--max-values", metavar="N", show_default="65536", help="Refuse to join on more."
        ),
    ] = None,
    sort: Annotated[
        list[str] | None,
        typer.Option(
            "--sort", metavar="FIELD", help="Order by this field, -FIELD downward (repeatable)."
        ),
    ] = None,
    page_size: Annotated[
        int | None,
        typer.Option(
            "--page-size",
            "--limit",
            metavar="N",
            show_default="10",
            help="Most rows; 0: the total.",
        ),
    ] = None,
    page_token: Annotated[
        str | None,
        typer.Option(
            "--page-token", metavar="TOKEN", help="Go on where the page ended that gave it."
        ),
    ] = None,
    facet: FacetOption = None,
    metric: MetricOption = None,
    timeout_ms: TimeoutOption = None,
    field: FieldOption = None,
    content_max_chars: ContentOption = None,
    project: ProjectOption = None,
    evidence: EvidenceOption = None,
    bounds: BoundsOption = None,
    at_version: AtVersionOption = None,
    at_least_version: AtLeastVersionOption = None,
    request: RequestOption = None,
) -> None:
    """Select rows, or edges, by a filter, which may join on the values of other rows.

    \b
    Examples:
      passageway lookup debian 'section = "games" AND size > 100000'
      passageway lookup debian 'name = $name' --var name=0ad --json
      passageway lookup debian 'type = package' --sort=-size --facet section --metric avg:size
      passageway lookup debian 'source = "0ad"' --kind edges

    \b
    A filter joins tests by AND, OR, NOT and parentheses; docs/filters.md tells all of it:
      field = value   also != < <= > >=      field:*     there is a value
      field IN (a, b)   field:(a OR b)       tags:x      of a list, one is x
      starts_with(field, "x")  ends_with  contains       $name   from --var
      lookup(field, from=(FILTER), from_field=NAME)      values of other rows
    such as: type:(package OR virtual) AND size > 900 AND NOT name:*
    """
    flags = {
        "filter": filter,
        "vars": requests.variables(var),
        "kind": kind,
        "field": field_of_join,
        "from_field": from_field,
        "from_filter": from_filter,
        "from_kind": from_kind,
        "max_values": max_values,
        "sort": sort,
        "page_size": page_size,
        "page_token": page_token,
        "facets": measures.facets(facet),
        "metrics": measures.metrics(metric),
        "timeout_ms": timeout_ms,
        "fields": field,
        "content_max_chars": content_max_chars,
        "project": project,
        "evidence": evidence,
        "bounds": bounds,
        "at_version": at_version,
        "at_least_version": at_least_version,
    }
    call = passageway.CollectionClient.lookup
    given = requests.parameters(call, request, flags, needed=None, **preview(as_json=place.as_json))
    with place.connect() as client:
        answer = client.collection(collection).lookup(**given)
    if place.as_json:
        output.document(answer.to_dict())
        return
    if answer.edges:
        _edges(answer.edges)
    else:
        _nodes(answer.nodes)
    shown = len(answer.nodes) + len(answer.edges)
    output.count(shown, answer.total, "edge" if given.get("kind") == "edges" else "row")
    if answer.next_page_token:
        output.note(f"next page: --page-token {answer.next_page_token}")
    measures.show(answer.facets, answer.metrics, asked=given)
    measures.timed_out(answer.timed_out)


def _nodes(nodes: Sequence[passageway.Node]) -> None:
    properties = [json_properties(node.properties) for node in nodes]
    names = sorted({name for held in properties for name in held})
    output.table(
        ("id", "type", "name", "project", "status", "revision", *map(_column, names), "content"),
        [
            (
                node.id,
                node.type,
                node.name if node.name != node.id else "",
                node.project,
                node.status,
                node.revision,
                *(_cell(held.get(name)) for name in names),
                node.content,
            )
            for node, held in zip(nodes, properties, strict=True)
        ],
    )


def _edges(edges: Sequence[passageway.Edge]) -> None:
    properties = [json_properties(edge.properties) for edge in edges]
    names = sorted({name for held in properties for name in held})
    output.table(
        ("id", "source", "type", "target", "weight", *(f"properties.{name}" for name in names)),
        [
            (
                edge.id,
                edge.source,
                edge.type,
                edge.target,
                edge.weight,
                *(_cell(held.get(name)) for name in names),
            )
            for edge, held in zip(edges, properties, strict=True)
        ],
    )


def _row(node: passageway.Node) -> None:
    members = node.to_dict()
    properties = members.pop("properties", {})
    content = members.pop("content", "")
    members.update((_column(name), value) for name, value in properties.items())
    output.pairs((name, output.plain(value)) for name, value in members.items())
    if content:
        output.say(content)


def _column(name: str) -> str:
    """A property as filters and ``--field`` name it: in full where a row has something else of that name."""
    return f"properties.{name}" if name in _BUILT_IN else name


def _cell(value: object) -> output.Cell:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return output.Stored(value)
    return None if value is None else output.plain(value)
