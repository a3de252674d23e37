"""An expression that gives the score of a row: read as Python reads it, and worked out for one row after the other."""

import ast
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate

from tests.oracle.fields import NUMBERS
from tests.oracle.filters import Binding, values_in
from tests.oracle.graph import Row
from tests.oracle.refusals import Refused

MOST_BYTES, MOST_DEEP = 4096, 32

_ARGUMENTS = {"abs": 1, "ln": 1, "log1p": 1, "sqrt": 1, "pow": 2, "min": 2, "max": 2}
_VAR = "__var_"
_STRING = r'"(?:[^"\\]|\\.)*"'

Value = Callable[[Row, float], float]
"""What an expression is for a row that has a score."""


@dataclass(frozen=True, slots=True)
class Rescore:
    """An expression, bound to what the caller knows."""

    value: Value

    @classmethod
    def of(cls, text: str, path: str, binding: Binding) -> "Rescore":
        """Refused at *path* where it is none."""
        parts = re.split(f"({_STRING})", text)
        outside = "".join(parts[::2])
        if (
            len(text.encode("utf-8", "surrogatepass")) > MOST_BYTES
            or _depth(outside) > MOST_DEEP
            or re.search(r"//|\*\*|[^\w\s.$+*/(),\-]", outside)
        ):
            raise Refused("INVALID_ARGUMENT", [path])
        parts[::2] = [re.sub(r"\$(\w+)", rf"{_VAR}\1", part) for part in parts[::2]]
        try:
            tree = ast.parse("(" + "".join(parts).strip() + "\n)", mode="eval").body
        except (SyntaxError, ValueError, RecursionError):
            raise Refused("INVALID_ARGUMENT", [path]) from None
        return cls(_Reading(path, binding).of(tree))

    def score(self, row: Row, score: float) -> float | None:
        """None where it drops the row."""
        found = self.value(row, score)
        return found if math.isfinite(found) else None


def _depth(text: str) -> int:
    return max(accumulate((char == "(") - (char == ")") for char in text), default=0)


class _Reading:
    def __init__(self, path: str, binding: Binding) -> None:
        self._path, self._binding = path, binding

    def of(self, tree: ast.expr) -> Value:
        found = self._of(tree)
        return lambda row, score: found(row, score) + 0.0

    def _of(self, tree: ast.expr) -> Value:
        match tree:
            case ast.Constant(int() | float() as value) if not isinstance(
                value, bool
            ) and math.isfinite(value):
                number = float(value)
                return lambda _row, _score: number
            case ast.Name("score") | ast.Constant("score"):
                return lambda _row, score: score
            case ast.Name(name) if name.startswith(_VAR):
                return self._var(name.removeprefix(_VAR))
            case ast.Name() | ast.Attribute() | ast.Constant(str()):
                return self._held(tree, lambda _row, _score: 0.0)
            case ast.UnaryOp(ast.USub(), operand):
                inner = self.of(operand)
                return lambda row, score: -inner(row, score)
            case ast.BinOp(left, ast.Add() | ast.Sub() | ast.Mult() | ast.Div() as sign, right):
                one, other = self.of(left), self.of(right)
                return lambda row, score: _joined(sign, one(row, score), other(row, score))
            case ast.Call(ast.Name("coalesce"), [field, missing], []):
                return self._held(field, self.of(missing))
            case ast.Call(ast.Name(function), arguments, []) if function in _ARGUMENTS:
                wanted, given = _ARGUMENTS[function], len(arguments)
                if given == wanted or (function in ("min", "max") and given > wanted):
                    parts = [self.of(argument) for argument in arguments]
                    return lambda row, score: _called(
                        function, [part(row, score) for part in parts]
                    )
            case _:
                pass
        raise Refused("INVALID_ARGUMENT", [self._path])

    def _var(self, name: str) -> Value:
        held = self._binding.held(name)
        if held is None or held.many or type(held.values[0]) not in (int, float):
            raise Refused("INVALID_ARGUMENT", [self._path])
        number = float(held.values[0])  # type: ignore[arg-type]
        return lambda _row, _score: number

    def _held(self, tree: ast.expr, missing: Value) -> Value:
        match tree:
            case ast.Name(name) | ast.Constant(str(name)):
                pass
            case ast.Attribute(ast.Name(prefix), rest):
                name = f"{prefix}.{rest}"
            case _:
                raise Refused("INVALID_ARGUMENT", [self._path])
        if self._binding.known(name, self._path, False).kind not in NUMBERS:
            raise Refused("INVALID_ARGUMENT", [self._path])

        def value(row: Row, score: float) -> float:
            numbers = [float(held) for held in values_in(row, name)]  # type: ignore[arg-type]
            return min(numbers) if numbers else missing(row, score)

        return value


def _joined(sign: ast.operator, one: float, other: float) -> float:
    match sign:
        case ast.Add():
            return one + other
        case ast.Sub():
            return one - other
        case ast.Mult():
            return one * other
        case _:
            if other != 0:
                return one / other
            return math.nan if one == 0 or math.isnan(one) else math.copysign(math.inf, one)


def _called(function: str, numbers: list[float]) -> float:
    one = numbers[0]
    match function:
        case "min" | "max":
            if any(map(math.isnan, numbers)):
                return math.nan
            return min(numbers) if function == "min" else max(numbers)
        case "abs":
            return abs(one)
        case "pow":
            return _power(*numbers)
        case "sqrt":
            return math.sqrt(one) if one >= 0 else math.nan
        case "ln":
            return _logarithm(math.log, one, lowest=0.0)
        case _:
            return _logarithm(math.log1p, one, lowest=-1.0)


def _logarithm(of: Callable[[float], float], number: float, *, lowest: float) -> float:
    if number == lowest:
        return -math.inf
    return of(number) if number > lowest else math.nan


def _power(base: float, exponent: float) -> float:
    try:
        return math.pow(base, exponent)
    except OverflowError:
        odd = exponent == math.floor(exponent) and exponent % 2 == 1
        return -math.inf if base < 0 and odd else math.inf
    except ValueError:
        return math.inf if base == 0 else math.nan
