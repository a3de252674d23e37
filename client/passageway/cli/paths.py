"""`passageway paths`: how nodes are connected."""

from typing import Annotated

import typer

import passageway
from passageway.cli import measures, output, requests
from passageway.cli.connection import READ, Place, placed
from passageway.cli.options import (
    AtLeastVersionOption,
    AtVersionOption,
    BoundsOption,
    CollectionArgument,
    ContentOption,
    EdgeFieldOption,
    EvidenceOption,
    FieldOption,
    FilterOption,
    ProjectOption,
    RequestOption,
    TimeoutOption,
    VarOption,
    preview,
)


@placed(READ)
def paths(
    place: Place,
    collection: CollectionArgument,
    source: Annotated[
        list[str] | None,
        typer.Option("--from", metavar="ID", help="Where paths begin (repeatable)."),
    ] = None,
    target: Annotated[
        list[str] | None, typer.Option("--to", metavar="ID", help="Where they end (repeatable).")
    ] = None,
    edges: Annotated[
        list[str] | None,
        typer.Option(
            "--edges",
            metavar="EDGES",
            help="Edge types and options, such as 'Depends direction=out'; * is every type."
            " Options: direction, filter, weight_property, max_frontier. Or JSON (repeatable)."
            " Without: every edge, both ways.",
        ),
    ] = None,
    k: Annotated[
        int | None,
        typer.Option("-k", metavar="N", show_default="1", help="How many, best first."),
    ] = None,
    max_depth: Annotated[
        int | None,
        typer.Option("--max-depth", metavar="N", show_default="4", help="Most edges of a path."),
    ] = None,
    min_depth: Annotated[
        int | None, typer.Option("--min-depth", metavar="N", help="Fewest edges of a path.")
    ] = None,
    mode: Annotated[
        passageway.PathsMode | None, typer.Option("--mode", help="The best, or all simple ones.")
    ] = None,
    weighted: Annotated[
        bool | None, typer.Option("--weighted", help="Strong edges are short.")
    ] = None,
    max_paths: Annotated[
        int | None,
        typer.Option("--max-paths", metavar="N", show_default="100", help="Of mode all_simple."),
    ] = None,
    max_frontier: Annotated[
        int | None,
        typer.Option(
            "--max-frontier", metavar="N", show_default="1000", help="New nodes of a level."
        ),
    ] = None,
    max_degree: Annotated[
        int | None, typer.Option("--max-degree", metavar="N", help="Walk through no greater hub.")
    ] = None,
    filter: FilterOption = None,
    var: VarOption = None,
    field: FieldOption = None,
    edge_field: EdgeFieldOption = None,
    timeout_ms: TimeoutOption = None,
    content_max_chars: ContentOption = None,
    project: ProjectOption = None,
    evidence: EvidenceOption = None,
    bounds: BoundsOption = None,
    at_version: AtVersionOption = None,
    at_least_version: AtLeastVersionOption = None,
    request: RequestOption = None,
) -> None:
    """Find how nodes are connected: shortest, k shortest, or all simple paths.

    \b
    Examples:
      passageway paths debian --from 0ad --to libc6 -k 3
      passageway paths debian --from 0ad --to libc6 --edges 'Depends direction=out' --weighted
    """
    flags = {
        "sources": source,
        "targets": target,
        "edges": [requests.edges(text) for text in edges or ()],
        "k": k,
        "max_depth": max_depth,
        "min_depth": min_depth,
        "mode": mode,
        "weighted": weighted,
        "max_paths": max_paths,
        "max_frontier": max_frontier,
        "max_degree": max_degree,
        "filter": filter,
        "vars": requests.variables(var),
        "fields": field,
        "edge_fields": edge_field,
        "timeout_ms": timeout_ms,
        "content_max_chars": content_max_chars,
        "project": project,
        "evidence": evidence,
        "bounds": bounds,
        "at_version": at_version,
        "at_least_version": at_least_version,
    }
    call = passageway.CollectionClient.paths
    given = requests.parameters(
        call,
        request,
        flags,
        needed={"sources": "--from ID", "targets": "--to ID"},
        sources=[],
        targets=[],
        **preview(as_json=place.as_json),
    )
    with place.connect() as client:
        answer = client.collection(collection).paths(**given)
    if place.as_json:
        output.document(answer.to_dict())
        return
    output.table(
        ("length", "cost", "path"),
        [(path.length, path.cost, route(path)) for path in answer.paths],
    )
    cut = "; there may be more: raise a cap" if answer.truncated else ""
    found = output.counted(len(answer.paths), "path")
    output.say(f"{found}, {output.counted(answer.explored, 'node')} explored{cut}")
    measures.timed_out(answer.timed_out)


def route(path: passageway.Path) -> str:
    """A path in one line; arrows point as the edges do."""
    text = path.node_ids[0] if path.node_ids else ""
    for source, target, edge in zip(path.node_ids, path.node_ids[1:], path.edges, strict=False):
        forward = edge.source == source and edge.target == target
        text += f" -{edge.type}-> {target}" if forward else f" <-{edge.type}- {target}"
    return text
