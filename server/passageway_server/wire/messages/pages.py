"""Pages of a listing that is sorted by name: a page token is the last name of the page before."""

from collections.abc import Callable, Sequence
from typing import TypeVar

_Item = TypeVar("_Item")


def page(
    items: Sequence[_Item], *, name: Callable[[_Item], str], size: int, token: str
) -> tuple[list[_Item], str]:
    """At most *size* of *items* (0: all) after the one named *token*, and the token of the next page."""
    rest = [item for item in items if name(item) > token]
    if not size or len(rest) <= size:
        return rest, ""
    return rest[:size], name(rest[size - 1])
