"""An older version as it may be read today: its rows, by the readers that they had and by those that they have.

Who may read a row now is told by the newest version that has it: the newest of all, or, where it was deleted since, the last
one before. The same goes for the own readers of edge documents. Everything else of an older version is as it was, but for
the readers of fields, which are those of today alone.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.adjacency import Adjacency
from passageway_server.columns.edge_classes import EdgeClasses
from passageway_server.columns.gates import Gates
from passageway_server.columns.nodes import ABSENT
from passageway_server.columns.stored import are_docs
from passageway_server.values.collections import Kind
from passageway_server.version.gating import Gating
from passageway_server.version.latest import (
    Gone,
    Numbers,
    effective_readers,
    held_with,
    readers_now,
)
from passageway_server.version.touched import readers_now_of, touched_since
from passageway_server.version.version import Version
from passageway_server.version.weighted import Ways

_SHARED = ("spans", "unjoined", "counts", "rank", "ranking", "words")
"""What a view has from its version."""


@dataclass(frozen=True, slots=True)
class Narrowing:
    """What today's readers take away from an older version.

    Each of ``rows`` is for those alone who hold the set beside it in ``row_sets``, and so is each of the edge documents
    ``docs``. ``field_readers`` says whom each field is for, of those that are not for everybody.
    """

    rows: NDArray[np.int64]
    row_sets: Numbers
    docs: NDArray[np.int64]
    doc_sets: Numbers
    field_readers: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, chain: Sequence[Version], gone: Callable[[], Sequence[Gone]]) -> "Narrowing":
        """That of ``chain[0]`` by the versions after it, all up to the newest; *gone* finds what is between each two of them."""
        touched = touched_since(chain)
        if touched is None:
            return cls.of_all(chain, gone())
        version, sets = chain[0], chain[0].readers
        row_now, doc_now = readers_now_of(chain, touched)
        gates = version.gates
        row_was = gates.readers[gates.of[touched.rows]]
        doc_was = version.docs.readers[touched.docs]
        rows, docs = row_was != row_now, doc_was != doc_now
        return cls(
            touched.rows[rows].astype(np.int64),
            held_with(sets, row_was[rows], row_now[rows]),
            touched.docs[docs].astype(np.int64),
            held_with(sets, doc_was[docs], doc_now[docs]),
            _field_readers(chain),
        )

    @classmethod
    def of_all(cls, chain: Sequence[Version], gone: Sequence[Gone]) -> "Narrowing":
        """The same by a look at every row; *gone* is between each two versions."""
        version = chain[0]
        row_now, doc_now = readers_now(chain, gone)
        row_was, stands = effective_readers(version), version.nodes.kind.whole != ABSENT
        doc_was, alive = version.docs.readers.whole, version.docs.alive.whole
        rows = np.flatnonzero(stands & (row_was != row_now))
        docs = np.flatnonzero(alive & (doc_was != doc_now))
        sets = version.readers
        return cls(
            rows,
            held_with(sets, row_was[rows], row_now[rows]),
            docs,
            held_with(sets, doc_was[docs], doc_now[docs]),
            _field_readers(chain),
        )

    def same(self, other: "Narrowing") -> bool:
        """Whether it takes away what *other* does."""
        return self.field_readers == other.field_readers and all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in ("rows", "row_sets", "docs", "doc_sets")
        )

    def view(self, version: Version) -> Version:
        """*version*, which is prepared, without what is taken away from it; the same object where that is nothing."""
        nothing = not len(self.rows) and not len(self.docs)
        if nothing and self.field_readers == version.field_readers:
            return version
        docs = version.docs
        if len(self.docs):
            own = np.array(docs.readers.whole)
            own[self.docs] = self.doc_sets
            docs = replace(docs, readers=docs.readers.holding(own))
        classes = _reclassed(version, self.docs, self.doc_sets)
        contents = replace(version.contents, docs=docs, edge_classes=classes)
        view = Version(version.identity, contents, put_readers=version.doc_readers)
        view.field_readers = self.field_readers
        view.known |= {name: version.known[name] for name in _SHARED if name in version.known}
        view.known["gating"] = Gating.adopted(_regated(version.gates, self.rows, self.row_sets))
        view.known["ways"] = version.ways
        if len(self.docs):
            view.known["ways"] = Ways(*(_reowned(way, view, self.docs) for way in version.ways))
        return view


def readied(version: Version) -> Version:
    """*version*, prepared; where nobody had read it, another one of the same contents, which goes with who holds that."""
    if version.is_derived:
        return version.prepare()
    aside = Version(version.identity, version.contents)
    aside.known |= {name: version.known[name] for name in _SHARED if name in version.known}
    return aside.prepare()


def _field_readers(chain: Sequence[Version]) -> dict[str, tuple[str, ...]]:
    """Whom each field is for that a version of *chain* declares: as the last one says that does.

    Fields for everybody are left out, and links of ``chain[0]``, which nobody can declare.
    """
    readers: dict[str, tuple[str, ...]] = {}
    for before, version in zip([None, *chain], chain, strict=False):
        if before is None or before.settings.fields is not version.settings.fields:
            readers |= {field.name: field.readers for field in version.settings.fields}
    links = chain[0].fields.inferred
    return {
        name: several
        for name, several in readers.items()
        if several and links.get(name) != Kind.LINK
    }


def _regated(gates: Gates, rows: NDArray[np.int64], sets: Numbers) -> Gates:
    """*gates*, in which each of *rows* has the readers beside it in *sets*."""
    if not len(rows):
        return gates
    keys = np.stack([gates.of[rows], sets], axis=1)
    classes, place = np.unique(keys, axis=0, return_inverse=True)
    of = gates.of.copy()
    of[rows] = len(gates.readers) + place.reshape(-1)
    before, readers = classes[:, 0], classes[:, 1]
    narrowed = Gates(
        of=of,
        expiry=gates.expiry,
        readers=np.concatenate([gates.readers, readers]).astype(np.int32),
        project=np.concatenate([gates.project, gates.project[before]]),
        retired_by=np.concatenate([gates.retired_by, gates.retired_by[before]]),
        expires=np.concatenate([gates.expires, gates.expires[before]]),
    )
    for name in narrowed.__slots__:
        getattr(narrowed, name).flags.writeable = False
    return narrowed


def _reclassed(version: Version, docs: NDArray[np.int64], sets: Numbers) -> EdgeClasses:
    """The edge classes of *version*, and those of the edge documents *docs* with the readers beside them in *sets*."""
    if not len(docs):
        return version.edge_classes
    known = version.edge_classes
    return EdgeClasses.adopted(known.types, known.gates).interned(version.docs.type[docs], sets)


def _reowned(adjacency: Adjacency, view: Version, docs: NDArray[np.int64]) -> Adjacency:
    """*adjacency*, in which the edge documents *docs* are of the classes that they have in *view*."""
    whole = adjacency.merged()
    changed = np.zeros(len(view.docs), dtype=np.bool_)
    changed[docs] = True
    slots = np.flatnonzero(are_docs(whole.stored))
    slots = slots[changed[whole.stored[slots]]]
    keys = whole.stored[slots]
    classes = whole.classes.copy()
    classes[slots] = view.edge_classes.numbers(view.docs.type[keys], view.docs.readers[keys])
    classes.flags.writeable = False
    return replace(whole, classes=classes)
