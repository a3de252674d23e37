"""The faults of a request, gathered: a caller learns of all of them at once.

A message can hold far more faults than anybody reads, and each costs its text: at a hundred it is
refused with those.
"""

from passageway_server.errors import Fault, InvalidRequest

MOST = 100


class Faults:
    """The faults found so far, in the order in which they were found."""

    __slots__ = ("_found",)

    def __init__(self) -> None:
        self._found: list[Fault] = []

    def __len__(self) -> int:
        return len(self._found)

    def add(self, path: str, message: str) -> None:
        """Note that the parameter at *path*, such as ``hops[0].decay``, is wrong, and why.

        Raises `InvalidRequest` where no more are gathered.
        """
        self._found.append(Fault(path, message))
        if len(self._found) == MOST:
            self.check()

    def check(self) -> None:
        """Raise `InvalidRequest` with every fault, if there is one."""
        if self._found:
            raise InvalidRequest(self._found)
