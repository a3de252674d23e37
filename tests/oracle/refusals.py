"""How the oracle says no, and how it gathers what is wrong with a request.

All faults of a request come at once, each under the path of its parameter; texts are left to the server.
"""

from collections.abc import Iterable

from passageway.v1 import query_pb2


class Refused(Exception):
    """The request gets no answer: the name of the status, and the paths of the parameters at fault."""

    def __init__(self, code: str, fields: Iterable[str] = ()) -> None:
        self.code = code
        self.fields = frozenset(fields)
        super().__init__(f"{code} {sorted(self.fields)}")


class Checks:
    """The faults found so far, and the numbers that were moved to a bound."""

    def __init__(self, bounds: int, *, unspecified_clamps: bool = False) -> None:
        unspecified = bounds == query_pb2.BOUNDS_UNSPECIFIED
        self.clamps = bounds == query_pb2.BOUNDS_CLAMP or (unspecified and unspecified_clamps)
        self.faults: set[str] = set()
        self.applied: dict[str, int] = {}

    def fault(self, path: str) -> None:
        """Note that the parameter at *path* is wrong."""
        self.faults.add(path)

    def need(self, condition: bool, path: str) -> None:
        """Note a fault at *path* unless *condition* holds."""
        if not condition:
            self.fault(path)

    def number(self, path: str, value: int, *, low: int, high: int) -> int:
        """*value*, or its nearest bound: applied where the call clamps, else a fault."""
        nearest = min(max(value, low), high)
        if nearest != value:
            if self.clamps:
                self.applied[path] = nearest
            else:
                self.fault(path)
        return nearest

    def absorb(self, refused: Refused) -> None:
        """Add the faults of a part of the request; any other refusal goes on."""
        if refused.code != "INVALID_ARGUMENT":
            raise refused
        self.faults |= refused.fields

    def done(self) -> None:
        """Refuse the request if anything was wrong with it."""
        if self.faults:
            raise Refused("INVALID_ARGUMENT", self.faults)
