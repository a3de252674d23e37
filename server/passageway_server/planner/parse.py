"""From the text of a filter to its tree, within limits, and what is said where there is none.

The limits are held on the tokens, before the grammar sees them: 64 KiB, 512 terms, depth 32 (of
NOT, of parentheses that group, and of lookups). The tree of a text is the same for every caller, so
those of short texts are kept.
"""

from collections.abc import Iterable
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, cast

from lark import Lark, Token, UnexpectedCharacters, UnexpectedToken

from passageway_server.planner.limits import FILTER_BYTES, FILTER_DEPTH, FILTER_TERMS
from passageway_server.planner.reading import Reading
from passageway_server.planner.syntax import Chain, LookupCall, Negation, Tree, Unreadable

_KEPT_LENGTH = 4096
_RESERVED = frozenset({"AND", "OR", "NOT", "IN"})


def parse(text: str) -> Tree:
    """The tree of *text*, which is not blank; raises `Unreadable` where it is no filter."""
    return _parse_kept(text) if len(text) <= _KEPT_LENGTH else _parse(text)


def _parse(text: str) -> Tree:
    if len(text.encode("utf-8", "surrogatepass")) > FILTER_BYTES:
        raise Unreadable(f"a filter has at most {FILTER_BYTES} bytes", 0)
    lark = _lark()
    try:
        tokens: list[Token] = list(lark.lex(text))
    except UnexpectedCharacters as unexpected:
        raise _unreadable_character(text, cast(Any, unexpected).pos_in_stream) from None
    _hold_depth(tokens)
    reading = lark.parse_interactive()
    try:
        for token in tokens:
            reading.feed_token(token)
        end = Token.new_borrow_pos("$END", "", tokens[-1])
        tree = cast(Tree, reading.feed_token(end))
    except UnexpectedToken as unexpected:
        found = cast(Any, unexpected)
        raise _unreadable_token(text, found.token, found.accepts or found.expected) from None
    if _terms(tree) > FILTER_TERMS:
        raise Unreadable(f"a filter has at most {FILTER_TERMS} terms", 0)
    return tree


_parse_kept = lru_cache(maxsize=256)(_parse)  # a tree takes up to 200 KB


@cache
def _lark() -> Any:  # lark leaves the types of its texts and tokens open
    grammar = Path(__file__).with_name("grammar.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", lexer="basic", transformer=Reading())


def _hold_depth(tokens: list[Token]) -> None:
    """Refuse what is nested too deep, or mixes AND and OR in one chain.

    Parentheses of a call and of a list of values do not nest: they come after a word, ``:`` or IN.
    """
    chains: list[tuple[int, str]] = []  # depth and operator of the chains around this one
    depth, inside, operator, before = 0, 0, "", ""
    for token in tokens:
        kind, at = token.type, token.start_pos or 0
        if kind == "NOT":
            inside += 1
        elif kind == "LPAR":
            chains.append((depth, operator))
            depth, inside, operator = inside + (before not in ("WORD", "COLON", "IN")), 0, ""
            inside = depth
        elif kind == "RPAR" and chains:
            depth, operator = chains.pop()
            inside = depth
        elif kind in ("AND", "OR"):
            if operator not in ("", kind):
                raise Unreadable("AND and OR are mixed: say which goes first by parentheses", at)
            operator, inside = kind, depth
        if inside > FILTER_DEPTH:
            raise Unreadable(f"a filter is at most {FILTER_DEPTH} deep", at)
        before = kind


def _terms(tree: Tree) -> int:
    """How many tests a tree has; a lookup is one, besides those inside it."""
    match tree:
        case Chain(_, parts):
            return sum(map(_terms, parts))
        case Negation(part):
            return _terms(part)
        case LookupCall(inner=inner):
            return 1 + _terms(inner)
        case _:
            return 1


def _unreadable_character(text: str, at: int) -> Unreadable:
    found = text[at]
    if found == '"':
        return Unreadable("a quote that does not end", at)
    if found == "-":
        return Unreadable("a word does not begin with -; put it in double quotes", at)
    return Unreadable(f"{found!r} is no part of a word; put the value in double quotes", at)


_SAID = {
    "AND": "AND", "OR": "OR", "NOT": "NOT", "IN": "IN", "SIGN": "a comparison", "COLON": "':'",
    "STAR": "'*'", "LPAR": "'('", "RPAR": "')'", "COMMA": "','", "VAR": "a $name",
    "$END": "the end", "WORD": "a word", "STRING": "a word", "NUMBER": "a word",
}  # fmt: skip


def _unreadable_token(text: str, token: Token, accepted: Iterable[str]) -> Unreadable:
    expected = sorted({_SAID.get(kind, kind) for kind in accepted})
    wanted = f"expected {' or '.join(expected)}"
    if token.type == "$END":
        return Unreadable(f"the filter ends early; {wanted}", len(text.rstrip()))
    at = token.start_pos or 0
    if token.upper() in _RESERVED and token.type == "WORD":
        return Unreadable(f"write {token.upper()} in upper case; {wanted}", at)
    return Unreadable(f"unexpected {str(token)[:40]!r}; {wanted}", at)
