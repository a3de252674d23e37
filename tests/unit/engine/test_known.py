"""Which fields a caller may name is not worked out again where a commit changed nothing of it."""

import pytest

from passageway_server.engine import holders
from passageway_server.engine.known import known_edge_fields, known_node_fields
from passageway_server.values.records import Batch, EdgeRecord, NodeRecord
from passageway_server.version.store import Store
from passageway_server.version.version import Version
from tests.unit.engine.bound import all_gates
from tests.unit.engine.drawn_filters import SETTINGS

SECRET = ("user:eve",)
PUT = Batch(
    put_nodes=(
        NodeRecord("a", properties={"tag": "x"}, links={"owns": ("b",)}),
        NodeRecord("b", properties={"size": 3}),
    ),
    put_edges=(EdgeRecord("e", "a", "b", "T", properties={"why": "x"}),),
)


def known_to_everybody(version: Version) -> set[str]:
    gate = all_gates(version).read
    names = ("tag", "size", "owns", "late")
    found = {name for name in names if name in known_node_fields(version, gate)}
    return found | {"why"} & set(known_edge_fields(version, gate))


def test_a_commit_elsewhere_leaves_what_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    collection = Store.open().create(SETTINGS)
    collection.apply(PUT)
    before = known_to_everybody(collection.current)
    collection.apply(Batch(put_nodes=(NodeRecord("b", name="new", properties={"size": 3}),)))

    def again(*_: object) -> None:
        pytest.fail("worked out again")

    monkeypatch.setattr(holders, "_distinct", again)
    gate = all_gates(collection.current).read

    assert before == {"tag", "size", "owns", "why"}
    assert "tag" in known_node_fields(collection.current, gate)


def test_a_commit_that_hides_or_adds_a_holder_changes_what_is_known() -> None:
    collection = Store.open().create(SETTINGS)
    collection.apply(PUT)
    first = collection.current
    known_to_everybody(first)
    hidden = NodeRecord("b", readers=SECRET, properties={"size": 3})
    collection.apply(Batch(put_nodes=(hidden,), delete_edges=("e",)))
    second = collection.current
    collection.apply(Batch(put_nodes=(NodeRecord("c", properties={"late": 1}),)))

    assert known_to_everybody(second) == {"tag"}
    assert known_to_everybody(collection.current) == {"tag", "late"}
    assert known_to_everybody(first) == {"tag", "size", "owns", "why"}
    assert known_to_everybody(second) == {"tag"}
