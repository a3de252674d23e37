"""How much of a text one page can hold, so that the whole answer fits into a budget."""

from collections.abc import Callable
from dataclasses import replace

from passageway_server.engine.packing.ledger import tokens_of
from passageway_server.engine.packing.refusing import check_budget
from passageway_server.engine.packing.written import TEN_DIGITS, in_json, node_as_json
from passageway_server.values.answers import SliceAnswer, TextPage
from passageway_server.values.context import BYTES_OF_A_TOKEN


def fullest(
    answer: SliceAnswer, page: Callable[[int], TextPage], rest: int, tokens: int
) -> SliceAnswer:
    """*answer* with the page of most characters, of the *rest* of the text, with which it takes *tokens* at most.

    Raises InvalidRequest where it does not with one character.
    """
    fixed = _fixed(answer)

    def needed(count: int) -> int:
        return tokens_of(fixed + in_json(_page_as_json(page(count))))

    whole = needed(rest)
    if whole <= tokens:
        return replace(answer, page=page(rest))
    least = min(rest, 1)
    enough = min(needed(least), whole)  # the last page does not say where the next one begins
    check_budget(enough, tokens, path="page.token_budget", needs="one character of the text")
    low, high = least, min(rest - 1, BYTES_OF_A_TOKEN * tokens)
    while low < high:
        middle = (low + high + 1) // 2
        if needed(middle) <= tokens:
            low = middle
        else:
            high = middle - 1
    return replace(answer, page=page(low))


def _fixed(answer: SliceAnswer) -> int:
    """The bytes of *answer* as compact JSON, but for what its page holds."""
    told: dict[str, object] = {
        "version": answer.version,
        "id": answer.id,
        "passages": [node_as_json(row) for row in answer.passages],
        "window": answer.window,
        "total": answer.total,
        "content_chars": answer.content_chars,
        "page": {},
        "took_us": TEN_DIGITS,
    }
    named = {
        "parent_id": answer.parent_id,
        "parent_name": answer.parent_name,
        "parent_type": answer.parent_type,
        "project": answer.project,
        "applied": answer.applied,
    }
    told |= {name: value for name, value in named.items() if value}
    return in_json(told) - len("{}")


def _page_as_json(page: TextPage) -> dict[str, object]:
    told: dict[str, object] = {
        "offset": page.offset,
        "total_chars": page.total_chars,
        "sha256": page.sha256,
    }
    if page.text:
        told["text"] = page.text
    if page.next_offset is not None:
        told["next_offset"] = page.next_offset
    if page.truncated:
        told["truncated"] = True
    return told
