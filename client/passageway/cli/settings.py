"""A collection's settings from flags and a file, and what an update changed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import passageway
from passageway import BadRecord, Collection, Field, FieldKind, Membership, Similarity
from passageway._expected import UNSENDABLE
from passageway._json import snake
from passageway.cli import files, output
from passageway.cli.failures import Usage
from passageway.cli.rehearsal import unsendable

SETTINGS = (
    "description",
    "fields",
    "ontology",
    "default_readers",
    "users",
    "membership",
    "retain_versions",
    "citation_fields",
    "language",
)
"""What an operator sets, by the names of the contract."""

_USUAL: dict[str, Any] = {"retain_versions": 8}
"""What stands for settings that were never given."""

_KINDS: tuple[FieldKind, ...] = (
    "keyword",
    "text",
    "int",
    "float",
    "bool",
    "time",
    "vector",
    "link",
)

_SIMILARITIES: tuple[Similarity, ...] = ("cosine", "dot")


def read(
    name: str,
    file: str | None,
    *,
    option: str = "--file",
    description: str | None = None,
    default_readers: Sequence[str] | None = None,
    users: Sequence[str] | None = None,
    membership: Membership | None = None,
    retain_versions: int | None = None,
    language: str | None = None,
) -> tuple[Collection, list[str]]:
    """The settings, and the names of those that were given; flags win over *file*, which *option* named."""
    collection, given = Collection(name), list[str]()
    if file is not None:
        collection, given = _from_file(name, file, option)
    changes: dict[str, Any] = {
        "description": description,
        "default_readers": default_readers or None,
        "users": users or None,
        "membership": membership,
        "retain_versions": retain_versions,
        "language": language,
    }
    set_flags = {key: value for key, value in changes.items() if value is not None}
    made = replace(collection, **set_flags)
    _check(made, "the settings")
    return made, sorted({*given, *set_flags})


def membership(
    template: str | None, edges: Sequence[str] | None, depth: int | None
) -> Membership | None:
    """The membership that flags tell, None where they do not; Usage for a part without the others."""
    if template is None and not edges and depth is None:
        return None
    if template is None or not edges:
        raise Usage("membership takes both, --membership TEMPLATE and --member-edge TYPE")
    return Membership(node_id_template=template, edge_types=edges, max_depth=depth)


@dataclass(frozen=True, slots=True)
class FieldChanges:
    """What flags say of single fields: which are declared, or made another kind, which go, and who reads them."""

    declared: Mapping[str, Field]
    dropped: frozenset[str]
    readers: Mapping[str, Sequence[str]]

    def __bool__(self) -> bool:
        return bool(self.declared or self.dropped or self.readers)

    def of(self, collection: Collection) -> Collection:
        """*collection* with them; what is not told of a field, and of other fields, stays. Usage for a field that is none."""
        fields = {field.name: field for field in collection.fields}
        for name in self.dropped:
            if name not in fields:
                raise Usage(f"--drop-field: no field {name!r} is declared; `describe` lists them")
            del fields[name]
        for name, field in self.declared.items():
            had = fields.get(name, field)
            fields[name] = replace(
                had,
                kind=field.kind,
                repeated=field.repeated,
                dimensions=field.dimensions,
                similarity=field.similarity,
            )
        for name, readers in self.readers.items():
            if name not in fields:
                raise Usage(
                    f"--field-reader: no field {name!r} is declared; declare it with --field"
                )
            fields[name] = replace(fields[name], readers=readers)
        made = replace(collection, fields=list(fields.values()))
        _check(made, "the settings")
        return made


def field_changes(
    declared: Sequence[str] | None,
    readers: Sequence[str] | None,
    *,
    dropped: Sequence[str] | None = None,
) -> FieldChanges:
    """The changes that flags tell: ``NAME:KIND``, ``NAME=PRINCIPAL`` and ``NAME``. Usage for what is none of them."""
    fields: dict[str, Field] = {}
    for text in declared or ():
        field = _field(text)
        if field.name in fields or field.name in (dropped or ()):
            raise Usage(f"--field {text!r}: {field.name} stands here twice")
        fields[field.name] = field
    told: dict[str, list[str]] = {}
    for text in readers or ():
        name, sign, principal = text.partition("=")
        if not name or not sign:
            raise Usage(f"--field-reader {text!r}: expected is NAME=PRINCIPAL")
        told.setdefault(name, []).append(principal)
    return FieldChanges(fields, frozenset(dropped or ()), told)


def changes(before: Collection, after: Collection) -> list[str]:
    """A line for each setting that differs."""
    old, new = _USUAL | before.to_dict(), _USUAL | after.to_dict()
    return [
        f"{name}: {output.plain(old.get(name, ''))} -> {output.plain(new.get(name, ''))}"
        for name in SETTINGS
        if old.get(name) != new.get(name)
    ]


def _from_file(name: str, file: str, option: str) -> tuple[Collection, list[str]]:
    """A Collection message as JSON. Its name may be another one: a file can serve several collections."""
    document = files.json_file(option, file)
    members = cast(dict[str, Any], document) if isinstance(document, dict) else document
    try:
        collection = Collection.from_dict(members)
    except BadRecord as fault:
        raise Usage(f"{option} {file}: {fault}") from fault
    _check(collection, f"{option} {file}")
    given = [key for key in cast(dict[str, Any], members) if key != "name"]
    return replace(collection, name=name), [snake(key) for key in given]


def _check(settings: Collection, source: str) -> None:
    """Raise Usage for settings that no message holds."""
    try:
        settings.to_message()
    except UNSENDABLE as fault:
        raise Usage(f"{source}: {unsendable(settings.to_dict(), fault)}") from fault


def _field(text: str) -> Field:
    """A field such as ``size:int``, ``aliases:keyword:repeated``, ``embedding:vector:384`` or ``embedding:vector:384:dot``."""
    name, _, kind = text.partition(":")
    word, _, rest = kind.partition(":")
    count, colon, similarity = rest.partition(":")
    if name and word == "vector" and count.isascii() and count.isdigit():
        if similarity in _SIMILARITIES:
            return passageway.Field(name, "vector", dimensions=int(count), similarity=similarity)
        if not colon:
            return passageway.Field(name, "vector", dimensions=int(count))
    if not name or word not in _KINDS or word == "vector" or rest not in ("", "repeated"):
        kinds = ", ".join(_KINDS[:6])  # link is what links make
        raise Usage(
            f"--field {text!r}: expected is NAME:KIND, NAME:KIND:repeated, NAME:vector:DIMENSIONS or"
            f" NAME:vector:DIMENSIONS:dot; kinds: {kinds}"
        )
    return passageway.Field(name, word, repeated=bool(rest))
