"""A version made whole again: what was changed joins the large arrays, and what no row names any more is left out.

Versions share arrays that only grow, with what changed beside them. A merged version is equal in every answer, row for row,
and shares nothing: texts, keywords, links and edge documents that were replaced or deleted are gone, so that
edges may have other keys, in the same order. Rows of ids, reader sets, classes of rows and edges, and types stay.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.adjacency import Adjacency
from passageway_server.columns.by_row import ByRow
from passageway_server.columns.growing import Growing
from passageway_server.columns.links import Links
from passageway_server.columns.nodes import Docs, Nodes
from passageway_server.columns.properties import Column
from passageway_server.columns.ranges import counted
from passageway_server.columns.readers import ReaderSets
from passageway_server.columns.row_sets import RowSets, numbers_of, pairs_of, rows_of
from passageway_server.columns.standing import in_slots, stand_in
from passageway_server.columns.stored import are_docs, link_keys, link_positions
from passageway_server.columns.strings import Strings
from passageway_server.columns.terms import Terms
from passageway_server.values.collections import Kind
from passageway_server.version import derive, wording
from passageway_server.version.contents import Contents
from passageway_server.version.tallies import Unjoined
from passageway_server.version.version import Version
from passageway_server.version.weighted import Ways

_TEXTS = ("name", "content", "breadcrumb")
_SPARE = 8  # of so many documents one may be dead, and none is worth a copy of all

_Value = TypeVar("_Value", bound=np.generic)


def merged(version: Version) -> Version:
    """*version* in whole arrays without what no row names; the same object where it is that."""
    kept = _Kept.by(version)
    if kept.all and _is_whole(version):
        return version
    contents = version.contents
    ways = None
    if "ways" in version.known:
        ways = Ways(_way(version.out, kept), _way(version.into, kept))
    whole = Version(
        version.identity,
        replace(
            contents,
            nodes=_nodes(contents.nodes, kept),
            docs=_docs(contents, kept, None if ways is None else ways.out),
            links=_links(contents.links, kept.links),
            texts=_strings(contents.texts, kept.texts),
            keywords=_keywords(contents.keywords, kept.keywords),
            readers=_readers(contents.readers, kept),
        ),
    )
    if whole.readers is version.readers:
        whole.touched = version.touched
    for name in ("gating", "rank", "ranking", "counts"):
        if name in version.known:
            whole.known[name] = version.known[name]
    if "spans" in version.known:
        whole.known["spans"] = RowSets(version.spans.whole)
    if "unjoined" in version.known:
        pairs = version.loose.whole
        loose = pairs_of(rows_of(pairs), kept.renamed(numbers_of(pairs)))
        whole.known["unjoined"] = Unjoined(RowSets(loose), version.dangling)
    if "words" in version.known:
        whole.known["words"] = wording.merged(version.words, contents)
    if ways is not None:
        whole.known["ways"] = ways
    return whole


@dataclass(frozen=True, slots=True)
class _Some:
    """The numbers that are kept, ascending, and the new number of each old one; neither where all are."""

    all: bool
    numbers: NDArray[np.int64]
    new: NDArray[np.int32]

    @classmethod
    def where(cls, kept: NDArray[np.bool_]) -> "_Some":
        if kept.all():
            return _EVERY
        return cls(False, np.flatnonzero(kept), counted(kept)[:-1].astype(np.int32))

    @classmethod
    def named(cls, count: int, named: list[NDArray[np.int32]]) -> "_Some":
        kept = np.zeros(count, dtype=np.bool_)
        for numbers in named:
            kept[numbers] = True
        return cls.where(kept)

    def renamed(self, numbers: NDArray[np.int32]) -> NDArray[np.int32]:
        """The new numbers of those that are kept."""
        return numbers if self.all else self.new[numbers]


_EVERY = _Some(True, np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32))
"""All, under the numbers that they have."""


@dataclass(frozen=True, slots=True)
class _Kept:
    """What rows name."""

    texts: _Some
    keywords: _Some
    links: _Some
    docs: _Some

    @classmethod
    def by(cls, version: Version) -> "_Kept":
        """What rows of *version* name."""
        nodes, docs, links = version.nodes, version.docs, version.links
        columns = [*nodes.properties.values(), *docs.properties.values()]
        source = links.source.array
        live = derive.live_links(nodes, np.arange(len(source)), source)
        alive = docs.alive.whole
        if _SPARE * (len(alive) - int(np.count_nonzero(alive))) <= len(alive):
            alive = np.ones(len(alive), dtype=np.bool_)
        return cls(
            texts=_Some.named(len(version.texts), _named_texts(nodes, columns)),
            keywords=_Some.named(len(version.keywords), _held(columns, Kind.KEYWORD)),
            links=_Some.where(live),
            docs=_Some.where(alive),
        )

    @property
    def all(self) -> bool:
        return all(some.all for some in (self.texts, self.keywords, self.links, self.docs))

    def renamed(self, keys: NDArray[np.int32]) -> NDArray[np.int32]:
        """The keys that the edges of *keys* have from now on: the same object where they keep them."""
        if self.links.all and self.docs.all:
            return keys
        of_docs = are_docs(keys)
        links = keys[~of_docs]
        new = np.empty(len(keys), dtype=np.int32)
        new[of_docs] = self.docs.renamed(keys[of_docs])
        new[~of_docs] = link_keys(self.links.renamed(link_positions(links)), links > 0)
        return new


def _is_whole(version: Version) -> bool:
    columns = (*version.nodes.properties.values(), *version.docs.properties.values())
    if "ways" in version.known and not stand_in(version.docs, version.out):
        return False
    if "words" in version.known and not version.words.is_whole(wording.fields_of(version.contents)):
        return False
    if not (version.nodes.ids.is_whole and version.docs.ids.is_whole):
        return False
    arrays = (*version.nodes.by_row().values(), *(column.at for column in columns))
    if any(column.sparse for column in columns):
        return False
    return version.delta_size == 0 and all(array.settled() is array for array in arrays)


def _named_texts(nodes: Nodes, columns: list[Column]) -> list[NDArray[np.int32]]:
    empty = np.zeros(1, dtype=np.int32)
    rows: list[NDArray[np.int32]] = [getattr(nodes, name).whole for name in _TEXTS]
    return [empty, *rows, *_held(columns, Kind.TEXT)]


def _held(columns: list[Column], kind: Kind) -> list[NDArray[np.int32]]:
    """The values that rows hold in the *columns* of a kind."""
    held: list[NDArray[np.int32]] = []
    for column in columns:
        if column.kind == kind:
            entries = column.at.whole
            positions = column.positions(entries[entries >= 0])
            held.append(cast(NDArray[np.int32], column.values[positions]))
    return held


def _nodes(nodes: Nodes, kept: _Kept) -> Nodes:
    arrays = {name: _whole(array) for name, array in nodes.by_row().items()}
    if not kept.links.all:
        # A row without links begins anywhere; no link is behind the last.
        new = np.append(kept.links.new, 0)
        first = np.where(nodes.link_count.whole > 0, new[nodes.first_link.whole], 0)
        arrays["first_link"] = ByRow.of(first.astype(np.int32)).settled()
    if not kept.texts.all:
        for name in _TEXTS:
            arrays[name] = ByRow.of(kept.texts.new[arrays[name].whole]).settled()
    return Nodes(_settled(nodes.ids), _columns(nodes.properties, kept), **arrays)


def _docs(contents: Contents, kept: _Kept, out: Adjacency | None) -> Docs:
    """The documents in the slots of *out*, as they are *kept*; in arrays where nothing is derived."""
    docs = contents.docs
    columns = _columns(docs.properties, kept)
    if kept.docs.all:
        ids, rows = _settled(docs.ids), None
    else:
        ids, rows = docs.ids.chosen(kept.docs.numbers), kept.docs.numbers
        columns = {name: column.chosen(rows) for name, column in columns.items()}
    if out is not None:
        return Docs(ids, columns, **in_slots(docs, out, contents.edge_classes, rows))
    arrays = {name: _whole(array) for name, array in docs.by_row().items()}
    if rows is not None:
        arrays = {name: ByRow.of(array[rows]) for name, array in arrays.items()}
    return Docs(ids, columns, **arrays)


def _columns(columns: Mapping[str, Column], kept: _Kept) -> dict[str, Column]:
    numbers = {Kind.TEXT: kept.texts, Kind.KEYWORD: kept.keywords}

    def column_of(column: Column) -> Column:
        some = numbers.get(column.kind)
        if some is None or some.all:
            return column.settled()
        return column.renumbered(some.new)

    return {name: column_of(column) for name, column in columns.items()}


def _whole(array: ByRow[_Value]) -> ByRow[_Value]:
    """*array*, patched no more."""
    return array.settled()


def _settled(terms: Terms) -> Terms:
    """*terms*, all of which are looked up in one place."""
    if terms.is_whole:
        return terms
    return Terms(terms.strings, terms.whole, vocabularies=terms.vocabularies)


def _readers(readers: ReaderSets, kept: _Kept) -> ReaderSets:
    """*readers*, and where edge documents have other rows from now on, an equal set: by it versions are told apart
    whose rows are found by their ids alone.
    """
    return readers if kept.docs.all else ReaderSets.from_arrays(readers.arrays())


def _strings(strings: Strings, kept: _Some) -> Strings:
    return strings if kept.all else strings.chosen(kept.numbers)


def _keywords(keywords: Terms, kept: _Some) -> Terms:
    return _settled(keywords) if kept.all else keywords.chosen(kept.numbers)


def _links(links: Links, kept: _Some) -> Links:
    if kept.all:
        return links
    source, target, field = (
        part.array[kept.numbers] for part in (links.source, links.target, links.field)
    )
    return Links(Growing(source), Growing(target), Growing(field))


def _way(adjacency: Adjacency, kept: _Kept) -> Adjacency:
    whole = adjacency.merged()
    stored = kept.renamed(whole.stored)
    if stored is whole.stored:
        return whole
    stored.flags.writeable = False
    return replace(whole, stored=stored)
