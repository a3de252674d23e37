"""Texts, keywords and links that no row names any more, left out.

Heaps only grow, so that versions can share them; what was replaced or deleted stays behind. A compacted version is equal in
every answer, row for row, and holds none of it. Rows of ids, reader sets and types stay.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.growing import Growing
from passageway_server.columns.links import Links
from passageway_server.columns.nodes import Nodes
from passageway_server.columns.properties import Column
from passageway_server.columns.strings import Strings
from passageway_server.columns.terms import Terms
from passageway_server.values.collections import Kind
from passageway_server.version import derive
from passageway_server.version.version import Version

_TEXTS = ("name", "content", "breadcrumb")
_DERIVED = ("gates", "out", "into", "edges", "rank", "_spans")  # what numbers of texts do not touch


def compacted(version: Version) -> Version:
    """*version* without what no row names; the same object where there is nothing to leave out."""
    contents = version.contents
    nodes, docs = contents.nodes, contents.docs
    columns = [*nodes.properties.values(), *docs.properties.values()]
    texts = _Kept.of(len(contents.texts), _named_texts(nodes, columns))
    keywords = _Kept.of(len(contents.keywords), _held(columns, Kind.KEYWORD))
    live = derive.live_links(nodes, contents.links.source.array)
    if texts.all and keywords.all and bool(live.all()):
        return version
    compact = Version(
        version.identity,
        replace(
            contents,
            nodes=_renumbered(nodes, live, texts, keywords),
            docs=replace(docs, properties=_columns(docs.properties, texts, keywords)),
            links=_links(contents.links, live),
            texts=Strings.of(contents.texts.take(texts.numbers)),
            keywords=Terms.of(contents.keywords.take(keywords.numbers)),
        ),
    )
    for name in _DERIVED:
        if name in version.known:
            compact.known[name] = version.known[name]
    return compact


@dataclass(frozen=True, slots=True)
class _Kept:
    """The numbers that are kept, ascending, and the new number of each old one."""

    numbers: NDArray[np.int64]
    new: NDArray[np.int32]

    @classmethod
    def of(cls, count: int, named: list[NDArray[np.int32]]) -> "_Kept":
        kept = np.zeros(count, dtype=np.bool_)
        for numbers in named:
            kept[numbers] = True
        return cls(np.flatnonzero(kept), (np.cumsum(kept) - 1).astype(np.int32))

    @property
    def all(self) -> bool:
        return len(self.numbers) == len(self.new)


def _named_texts(nodes: Nodes, columns: list[Column]) -> list[NDArray[np.int32]]:
    empty = np.zeros(1, dtype=np.int32)
    rows: list[NDArray[np.int32]] = [getattr(nodes, name) for name in _TEXTS]
    return [empty, *rows, *_held(columns, Kind.TEXT)]


def _held(columns: list[Column], kind: Kind) -> list[NDArray[np.int32]]:
    """The values that rows hold in the *columns* of a kind."""
    held: list[NDArray[np.int32]] = []
    for column in columns:
        if column.kind == kind:
            positions, _ = column.spread(column.at[column.at >= 0])
            held.append(cast(NDArray[np.int32], column.values[positions]))
    return held


def _renumbered(nodes: Nodes, live: NDArray[np.bool_], texts: _Kept, keywords: _Kept) -> Nodes:
    before = np.concatenate([[0], np.cumsum(live)])
    first = np.where(nodes.link_count > 0, before[nodes.first_link], 0).astype(np.int32)
    first.flags.writeable = False
    changed = {name: texts.new[getattr(nodes, name)] for name in _TEXTS}
    for array in changed.values():
        array.flags.writeable = False
    properties = _columns(nodes.properties, texts, keywords)
    return replace(nodes, first_link=first, properties=properties, **changed)


def _columns(columns: Mapping[str, Column], texts: _Kept, keywords: _Kept) -> dict[str, Column]:
    numbers = {Kind.TEXT: texts, Kind.KEYWORD: keywords}
    return {
        name: column.renumbered(numbers[column.kind].new) if column.kind in numbers else column
        for name, column in columns.items()
    }


def _links(links: Links, live: NDArray[np.bool_]) -> Links:
    source, target, field = (part.array[live] for part in (links.source, links.target, links.field))
    return Links(Growing(source), Growing(target), Growing(field))
