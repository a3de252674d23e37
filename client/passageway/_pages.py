"""Calls that answer in pages, page by page.

for page in passageway.pages(debian.lookup, 'section = "games"', page_size=500):
    ...
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, Protocol, TypeVar


class Paged(Protocol):
    """An answer that may have another one after it."""

    @property
    def next_page_token(self) -> str:
        """What asks for the next page; empty on the last one."""
        ...


_Page = TypeVar("_Page", bound=Paged)


def pages(call: Callable[..., _Page], *arguments: Any, **named: Any) -> Iterator[_Page]:
    """Every page of *call* with these arguments, each asked for when its turn comes.

    Rows that stay are met once, whatever is written in between. *call* is a method of a client that takes a ``page_token``.
    """
    page = call(*arguments, **named)
    yield page
    while page.next_page_token:
        page = call(*arguments, **{**named, "page_token": page.next_page_token})
        yield page


async def pages_async(
    call: Callable[..., Awaitable[_Page]], *arguments: Any, **named: Any
) -> AsyncIterator[_Page]:
    """The same of a method to await."""
    page = await call(*arguments, **named)
    yield page
    while page.next_page_token:
        page = await call(*arguments, **{**named, "page_token": page.next_page_token})
        yield page
