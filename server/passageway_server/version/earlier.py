"""Arrays of snapshots of formats 1 and 2, brought to the form that format 3 has.

In those an edge document kept its row when it was deleted and put again, and a number said where it stands; edges were
numbered without gaps, and an array of codes said what each is. A slot of an adjacency held the type and the reader set of the edge,
and what a document holds stood in arrays of its own. Adjacencies are taken over, under the keys of their edges and with their
classes.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns import packed
from passageway_server.columns.adjacency import Adjacency
from passageway_server.columns.by_row import ByRow
from passageway_server.columns.edge_classes import EdgeClasses
from passageway_server.columns.hashed import Hashed
from passageway_server.columns.in_slots import InSlots
from passageway_server.columns.nodes import DOC_FILL, SPAN, Docs
from passageway_server.columns.readers import ANYONE
from passageway_server.columns.row_sets import pairs_of
from passageway_server.columns.stored import link_keys
from passageway_server.columns.strings import Strings
from passageway_server.columns.terms import Terms

Arrays = dict[str, NDArray[Any]]


def brought_up(arrays: Mapping[str, NDArray[Any]]) -> Mapping[str, NDArray[Any]]:
    """*arrays* as format 3 has them; those of format 3 as they are.

    What an earlier format did not store is left out, and will be derived.
    """
    if "docs.number" not in arrays:
        return arrays
    new = dict(arrays)
    for name in [name for name in new if name.endswith(".hashes")]:
        _hash_anew(new, name.removesuffix(".hashes"))
    _class_edges(new)
    row_of = _put_in_order(new)
    if len(new["docs.ids.heap"]) < 1 << 32:
        new["docs.ids.bounds"] = new["docs.ids.bounds"].astype(np.uint32)
    keys = _keys(new, new.pop("derived.codes"), row_of)
    for way in ("out", "into"):
        new[f"derived.{way}.stored"] = keys[arrays[f"derived.{way}.stored"]]
    _stand_in_slots(new)
    offsets, spans = new.pop("derived.spans.offsets"), new.pop("derived.spans.rows")
    parents = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    new["derived.spans"] = np.sort(pairs_of(parents, spans))
    if "derived.gates.retired" in new:  # format 1: without what retires a class
        for name in [name for name in new if name.startswith("derived.gates.")]:
            del new[name]
    return new


def _class_edges(arrays: Arrays) -> None:
    """Give the slots of *arrays* the classes of their edges, and say what each class stands for."""
    alive, fields = arrays["docs.alive"], np.unique(arrays["links.field"])
    classes = EdgeClasses.none().interned(
        np.concatenate((arrays["docs.type"][alive], fields)),
        np.concatenate((arrays["docs.readers"][alive], np.full(len(fields), ANYONE))),
    )
    arrays |= {f"edge_classes.{name}": array for name, array in classes.arrays().items()}
    for way in ("out", "into"):
        types, gates = (arrays.pop(f"derived.{way}.{name}") for name in ("types", "gates"))
        arrays[f"derived.{way}.classes"] = classes.numbers(types, gates)


def _hash_anew(arrays: Arrays, terms: str) -> None:
    """Give *terms* the hashes of this format: earlier ones had another function, of twice the bits."""
    strings = Strings.from_arrays({name: arrays[f"{terms}.{name}"] for name in ("heap", "bounds")})
    hashed = Hashed.of(packed.hashes_of(strings), np.arange(len(strings), dtype=np.int32))
    arrays[f"{terms}.hashes"], arrays[f"{terms}.order"] = hashed.hashes, hashed.order


def _put_in_order(arrays: Arrays) -> NDArray[np.int32]:
    """Put the documents of *arrays* in stored order, which their rows give from now on; the new row of each."""
    number = arrays.pop("docs.number")
    order = np.argsort(number, kind="stable")
    row_of = np.empty(len(order), dtype=np.int32)
    row_of[order] = np.arange(len(order), dtype=np.int32)
    if (np.diff(order) > 0).all():
        return row_of
    for name in list(arrays):
        if name.startswith("docs.properties.") and name.endswith(".at"):
            arrays[name] = arrays[name][order]
    for name in ("alive", "source", "target", "type", "weight", "readers"):
        arrays[f"docs.{name}"] = arrays[f"docs.{name}"][order]
    ids = Strings.from_arrays({name: arrays[f"docs.ids.{name}"] for name in ("heap", "bounds")})
    for name, array in ids.chosen(order).arrays().items():
        arrays[f"docs.ids.{name}"] = array
    arrays["docs.ids.order"] = row_of[arrays["docs.ids.order"]]
    return row_of


def _stand_in_slots(arrays: Arrays) -> None:
    """Put in the place of what documents hold where each stands in the adjacency."""
    columns = {name: ByRow.of(arrays.pop(f"docs.{name}")) for name in DOC_FILL}
    prefix = "derived.out."
    out = {n.removeprefix(prefix): array for n, array in arrays.items() if n.startswith(prefix)}
    classes = EdgeClasses.from_arrays(
        {name: arrays[f"edge_classes.{name}"] for name in ("types", "gates")}
    )
    docs = Docs(Terms.of(), {}, **columns)
    standing = InSlots.of(docs, Adjacency.from_arrays(out), classes)
    arrays |= {f"docs.{name}": array for name, array in standing.arrays().items()}


def _keys(arrays: Arrays, codes: NDArray[np.int32], row_of: NDArray[np.int32]) -> NDArray[np.int32]:
    """By stored number of an earlier format: the key of the edge."""
    keys = np.empty(len(codes), dtype=np.int32)
    is_doc = codes >= 0
    keys[is_doc] = row_of[codes[is_doc]]
    positions = ~codes[~is_doc]
    of_spans = arrays["nodes.kind"][arrays["links.source"][positions]] == SPAN
    keys[~is_doc] = link_keys(positions, of_spans)
    return keys
