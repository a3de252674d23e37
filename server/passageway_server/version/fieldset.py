"""Which kind each field has, in one set of fields (nodes with spans, or edge documents)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from passageway_server.values.collections import FieldDeclaration, Kind


@dataclass(frozen=True, slots=True)
class FieldSet:
    """Declared fields, and those whose kind was inferred from what was put first.

    An inferred number has kind FLOAT and holds ints and floats alike. A link field is inferred with kind LINK.
    """

    declared: Mapping[str, FieldDeclaration]
    inferred: Mapping[str, Kind]

    def kind(self, name: str) -> Kind | None:
        """The kind of *name*, or None where no such field is known yet."""
        declaration = self.declared.get(name)
        return declaration.kind if declaration else self.inferred.get(name)

    def with_inferred(self, kinds: Mapping[str, Kind]) -> "FieldSet":
        """These fields with more inferred kinds."""
        return replace(self, inferred={**self.inferred, **kinds}) if kinds else self
