"""What earlier formats stored of a version."""

from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.row_sets import numbers_of, rows_of
from passageway_server.columns.stored import are_docs, link_positions
from passageway_server.columns.strings import Strings
from passageway_server.version.persist import to_arrays
from passageway_server.version.version import Version

Arrays = dict[str, NDArray[Any]]


def as_format_2(version: Version, rng: Random) -> tuple[Arrays, dict[str, Any]]:
    """Documents in rows as they came, with numbers that say where each stands; edges without gaps, and their codes."""
    arrays, meta = to_arrays(version)
    docs = len(version.docs)
    for name in [name for name in arrays if name.startswith(("docs.slot", "docs.aside."))]:
        del arrays[name]
    arrays |= {f"docs.{name}": array.whole for name, array in version.docs.by_row().items()}
    row_of = np.array(rng.sample(range(docs), docs), dtype=np.int64)
    order = np.argsort(row_of)
    for name in list(arrays):
        is_array = name.startswith("docs.") and name.count(".") == 1
        if is_array or (name.startswith("docs.properties.") and name.endswith(".at")):
            arrays[name] = arrays[name][order]
    ids = Strings.from_arrays({part: arrays[f"docs.ids.{part}"] for part in ("heap", "bounds")})
    arrays |= {f"docs.ids.{name}": array for name, array in ids.chosen(order).arrays().items()}
    arrays["docs.ids.order"] = row_of[arrays["docs.ids.order"]].astype(np.int32)
    arrays["docs.number"] = np.where(arrays["docs.alive"], order, 0).astype(np.int64)
    keys = version.edges.stored
    is_doc = are_docs(keys)
    codes = ~link_positions(keys)
    codes[is_doc] = row_of[keys[is_doc]]
    arrays["derived.codes"] = codes
    for way in ("out", "into"):
        stored = keys.searchsorted(arrays[f"derived.{way}.stored"])
        arrays[f"derived.{way}.stored"] = stored.astype(np.int32)
        classes = arrays.pop(f"derived.{way}.classes")
        for name in ("types", "gates"):
            arrays[f"derived.{way}.{name}"] = arrays[f"edge_classes.{name}"][classes]
    spans, rows = arrays.pop("derived.spans"), len(version.nodes)
    degrees = np.bincount(rows_of(spans), minlength=rows)
    arrays["derived.spans.offsets"] = np.concatenate(([0], np.cumsum(degrees)))
    arrays["derived.spans.rows"] = numbers_of(spans)
    for name in ("derived.loose", "edge_classes.types", "edge_classes.gates"):
        del arrays[name]
    return arrays, meta


def as_format_1(version: Version, rng: Random) -> tuple[Arrays, dict[str, Any]]:
    """Settings without membership and readers of fields; gates that do not say what retires a class."""
    arrays, meta = as_format_2(version, rng)
    settings: Any = dict(meta["settings"])
    del settings["membership"]
    settings["fields"] = [
        {key: value for key, value in field.items() if key != "readers"}
        for field in settings["fields"]
    ]
    by = arrays.pop("derived.gates.retired_by")
    arrays["derived.gates.retired"] = (by != 0).astype(np.uint8)
    return arrays, {**meta, "settings": settings}
