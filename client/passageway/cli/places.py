"""Where in a line of JSON a value stands: the column that a message names.

A path is in the words of the contract, such as ``properties["size"]`` or ``readers[2]``.
"""

import json
import re

_STEP = re.compile(
    r'\["(?P<quoted>(?:[^"\\]|\\.)*)"\]|\[(?P<inside>[^\]]*)\]|\.?(?P<name>[^.\[\]]+)'
)
_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


def column(line: str, path: str, *, of_key: bool = False) -> int:
    """The column (from 1, in characters) where the value at *path* begins, as deep as it can be followed.

    With *of_key* it is where the key of that value begins.
    """
    at = begins = _skip(line, 0)
    for step in _STEP.finditer(path):
        try:
            key = (
                json.loads(f'"{step["quoted"]}"')
                if step["quoted"]
                else step["inside"] or step["name"]
            )
            found = _inside(line, at, key)
        except (ValueError, IndexError, RecursionError):
            break
        if found is None or found[1] == len(line):
            break
        begins, at = found
    return (begins if of_key else at) + 1


def _inside(line: str, at: int, key: str) -> tuple[int, int] | None:
    """Where the member *key*, or the element of that number, of the value at *at* begins, and where its value does."""
    if line[at] == "{":
        return _member(line, at, key)
    if line[at] == "[" and key.isdecimal():
        element = _element(line, at, int(key))
        return element, element
    return None


def _member(line: str, at: int, key: str) -> tuple[int, int] | None:
    at = _skip(line, at + 1)
    while line[at] == '"':
        begins = at
        name, at = _DECODER.raw_decode(line, at)
        at = _skip(line, _skip(line, at) + 1)
        if name == key:
            return begins, at
        _, at = _DECODER.raw_decode(line, at)
        at = _skip(line, _skip(line, at) + 1)
    return None


def _element(line: str, at: int, number: int) -> int:
    at = _skip(line, at + 1)
    for _ in range(number):
        _, at = _DECODER.raw_decode(line, at)
        at = _skip(line, _skip(line, at) + 1)
    return at


def _skip(line: str, at: int) -> int:
    match = _SPACE.match(line, at)
    return match.end() if match else at
