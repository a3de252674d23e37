"""Property values as the arrays that hold them, and back: an int comes out as an int again."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.strings import Numbers, Strings
from passageway_server.columns.terms import Terms
from passageway_server.columns.times import from_micros, parse_time, to_micros
from passageway_server.values.collections import Kind
from passageway_server.values.records import PlainValue, PropertyValue, Scalar, Vector

DTYPES: Mapping[Kind, type[np.generic]] = {
    Kind.KEYWORD: np.int32,
    Kind.TEXT: np.int32,
    Kind.INT: np.int64,
    Kind.FLOAT: np.int64,
    Kind.BOOL: np.uint8,
    Kind.TIME: np.int64,
    Kind.VECTOR: np.float32,
}
"""What holds the values of each kind, as `Column` describes them."""

_NO_FLOATS = np.empty(0, dtype=np.uint8)


class Encoded(NamedTuple):
    """Values as arrays: ``floats`` is 1 where bits are a double's, empty where no numbers are."""

    values: NDArray[np.generic]
    floats: NDArray[np.uint8]
    texts: Strings


def encoded(
    scalars: Sequence[Scalar],
    kind: Kind,
    *,
    double: bool,
    keywords: Mapping[str, int],
    texts: Strings,
) -> Encoded:
    """*scalars* as *kind* holds them, and the texts that they refer to, grown.

    With *double* every number becomes one. *keywords* has the number of each keyword.
    """
    match kind:
        case Kind.KEYWORD:
            words = cast(Sequence[str], scalars)
            numbers = np.fromiter(map(keywords.__getitem__, words), np.int32, count=len(words))
            return Encoded(numbers, _NO_FLOATS, texts)
        case Kind.TEXT:
            numbers = np.arange(len(texts), len(texts) + len(scalars), dtype=np.int32)
            return Encoded(numbers, _NO_FLOATS, texts.extended(cast(Sequence[str], scalars)))
        case Kind.BOOL:
            return Encoded(np.array(scalars, dtype=np.uint8), _NO_FLOATS, texts)
        case Kind.TIME:
            micros = np.fromiter(map(_micros, scalars), np.int64, count=len(scalars))
            return Encoded(micros, _NO_FLOATS, texts)
        case _:
            bits, floats = _numbers(cast(Sequence[int | float], scalars), double=double)
            return Encoded(bits, floats, texts)


class OfRows(NamedTuple):
    """What rows are given: how many values each, 0 for none, whether as a list, and all of them side by side."""

    lengths: NDArray[np.int64]
    many: NDArray[np.uint8]
    coded: Encoded


def of_rows(
    values: Sequence[PropertyValue],
    kind: Kind,
    *,
    double: bool,
    keywords: Mapping[str, int],
    texts: Strings,
) -> OfRows:
    """*values*, one for each row, as *kind* holds them; the rest as of `encoded`."""
    if kind == Kind.VECTOR:
        return _vectors_of_rows(values, texts)
    plain = cast(Sequence[PlainValue], values)
    lists = [value if isinstance(value, list) else (value,) for value in plain]
    lengths = np.fromiter(map(len, lists), dtype=np.int64, count=len(lists))
    flat: list[Scalar] = [one for several in lists for one in several]
    many = np.fromiter((isinstance(v, list) for v in values), np.uint8, count=len(lists))
    coded = encoded(flat, kind, double=double, keywords=keywords, texts=texts)
    return OfRows(lengths, many, coded)


def _vectors_of_rows(values: Sequence[PropertyValue], texts: Strings) -> OfRows:
    """Vectors, or lists of their numbers."""
    vectors = [
        Vector.of(cast(list[float], value)) if isinstance(value, list) else cast(Vector, value)
        for value in values
    ]
    lengths = np.fromiter(map(len, vectors), np.int64, count=len(vectors))
    numbers = np.frombuffer(b"".join(vector.packed for vector in vectors), dtype="<f4")
    many = np.zeros(len(vectors), dtype=np.uint8)
    return OfRows(lengths, many, Encoded(numbers, _NO_FLOATS, texts))


def decoded(
    values: NDArray[np.generic],
    floats: NDArray[np.uint8],
    kind: Kind,
    *,
    keywords: Terms,
    texts: Strings,
) -> list[Scalar]:
    """The inverse of `encoded`."""
    match kind:
        case Kind.KEYWORD:
            return [*keywords.take(cast(Numbers, values))]
        case Kind.TEXT:
            return [*texts.take(cast(Numbers, values))]
        case Kind.BOOL:
            return list(map(bool, values.tolist()))
        case Kind.TIME:
            return [from_micros(micros) for micros in values.tolist()]
        case _:
            ints, doubles = values.tolist(), values.view(np.float64).tolist()
            return [
                double if is_float else whole
                for whole, double, is_float in zip(ints, doubles, floats.tolist(), strict=True)
            ]


def _micros(value: Scalar) -> int:
    return parse_time(value) if isinstance(value, str) else to_micros(cast(datetime, value))


def _numbers(
    scalars: Sequence[int | float], *, double: bool
) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """The bits of numbers, and 1 where they are a double's; all are where *double*."""
    are_double = np.array([double or isinstance(value, float) for value in scalars], np.bool_)
    which = are_double.tolist()
    doubles = [value if is_double else 0.0 for value, is_double in zip(scalars, which, strict=True)]
    wholes = [0 if is_double else value for value, is_double in zip(scalars, which, strict=True)]
    bits = np.where(
        are_double, np.array(doubles, np.float64).view(np.int64), np.array(wholes, np.int64)
    )
    return bits, are_double.view(np.uint8)
