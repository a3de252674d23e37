"""Columns of times, which need fields that are declared: told of once for each, before anything is made or sent."""

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from passageway import Client, Collection, PermissionDenied
from passageway.cli.failures import Failure
from passageway.cli.lines import Lines
from passageway.cli.parquet import Rows

_ALWAYS_TIME = "expires_at"
"""The property that holds times whether declared or not."""


@dataclass(frozen=True, slots=True)
class TimeColumn:
    """A column of a file, the property that it is, and whether it holds lists."""

    file: str
    column: str
    property: str
    repeated: bool


def time_columns(inputs: Mapping[str, Iterable[Lines | Rows]]) -> list[TimeColumn]:
    """Those of all Parquet files, by the kind of their records. BadInput where a column is none of a record's."""
    return [
        TimeColumn(file.source.label, column, name, repeated)
        for kind, files in inputs.items()
        for file in files
        if isinstance(file, Rows)
        for column, name, repeated in file.times(kind)
        if name != _ALWAYS_TIME
    ]


def check(
    client: Client,
    columns: Iterable[TimeColumn],
    wanted: Collection,
    *,
    there: bool,
    file: str | None,
) -> None:
    """Raise Failure for *columns* that the collection does not declare, with the command that declares them.

    The collection is *there*, or to be made as *wanted*, of the settings in *file*. Of one whose settings the caller may
    not see nothing is known.
    """
    settings = _settings_of(client, wanted.name) if there else wanted
    if settings is None:
        return
    declared = {field.name: field for field in settings.fields if field.kind == "time"}
    faults: list[str] = []
    options: dict[str, str] = {}
    for column in columns:
        field = declared.get(column.property)
        if field is not None and (field.repeated or not column.repeated):
            continue
        kind, held = ("time:repeated", "lists of times") if column.repeated else ("time", "times")
        faults.append(
            f"{column.file}: the column {column.column} holds {held}, and {column.property} is not declared as {kind}"
        )
        if column.repeated or column.property not in options:
            options[column.property] = f"{column.property}:{kind}"
    if faults:
        words = ["passageway", "collection", "update" if there else "create", wanted.name]
        words += ["--file", file] if file is not None and not there else []
        words += [word for option in options.values() for word in ("--field", option)]
        remedy = f"`{shlex.join(words)}` declares {'it' if len(options) == 1 else 'them'}"
        raise Failure("\n".join([*faults, f"nothing was loaded; {remedy}, then load again"]))


def _settings_of(client: Client, name: str) -> Collection | None:
    """The settings of a collection that is there; None where the caller may not see them."""
    try:
        return client.get_collection(name)
    except PermissionDenied:
        return None
