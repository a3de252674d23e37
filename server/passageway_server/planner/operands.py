"""The values that a filter compares a field with, as the field's kind reads them."""

from datetime import datetime

from passageway_server.columns.kinds import kind_name, said
from passageway_server.columns.times import DAY, is_date, parse_time, to_micros
from passageway_server.engine.predicate import Interval, KnownField, Operand
from passageway_server.values.collections import Kind
from passageway_server.values.records import Scalar

STRINGS = (Kind.KEYWORD, Kind.TEXT, Kind.LINK)
_NUMBERS = (Kind.INT, Kind.FLOAT)


class Mismatch(Exception):
    """A value and a field do not meet; ``message`` names both."""

    def __init__(self, message: str) -> None:
        self.message = message
        super().__init__(message)


def operand(field: KnownField, value: Scalar) -> Operand:
    """*value* as the kind of *field* reads it; raises `Mismatch` where the two do not meet."""
    kind = field.kind
    if kind == Kind.TIME and isinstance(value, str | datetime):
        return _interval(field, value)
    if isinstance(value, datetime):
        raise _mismatch(field, value)
    meets = (
        (isinstance(value, str) and kind in STRINGS)
        or (isinstance(value, bool) and kind == Kind.BOOL)
        or (isinstance(value, int | float) and not isinstance(value, bool) and kind in _NUMBERS)
    )
    if not meets:
        raise _mismatch(field, value)
    return value


def _interval(field: KnownField, value: str | datetime) -> Interval:
    if isinstance(value, datetime):
        start = to_micros(value)
        return Interval(start, start + 1)
    try:
        start = parse_time(value)
    except ValueError as cause:
        raise Mismatch(f"{field.name} is a time: {cause}") from None
    return Interval(start, start + (DAY if is_date(value) else 1))


def _mismatch(field: KnownField, value: Scalar) -> Mismatch:
    kind = "number" if field.kind in _NUMBERS and not field.declared else kind_name(field.kind)
    article = "an" if kind == "int" else "a"
    bare = field.kind in STRINGS and isinstance(value, int | float)
    quote = "; put it in double quotes" if bare else ""
    return Mismatch(f"{field.name} is {article} {kind}, found {said(value)}{quote}")
