"""Who is calling: a name, the principals it holds, its roles, and for whom it asks.

Principals decide which rows it reads, roles which calls it may make. An admin reads every row. What is asked for an audience
as well is answered with what each set of the audience may read too, whoever asks.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from passageway_server.columns.readers import parts
from passageway_server.errors import BeforeAudience, Forbidden
from passageway_server.values.principals import PUBLIC, user

READER, WRITER, ADMIN, DELEGATE = "reader", "writer", "admin", "delegate"

ROLES = frozenset({READER, WRITER, ADMIN, DELEGATE})
"""The roles there are; every caller is a reader."""


@dataclass(frozen=True, slots=True)
class Caller:
    """A caller as the gates see it; ``principals`` and each set of ``audiences`` hold ``public``, ``roles`` holds ``reader``."""

    sub: str
    principals: frozenset[str]
    roles: frozenset[str]
    audiences: tuple[frozenset[str], ...] = ()

    @classmethod
    def known(cls, sub: str, *, principals: Iterable[str], roles: Iterable[str]) -> "Caller":
        """The user *sub*, who holds ``public``, its own principal, and *principals*."""
        held = frozenset({PUBLIC, user(sub), *principals})
        return cls(sub, held, frozenset({READER, *roles}))

    @classmethod
    def holding(cls, principals: Iterable[str], *, roles: Iterable[str] = ()) -> "Caller":
        """A caller without a name, who holds ``public`` and *principals*."""
        return cls("", frozenset({PUBLIC, *principals}), frozenset({READER, *roles}))

    def before(self, audiences: Sequence[Iterable[str]]) -> "Caller":
        """This caller, whose answers each of *audiences* reads, who hold ``public`` and what is listed."""
        return replace(self, audiences=tuple(frozenset({PUBLIC, *each}) for each in audiences))

    def holding_both(self, other: "Caller") -> "Caller":
        """This caller with those principals alone that *other*, the same caller, has too; likewise of each audience."""
        if (self.principals, self.audiences) == (other.principals, other.audiences):
            return self
        audiences = zip(self.audiences, other.audiences, strict=True)
        return replace(
            self,
            principals=self.principals & other.principals,
            audiences=tuple(mine & theirs for mine, theirs in audiences),
        )

    @property
    def alone(self) -> "Caller":
        """This caller without its audiences, which have no say in what it writes."""
        return replace(self, audiences=()) if self.audiences else self

    @property
    def admin(self) -> bool:
        """Whether it reads every row, and is shown who may: an admin, unless others read the answer too."""
        return ADMIN in self.roles and not self.audiences

    @property
    def writer(self) -> bool:
        """Whether it may load and apply; an admin may."""
        return WRITER in self.roles or ADMIN in self.roles

    @property
    def identity(self) -> str:
        """Who asks, and for whom, in one text: the name, or the principals where there is none, and the audiences.

        It tells callers apart to whom the same question may be answered differently, whatever roles and groups they have
        at the time.
        """
        who = self.sub or sorted(self.principals)
        audiences = sorted(sorted(each) for each in self.audiences)
        return json.dumps([who, ADMIN in self.roles, audiences])

    def require(self, role: str) -> None:
        """Raise `Forbidden` unless it has *role*, or is an admin.

        An audience does not count but where *role* is admin: what an admin alone may ask tells of all rows, and of settings
        that name their readers. Then it is `BeforeAudience`.
        """
        if role not in self.roles and ADMIN not in self.roles:
            raise Forbidden(role)
        if role == ADMIN and self.audiences:
            raise BeforeAudience(role)

    def holds_any(self, readers: Iterable[str]) -> bool:
        """Whether it holds one of *readers*, and each of its audiences does; an admin itself holds all."""
        wanted = [parts(reader) for reader in readers]
        sets = self.audiences if ADMIN in self.roles else (self.principals, *self.audiences)
        return all(any(held.issuperset(reader) for reader in wanted) for held in sets)


OPERATOR = Caller.holding((), roles=(WRITER, ADMIN))
"""The caller where nobody is asked who they are: mode none, and an engine opened in the same process."""
