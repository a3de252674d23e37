"""Values as plain JSON objects: what is absent, empty or false is left out; numbers stand, but for a 0 of what the contract
calls optional, and so does a false that differs from absent.

Properties are plain JSON values, a time is RFC 3339 text, a choice is its word (``"out"``). When read, the
contract's own spelling is taken too: ``"DIRECTION_OUT"`` and camelCase names.
"""

import re
from array import array
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar, cast

from passageway._errors import BadRecord
from passageway._properties import Links, Properties, Property

JsonObject = dict[str, Any]

_T = TypeVar("_T")
_Word = TypeVar("_Word", bound=str)
_CAMEL = re.compile(r"(?<=[a-z0-9])([A-Z])")
_MISSING = object()


def compact(members: JsonObject) -> JsonObject:
    """*members* without those that are None or empty."""
    return {
        name: value
        for name, value in members.items()
        if value is not None and (value or value == 0)
    }


def snake(name: str) -> str:
    """A camelCase name as the contract spells it."""
    return _CAMEL.sub(r"_\1", name).lower()


def json_properties(properties: Properties) -> JsonObject:
    """Properties as JSON values."""
    return {name: _json_property(value) for name, value in properties.items()}


def json_links(links: Links) -> JsonObject:
    """Links as lists of ids."""
    return {name: list(ids) for name, ids in links.items()}


def json_time(time: datetime | None) -> str | None:
    """RFC 3339 text in UTC."""
    return None if time is None else time.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _json_property(value: Property) -> Any:
    if isinstance(value, datetime):
        return json_time(value)
    if isinstance(value, array):
        return value.tolist()
    if isinstance(value, list):
        return [json_time(item) if isinstance(item, datetime) else item for item in value]
    return value


