"""What the kernels know of texts and ids is what Python and the terms know."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from passageway_server.authz.callers import OPERATOR, Caller
from passageway_server.authz.gates import gates
from passageway_server.columns.hashed import short
from passageway_server.columns.hashing import hashes_of
from passageway_server.engine.ids import open_rows
from passageway_server.engine.kernels.cut import is_space
from passageway_server.values.collections import CollectionSettings
from passageway_server.values.queries import ReadOptions
from passageway_server.values.records import Batch, NodeRecord
from passageway_server.version.store import Store
from passageway_server.version.version import Version

ids = st.text(alphabet="abcé😀", min_size=1, max_size=3)


def version(readers: dict[str, str]) -> Version:
    """A version of nodes with one reader each."""
    collection = Store.open().create(CollectionSettings("c"))
    nodes = tuple(NodeRecord(id, readers=(reader,)) for id, reader in readers.items())
    collection.apply(Batch(put_nodes=nodes))
    return collection.current


def opened(kept: Version, asked: list[str], caller: Caller) -> list[str]:
    """The ids of the rows that *asked* stand for, "" where there is none."""
    scope = gates(kept, caller, ReadOptions(), 0).scope
    rows = open_rows(kept, scope, asked)
    assert rows.dtype == np.int32
    return [kept.nodes.ids[row] if row >= 0 else "" for row in rows.tolist()]


def test_white_space_is_what_python_takes_for_it() -> None:
    spaces = {chr(point) for point in range(0x110000) if chr(point).isspace()}
    others = {chr(point) for point in range(0x10000) if not 0xD800 <= point < 0xE000}

    found = {
        one for one in spaces | others if is_space(np.frombuffer(one.encode(), dtype=np.uint8), 0)
    }

    assert found == spaces


@given(
    st.dictionaries(ids, st.sampled_from(["public", "user:eve"]), max_size=20),
    st.lists(ids, max_size=20),
)
def test_an_id_opens_the_row_that_the_caller_may_see(
    readers: dict[str, str], asked: list[str]
) -> None:
    kept = version(readers)

    assert opened(kept, asked, OPERATOR) == [id if id in readers else "" for id in asked]
    assert opened(kept, asked, Caller.holding(())) == [
        id if readers.get(id) == "public" else "" for id in asked
    ]


def test_ids_of_one_hash_are_told_apart() -> None:
    drawn = [f"n{number}" for number in range(200_000)]
    halves = short(hashes_of([id.encode() for id in drawn]))
    order = halves.argsort()
    alike = (halves[order[1:]] == halves[order[:-1]]).nonzero()[0]
    known, asked = ([drawn[order[place + side]] for place in alike] for side in (0, 1))
    kept = version(dict.fromkeys([*known, asked[0]], "public"))

    assert len(known) > 1
    assert opened(kept, [*known, *asked], OPERATOR) == [*known, asked[0], *[""] * (len(known) - 1)]
    found = kept.nodes.ids.find_all([*known, *asked]).tolist()
    assert found == [kept.nodes.ids.find(id) for id in [*known, *asked]]
    assert [kept.nodes.ids[n] if n >= 0 else "" for n in found] == opened(
        kept, [*known, *asked], OPERATOR
    )
