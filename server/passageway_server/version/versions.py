"""The versions of a collection that can be read: the newest, the latest before it, and those that are awaited."""

from collections.abc import Callable
from math import inf

from passageway_server.errors import PassagewayError, VersionGone, VersionLate
from passageway_server.values.halt import UNHALTED, Halt
from passageway_server.version.committing import Committing
from passageway_server.version.lines import Lines
from passageway_server.version.retained import Retained
from passageway_server.version.tokens import Token, incarnation, token_of
from passageway_server.version.version import Version

_PATIENCE = 10.0  # seconds that a call without a deadline waits for a version
_NOTICE = 0.05  # seconds before its deadline at which a call hears that a version is late; of a short call, less
# Parts of the time: by so much gRPC may round it up on its way; at most so much is given up.
_ROUNDED, _SHORT = 0.01, 0.1


class Versions:
    """What readers ask a collection for. A version that they hold stays as it is."""

    def __init__(self, first: Version, lines: Lines | None = None) -> None:
        """Begin with *first*; *lines* led to it, where they are known."""
        here = first.identity
        self.lines = lines or Lines((here.number,), (here.line,), here.number)
        self.coming: str | None = None
        """The line of all commits to come, where it is known: the owner's, which tells its readers."""
        self.retained = Retained(first)
        self._committing = Committing(first, published=self._add)

    def _add(self, version: Version) -> None:
        self.lines = self.lines.going_on(version.identity.line, version.identity.number)
        self.retained.add(version)

    @property
    def current(self) -> Version:
        """The newest version that can be read."""
        return self._committing.current

    @property
    def read_only(self) -> PassagewayError | None:
        """Why no commit is taken until a restart, if so."""
        return self._committing.read_only

    def on_change(self, told: Callable[[], None]) -> None:
        """Tell *told* from now on when other versions can be read, or no commit is taken any more; it must not wait."""
        self._committing.changed = told

    def at(self, token: str, halt: Halt = UNHALTED) -> Version:
        """The version *token*, of which today's readers see what they might see of it then.

        Raises VersionGone, DeadlineExceeded, Cancelled.
        """
        found = self.retained.at(token, halt)
        if found is None:
            raise VersionGone(token, oldest=self.retained.oldest)
        return found

    def expect(self, line: str) -> None:
        """Take it from now on that all commits to come are of *line*: those of no other one are waited for."""
        self.coming = line
        self._committing.look_again()

    def wait_for(self, token: str, halt: Halt = UNHALTED) -> None:
        """Wait until the version *token*, or a later one, can be read: until shortly before the call's deadline, or for a while.

        Raises VersionGone for one that this collection never had, or lost in a crash, VersionLate, DeadlineExceeded,
        Cancelled.
        """
        asked = Token.of(token)
        if asked is None or asked.incarnation != incarnation(self.current.identity.line):
            raise VersionGone(token, oldest=self.retained.oldest)
        if self._is_to_come(asked):
            self._wait_for(asked, halt)
        if not self.lines.hold(asked.line, asked.number):
            raise VersionGone(token, oldest=self.retained.oldest)

    def _is_to_come(self, asked: Token) -> bool:
        """Whether *asked* cannot be read yet, and may be later."""
        if asked.number <= self.current.identity.number:
            return False
        lines = self.lines  # which may tell of commits a moment before they can be read
        if asked.number <= lines.newest:
            return lines.hold(asked.line, asked.number)
        return lines.may_come_to(asked.line) if self.coming is None else asked.line == self.coming

    def _wait_for(self, asked: Token, halt: Halt) -> None:
        left = halt.left
        seconds = _PATIENCE if left == inf else left - min(_NOTICE + _ROUNDED * left, _SHORT * left)
        if not self._committing.wait_until(
            lambda: not self._is_to_come(asked), halt, seconds=seconds
        ):
            token = token_of(asked.line, asked.number)
            raise VersionLate(token, newest=self.current.token)

    def _go_on_as(self, other: "Versions") -> None:
        """Let readers see what *other* has: the same collection, as a later snapshot has it."""
        self.lines = other.lines
        self.retained.go_on_as(other.retained)
        self._committing.adopt(other.current)
