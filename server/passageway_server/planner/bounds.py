"""Numbers that have a range: refuse one outside it, or move it to the nearest bound and say so?

`Bounds.UNSPECIFIED` refuses here; a call that means otherwise resolves it first.
"""

from passageway_server.planner.faults import Faults
from passageway_server.values.queries import Bounds

_INT32_MAX = 2**31 - 1


class Bounded:
    """The bounded numbers of one request; ``applied`` holds what was moved, by path."""

    __slots__ = ("_clamp", "_faults", "applied")

    def __init__(self, bounds: Bounds, faults: Faults) -> None:
        self._clamp = bounds is Bounds.CLAMP
        self._faults = faults
        self.applied: dict[str, int] = {}

    def number(self, path: str, value: int, *, low: int, high: int) -> int:
        """*value* where it is in ``low..high``, else the nearest bound.

        That is noted in ``applied``, or it is a fault.
        """
        if low <= value <= high:
            return value
        nearest = low if value < low else high
        if self._clamp:
            self.note(path, nearest)
        else:
            self._faults.add(path, f"is {value}; {_range(low, high)}")
        return nearest

    def note(self, path: str, applied: int) -> None:
        """Say that *applied* was taken in place of what was asked for at *path*."""
        self.applied[path] = min(applied, _INT32_MAX)


def _range(low: int, high: int) -> str:
    return f"at least {low} and at most {high}"
