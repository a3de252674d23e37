"""A collection's settings, what it counts, and its snapshots."""

from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum

_USUALLY_CITED = ("source", "url", "line_start", "line_end", "heading_path")


class Kind(IntEnum):
    """Kinds of fields, numbered as FieldKind in the contract."""

    UNSPECIFIED = 0
    KEYWORD = 1
    TEXT = 2
    INT = 3
    FLOAT = 4
    BOOL = 5
    TIME = 6
    VECTOR = 7
    LINK = 8


class Similarity(IntEnum):
    """How vectors are compared, numbered as Similarity in the contract; UNSPECIFIED means COSINE."""

    UNSPECIFIED = 0
    COSINE = 1
    DOT = 2


class Direction(IntEnum):
    """The way an edge is walked, numbered as Direction in the contract."""

    UNSPECIFIED = 0
    OUT = 1
    IN = 2
    BOTH = 3


@dataclass(frozen=True, slots=True)
class FieldDeclaration:
    """A declared field of nodes, spans and edge documents: its kind, and whether it may repeat.

    To a caller that holds none of its ``readers`` it does not exist; without any it goes with its row. A vector has so many
    ``dimensions``, other kinds 0, and is compared by its ``similarity``. In searches a text counts by its ``weight``, None for the
    usual one; its words are of its ``language``, "" for the collection's.
    """

    name: str
    kind: Kind
    repeated: bool = False
    readers: tuple[str, ...] = ()
    weight: float | None = None
    language: str = ""
    dimensions: int = 0
    similarity: Similarity = Similarity.UNSPECIFIED


@dataclass(frozen=True, slots=True)
class NodeType:
    name: str
    prefix: str = ""
    description: str = ""
    indexed: bool | None = None


@dataclass(frozen=True, slots=True)
class EdgeType:
    name: str
    description: str = ""
    default_weight: float | None = None
    agents_walk: Direction = Direction.UNSPECIFIED


@dataclass(frozen=True, slots=True)
class Route:
    source_type: str
    target_types: tuple[str, ...] = ()
    edge_types: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ontology:
    """The declared map: types and routes. It holds no rows."""

    node_types: tuple[NodeType, ...] = ()
    edge_types: tuple[EdgeType, ...] = ()
    routes: tuple[Route, ...] = ()


@dataclass(frozen=True, slots=True)
class Membership:
    """Which rows of the graph are principals of a caller: those that these edges lead to from its own node.

    ``{sub}`` in the template stands for the caller's name; ``max_depth`` None is 3 steps.
    """

    node_id_template: str
    edge_types: tuple[str, ...]
    max_depth: int | None = None


@dataclass(frozen=True, slots=True)
class CollectionSettings:
    """What an operator sets of a collection; ``retain_versions`` None keeps the latest 8 readable.

    Texts are in ``language``, "" for English, unless their field names another. ``citation_fields`` are as they were set: `cited`
    are those in use.
    """

    name: str
    description: str = ""
    fields: tuple[FieldDeclaration, ...] = ()
    ontology: Ontology = Ontology()
    default_readers: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
    membership: Membership | None = None
    retain_versions: int | None = None
    language: str = ""
    citation_fields: tuple[str, ...] = ()

    @property
    def cited(self) -> tuple[str, ...]:
        """The properties that say where a row comes from, in the order of citing."""
        return self.citation_fields or _USUALLY_CITED


@dataclass(frozen=True, slots=True)
class CollectionState:
    """A collection as an answer shows it; counts cover all rows, whoever may read them.

    Of a damaged one nothing is known but its name, and in ``damage`` what is wrong with it.
    """

    settings: CollectionSettings
    version: str
    nodes: int
    edges: int
    passages: int
    memory_bytes: int
    created_at: datetime | None
    damage: str = ""

    @classmethod
    def damaged(cls, name: str, damage: str) -> "CollectionState":
        """The state of a collection that cannot be served."""
        return cls(CollectionSettings(name), "", 0, 0, 0, 0, None, damage=damage)


@dataclass(frozen=True, slots=True)
class SnapshotState:
    """A named snapshot on disk."""

    collection: str
    name: str
    version: str
    bytes: int
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """What a commit answers: its version, and the edges (documents, links, mentions) that dangle.

    ``dangling_edges`` counts what the batch put and what has an end that does not exist after it.
    """

    version: str
    dangling_edges: int
