"""Which fields of a row an answer shows, bound to what the caller knows."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Selection:
    """Fields to show: everything, or what is named.

    ``builtins`` are the contract's names of what a row itself has, such as name or status;
    ``properties`` and ``links`` are names of fields, each once, in the order asked.
    """

    everything: bool
    builtins: frozenset[str] = frozenset()
    properties: tuple[str, ...] = ()
    links: tuple[str, ...] = ()

    def asks(self, builtin: str) -> bool:
        """Whether the built-in field is shown."""
        return self.everything or builtin in self.builtins


EVERYTHING = Selection(True)
"""All that the caller may see."""
