"""`passageway expand`: the nodes that a walk reaches."""

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
    FacetOption,
    FieldOption,
    FilterOption,
    MetricOption,
    ProjectOption,
    RequestOption,
    TimeoutOption,
    VarOption,
    preview,
)

SeedArgument = Annotated[
    list[str] | None, typer.Argument(metavar="SEED", help="Ids to start from.")
]
HopOption = Annotated[
    list[str] | None,
    typer.Option(
        "--hop",
        metavar="HOP",
        help="Edge types and options of one hop, such as 'Depends,Recommends decay=0.5"
        " direction=both'; * is every type. Options: direction, decay, filter, edge_filter,"
        " weight_property, max_per_node, max_frontier, max_degree. Or JSON (repeat for up to"
        " three hops).",
    ),
]


@placed(READ)
def expand(
    place: Place,
    collection: CollectionArgument,
    seeds: SeedArgument = None,
    seeds_where: Annotated[
        list[str] | None,
        typer.Option(
            "--seeds-where",
            metavar="FILTER",
            help="Start from the first ten rows that meet this, too (repeatable).",
        ),
    ] = None,
    hop: HopOption = None,
    limit: Annotated[
        int | None,
        typer.Option("--limit", metavar="N", show_default="10", help="Most hits; -1: all."),
    ] = None,
    filter: FilterOption = None,
    return_filter: Annotated[
        str | None,
        typer.Option("--return-filter", metavar="FILTER", help="Narrows the answer, not the walk."),
    ] = None,
    var: VarOption = None,
    min_hop: Annotated[
        int | None, typer.Option("--min-hop", metavar="N", help="Leave out nearer nodes.")
    ] = None,
    include_seeds: Annotated[
        bool | None, typer.Option("--include-seeds/--no-seeds", help="Whether seeds are hits.")
    ] = None,
    propagate: Annotated[
        passageway.ExpandPropagate | None,
        typer.Option("--propagate", help="How a node's shares combine."),
    ] = None,
    rank: Annotated[
        passageway.ExpandRank | None,
        typer.Option(
            "--rank",
            show_default="spread",
            help="By the walk's scores, or by PageRank from the seeds.",
        ),
    ] = None,
    ppr: Annotated[
        str | None,
        typer.Option(
            "--ppr",
            metavar="OPTIONS",
            help="How PageRank runs, such as 'alpha=0.85 iterations=200'; also tolerance,"
            " undirected, reset_field.",
        ),
    ] = None,
    budget: Annotated[
        str | None,
        typer.Option(
            "--budget",
            metavar="SIZE",
            help="Keep a connected part, such as 'nodes=30 edges=40'; also edge_cost.",
        ),
    ] = None,
    walk_as_declared: Annotated[
        bool | None,
        typer.Option("--walk-as-declared", help="Only the ways that the ontology declares."),
    ] = None,
    with_edges: Annotated[
        bool | None, typer.Option("--with-edges", help="The edge that reached each hit.")
    ] = None,
    with_subgraph: Annotated[
        bool | None, typer.Option("--with-subgraph", help="Every edge that was followed.")
    ] = None,
    max_nodes: Annotated[
        int | None,
        typer.Option(
            "--max-nodes", metavar="N", show_default="100000", help="Refuse to reach more."
        ),
    ] = None,
    max_edges: Annotated[
        int | None,
        typer.Option(
            "--max-edges", metavar="N", show_default="100000", help="Refuse to follow more."
        ),
    ] = None,
    facet: FacetOption = None,
    metric: MetricOption = None,
    search_where: Annotated[
        str | None,
        typer.Option(
            "--search-where",
            metavar="FILTER",
            help="List those of all reached that meet this, too, 10 at most; `search` of --request"
            " takes a limit.",
        ),
    ] = None,
    timeout_ms: TimeoutOption = None,
    field: FieldOption = None,
    edge_field: EdgeFieldOption = None,
    content_max_chars: ContentOption = None,
    project: ProjectOption = None,
    evidence: EvidenceOption = None,
    bounds: BoundsOption = None,
    at_version: AtVersionOption = None,
    at_least_version: AtLeastVersionOption = None,
    request: RequestOption = None,
) -> None:
    """Walk up to three hops from seeds: the nodes reached, best first.

    \b
    Examples:
      passageway expand debian 0ad --hop 'Depends decay=0.5' --hop 'Depends decay=0.5'
      passageway expand debian 0ad --hop '* direction=both' --filter 'section = "games"' --json
      passageway expand debian 0ad --hop Depends --rank ppr --budget nodes=30 --facet section
    """
    flags = {
        "seeds": requests.seeds(seeds, seeds_where),
        "hops": [requests.hop(text) for text in hop or ()],
        "limit": limit,
        "filter": filter,
        "return_filter": return_filter,
        "vars": requests.variables(var),
        "min_hop": min_hop,
        "include_seeds": include_seeds,
        "propagate": propagate,
        "rank": rank,
        "ppr": requests.page_rank(ppr),
        "budget": requests.budget(budget),
        "walk_as_declared": walk_as_declared,
        "with_edges": with_edges,
        "with_subgraph": with_subgraph,
        "max_nodes": max_nodes,
        "max_edges": max_edges,
        "facets": measures.facets(facet),
        "metrics": measures.metrics(metric),
        "search": None if search_where is None else {"filter": search_where},
        "timeout_ms": timeout_ms,
        "fields": field,
        "edge_fields": edge_field,
        "content_max_chars": content_max_chars,
        "project": project,
        "evidence": evidence,
        "bounds": bounds,
        "at_version": at_version,
        "at_least_version": at_least_version,
    }
    call = passageway.CollectionClient.expand
    given = requests.parameters(
        call,
        request,
        flags,
        needed={"seeds": "SEED or --seeds-where"},
        seeds=[],
        **preview(as_json=place.as_json),
    )
    with place.connect() as client:
        answer = client.collection(collection).expand(**given)
    if place.as_json:
        output.document(answer.to_dict())
        return
    output.table(
        ("score", "hop", "id", "type", "name", "via", "edge", "content"),
        [
            (
                hit.score,
                hit.hop,
                hit.node.id,
                hit.node.type,
                hit.node.name if hit.node.name != hit.node.id else "",
                hit.via,
                hit.edge.type if hit.edge else "",
                hit.node.content,
            )
            for hit in answer.hits
            if hit.node is not None
        ],
    )
    if answer.subgraph:
        output.say()
        output.table(
            ("hop", "source", "type", "target", "weight"),
            [
                (followed.hop, edge.source, edge.type, edge.target, edge.weight)
                for followed in answer.subgraph
                if (edge := followed.edge)
            ],
        )
    output.count(len(answer.hits), answer.total, "node")
    if answer.ppr is not None:
        state = "converged" if answer.ppr.converged else "not yet converged"
        output.say(f"PageRank: {state} after {output.counted(answer.ppr.iterations, 'iteration')}")
    if given.get("search") is not None:
        output.say()
        output.table(
            ("found", "type", "name", "score", "content"),
            [
                (
                    node.id,
                    node.type,
                    node.name if node.name != node.id else "",
                    found.score,
                    node.content,
                )
                for found in answer.search
                if (node := found.node)
            ],
        )
        reached = output.counted(answer.total, "node")
        output.say(f"found {len(answer.search):,} of {reached}")
    measures.show(answer.facets, answer.metrics, asked=given)
    measures.timed_out(answer.timed_out)
    output.unresolved(answer.unresolved)
