"""One line of JSON as plain values, strictly: no key twice, no NaN, no infinity, no broken text.

What is wrong comes with its column, so that an editor can jump there.
"""

import json
import re
import sys
from typing import Any, cast

from passageway.cli.places import column

Json = dict[str, Any]


class BadLine(Exception):
    """A line that is no record: the column (from 1) and the cause."""

    def __init__(self, column: int, cause: str) -> None:
        super().__init__(cause)
        self.column, self.cause = column, cause


class Fault(Exception):
    """What is wrong with the value at a path of the record, or with its key; the column is looked up when it is told."""

    def __init__(self, path: str, cause: str, *, of_key: bool = False) -> None:
        self.path, self.cause, self.of_key = path, cause, of_key


class _Twice(Exception):
    """A key that one object has twice."""


class _Constant(Exception):
    """A literal of JavaScript that JSON does not have."""


SURROGATE = "half of a surrogate pair, which is no character"


def decode(line: bytes) -> str:
    """The text of a line."""
    try:
        return line.decode()
    except UnicodeDecodeError as fault:
        at = len(line[: fault.start].decode()) + 1
        raise BadLine(at, f"byte 0x{line[fault.start]:02x} is not UTF-8 here") from fault


def parse(text: str) -> Json:
    """The members of the object that *text* holds."""
    try:
        members: object = _DECODER.decode(text)
    except json.JSONDecodeError as fault:
        raise BadLine(fault.colno, f"no JSON: {fault.msg}") from fault
    except _Twice as fault:
        at, key = _second(text)
        raise BadLine(at, f"the key {key} stands twice") from fault
    except _Constant as fault:
        raise BadLine(_constant(text), f"{fault} is no JSON number") from fault
    except RecursionError as fault:
        raise BadLine(1, "nested too deeply") from fault
    except ValueError as fault:
        raise BadLine(_long(text), "a number with too many digits") from fault
    if not isinstance(members, dict):
        raise BadLine(column(text, ""), "a line is one object: {…}")
    return cast(Json, members)


def _members(pairs: list[tuple[str, Any]]) -> Json:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _Twice
    return members


def _no_constant(name: str) -> Any:
    raise _Constant(name)


_DECODER = json.JSONDecoder(object_pairs_hook=_members, parse_constant=_no_constant)


def encodes(text: str) -> bool:
    """Whether *text* is whole characters: JSON can name half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def quoted(key: str) -> str:
    """A key as it stands in JSON."""
    return json.dumps(key)


_TOKEN = re.compile(
    r'"(?:[^"\\]|\\.)*"(?P<key>\s*:)?|(?P<brace>[{}])|(?P<constant>NaN|-?Infinity)'
    r"|-?(?P<digits>\d+)(?P<fraction>\.\d+)?(?P<exponent>[eE][+-]?\d+)?"
)


def _second(text: str) -> tuple[int, str]:
    """The column of the first key that its object has already, and the key as it stands there."""
    objects: list[set[str]] = []
    for token in _TOKEN.finditer(text):
        if token["brace"] == "{":
            objects.append(set())
        elif token["brace"]:
            objects.pop()
        elif token["key"]:
            key = json.loads(token[0].removesuffix(token["key"]))
            if key in objects[-1]:
                return token.start() + 1, quoted(key)
            objects[-1].add(key)
    raise AssertionError("the parser met a key twice")


def _constant(text: str) -> int:
    return next((token.start() + 1 for token in _TOKEN.finditer(text) if token["constant"]), 1)


def _long(text: str) -> int:
    """The column of the first whole number that is longer than Python reads."""
    most = sys.get_int_max_str_digits()
    return next(
        (
            token.start() + 1
            for token in _TOKEN.finditer(text)
            if len(token["digits"] or "") > most and not (token["fraction"] or token["exponent"])
        ),
        1,
    )
