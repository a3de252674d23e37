"""What a parameter or a member takes, told by its name once no message could be made of what was given.

Nothing is looked at while all is well: the hints of the signature, and the ranges of the contract's numbers, are
compared only after a failure.
"""

import dataclasses
import reprlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from passageway._generated import methods
from passageway._properties import Property, one_string

UNSENDABLE = (TypeError, ValueError, AttributeError)
"""What making a message of wrong values raises."""

_WORDS: dict[Any, str] = {
    str: "a string",
    int: "a whole number",
    float: "a number",
    bool: "True or False",
    NoneType: "None",
}
_RANGES: dict[int, tuple[int, int]] = {
    FieldDescriptor.CPPTYPE_UINT32: (0, (1 << 32) - 1),
    FieldDescriptor.CPPTYPE_INT32: (-(1 << 31), (1 << 31) - 1),
    FieldDescriptor.CPPTYPE_UINT64: (0, (1 << 64) - 1),
    FieldDescriptor.CPPTYPE_INT64: (-(1 << 63), (1 << 63) - 1),
}
_DUCKS: dict[Any, tuple[str, ...]] = {int: ("__index__",), float: ("__float__", "__index__")}


def wrong_member(record: Any, fault: Exception) -> Exception:
    """The error of a *record* that gave *fault*: it names the member, or is *fault* where none is wrong."""
    told = _of_members(record, "")
    if told is not None:
        return TypeError(told)
    return _past(_past_of_members(record, ""), fault)


def wrong_argument(
    method: Callable[..., object], given: Mapping[str, object], fault: Exception
) -> Exception:
    """The error of a call of *method* with the arguments *given* by name, which gave *fault*."""
    hints = _hints(method)
    found = (
        _mismatch(hint, given[name], name)
        for name, hint in hints.items()
        if name in given and name != "return"
    )
    told = next(filter(None, found), None)
    if told is not None:
        return TypeError(told)
    arguments = {name: given[name] for name in hints if name in given and name != "return"}
    return _past(_past_of(arguments, _request(method.__name__), ""), fault)


def said(value: object) -> str:
    """What *value* is, for people: a text is shown, of others the type alone."""
    if value is None:
        return "None"
    if isinstance(value, str):
        return f"the string {reprlib.repr(value)}"
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def _past(told: Iterator[str], fault: Exception) -> Exception:
    """The error of the first number that is past what a message holds, if *fault* may be of one."""
    first = next(told, None) if isinstance(fault, ValueError) else None
    return fault if first is None else ValueError(first)


@cache
def _request(method: str) -> Descriptor | None:
    """The message that a method of a client sends, by its name; None where it is no call of its own."""
    found = getattr(methods, method.upper(), None)
    return None if found is None else found.request.DESCRIPTOR


def _past_of_members(record: Any, path: str) -> Iterator[str]:
    """What is said of each number of *record*, at *path*, that its message cannot hold."""
    members = {each.name: getattr(record, each.name) for each in dataclasses.fields(record)}
    message: Any = _hints(cast(Any, type(record)).to_message)["return"]
    yield from _past_of(members, message.DESCRIPTOR, path)


def _past_of(members: Mapping[str, object], message: Descriptor | None, path: str) -> Iterator[str]:
    for name, value in members.items():
        field = None if message is None else message.fields_by_name.get(name)
        for at, each in _each(value, _joined(path, name)):
            if dataclasses.is_dataclass(each):
                yield from _past_of_members(each, at)
            elif isinstance(each, int) and field is not None and field.cpp_type in _RANGES:
                low, high = _RANGES[field.cpp_type]
                if each < low:
                    yield f"{at}: is {each}; at least {low}"
                elif each > high:
                    yield f"{at}: is {each}; at most {high}"


