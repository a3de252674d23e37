"""Options that several commands share. Each is named as the parameter of the contract that it sets."""

from typing import Annotated

import typer

import passageway
from passageway.cli import requests

CollectionArgument = Annotated[
    str, typer.Argument(metavar="COLLECTION", help="Its name.", callback=requests.text)
]
RequestOption = Annotated[
    str | None,
    typer.Option(
        "--request",
        metavar="FILE",
        help="JSON object of the call's parameters (- is stdin); options beside it win, member by member.",
    ),
]
FilterOption = Annotated[
    str | None, typer.Option("--filter", metavar="FILTER", help="Which nodes may be reached.")
]
VarOption = Annotated[
    list[str] | None,
    typer.Option(
        "--var", metavar="NAME=VALUE", help="Value of $NAME in filters, JSON or text (repeatable)."
    ),
]
FieldOption = Annotated[
    list[str] | None,
    typer.Option("--field", metavar="NAME", help="Field of each node to return (repeatable)."),
]
EdgeFieldOption = Annotated[
    list[str] | None,
    typer.Option("--edge-field", metavar="NAME", help="Field of each edge (repeatable)."),
]
ContentOption = Annotated[
    int | None,
    typer.Option("--content-max-chars", metavar="N", help="Characters of content; 0: none."),
]
ProjectOption = Annotated[
    str | None, typer.Option("--project", metavar="NAME", help="Only rows of this project.")
]
EvidenceOption = Annotated[
    passageway.Evidence | None,
    typer.Option(
        "--evidence",
        show_default="all",
        help="current leaves out retired rows: superseded, retracted, expired, disputed, obsolete.",
    ),
]
BoundsOption = Annotated[
    passageway.Bounds | None,
    typer.Option("--bounds", help="A number out of its range: refused, or moved into it."),
]
AtVersionOption = Annotated[
    str | None,
    typer.Option("--at-version", metavar="VERSION", help="Read this version, no other."),
]
AtLeastVersionOption = Annotated[
    str | None,
    typer.Option(
        "--at-least-version",
        metavar="VERSION",
        help="Read this version or a later one, and wait for it: what a write told is there.",
    ),
]
TimeoutOption = Annotated[
    int | None,
    typer.Option(
        "--timeout-ms", metavar="MS", help="Answer with what was found after so many milliseconds."
    ),
]
FacetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--facet",
        metavar="FIELD",
        help="Count the values of a field over all that was found; FIELD:N shows N of them,"
        " FIELD:-1 all (repeatable).",
    ),
]
MetricOption = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        metavar="OP:FIELD",
        help="A number over all that was found: count, min, max, sum, avg or cardinality,"
        " such as avg:size (repeatable).",
    ),
]

PREVIEW = 60
"""Characters of content in a table, unless --content-max-chars says otherwise."""


def preview(*, as_json: bool) -> dict[str, int]:
    """How much content a call asks for: a table has room for a line, JSON has what the server gives."""
    return {} if as_json else {"content_max_chars": PREVIEW}
