"""Who is calling: a name, the principals it holds, and its roles.

Principals decide which rows it reads, roles which calls it may make. An admin reads every row.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from passageway_server.errors import Forbidden
from passageway_server.values.principals import PUBLIC, user

READER, WRITER, ADMIN = "reader", "writer", "admin"

ROLES = frozenset({READER, WRITER, ADMIN})
"""The roles there are; every caller is a reader."""


@dataclass(frozen=True, slots=True)
class Caller:
    """A caller as the gates see it; ``principals`` holds ``public``, ``roles`` holds ``reader``."""

    sub: str
    principals: frozenset[str]
    roles: frozenset[str]

    @classmethod
    def known(cls, sub: str, *, principals: Iterable[str], roles: Iterable[str]) -> "Caller":
        """The user *sub*, who holds ``public``, its own principal, and *principals*."""
        held = frozenset({PUBLIC, user(sub), *principals})
        return cls(sub, held, frozenset({READER, *roles}))

    @classmethod
    def holding(cls, principals: Iterable[str], *, roles: Iterable[str] = ()) -> "Caller":
        """A caller without a name, who holds ``public`` and *principals*."""
        return cls("", frozenset({PUBLIC, *principals}), frozenset({READER, *roles}))

    @property
    def admin(self) -> bool:
        """Whether it reads every row and may care for collections."""
        return ADMIN in self.roles

    @property
    def writer(self) -> bool:
        """Whether it may load and apply; an admin may."""
        return WRITER in self.roles or ADMIN in self.roles

    def require(self, role: str) -> None:
        """Raise `Forbidden` unless it has *role*, or is an admin."""
        if role not in self.roles and not self.admin:
            raise Forbidden(role)


OPERATOR = Caller.holding((), roles=(WRITER, ADMIN))
"""The caller where nobody is asked who they are: mode none, and an engine opened in the same process."""
