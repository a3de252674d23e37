"""Communities that are written as a test says, and what stands of them."""

import numpy as np

from passageway_server.columns.hashing import hashes_of
from passageway_server.columns.strings import Strings
from passageway_server.values.collections import CollectionSettings, FieldDeclaration
from passageway_server.values.records import Batch, EdgeRecord, NodeRecord, PassageRecord
from passageway_server.version.collection import Collection
from passageway_server.version.communities import Communities
from passageway_server.version.measures import Measured, Written
from tests.unit.version.making import collection, records

ABC = Batch(
    put_nodes=(
        NodeRecord("a", "t", "A", properties={"size": 3, "tags": ["x", "y"]}, links={"r": ("b",)}),
        NodeRecord("b", readers=("group:b",)),
        NodeRecord("c"),
    ),
    put_edges=(EdgeRecord("ab", "a", "b", weight=0.5),),
    put_passages=(PassageRecord("c#0", "c", 0),),
)


def filled(*fields: FieldDeclaration) -> Collection:
    kept = collection(CollectionSettings("c", default_readers=("public",), fields=fields))
    kept.apply(ABC)
    return kept


def rows(kept: Collection, ids: str) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return kept.current.nodes.ids.find_all(list(ids))


def community_id(members: str) -> str:
    """The id of the community of these members, each a letter."""
    return f"community:{members.encode().hex():0>16}"


def edge_id(community: str, member: str) -> str:
    """The id of the edge from a member to its community."""
    return f"{community}/{member.encode().hex():0>32}"


def partition(kept: Collection, name: str, *groups: str, readers: str = "public") -> Written:
    """The groups of ids as communities, whose ids spell their members."""
    members = "".join(groups)
    of = [number for number, group in enumerate(groups) for _ in group]
    ids = [community_id(group) for group in groups]
    edge_ids = [edge_id(ids[number], member) for number, member in zip(of, members, strict=True)]
    communities = Communities(
        of=np.array(of, dtype=np.int32),
        ids=ids,
        edge_ids=Strings.of(edge_ids),
        edge_hashes=hashes_of([id.encode() for id in edge_ids]),
        readers=(readers,),
    )
    return kept.measure(Measured(name, rows(kept, members), communities))


def belonging(kept: Collection) -> dict[str, str]:
    """The members of each community that stands, by the end of its id, as one word."""
    all_of_it = records(kept.current)
    several = {node.id: "" for node in all_of_it.put_nodes if node.type == "community"}
    for edge in all_of_it.put_edges:
        if edge.type == "BELONGS_TO":
            several[edge.target] += edge.source
    return {bytes.fromhex(id[10:]).decode().strip("\0"): word for id, word in several.items()}