class Members:
    """The members of one JSON object, read by name; BadRecord tells which is wrong, and how."""

    __slots__ = ("_members",)

    def __init__(self, source: object, known: frozenset[str]) -> None:
        if not isinstance(source, Mapping):
            raise BadRecord("", f"expected an object, found {_kind(source)}")
        members = cast(Mapping[str, object], source)
        if not members.keys() <= known:
            members = {snake(name): held for name, held in members.items()}
            unknown = sorted(members.keys() - known)
            if unknown:
                raise BadRecord(unknown[0], f"no such field; there are {', '.join(sorted(known))}")
        self._members = members

    def text(self, name: str) -> str:
        """A string; absent: empty."""
        value = self._members.get(name, "")
        return value if type(value) is str else self._wrong(name, "a string", "")

    def optional_text(self, name: str) -> str | None:
        """A string or None."""
        return self.text(name) if self._has(name) else None

    def integer(self, name: str) -> int:
        """An integer; absent: 0."""
        value = self._members.get(name, 0)
        return value if type(value) is int else self._wrong(name, "an integer", 0)

    def optional_integer(self, name: str) -> int | None:
        """An integer or None."""
        return self.integer(name) if self._has(name) else None

    def number(self, name: str) -> float:
        """A number; absent: 0."""
        value = self._members.get(name, 0.0)
        if type(value) is float or type(value) is int:
            return float(value)
        return self._wrong(name, "a number", 0.0)

    def optional_number(self, name: str) -> float | None:
        """A number or None."""
        return self.number(name) if self._has(name) else None

    def flag(self, name: str) -> bool:
        """True or false; absent: false."""
        value = self._members.get(name, False)
        return value if type(value) is bool else self._wrong(name, "true or false", False)

    def optional_flag(self, name: str) -> bool | None:
        """True, false or None."""
        return self.flag(name) if self._has(name) else None

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of strings; absent: none."""
        return _texts(name, self._members.get(name))

    def numbers(self, name: str) -> tuple[float, ...]:
        """A list of numbers; absent: none."""
        values = _list(name, self._members.get(name))
        for place, value in enumerate(values):
            if type(value) is not float and type(value) is not int:
                raise BadRecord(f"{name}[{place}]", f"expected a number, found {_kind(value)}")
        return tuple(cast(list[float], values))

    def time(self, name: str) -> datetime | None:
        """An RFC 3339 time with its zone, or None."""
        if not self._has(name):
            return None
        try:
            time = datetime.fromisoformat(self.text(name))
        except ValueError:
            time = None
        if time is None or time.tzinfo is None:
            raise BadRecord(name, "expected a time with its zone, such as 2026-01-31T12:00:00Z")
        return time.astimezone(UTC)

    def choice(self, name: str, words: Mapping[_Word | None, int], prefix: str) -> _Word | None:
        """One of *words*, with or without the contract's *prefix*; absent or unspecified: None."""
        asked = self.text(name).lower().removeprefix(prefix)
        if asked in ("", "unspecified"):
            return None
        if asked not in words:
            known = ", ".join(word for word in words if word)
            raise BadRecord(name, f"expected one of {known}, found {asked!r}")
        return cast(_Word, asked)

    def properties(self, name: str) -> dict[str, Property]:
        """Plain JSON values by name; null is an absent one."""
        held = self._object(name)
        for key, value in held.items():
            kind = type(value)
            if kind is list:
                for place, item in enumerate(cast(list[object], value)):
                    if type(item) not in (str, int, float, bool):
                        path = f"{name}.{key}[{place}]"
                        raise BadRecord(path, f"expected a plain value, found {_kind(item)}")
            elif kind not in (str, int, float, bool, type(None)):
                raise BadRecord(f"{name}.{key}", f"expected a plain value, found {_kind(value)}")
        return cast(
            dict[str, Property], {key: value for key, value in held.items() if value is not None}
        )

    def links(self, name: str) -> dict[str, tuple[str, ...]]:
        """Lists of ids by field."""
        return {key: _texts(f"{name}.{key}", ids) for key, ids in self._object(name).items()}

    def plain_map(self, name: str, kind: type[_T]) -> dict[str, _T]:
        """Values of one type by key."""
        held = self._object(name)
        for key, value in held.items():
            if type(value) is not kind:
                raise BadRecord(f"{name}.{key}", f"expected {kind.__name__}, found {_kind(value)}")
        return cast(dict[str, _T], dict(held))

    def record(self, name: str, build: Callable[[object], _T]) -> _T | None:
        """An object that *build* reads, or None."""
        return _inside(name, build, self._members[name]) if self._has(name) else None

    def records(self, name: str, build: Callable[[object], _T]) -> tuple[_T, ...]:
        """A list of objects."""
        values = _list(name, self._members.get(name))
        return tuple(_inside(f"{name}[{at}]", build, value) for at, value in enumerate(values))

    def record_map(self, name: str, build: Callable[[object], _T]) -> dict[str, _T]:
        """Objects by key."""
        return {
            key: _inside(f"{name}.{key}", build, value) for key, value in self._object(name).items()
        }

    def _has(self, name: str) -> bool:
        return self._members.get(name) is not None

    def _object(self, name: str) -> Mapping[str, object]:
        value = self._members.get(name)
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            raise BadRecord(name, f"expected an object, found {_kind(value)}")
        return cast(Mapping[str, object], value)

    def _wrong(self, name: str, expected: str, absent: _T) -> _T:
        """*absent* where the member is null, else the error."""
        value = self._members.get(name, _MISSING)
        if value is None:
            return absent
        raise BadRecord(name, f"expected {expected}, found {_kind(value)}")


def _inside(path: str, build: Callable[[object], _T], value: object) -> _T:
    """What *build* makes of *value*; its faults get *path* before theirs."""
    try:
        return build(value)
    except BadRecord as error:
        raise BadRecord(f"{path}.{error.field}" if error.field else path, error.fault) from None


def _list(name: str, value: object) -> list[object]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise BadRecord(name, f"expected a list, found {_kind(value)}")
    return cast(list[object], value)


def _texts(name: str, value: object) -> tuple[str, ...]:
    values = _list(name, value)
    for place, item in enumerate(values):
        if type(item) is not str:
            raise BadRecord(f"{name}[{place}]", f"expected a string, found {_kind(item)}")
    return tuple(cast(list[str], values))


def _kind(value: object) -> str:
    """What a JSON value is, for people."""
    return _KINDS.get(type(value), type(value).__name__)


_KINDS: dict[type, str] = {
    type(None): "null",
    bool: "true or false",
    str: "a string",
    int: "an integer",
    float: "a number",
    list: "a list",
    dict: "an object",
}
