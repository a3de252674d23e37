"""Which fields of a row an answer shows, bound to what the caller knows."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Selection:
    """Fields to show: everything, or what is named.

    ``builtins`` are the contract's names of what a row itself has, such as name or status;
    ``properties`` and ``links`` are names of fields, each once, in the order asked. Everything is
    without the revision, which is worked out, and without vectors, which are large: they have to be named.
    """

    everything: bool
    builtins: frozenset[str] = frozenset()
    properties: tuple[str, ...] = ()
    links: tuple[str, ...] = ()

    def asks(self, builtin: str) -> bool:
        """Whether the built-in field is shown."""
        return self.everything or builtin in self.builtins

    @property
    def revision(self) -> bool:
        """Whether the revision is shown."""
        return REVISION in self.builtins


REVISION = "revision"
"""The contract's name of what guards an edit of a row."""

EVERYTHING = Selection(True)
"""All that the caller may see, but for revisions and vectors."""

EVERYTHING_REVISED = Selection(True, frozenset({REVISION}))
"""All that the caller may see but vectors, revisions too."""
