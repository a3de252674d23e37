"""What is derived of a version, as the arrays that a snapshot stores, and back.

Opening takes them over instead of working them out. Kernels do not look at bounds, so that is done here.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.adjacency import Adjacency
from passageway_server.columns.ascending import united
from passageway_server.columns.gates import Gates
from passageway_server.columns.row_sets import RowSets, numbers_of
from passageway_server.columns.stored import are_known
from passageway_server.columns.words.index import Words
from passageway_server.version import derive
from passageway_server.version.gating import Gating
from passageway_server.version.tallies import Unjoined
from passageway_server.version.version import Version
from passageway_server.version.weighted import Ways
from passageway_server.version.wording import fields_of, merged

Arrays = dict[str, NDArray[Any]]


def derived_arrays(version: Version, out: Adjacency) -> Arrays:
    """What is derived and stored beside the contents, by name; what is not yet known is worked out.

    *out* is the edges by source, with nothing beside them.
    """
    gates = version.gates
    ways = {"out": out, "into": version.into.merged()}
    arrays: Arrays = {f"gates.{name}": getattr(gates, name) for name in gates.__slots__}
    for way, adjacency in ways.items():
        arrays |= {f"{way}.{name}": array for name, array in adjacency.arrays().items()}
    return arrays | {
        "rank": version.rank,
        "spans": version.spans.whole,
        "loose": version.loose.whole,
        **under("words", merged(version.words, version.contents).arrays()),
    }


def adopt(version: Version, derived: Mapping[str, NDArray[Any]], out: Adjacency) -> None:
    """Let *version* know what was stored under `derived_arrays`, and *out* among it.

    What earlier formats lack is left to be worked out. Raises ValueError where the arrays are not of one graph.
    """
    rows, docs, links = len(version.nodes), len(version.docs), len(version.links)
    classes = len(version.edge_classes)
    into = Adjacency.from_arrays(within(derived, "into"))
    for adjacency in (out, into):
        adjacency.check(rows=rows, docs=docs, links=links, classes=classes)
    if len(derived["rank"]) != rows:
        raise ValueError("derived arrays are of another number of rows")
    spans = RowSets.checked(derived["spans"], rows=rows)
    numbers = numbers_of(spans.whole)
    if numbers.min(initial=0) < 0 or numbers.max(initial=-1) >= rows:
        raise ValueError("a span that is not there")
    version.known |= {"ways": Ways(out, into), "rank": derived["rank"], "spans": spans}
    gates = within(derived, "gates")
    if gates:  # those of format 1 do not say what retires a class
        version.known["gating"] = _gating(Gates(**gates), rows)
    stored = within(derived, "words")  # since format 3
    words = Words.from_arrays(fields_of(version.contents), stored, rows=rows) if stored else None
    if words is not None:
        version.known["words"] = words
    if "loose" in derived:  # since format 3
        version.known["unjoined"] = _unjoined(version, derived["loose"])


def within(arrays: Mapping[str, NDArray[Any]], prefix: str) -> Arrays:
    """The arrays whose names begin with *prefix* and a dot, by the rest of their names."""
    start = len(prefix) + 1
    return {name[start:]: array for name, array in arrays.items() if name.startswith(f"{prefix}.")}


def under(prefix: str, arrays: Mapping[str, NDArray[Any]]) -> Arrays:
    """The inverse of `within`: *arrays* by their names behind *prefix* and a dot."""
    return {f"{prefix}.{name}": array for name, array in arrays.items()}


def _gating(gates: Gates, rows: int) -> Gating:
    if gates.of.max(initial=-1) >= len(gates.readers) or gates.of.min(initial=0) < 0:
        raise ValueError("a row of a gate class that is not there")
    if any(len(array) != rows for array in (gates.of, gates.expiry)):
        raise ValueError("gates are of another number of rows")
    return Gating.adopted(gates)


def _unjoined(version: Version, pairs: NDArray[np.int64]) -> Unjoined:
    loose = RowSets.checked(pairs, rows=len(version.nodes))
    keys = united(numbers_of(pairs))
    if not are_known(keys, docs=len(version.docs), links=len(version.links)).all():
        raise ValueError("an edge that is not there")
    return Unjoined(loose, derive.ends(version.contents, keys).dangling)
