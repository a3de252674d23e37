"""A version: one immutable state of a collection, and what is worked out from it.

What was put is held in the arrays that the constructor takes. Everything else (gates, adjacency, ranks, spans) follows from
them, is worked out when first asked for, and kept.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import cast

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.adjacency import Adjacency
from passageway_server.columns.by_row import ByRow
from passageway_server.columns.edge_list import EdgeList
from passageway_server.columns.gates import Gates
from passageway_server.columns.nodes import NODE, SPAN, Docs
from passageway_server.columns.row_sets import RowSets, numbers_of
from passageway_server.columns.since import Slotted
from passageway_server.columns.standing import begun, in_slots
from passageway_server.columns.words.index import Words
from passageway_server.values.halt import UNHALTED, Halt
from passageway_server.version import derive
from passageway_server.version.changes import Past, Touched
from passageway_server.version.contents import Contents
from passageway_server.version.derived import Deriving, derived
from passageway_server.version.gating import Gating
from passageway_server.version.ranking import Ranking
from passageway_server.version.tallies import Counts, Unjoined
from passageway_server.version.tokens import token_of
from passageway_server.version.weighted import Ways, Weighted
from passageway_server.version.wording import words_of


@dataclass(frozen=True, slots=True)
class Identity:
    """Which version this is: the collection's incarnation, and the number of the commit."""

    line: str  # 20 hex digits: which collection it is, and which opening of it (tokens.py)
    number: int
    created_at: datetime  # of the collection

    @property
    def token(self) -> str:
        """What callers name the version by: opaque, of one width."""
        return token_of(self.line, self.number)


