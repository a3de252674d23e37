"""Random facets, metrics, orders and queries: mostly of fields that can be asked for so, seldom of others."""

from collections.abc import Iterable, MutableMapping

from passageway.v1 import query_pb2, types_pb2
from tests.oracle.fields import (
    EDGE_BUILT_INS,
    FLOAT,
    KEYWORD,
    NODE_BUILT_INS,
    NUMBERS,
    TEXT,
    TIME,
    VECTOR,
    edge_fields,
    node_fields,
)
from tests.oracle.filters import values_in
from tests.oracle.graph import Numbers
from tests.properties.drawing import Drawing
from tests.properties.expressions import expression
from tests.properties.words import DIMENSIONS, NODE_TYPES, NUMBERS_OF_VECTORS, TEXTS, WORDS

_OPS = query_pb2.Metric.Op
_COUNTING = (_OPS.OP_COUNT, _OPS.OP_CARDINALITY)
_MEASURING = (_OPS.OP_MIN, _OPS.OP_MAX, _OPS.OP_AVG, _OPS.OP_SUM)
_NAMES = ("one", "by type", "a.b", "é")
_WORDS = sorted(
    {word for text in (*TEXTS, *WORDS) for word in text.split()} | {"HashMap", "max_nodes", "none"}
)


class Measures:
    """What may be asked about nodes, or about edges, on one graph."""

    def __init__(self, drawing: Drawing, *, on_edges: bool = False) -> None:
        self._drawing = drawing
        self._rng = drawing.rng
        self._on_edges = on_edges
        fields = edge_fields(drawing.graph) if on_edges else node_fields(drawing.graph)
        built_ins = EDGE_BUILT_INS if on_edges else NODE_BUILT_INS
        kinds = {name: known.kind for name, known in fields.items()}
        hidden = {f"properties.{name}": kind for name, kind in kinds.items() if name in built_ins}
        self._kinds = kinds | dict.fromkeys(built_ins, int(KEYWORD)) | hidden
        if on_edges:
            self._kinds["weight"] = int(FLOAT)

    def facets(self) -> dict[str, query_pb2.Facet]:
        """Mostly none; seldom one more than a request may have."""
        if self._rng.random() < 0.003:
            return {f"f{place}": query_pb2.Facet(field="id", limit=1) for place in range(101)}
        return {name: self._facet() for name in self._some_names()}

    def metrics(self) -> dict[str, query_pb2.Metric]:
        """Mostly none; seldom one more than a request may have."""
        if self._rng.random() < 0.003:
            counting = query_pb2.Metric(field="id", op=_OPS.OP_COUNT)
            return {f"m{place}": counting for place in range(101)}
        return {name: self._metric() for name in self._some_names()}

    def sort(self) -> list[str]:
        """Up to three keys, of any field; seldom one that is none, or more than there may be."""
        rng = self._rng
        if rng.random() < 0.01:
            return rng.choice((["-"], [""], ["id"] * 9, ["id", "--id"]))
        fields = [
            self._field({*self._kinds.values()} - {int(VECTOR)})
            for _ in range(rng.choice((0, 1, 1, 2, 3)))
        ]
        return [rng.choice(("", "-")) + field for field in fields]

    def query(
        self, vars: MutableMapping[str, types_pb2.Value] | None = None, *, worded: float = 0.3
    ) -> query_pb2.Query:
        """A query over nodes; some of its vars go to *vars*, the request's own, which has others of their names.

        It asks for words as often as *worded* says.
        """
        rng = self._rng
        query = query_pb2.Query(
            types=[] if rng.random() < 0.7 else rng.sample((*NODE_TYPES, "passage", "NONE"), 2),
            limit=self._drawing.large(0 if rng.random() < 0.1 else 5, 1, 2, 3, 8, most=10_000),
            sort=self.sort() if rng.random() > worded else [],
        )
        ranked = rng.random() < worded
        if ranked:
            self._list(query)
            if rng.random() < 0.3:
                for _ in range(rng.choice((1, 1, 2, 4, 5 if rng.random() < 0.1 else 3))):
                    self._list(query.also.add())
            if query.also and rng.random() < 0.03:
                odd = query_pb2.Query(
                    filter="id:*", types=["doc"], limit=1, sort=["id"], rescore="1"
                )
                query.also[0].MergeFrom(odd)
        elif rng.random() < 0.02:
            alone = (
                query_pb2.Query(text_fields=["name"]),
                query_pb2.Query(vector_field="embedding"),
                query_pb2.Query(max_edits=1),
            )
            query.MergeFrom(rng.choice(alone))
        odds = 0.3 if ranked else 0.98
        query.filter = self._drawing.sentences.over_nodes(query.vars, odds=odds)
        if rng.random() < 0.2:
            numbers = sorted(name for name, kind in self._kinds.items() if kind in NUMBERS)
            query.rescore = expression(rng, numbers, query.vars)
        for name in sorted(query.vars):
            if vars is None:
                break
            if name == f"v{len(vars)}" and rng.random() < 0.5:  # not one of another filter
                vars[name].CopyFrom(query.vars[name])
                del query.vars[name]
        if rng.random() < 0.005:
            query.vars["wild"].double_value = float("inf")
        return query

    def _list(self, query: query_pb2.Query) -> None:
        """Give *query* a text, a vector, or both; seldom neither."""
        rng = self._rng
        chance = rng.random()
        if chance < 0.65:
            query.text_fields.extend(self._text_fields())
            query.text = self._text(query.text_fields)
            if rng.random() < 0.3:
                query.max_edits = rng.choice((1, 1, 2, 2, 3 if rng.random() < 0.1 else 1))
        if 0.4 < chance < 0.99:
            self._vector(query)

    def _vector(self, query: query_pb2.Query) -> None:
        """One of a row or of a few numbers, so that many are equal; seldom one that is none, or of no field."""
        rng = self._rng
        names = sorted(name for name, kind in self._kinds.items() if kind == VECTOR)
        held = [
            value.numbers
            for row in self._drawing.graph.rows.values()
            for name in names
            for value in (row.properties[name].values if name in row.properties else ())
            if isinstance(value, Numbers)
        ]
        drawn = tuple(rng.choice(NUMBERS_OF_VECTORS) for _ in range(DIMENSIONS))
        query.vector.extend(rng.choice(held) if held and rng.random() < 0.4 else drawn)
        if rng.random() < 0.02:
            query.vector.append(rng.choice((0.0, float("nan"), float("inf"))))
        if rng.random() < 0.02:
            query.vector[0] = float("nan")
        if rng.random() < 0.93:
            query.vector_field = rng.choice(names or ["embedding"])
        if rng.random() < 0.02:
            query.vector_field = rng.choice(
                ("name", "rank", "properties.embedding", "no_such_field")
            )

    def _text(self, fields: Iterable[str]) -> str:
        """Some words, mostly of rows that the caller reads, or a value of one of *fields*; seldom no word."""
        rng = self._rng
        values = [
            str(value)
            for row in self._drawing.graph.rows.values()
            for name in fields
            if self._kinds.get(name) == KEYWORD and name not in NODE_BUILT_INS
            for value in values_in(row, name)
        ]
        if any(values) and rng.random() < 0.8:
            value = rng.choice([value for value in values if value])
            return rng.choice((value, value.upper(), self._misspelt(value)))
        if rng.random() < 0.03:
            return rng.choice(("...", " \n", "—", "\N{THUMBS UP SIGN}"))
        words = rng.sample(_WORDS, rng.choice((1, 1, 2, 3, 5)))
        if rng.random() < 0.3:
            words = [self._misspelt(word) for word in words]
        return rng.choice((" ", ", ", "_")).join(words)

    def _misspelt(self, word: str) -> str:
        """A word with up to two edits, mostly behind its first letter."""
        for _ in range(self._rng.choice((0, 1, 2))):
            at = self._rng.randint(0 if self._rng.random() < 0.1 else 1, max(len(word), 1))
            before, after = word[:at], word[at:]
            swapped = before + after[1:2] + after[:1] + after[2:]
            word = self._rng.choice((before + after[1:], before + "e" + after, swapped))
        return word or "z"

    def _text_fields(self) -> list[str]:
        rng = self._rng
        if rng.random() < 0.7:
            return []
        texts = [name for name, kind in self._kinds.items() if kind == TEXT]
        keywords = [
            name
            for name, kind in self._kinds.items()
            if kind == KEYWORD and name not in NODE_BUILT_INS
        ]
        odd = ["rank", "no_such_field", "type"] if rng.random() < 0.05 else []
        fields = ["name", "content", *texts, *odd]
        if keywords and rng.random() < 0.5:
            fields = [*fields, *keywords] if rng.random() < 0.5 else keywords
        return [rng.choice(fields) for _ in range(rng.choice((1, 2, 3)))]

    def _some_names(self) -> list[str]:
        return self._rng.sample(_NAMES, self._rng.choice((0, 0, 1, 2, 3)))

    def _field(self, kinds: set[int]) -> str:
        """A field of one of these kinds; seldom one that is of another, or not known."""
        rng = self._rng
        if rng.random() < 0.02:
            return self._drawing.sentences.field(on_edges=self._on_edges)
        if rng.random() < 0.002:
            return ""
        return rng.choice(sorted(name for name, kind in self._kinds.items() if kind in kinds))

    def _facet(self) -> query_pb2.Facet:
        rng = self._rng
        field = self._field({*self._kinds.values()} - {int(TEXT), int(VECTOR)})
        if field == "content" and rng.random() < 0.9:
            field = "type"
        limit = rng.choice((None, None, -1, -1, 0, 1, 2, 10_000))
        if rng.random() < 0.02:
            limit = rng.choice((-2, 10_001))
        return query_pb2.Facet(field=field, limit=limit)

    def _metric(self) -> query_pb2.Metric:
        rng = self._rng
        op = rng.choice((*_COUNTING, *_MEASURING, *_MEASURING))
        measurable = {*NUMBERS, int(TIME)} & {*self._kinds.values()}
        if op == _OPS.OP_SUM:
            measurable -= {int(TIME)}
        if op in _COUNTING:
            measurable = {*self._kinds.values()} - {int(VECTOR)}
        field = self._field(measurable or {KEYWORD})
        if rng.random() < 0.01:
            op = _OPS.OP_UNSPECIFIED
        return query_pb2.Metric(field=field, op=op)