def _each(value: object, path: str) -> Iterator[tuple[str, object]]:
    """*value*, or what is in it, by paths."""
    if isinstance(value, Mapping):
        for key, each in cast(Mapping[object, object], value).items():
            yield f"{path}[{key!r}]", each
    elif isinstance(value, list | tuple):
        for at, each in enumerate(cast(Sequence[object], value)):
            yield f"{path}[{at}]", each
    else:
        yield path, value


@cache
def _hints(named: Any) -> dict[str, Any]:
    return get_type_hints(named)


def _of_members(record: Any, path: str) -> str | None:
    """What is wrong with a member of *record*, which stands at *path*."""
    hints = _hints(cast(object, type(record)))
    members = (
        _mismatch(hints[each.name], getattr(record, each.name), _joined(path, each.name))
        for each in dataclasses.fields(record)
    )
    return next(filter(None, members), None)


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _mismatch(hint: Any, value: object, path: str) -> str | None:
    """Why *value*, at *path*, is not of *hint*; None where it is, or where its own message says more."""
    kinds = _kinds(hint)
    if hint == Property or any(get_origin(kind) is Literal for kind in kinds):
        return None
    for kind in kinds:
        if _is(kind, value):
            return _inside(kind, value, path)
    lists = [kind for kind in kinds if get_origin(kind) is Sequence]
    if isinstance(value, str) and any(str in _kinds(get_args(kind)[0]) for kind in lists):
        return f"{path}: {one_string(value)}"
    return f"{path}: takes {_words(kinds)}, not {said(value)}{_remedy(lists or kinds, value)}"


def _is(kind: Any, value: object) -> bool:
    """Whether *value* is of *kind*, what is in it aside."""
    origin = get_origin(kind)
    if origin is Sequence:
        return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)
    if origin is not None:
        return isinstance(value, origin)
    ducks = _DUCKS.get(kind, ())
    return isinstance(value, kind) or any(hasattr(value, duck) for duck in ducks)


def _inside(kind: Any, value: Any, path: str) -> str | None:
    """What is wrong inside *value*, which is of *kind*."""
    if dataclasses.is_dataclass(kind):
        return _of_members(value, path)
    inner = get_args(kind)
    if isinstance(value, Mapping) and inner:
        held = cast(Mapping[object, object], value)
        found = (_mismatch(inner[1], each, f"{path}[{key!r}]") for key, each in held.items())
    elif isinstance(value, Sequence) and get_origin(kind) is Sequence:
        items = cast(Sequence[object], value)
        found = (_mismatch(inner[0], each, f"{path}[{at}]") for at, each in enumerate(items))
    else:
        return None
    return next(filter(None, found), None)


def _words(kinds: Sequence[Any]) -> str:
    told = [_word(kind) for kind in kinds if kind is not NoneType]
    return " or ".join(dict.fromkeys(told))


def _word(kind: Any) -> str:
    if get_origin(kind) is Sequence:
        inner = _kinds(get_args(kind)[0])
        names: dict[Any, str] = {str: "strings", float: "numbers"}
        return f"a list of {' or '.join(names.get(each) or each.__name__ for each in inner)}"
    if get_origin(kind) is not None:
        return "a dict"
    return _WORDS.get(kind) or f"{'an' if kind.__name__[0] in 'AEIOU' else 'a'} {kind.__name__}"


def _remedy(kinds: Sequence[Any], value: object) -> str:
    """What to write instead, where that is plain."""
    for kind in kinds:
        if get_origin(kind) is Sequence and dataclasses.is_dataclass(type(value)):
            return f"; write [{type(value).__name__}(…)]"
        if not dataclasses.is_dataclass(kind):
            continue
        record = cast(type, kind)
        if isinstance(value, Mapping):
            return f"; write {record.__name__}(…), or {record.__name__}.from_dict(…)"
        first = _hints(record)[dataclasses.fields(kind)[0].name]
        if isinstance(value, str) and get_origin(first) is Sequence:
            return f"; write {record.__name__}([{reprlib.repr(value)}])"
    return ""


def _kinds(hint: Any) -> tuple[Any, ...]:
    """The members of a union, or *hint* alone."""
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
