"""Random expressions that give scores: over the numbers that a caller knows, mostly such as can be worked out."""

from collections.abc import MutableMapping, Sequence
from random import Random

from passageway.v1 import types_pb2
from tests.properties.sentences import spell_name

_NUMBERS = ("0", "1", "2", "0.5", ".25", "1e-3", "1e300", "3.")
_BROKEN = (
    "score +",
    "* score",
    "score score",
    "foo(score)",
    "ln()",
    "pow(score)",
    "min(score)",
    "$none",
    "no_such_field",
    "coalesce(score * 1, 2)",
    "1e999",
    "(" * 33 + "1" + ")" * 33,
    "score ** 2",
    "+score",
    "id",
)


def expression(
    rng: Random, fields: Sequence[str], vars: MutableMapping[str, types_pb2.Value]
) -> str:
    """An expression over *fields* of numbers; its vars are added to *vars*. Seldom one that is none."""
    if rng.random() < 0.03:
        return rng.choice(_BROKEN)
    return _Expressions(rng, fields, vars).some(rng.choice((0, 1, 2, 2, 3)))


class _Expressions:
    def __init__(
        self, rng: Random, fields: Sequence[str], vars: MutableMapping[str, types_pb2.Value]
    ) -> None:
        self._rng, self._fields, self._vars = rng, fields, vars

    def some(self, depth: int) -> str:
        """An expression that is at most so deep."""
        rng = self._rng
        if depth == 0:
            return self._leaf()
        one, other = self.some(rng.randrange(depth)), self.some(rng.randrange(depth))
        match rng.choice("schf"):
            case "s":
                return f"{one} {rng.choice('+-*/')} {other}"
            case "c" if self._fields:
                return f"coalesce({self._field()}, {one})"
            case "h":
                return f"{rng.choice(('min', 'max', 'pow'))}({one}, {other})"
            case _:
                return f"{rng.choice(('', '-', 'ln', 'log1p', 'sqrt', 'abs'))}({one})"

    def _leaf(self) -> str:
        rng = self._rng
        chance = rng.random()
        if chance < 0.5:
            return "score"
        if chance < 0.75 and self._fields:
            return self._field()
        if chance < 0.85:
            name = f"v{len(self._vars)}"
            self._vars[name].double_value = rng.choice((0.5, -2.0, 3.0))
            return f"${name}"
        return rng.choice(_NUMBERS)

    def _field(self) -> str:
        name = spell_name(self._rng.choice(self._fields))
        return f'"{name}"' if "-" in name and not name.startswith('"') else name
