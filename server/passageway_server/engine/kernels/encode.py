"""Hits in protobuf's wire format, from the heaps that hold their texts: no string becomes a Python
object.

Of the contract the kernel knows nothing but the numbers of the fields. They are written as a
deterministic serializer does: in the order of `HitFields`, which ascends within each message, and
none that is empty.
"""

from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from passageway_server.columns.nodes import SPAN
from passageway_server.engine.kernels.arrays import I8, U1
from passageway_server.engine.kernels.compiling import Int, abandoned, direct, inlined, kernel
from passageway_server.engine.kernels.cut import SIGN, preview_end
from passageway_server.engine.kernels.fields import (
    bytes_size,
    double_size,
    number_size,
    put_bytes,
    put_double,
    put_head,
    put_number,
    put_text,
    put_varint_field,
    text_size,
    varint_field_size,
)
from passageway_server.values.answers import HitFields


class Heaps(NamedTuple):
    """The texts of a version."""

    ids: NDArray[np.uint8]
    id_bounds: NDArray[np.int64]
    types: NDArray[np.uint8]
    type_bounds: NDArray[np.int64]
    texts: NDArray[np.uint8]
    text_bounds: NDArray[np.int64]
    keywords: NDArray[np.uint8]
    keyword_bounds: NDArray[np.int64]


class Shown(NamedTuple):
    """What the hits show of their rows, by hit: which texts, and what a span is of."""

    types: NDArray[np.int32]
    names: NDArray[np.int32]
    bodies: NDArray[np.int32]  # of the texts, or ``~number`` of a keyword
    kinds: NDArray[np.uint8]
    parents: NDArray[np.int32]  # empty, like the next three, where no hit is a span
    indices: NDArray[np.int64]
    totals: NDArray[np.int64]
    breadcrumbs: NDArray[np.int32]


class Found(NamedTuple):
    """What a walk reached, by place; ``via`` is a place too, -1 on a seed, which has no way."""

    rows: NDArray[np.int32]
    scores: NDArray[np.int64]  # the bits of doubles
    hops: NDArray[np.uint8]
    via: NDArray[np.int32]
    ways: NDArray[np.uint8]


HEAPS = types.NamedTuple((U1, I8, U1, I8, U1, I8, U1, I8), Heaps)
_I4S, _I8S = types.int32[::1], types.int64[::1]
SHOWN = types.NamedTuple((_I4S, _I4S, _I4S, types.uint8[::1], _I4S, _I8S, _I8S, _I4S), Shown)
FOUND = types.NamedTuple(
    (types.int32[::1], types.int64[::1], types.uint8[::1], types.int32[::1], types.uint8[::1]),
    Found,
)
FIELDS = types.NamedUniTuple(types.int64, len(HitFields._fields), HitFields)


@inlined
def fetched(
    heaps: Heaps,
    shown: Shown,
    rows: NDArray[np.int32],
    places: NDArray[np.int32],
    budget: Int,
    stop: NDArray[np.uint8],
) -> int:
    """Look at all that the hits at *places* show; what comes back says nothing.

    Each text lies somewhere else in memory. Here one look does not wait for another, so that the
    memory is fetched for many at once; where hits are written, it is waited for one by one.
    """
    ids, id_bounds, texts, text_bounds = heaps.ids, heaps.id_bounds, heaps.texts, heaps.text_bounds
    names, bodies = shown.names, shown.bodies
    seen = 0
    for i in range(len(places)):
        seen += id_bounds[rows[places[i]]]
        seen += text_bounds[names[i]] + text_bounds[max(bodies[i], 0)]
    for i in range(len(places)):
        seen += ids[id_bounds[rows[places[i]]]]  # an id is not empty
        if text_bounds[names[i]] < text_bounds[names[i] + 1]:
            seen += texts[text_bounds[names[i]]]
    for i in range(len(places)):
        if abandoned(stop):
            break
        body = max(bodies[i], 0)
        start = text_bounds[body]
        for at in range(start, min(start + budget, text_bounds[body + 1]), 64):
            seen += texts[at]
    return int(seen)


