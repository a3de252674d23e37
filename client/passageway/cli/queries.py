"""The options of a query, which `search` and `context` share, and the query that they make."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Final, cast

import typer

import passageway
from passageway import Query
from passageway.cli import embedding, requests
from passageway.cli.failures import Usage
from passageway.cli.files import json_file

TextArgument = Annotated[str | None, typer.Argument(metavar="TEXT", help="Words to look for.")]
WhereOption = Annotated[
    str | None, typer.Option("--where", metavar="FILTER", help="Find only rows that meet this.")
]
TypeOption = Annotated[
    list[str] | None,
    typer.Option("--type", metavar="TYPE", help="Find only rows of this type (repeatable)."),
]
TextFieldOption = Annotated[
    list[str] | None,
    typer.Option(
        "--text-field",
        metavar="FIELD",
        show_default="all that are searched",
        help="Look for the words in this field (repeatable); a keyword has to be the whole text.",
    ),
]
MaxEditsOption = Annotated[
    int | None,
    typer.Option(
        "--max-edits",
        metavar="N",
        show_default="0",
        help="A word meets words within 1 or 2 edits, too, that begin with the same letter.",
    ),
]
VectorOption = Annotated[
    str | None,
    typer.Option(
        "--vector",
        metavar="FILE",
        help="Look for what is near this vector: a JSON list of numbers (-: stdin).",
    ),
]
VectorFieldOption = Annotated[
    str | None,
    typer.Option(
        "--vector-field",
        metavar="FIELD",
        show_default="the only one",
        help="Compare with the vectors in this field. A server that has an embedder makes the"
        " vector of TEXT only where this names the field.",
    ),
]
EmbedderOption = Annotated[
    str | None,
    typer.Option(
        "--embedder",
        metavar="MODULE:CALLABLE",
        help="Make the vector of TEXT here: takes a list of texts, and gives a row of numbers for"
        " each.",
    ),
]
SortOption = Annotated[
    list[str] | None,
    typer.Option(
        "--sort", metavar="FIELD", help="Order by this field, -FIELD downward (repeatable)."
    ),
]
RescoreOption = Annotated[
    str | None,
    typer.Option(
        "--rescore",
        metavar="EXPRESSION",
        help="What gives the score, such as 'score * log1p(size)'.",
    ),
]
EvidenceOption = Annotated[
    passageway.Evidence | None,
    typer.Option(
        "--evidence",
        show_default="current",
        help="all finds retired rows, too: superseded, retracted, expired, disputed, obsolete.",
    ),
]

_OPTIONS: Final = {
    "text": "TEXT",
    "filter": "--where",
    "vars": "--var",
    "types": "--type",
    "text_fields": "--text-field",
    "max_edits": "--max-edits",
    "vector": "--vector",
    "vector_field": "--vector-field",
    "limit": "--limit",
    "sort": "--sort",
    "rescore": "--rescore",
}


def members(
    *,
    text: str | None,
    where: str | None,
    var: Sequence[str] | None,
    type_: Sequence[str] | None,
    text_field: Sequence[str] | None,
    max_edits: int | None,
    vector: str | None,
    vector_field: str | None,
    limit: int | None,
    sort: Sequence[str] | None,
    rescore: str | None,
) -> dict[str, Any]:
    """The members of a query that options give. Usage for a *vector* that names no file with one."""
    given = {
        "text": requests.text(text),
        "filter": where,
        "vars": requests.variables(var),
        "types": type_ or None,
        "text_fields": text_field or None,
        "max_edits": max_edits,
        "vector": None if vector is None else _vector(vector),
        "vector_field": vector_field,
        "limit": limit,
        "sort": sort or None,
        "rescore": rescore,
    }
    return {name: value for name, value in given.items() if value is not None}


def options(given: Mapping[str, object]) -> str:
    """The options that gave these members of a query."""
    return ", ".join(_OPTIONS[name] for name in given)


def embedded(query: Query | str | None, embedder: str | None, *, vector: str | None) -> Any:
    """*query* with the vector that *embedder*, a MODULE:CALLABLE, makes of its text; as it is without one.

    Usage for a query without a text, and beside a *vector* that an option gives; Failure of the embedder.
    """
    if embedder is None:
        return query
    if vector is not None:
        raise Usage("--embedder and --vector exclude each other: both give the vector")
    if not isinstance(query, Query) or not query.text:
        raise Usage("--embedder makes the vector of TEXT: give TEXT, or a text by --request")
    return replace(query, vector=embedding.vector(embedder, query.text))


def _vector(file: str) -> Sequence[float]:
    """The numbers in *file*. Usage for what is no list of numbers."""
    held = json_file("--vector", file)
    numbers = cast(list[object], held) if isinstance(held, list) else []
    if not numbers or not all(type(number) in (int, float) for number in numbers):
        raise Usage(f"--vector {file}: expected is a JSON list of numbers, such as [0.5, -1, 2.5]")
    return cast(list[float], numbers)
