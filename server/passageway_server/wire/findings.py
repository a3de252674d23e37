"""What is wrong with a message, gathered while it is turned into a plain value.

A finding does not stop the conversion: the value gets a stand-in, so that the planner can find what else is wrong and
the caller learns of everything at once.
"""

from enum import IntEnum
from functools import cache
from typing import TypeVar, cast

from passageway_server.errors import Fault, InvalidRequest

_Enum = TypeVar("_Enum", bound=IntEnum)


class Findings:
    """Faults of one message."""

    __slots__ = ("_faults",)

    def __init__(self) -> None:
        self._faults: list[Fault] = []

    def fault(self, path: str, message: str) -> None:
        """Note what is wrong at *path*."""
        self._faults.append(Fault(path, message))

    def enum(self, kind: type[_Enum], number: int, *, path: str, unset: _Enum) -> _Enum:
        """The member of *kind* with *number*; *unset* for 0, and for a number that the contract does not have."""
        if not number:
            return unset
        member = _members(kind).get(number)
        if member is None:
            self.fault(path, f"is {number}, which the contract does not have")
            return unset
        return cast(_Enum, member)

    def check(self) -> None:
        """Raise what was found."""
        if self._faults:
            raise InvalidRequest(self._faults)

    def joined(self, later: InvalidRequest) -> InvalidRequest:
        """These faults, and those of *later*."""
        return InvalidRequest([*self._faults, *later.faults])


@cache
def _members(kind: type[IntEnum]) -> dict[int, IntEnum]:
    return {int(member): member for member in kind}