@kernel(
    types.int64(
        HEAPS, SHOWN, FOUND, types.int32[::1], FIELDS,
        types.boolean, types.boolean, types.int64, types.boolean, types.uint8[::1], U1,
    )
)  # fmt: skip
def _encode_hits(
    heaps: Heaps,
    shown: Shown,
    found: Found,
    places: NDArray[np.int32],
    fields: HitFields,
    named: bool,
    previewed: bool,
    budget: int,
    scored: bool,
    out: NDArray[np.uint8],
    stop: NDArray[np.uint8],
) -> int:
    """Write the hits at *places*, in their order, and return how many bytes they take.

    Contents are cut to *budget* characters. Nothing is written behind *out*: where it is too short,
    or the call is over, what it holds is of no use.
    """
    (
        ids, id_bounds, types_, type_bounds, texts, text_bounds, keywords, keyword_bounds
    ) = heaps  # fmt: skip
    type_of, name_of, body_of, kind, parent_of, index_of, total_of, breadcrumb_of = shown
    rows, scores, hops, via, ways = found
    room = len(out)
    seen = fetched(heaps, shown, rows, places, budget if previewed else 0, stop)
    if room:
        out[0] = seen & 0xFF  # nobody reads it, but a look without a use would be compiled away
    written = 0
    for i in range(len(places)):
        if abandoned(stop):
            break
        place = places[i]
        row = rows[place]
        id, id_end = id_bounds[row], id_bounds[row + 1]
        type, type_end = type_bounds[type_of[i]], type_bounds[type_of[i] + 1]
        name = name_end = 0
        if named:
            name, name_end = text_bounds[name_of[i]], text_bounds[name_of[i] + 1]
        body, start, whole = texts, text_bounds[0], text_bounds[0]
        if previewed:
            entry = body_of[i]
            if entry >= 0:
                start, whole = text_bounds[entry], text_bounds[entry + 1]
            else:
                body = keywords
                start, whole = keyword_bounds[~entry], keyword_bounds[~entry + 1]
        end = preview_end(body, start, whole, budget)
        cut = end < whole
        sign = SIGN if cut and budget > 0 else 0
        source = source_end = way = 0
        if via[place] >= 0:
            source = id_bounds[rows[via[place]]]
            source_end = id_bounds[rows[via[place]] + 1]
            way = ways[place]
        span = position = 0
        if kind[i] == SPAN:
            above, crumb = parent_of[i], breadcrumb_of[i]
            span = (
                text_size(fields.parent_id, id_bounds[above + 1] - id_bounds[above])
                + number_size(fields.span_index, index_of[i])
                + (varint_field_size(fields.span_total, total_of[i]) if total_of[i] >= 0 else 0)
                + text_size(fields.breadcrumb, text_bounds[crumb + 1] - text_bounds[crumb])
            )
            position = bytes_size(fields.span, span)
        node = (
            text_size(fields.id, id_end - id)
            + text_size(fields.type, type_end - type)
            + text_size(fields.name, name_end - name)
            + text_size(fields.content, end - start + sign)
            + number_size(fields.content_truncated, cut)
            + position
        )
        hit = (
            bytes_size(fields.node, node)
            + (double_size(fields.score) if scored else 0)
            + number_size(fields.hop, hops[place])
            + text_size(fields.via, source_end - source)
            + number_size(fields.direction, way)
        )
        at = written
        written += bytes_size(fields.hits, hit)
        if written > room:
            continue
        at = put_head(out, at, fields.hits, hit)
        at = put_head(out, at, fields.node, node)
        at = put_text(out, at, fields.id, ids, id, id_end)
        at = put_text(out, at, fields.type, types_, type, type_end)
        at = put_text(out, at, fields.name, texts, name, name_end)
        if end - start + sign > 0:
            at = put_head(out, at, fields.content, end - start + sign)
            at = put_bytes(out, at, body, start, end)
            if sign:
                out[at], out[at + 1], out[at + 2] = 0xE2, 0x80, 0xA6
                at += sign
        at = put_number(out, at, fields.content_truncated, cut)
        if position:
            above, crumb = parent_of[i], breadcrumb_of[i]
            at = put_head(out, at, fields.span, span)
            at = put_text(out, at, fields.parent_id, ids, id_bounds[above], id_bounds[above + 1])
            at = put_number(out, at, fields.span_index, index_of[i])
            if total_of[i] >= 0:
                at = put_varint_field(out, at, fields.span_total, total_of[i])
            at = put_text(
                out, at, fields.breadcrumb, texts, text_bounds[crumb], text_bounds[crumb + 1]
            )
        if scored:
            at = put_double(out, at, fields.score, scores[place])
        at = put_number(out, at, fields.hop, hops[place])
        at = put_text(out, at, fields.via, ids, source, source_end)
        at = put_number(out, at, fields.direction, way)
    return int(written)


encode_hits = direct(_encode_hits)
