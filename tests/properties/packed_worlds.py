"""Small collections for packing: rows such as Debian has, rows in Chinese and Japanese, of emoji, and rows made to break JSON."""

from collections.abc import Mapping, Sequence
from random import Random

from passageway.v1 import store_pb2, types_pb2
from tests.properties.words import NAME

_DEBIAN = ("chess", "engine", "image", "viewer", "library", "for", "the", "server", "of", "mail")
_CJK = ("日本語", "検索", "文書", "の", "图书馆", "数据库", "한국어", "と", "グラフ")
_EMOJI = ("ok", "😀", "👩‍👩‍👧", "🇩🇪", "é", "🏳️‍🌈", "שלום")
_HOSTILE = (
    '"quote"',
    "back\\slash",
    "\x01\x02",
    "new\nline",
    "\u2028",
    "tab\t",
    "]",
    "—X→",
    "\x7f",
)

WORLDS: Mapping[str, Sequence[str]] = {
    "debian": _DEBIAN,
    "cjk": _CJK,
    "emoji": _EMOJI,
    "hostile": _HOSTILE,
}
"""The words of each."""


def packed_world(kind: str) -> tuple[store_pb2.Collection, list[store_pb2.Batch]]:
    """The collection of a *kind*: 14 rows with texts, spans and properties, and edges among them."""
    rng, words = Random(kind), WORLDS[kind]
    settings = store_pb2.Collection(name=NAME, default_readers=["public"])
    settings.fields.add(name="created", kind=types_pb2.FIELD_KIND_TIME)
    settings.fields.add(name="summary", kind=types_pb2.FIELD_KIND_TEXT)
    settings.fields.add(name="embedding", kind=types_pb2.FIELD_KIND_VECTOR, dimensions=2)
    batch = store_pb2.Batch()
    ids = [_id(rng, words, place) for place in range(14)]
    for id in ids:
        node = batch.put_nodes.add(
            id=id,
            type=rng.choice(words),
            name=_text(rng, words, rng.choice((0, 2, 3, 40))),
            content=_text(rng, words, rng.choice((0, 20, 60, 400, 400))),
            project=rng.choice(("", "p")),
            status=rng.choice(("", "open", _text(rng, words, 30))),
            covered=rng.random() < 0.5,
        )
        node.properties["source"].string_value = _text(rng, words, rng.choice((1, 2, 40)))
        node.properties["embedding"].vector.values.extend((1.0, 2.0))
        node.properties["created"].time_value.FromSeconds(rng.randrange(10**9))
        for place in range(rng.choice((0, 1, 5))):
            name = f"{rng.choice(words)}{place}"
            node.properties[name].string_value = _text(rng, words, rng.choice((1, 8)))
        if rng.random() < 0.5:
            node.properties["summary"].string_value = _text(rng, words, rng.choice((5, 90)))
            node.properties["ranks"].ints.values.extend((1, 2**62, -5))
        node.links["related"].values.extend(rng.sample(ids, 2))
    for place in range(24):
        edge = batch.put_edges.add(
            id=_id(rng, words, place),
            source=rng.choice(ids),
            target=rng.choice(ids),
            type=rng.choice(words),
            weight=rng.choice((None, 0.5, 1 / 3)),
        )
        if rng.random() < 0.4:
            edge.properties["note"].string_value = _text(rng, words, 4)
            edge.properties["since"].int_value = 2020
    for place in range(5):
        batch.put_passages.add(
            id=f"span{place}",
            parent_id=ids[place % 2],
            index=place,
            content=_text(rng, words, 20),
            breadcrumb=_text(rng, words, 2),
            total=rng.choice((None, 5)),
        )
    return settings, [batch]


def _id(rng: Random, words: Sequence[str], place: int) -> str:
    """Some ids are as long as they may be."""
    text = f"{place}-{rng.choice(words)}"
    return text if rng.random() < 0.85 else text + rng.choice(words) * (900 // 40)


def _text(rng: Random, words: Sequence[str], count: int) -> str:
    ends = (" ", " ", " ", ". ", "。", "\n")
    return "".join(rng.choice(words) + rng.choice(ends) for _ in range(count)).strip()
