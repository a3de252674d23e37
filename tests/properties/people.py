"""Who asks about a random collection, and what in the collection makes them who they are: persons, groups, memberships.

In half of the collections the graph grants principals: a person's node leads to groups, groups lead to groups; nodes and
edges on the way may be hidden from everybody.
"""

from random import Random

from passageway.v1 import store_pb2, types_pb2
from tests.peers import Caller
from tests.properties.words import GROUPS, GROUPS_LINK, HIDDEN, MEMBER_OF, PRINCIPALS, TEMPLATES

READER, DELEGATE = frozenset({"reader"}), frozenset({"reader", "delegate"})
ADMIN = frozenset({"reader", "admin"})


class People:
    """The callers of one collection, and the ids that membership is about."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.granting = rng.random() < 0.5
        self._template = rng.choice(TEMPLATES)
        self.main = Caller(
            sub=rng.choice(("ada", "bob")),
            principals=frozenset(rng.sample(GROUPS, rng.randint(0, 1 if self.granting else 3))),
        )
        self.persons = [self._person(sub) for sub in ("ada", "bob", "eve")]
        self.groups = [*rng.sample(GROUPS, 3), rng.choice(("user:bob", "public", "team & two"))]

    def _person(self, sub: str) -> str:
        return self._template.replace("{sub}", sub)

    @property
    def ids(self) -> list[str]:
        """Of the persons and groups that the collection holds."""
        return [*self.persons, *self.groups] if self.granting else []

    @property
    def may_hold(self) -> frozenset[str]:
        """All that the main caller holds, or may come to hold by some membership."""
        return self.main.held | frozenset(GROUPS if self.granting else ())

    def membership(self) -> store_pb2.Collection.Membership | None:
        """What the settings say of it."""
        if not self.granting:
            return None
        rng = self.rng
        return store_pb2.Collection.Membership(
            node_id_template=self._template,
            edge_types=rng.sample((MEMBER_OF, GROUPS_LINK, "OWNS"), rng.choice((1, 2, 2, 3))),
            max_depth=rng.choice((None, None, 1, 2, 10)),
        )

    def add_groups(self, node: types_pb2.Node) -> None:
        """Lead a person or a group to groups."""
        if node.id in self.ids and self.rng.random() < 0.6:
            node.links[GROUPS_LINK].values.extend(self.rng.sample(self.groups, 2))

    def member_of(self, edge: types_pb2.Edge) -> None:
        """Make an edge lead from a person to a group, or from a group to another; some are nobody's to read."""
        rng = self.rng
        edge.source = rng.choice((*self.persons, *self.groups))
        edge.target, edge.type = rng.choice(self.groups), MEMBER_OF
        if rng.random() < 0.3:
            edge.readers[:] = [HIDDEN]

    def callers(self) -> list[Caller]:
        """The main caller, and another one: of little or all rights, who acts for somebody, or before an audience."""
        rng = self.rng
        eve = Caller(sub="eve", principals=frozenset(rng.sample(PRINCIPALS, 2)))
        admin = Caller(sub="root", roles=ADMIN)
        audiences = tuple(self._listed() for _ in range(rng.choice((1, 1, 2))))
        main, bridge = self.main, self._bridge()
        others = (
            eve,
            admin,
            bridge,
            Caller(main.sub, main.principals, main.roles, audiences=audiences),
            Caller(admin.sub, roles=ADMIN, audiences=audiences),
            Caller(bridge.sub, bridge.principals, bridge.roles, bridge.on_behalf_of, audiences[:1]),
        )
        return [main, rng.choice(others)]

    def _bridge(self) -> Caller:
        """One who acts for others; what it holds and may itself does not count."""
        rng = self.rng
        return Caller(
            sub="bridge",
            principals=frozenset(rng.sample(PRINCIPALS, 2)),
            roles=DELEGATE | (ADMIN if rng.random() < 0.3 else READER),
            on_behalf_of=self._listed() if rng.random() < 0.95 else frozenset(),
        )

    def _listed(self) -> frozenset[str]:
        """Principals that somebody lists: mostly the main caller's, and more."""
        rng = self.rng
        mine = sorted(self.main.held)
        listed = {*rng.sample(mine, rng.randint(1, len(mine))), *rng.sample(PRINCIPALS, 2)}
        if rng.random() < 0.5:
            listed.add(rng.choice(self.persons))
        return frozenset(listed)
