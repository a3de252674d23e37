"""What a version holds inside, in a form in which versions of the same contents are equal, however they came about."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.adjacency import Adjacency
from passageway_server.columns.words.part import Part
from passageway_server.version.statistics import Statistics
from passageway_server.version.version import Version


def inside(version: Version) -> dict[str, Any]:
    """Everything that is derived: by row, by place, by edge."""
    gates = version.gates
    classes = (gates.readers, gates.project, gates.retired_by, gates.expires)
    return {
        "gates": [part[gates.of].tolist() for part in classes],
        "expiry": gates.expiry.tolist(),
        "out": edges_of(version, version.out),
        "into": edges_of(version, version.into),
        "by id": np.argsort(version.rank).tolist(),
        "by rank": version.ranking.rows.tolist(),
        "spans": [version.spans_of(row).tolist() for row in range(len(version.nodes))],
        "loose": version.loose.whole.tolist(),
        "loops": version.loops.tolist(),
        "dangling": version.dangling,
        "counts": version.counts,
        "words": words_of(version),
        "statistics": statistics_of(version),
        "edges": meant(
            version, {name: getattr(version.edges, name) for name in version.edges.__slots__}
        ),
    }


def anew(version: Version) -> dict[str, Any]:
    """The same of a version of these contents of which nothing is known."""
    return inside(Version(version.identity, version.contents))


def edges_of(version: Version, adjacency: Adjacency) -> dict[str, list[Any]]:
    """The edges by row, in order."""
    return meant(version, adjacency.merged().arrays())


def words_of(version: Version) -> dict[tuple[str, str], list[tuple[int, int]]]:
    """By field and word: the rows that have it, and how often; as long as their lengths say, in all."""
    words = version.words
    found: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for field, lengths, parts in zip(words.fields, words.lengths, words.parts, strict=True):
        counted = np.zeros(len(version.nodes), dtype=np.int64)
        for part in parts:
            whole = Part.joined([part])
            np.add.at(counted, whole.rows, whole.counts)
            for number in whole.words.tolist():
                some = slice(*whole.slots(number))
                postings = zip(whole.rows[some].tolist(), whole.counts[some].tolist(), strict=True)
                found.setdefault((field.name, words.terms[number]), []).extend(postings)
        assert counted.tolist() == lengths.array.tolist()
    return {key: sorted(postings) for key, postings in found.items()}


def statistics_of(version: Version) -> dict[str, Any]:
    """What searches count, by what each gate class stands for."""
    kept, gates = version.remember(Statistics, lambda: Statistics.of(version)), version.gates
    classes = list(
        zip(
            gates.readers.tolist(),
            gates.project.tolist(),
            gates.retired_by.tolist(),
            strict=True,
        )
    )
    found: dict[str, Any] = {"apart": kept.apart.tolist()}
    named = {"rows": kept.rows}
    for field, held, words in zip(version.words.fields, kept.held, kept.words, strict=True):
        named |= {f"{field.name} held": held, f"{field.name} words": words}
    for name, counts in named.items():
        some = [
            (each, count) for each, count in zip(classes, counts.tolist(), strict=True) if count
        ]
        if some or name == "rows":
            found[name] = sorted(some)
    return found


def meant(version: Version, arrays: Mapping[str, NDArray[Any]]) -> dict[str, list[Any]]:
    """*arrays* of edges, with types and reader sets in place of the numbers of their classes."""
    found = {name: array.tolist() for name, array in arrays.items()}
    classes = found.pop("classes")
    return found | {
        "types": version.edge_classes.types[classes].tolist(),
        "gates": version.edge_classes.gates[classes].tolist(),
    }


def held(version: Version) -> dict[str, Any]:
    """What was put: every array by row and column, and what is found by ids."""
    nodes, docs = version.nodes, version.docs
    arrays = {
        f"{table} {name}": array.whole.tolist()
        for table, rows in (("nodes", nodes), ("docs", docs))
        for name, array in rows.by_row().items()
    }
    some = np.arange(len(nodes))[:: max(1, len(nodes) // 50)]
    assert all(
        array[some].tolist() == array.whole[some].tolist() for array in nodes.by_row().values()
    )
    ids = nodes.ids.take(np.arange(len(nodes)))
    assert nodes.ids.find_all(ids).tolist() == list(range(len(nodes)))
    alive = np.flatnonzero(docs.alive.whole)
    assert docs.ids.find_all(docs.ids.take(alive)).tolist() == alive.tolist()
    return {name: repr(values) for name, values in arrays.items()}