class Version(Deriving):
    """One immutable state. Its arrays are described in docs/architecture.md."""

    of_readers = frozenset({"edges", "loops"})

    def __init__(
        self, identity: Identity, contents: Contents, *, put_readers: ByRow[np.int32] | None = None
    ) -> None:
        """With *put_readers* edge documents were put with these readers, and not with those of *contents*."""
        super().__init__()
        self.identity = identity
        self.contents = contents
        self.past: Past | None = None  # what it is derived from, until it is
        self.touched: Touched | None = None
        """The rows whose readers may be others by its commit, and edge documents; None where that may be any."""
        self.token = identity.token
        self.settings = contents.settings
        self.field_readers: Mapping[str, tuple[str, ...]] = {
            field.name: field.readers for field in contents.settings.fields if field.readers
        }
        """Whom each field is for that is not for everybody; of a view of an older version, declared in it or not."""
        self._put_readers = put_readers
        self.fields = contents.fields
        self.edge_fields = contents.edge_fields
        self.nodes = contents.nodes
        self.docs = contents.docs
        self.links = contents.links
        self.types = contents.types
        self.statuses = contents.statuses
        self.projects = contents.projects
        self.edge_types = contents.edge_types
        self.edge_classes = contents.edge_classes
        self.keywords = contents.keywords
        self.texts = contents.texts
        self.readers = contents.readers

    @derived
    def gating(self) -> Gating:
        """The gates, as the writer goes on from them."""
        return Gating.of(self.contents)

    @property
    def gates(self) -> Gates:
        """The gate class of every row."""
        return self.gating.gates

    @derived
    def edges(self) -> EdgeList:
        """All edges that do not dangle, self-loops included, in stored order."""
        keys = derive.all_keys(self.contents)
        return self.edges_at(keys[derive.ends(self.contents, keys).whole])

    def edges_at(self, keys: NDArray[np.integer]) -> EdgeList:
        """The edges of *keys*, in their order: the cost is theirs alone."""
        return derive.edge_list(self.contents, keys)

    def weights_at(self, keys: NDArray[np.integer]) -> NDArray[np.float64]:
        """The effective weights of the edges of *keys*: the cost is theirs alone."""
        return derive.weights(self.contents, keys)

    @derived
    def ways(self) -> Ways:
        """The edges of each row, by source and by target."""
        keys, sources, loose, ends = derive.survey(self.contents)
        self.remember("unjoined", lambda: Unjoined.of(loose, ends))

        def taken(places: NDArray[np.int64]) -> Slotted:
            return self.edges_at(keys[places]).directed(reverse=False)[1]

        out = Adjacency.of(sources, taken, rows=len(self.nodes))
        self._stand_in(out)
        return Ways(out, out.turned())

    def _stand_in(self, out: Adjacency) -> None:
        """Hold the edge documents in the slots of *out*, which was built of them: they are the same, and take less."""
        docs = self.docs
        self._hold(Docs(docs.ids, docs.properties, **in_slots(docs, out, self.edge_classes)))

    def stand_with(self, put: Docs, held: Docs) -> None:
        """Hold the edge documents where *held* has them: those of a later version, which had them as *put* first."""
        docs = begun(self.docs, put, held)
        if docs is not None:
            self._hold(docs)

    def _hold(self, docs: Docs) -> None:
        self.contents = replace(self.contents, docs=docs)
        self.docs = docs

    @property
    def doc_readers(self) -> ByRow[np.int32]:
        """The own readers of edge documents as they were put, which answers show; those of ``docs`` decide who reads."""
        return self.docs.readers if self._put_readers is None else self._put_readers

    @property
    def out(self) -> Adjacency:
        """The edges of each row, by source."""
        return self.ways.out

    @property
    def into(self) -> Adjacency:
        """The edges of each row, by target."""
        return self.ways.into

    @derived
    def unjoined(self) -> Unjoined:
        """The edges that are in no adjacency."""
        survey = derive.survey(self.contents)
        return Unjoined.of(survey.loose, survey.ends)

    @property
    def loose(self) -> RowSets:
        """By row: the keys of the edges at it that lack an end, or are self-loops."""
        return self.unjoined.loose

    @property
    def dangling(self) -> int:
        """How many edges, links and span edges included, lack an end."""
        return self.unjoined.dangling

    @derived
    def loops(self) -> NDArray[np.int32]:
        """The keys of the edges that are self-loops of a row that stands, ascending."""
        keys = np.unique(numbers_of(self.loose.whole))
        ends = derive.ends(self.contents, keys)
        loops: NDArray[np.int32] = keys[ends.whole & (ends.sources == ends.targets)]
        return loops

    @derived
    def ranking(self) -> Ranking:
        """The ids by code point, as the writer goes on from them."""
        rank = cast(NDArray[np.int32] | None, self.known.get("rank"))
        return Ranking.of(self.nodes.ids) if rank is None else Ranking.adopted(rank)

    @derived
    def rank(self) -> NDArray[np.int32]:
        """By row: a number that ascends with its id, by code point."""
        return self.ranking.rank

    @derived
    def spans(self) -> RowSets:
        """By row: the spans that were cut from it."""
        return derive.spans(self.nodes)

    def spans_of(self, row: int) -> NDArray[np.int32]:
        """The rows of the spans that were cut from *row*, by index, then id, whoever may read them."""
        spans = self.spans.at(np.array([row]))
        in_order: NDArray[np.int32] = spans[np.lexsort((self.rank[spans], self.nodes.index[spans]))]
        return in_order

    def weighted(self, name: str, halt: Halt = UNHALTED) -> Ways:
        """The adjacencies with the numeric edge property *name* as weight, kept for the latest properties.

        Edges without it, links and span edges, lists and negative values are left out. Raises
        DeadlineExceeded, Cancelled.
        """
        kept = self.remember(Weighted, lambda: Weighted(own=self.out.nbytes + self.into.nbytes))
        return kept.of(name, lambda: self._weighted(name, halt), halt)

    def _weighted(self, name: str, halt: Halt) -> Ways:
        edges = derive.reweighted(self.edges, self.docs.properties.get(name))
        halt.spent()  # for what it raises: half of the ways are none
        out = Adjacency.build(edges, rows=len(self.nodes), reverse=False)
        halt.spent()
        return Ways(out, out.turned())

    @derived
    def words(self) -> Words:
        """The words of all texts that are searched."""
        return words_of(self.contents)

    @derived
    def counts(self) -> Counts:
        """How much it holds, whoever may read it."""
        kind, docs = self.nodes.kind.whole, self.docs
        return Counts(
            nodes=int(np.count_nonzero(kind == NODE)),
            edges=int(np.count_nonzero(docs.alive.whole)),
            passages=int(np.count_nonzero(kind == SPAN)),
        )

    @property
    def is_derived(self) -> bool:
        """Whether it holds what every walk needs, worked out."""
        known = self.known
        return "gating" in known and "ways" in known and ("rank" in known or "ranking" in known)

    def prepare(self) -> "Version":
        """Work out what every walk needs, so that no reader waits for it."""
        _ = self.gating, self.ways, self.unjoined, self.rank, self.spans, self.counts, self.words
        return self

    @property
    def delta_size(self) -> int:
        """How many rows, edges and strings stand beside the arrays that were made whole, those that are no more included."""
        tables = (self.nodes.kind.patches, self.docs.alive.patches)
        terms = (self.nodes.ids, self.docs.ids)
        size = sum(patches.size for patches in tables) + sum(len(one.recent) for one in terms)
        if "words" in self.known:
            size += self.words.delta_size
        if self.is_derived:
            size += self.out.delta_size + self.spans.delta_size + self.loose.delta_size
        return size
