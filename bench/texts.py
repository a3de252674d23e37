"""The texts of the Debian graph, questions about them, and the same texts in tantivy."""

import random
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from bench.debian import lines, source_folder
from bench.measure import yardstick
from passageway_server.values.collections import CollectionSettings
from passageway_server.values.records import Batch, NodeRecord, PassageRecord
from passageway_server.version.collection import Collection
from passageway_server.version.store import Store

NAME = "debian"
_AT_ONCE = 20_000
_COMMON = frozenset(
    [
        "and",
        "for",
        "from",
        "the",
        "this",
        "that",
        "with",
        "using",
        "library",
        "files",
        "documentation",
        "development",
        "package",
        "tool",
        "tools",
    ]
)


class Text(NamedTuple):
    """A row of the graph that has words."""

    id: str
    type: str
    name: str
    content: str
    section: str
    readers: tuple[str, ...]


@cache
def texts() -> tuple[Text, ...]:
    """All rows in stored order: nodes, then the paragraphs, which have the readers of their packages."""
    folder, found = source_folder(), list[Text]()
    readers: dict[str, tuple[str, ...]] = {}
    for node in lines(folder / "nodes.jsonl.zst"):
        readers[node["id"]] = tuple(node["readers"])
        section = node.get("properties", {}).get("section", "")
        found.append(
            Text(
                node["id"],
                node["type"],
                node["name"],
                node["content"],
                section,
                readers[node["id"]],
            )
        )
    for part in _paragraphs(folder):
        inherited = readers[part["parent_id"]]
        found.append(Text(part["id"], "passage", "", part["content"], "", inherited))
    return tuple(found)


def _paragraphs(folder: Path) -> Iterator[dict[str, Any]]:
    return lines(folder / "passages.jsonl.zst")


def loaded() -> tuple[Store, Collection]:
    """A store in memory with the texts as one collection, which any may call."""
    made = Store.open()
    collection = made.create(CollectionSettings(NAME))
    nodes = [
        NodeRecord(
            one.id,
            type=one.type,
            name=one.name,
            content=one.content,
            readers=one.readers,
            properties={"section": one.section} if one.section else {},
        )
        for one in texts()
        if one.type != "passage"
    ]
    spans = [
        PassageRecord(
            one["id"],
            parent_id=one["parent_id"],
            index=one["index"],
            content=one["content"],
        )
        for one in _paragraphs(source_folder())
    ]
    for start in range(0, len(nodes), _AT_ONCE):
        collection.apply(Batch(put_nodes=tuple(nodes[start : start + _AT_ONCE])))
    for start in range(0, len(spans), _AT_ONCE):
        collection.apply(Batch(put_passages=tuple(spans[start : start + _AT_ONCE])))
    return made, collection


def synopsis(text: Text) -> list[str]:
    """The words of a package's first line that say something, each once."""
    line = text.content.partition("\n")[0].lower()
    words = dict.fromkeys(re.findall(r"[a-z]{3,}", line))
    return [word for word in words if word not in _COMMON]


def questions(count: int, *, seed: int = 1) -> list[tuple[Text, str]]:
    """So many packages, and for each two to four words of what it says of itself, without its name."""
    draw, found = random.Random(seed), list[tuple[Text, str]]()
    packages = [one for one in texts() if one.type == "package"]
    while len(found) < count:
        package = draw.choice(packages)
        words = [word for word in synopsis(package) if word not in package.name.lower()]
        if len(words) >= 2:
            some = sorted(draw.sample(range(len(words)), min(len(words), draw.randint(2, 4))))
            found.append((package, " ".join(words[place] for place in some)))
    return found


class Tantivy:
    """The same texts in tantivy: names and contents with stems, and who reads each."""

    def __init__(self, rows: Sequence[Text], *, weight_of_name: float = 2.0) -> None:
        self._tantivy = tantivy = yardstick("tantivy")
        self._weight = weight_of_name
        builder = tantivy.SchemaBuilder()
        builder.add_integer_field("row", stored=True, indexed=False)
        builder.add_text_field("name", tokenizer_name="en_stem")
        builder.add_text_field("content", tokenizer_name="en_stem")
        builder.add_text_field("readers", tokenizer_name="raw")
        self._schema = builder.build()
        self._index = tantivy.Index(self._schema)
        writer = self._index.writer(512 << 20, 1)
        for row, one in enumerate(rows):
            document = tantivy.Document(row=row, name=one.name, content=one.content)
            for reader in one.readers:
                document.add_text("readers", reader)
            writer.add_document(document)
        writer.commit()
        writer.wait_merging_threads()
        self._index.reload()
        self._searcher = self._index.searcher()

    def reading(self, principals: Sequence[str]) -> Any:
        """The rows that one of *principals* reads, as a part of a query."""
        set_of = self._tantivy.Query.term_set_query(self._schema, "readers", list(principals))
        return self._tantivy.Query.const_score_query(set_of, 0.0)

    def first(self, text: str, limit: int, reading: Any = None) -> list[int]:
        """The rows that fit *text* best."""
        tantivy = self._tantivy
        query = self._index.parse_query(
            text, ["name", "content"], field_boosts={"name": self._weight}
        )
        if reading is not None:
            must = tantivy.Occur.Must
            query = tantivy.Query.boolean_query([(must, query), (must, reading)])
        hits = self._searcher.search(query, limit, count=False).hits
        return [self._searcher.doc(address)["row"][0] for _, address in hits]
