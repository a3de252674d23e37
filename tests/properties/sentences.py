"""Random filters: sentences of the language over the fields in use, and now and then one that must be refused.

Values are drawn from what the rows hold, so that filters hit; they are spelled bare, quoted or as a ``$var``.
"""

import re
from collections.abc import MutableMapping, Sequence
from datetime import UTC, datetime, timedelta
from random import Random

from passageway.v1 import types_pb2
from tests.oracle.fields import (
    BOOL,
    EDGE_BUILT_INS,
    FLOAT,
    INT,
    KEYWORD,
    LINK_FIELD,
    NODE_BUILT_INS,
    TEXT,
    TIME,
    VECTOR,
    edge_fields,
    node_fields,
)
from tests.oracle.filters import values_in
from tests.oracle.graph import Arc, Graph, Moment, Numbers, Row, Scalar
from tests.properties.words import (
    NUMBERS,
    ONLY_HIDDEN,
    STATUSES,
    UNKNOWN,
    WORDS,
    random_micros,
    time_value,
)

_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_.\-]*")
_TAKEN = {
    "AND",
    "OR",
    "NOT",
    "IN",
    "true",
    "false",
    "lookup",
    "starts_with",
    "ends_with",
    "contains",
}
_ORDERS = ("<", "<=", ">", ">=")


class Sentences:
    """Filters for one graph, as one caller sees it."""

    def __init__(self, rng: Random, graph: Graph) -> None:
        self._rng = rng
        self._rows: Sequence[Row] = list(graph.rows.values())
        self._arcs: Sequence[Arc] = graph.arcs
        self._node_kinds = self._kinds(
            NODE_BUILT_INS, {name: known.kind for name, known in node_fields(graph).items()}
        )
        self._edge_kinds = self._kinds(
            EDGE_BUILT_INS, {name: known.kind for name, known in edge_fields(graph).items()}
        )
        self._edge_kinds["weight"] = FLOAT

    @staticmethod
    def _kinds(built_ins: Sequence[str], fields: dict[str, int]) -> dict[str, int]:
        hidden = {f"properties.{name}": kind for name, kind in fields.items() if name in built_ins}
        return fields | dict.fromkeys(built_ins, int(KEYWORD)) | hidden

    def over_nodes(self, vars: MutableMapping[str, types_pb2.Value], *, odds: float = 1.0) -> str:
        """A filter over nodes, or with some chance none; its vars are added to *vars*."""
        if self._rng.random() > odds:
            return ""
        return self._some(vars, self._rng.choice((0, 1, 1, 2, 3)), on_edges=False)

    def over_edges(self, vars: MutableMapping[str, types_pb2.Value], *, odds: float = 1.0) -> str:
        """A filter over edges, or with some chance none."""
        if self._rng.random() > odds:
            return ""
        return self._some(vars, self._rng.choice((0, 0, 1, 2)), on_edges=True)

    def field(self, *, on_edges: bool) -> str:
        """A field that the caller knows; seldom one that it does not."""
        if self._rng.random() < 0.02:
            return self._rng.choice((*ONLY_HIDDEN, "readers", *UNKNOWN))
        kinds = self._edge_kinds if on_edges else self._node_kinds
        if self._rng.random() < 0.15:
            kinds = {name: kind for name, kind in kinds.items() if kind == TIME} or kinds
        return self._rng.choice(sorted(kinds))

    def joinable(self, *, on_edges: bool = False, like: int = KEYWORD) -> str:
        """A field of strings, ints or times, as a join wants; mostly one that joins with a kind *like* this."""
        strings = (KEYWORD, TEXT, LINK_FIELD)
        kinds: tuple[int, ...] = (*strings, INT, TIME)
        if self._rng.random() < 0.9:
            kinds = (like,) if like in (INT, TIME) else strings
        held = self._kinds_of(on_edges=on_edges)
        fitting = sorted(name for name, kind in held.items() if kind in kinds)
        return self._rng.choice(fitting or ["id"])

    def kind(self, name: str, *, on_edges: bool) -> int:
        """The kind of a field; of one that is not known, that of a built-in."""
        return self._kinds_of(on_edges=on_edges).get(name, int(KEYWORD))

    def _kinds_of(self, *, on_edges: bool) -> dict[str, int]:
        return self._edge_kinds if on_edges else self._node_kinds

    def _some(
        self, vars: MutableMapping[str, types_pb2.Value], depth: int, *, on_edges: bool
    ) -> str:
        rng = self._rng
        if depth == 0:
            return self._term(vars, on_edges=on_edges)
        inner = [
            self._some(vars, rng.randrange(depth), on_edges=on_edges)
            for _ in range(rng.choice((1, 2, 2, 3)))
        ]
        parts = [f"NOT ({part})" if rng.random() < 0.25 else f"({part})" for part in inner]
        return rng.choice((" AND ", " OR ")).join(parts)

    def _term(self, vars: MutableMapping[str, types_pb2.Value], *, on_edges: bool) -> str:
        rng = self._rng
        if rng.random() < 0.12:
            return self._join(vars, on_edges=on_edges)
        field = self.field(on_edges=on_edges)
        if rng.random() < 0.25:
            field = rng.choice(self._worded(on_edges=on_edges) or [field])
        spelled = spell_name(field)
        kind = (self._edge_kinds if on_edges else self._node_kinds).get(field, int(KEYWORD))
        chance = rng.random()
        if chance < 0.1 or (kind == VECTOR and chance < 0.95):
            return f"{spelled}:*"
        if kind == VECTOR:
            return rng.choice((f"{spelled} = 1", f"{spelled}:(a OR 1)", f"contains({spelled}, a)"))
        if kind in (KEYWORD, TEXT, LINK_FIELD) and chance < 0.25:
            function = rng.choice(("starts_with", "ends_with", "contains"))
            text = str(self._value(field, kind, on_edges))
            start = rng.randint(0, max(0, len(text) - 1))
            return f"{function}({spelled}, {quote(text[start : start + rng.randint(1, 4)])})"
        worded = field in self._worded(on_edges=on_edges)
        many = [self._value(field, kind, on_edges) for _ in range(rng.randint(1, 3))]
        if chance < 0.4:
            return f"{spelled} IN ({', '.join(self._spell(value, {}) for value in many)})"
        if chance < 0.45:
            name = f"v{len(vars)}"
            vars[name].CopyFrom(as_list(many))
            return f"{spelled} IN ${name}"
        if worded and rng.random() < 0.5:
            many = [self._words(value) for value in many]
            if rng.random() < 0.2:
                name = f"v{len(vars)}"
                vars[name].CopyFrom(as_list(many))
                return f"{spelled}:${name}"
            if len(many) == 1:
                return f"{spelled}:{self._spell(many[0], vars)}"
        if chance < 0.55:
            return f"{spelled}:({' OR '.join(self._spell(value, {}) for value in many)})"
        signs = ["=", "!=", ":"]
        if kind != BOOL:
            signs += _ORDERS
        return f"{spelled} {rng.choice(signs)} {self._spell(many[0], vars)}"

    def _worded(self, *, on_edges: bool) -> list[str]:
        """The fields that hold words."""
        kinds = self._kinds_of(on_edges=on_edges)
        texts = [name for name, kind in kinds.items() if kind == TEXT]
        return texts if on_edges else ["name", "content", *texts]

    def _join(self, vars: MutableMapping[str, types_pb2.Value], *, on_edges: bool) -> str:
        rng = self._rng
        field = rng.choice(("source", "target")) if on_edges else "id"
        if rng.random() < 0.7:
            kind = rng.choice((KEYWORD, KEYWORD, KEYWORD, INT, TIME))
            field = self.joinable(on_edges=on_edges, like=kind)
        from_edges = rng.random() < 0.3
        from_field = rng.choice(("source", "target")) if from_edges else "id"
        if rng.random() < 0.6:
            like = self.kind(field, on_edges=on_edges)
            from_field = self.joinable(on_edges=from_edges, like=like)
        inner = self._some(vars, rng.choice((0, 0, 1)), on_edges=from_edges)
        most = rng.choice(("", "", "", ", max_values=2"))
        source = "from_edges" if from_edges else "from"
        names = f"{spell_name(field)}, {source}=({inner}), from_field={spell_name(from_field)}"
        return f"lookup({names}{most})"

    def _value(self, field: str, kind: int, on_edges: bool) -> Scalar:
        """A value that some row holds in the field, or any of its kind; seldom of another."""
        rng = self._rng
        if rng.random() < 0.01:
            kind = rng.choice((int(KEYWORD), int(FLOAT), int(BOOL)))
            return self._any(kind)
        pool: Sequence[Row | Arc] = self._arcs if on_edges else self._rows
        if pool and rng.random() < 0.7:
            values = values_in(rng.choice(pool), field)
            if values:
                return rng.choice(values)
        return self._any(kind)

    def _words(self, text: Scalar) -> str:
        """One or two words of a text, whatever their case; seldom something that has none."""
        rng = self._rng
        words = str(text).split()
        if not words or rng.random() < 0.03:
            return rng.choice(("word", "running", "...", ""))
        some = " ".join(rng.sample(words, min(len(words), rng.choice((1, 1, 2)))))
        return rng.choice((some, some.upper(), some + "s", some + "!"))

    def _any(self, kind: int) -> Scalar:
        rng = self._rng
        if kind in (INT, FLOAT):
            return rng.choice(NUMBERS)
        if kind == BOOL:
            return rng.random() < 0.5
        if kind == TIME:
            return Moment(random_micros(rng))
        return rng.choice((*WORDS, *STATUSES, "n1", "n2", "s1"))

    def _spell(self, value: Scalar, vars: MutableMapping[str, types_pb2.Value]) -> str:
        """The value as it may stand in a filter; as a var only where *vars* is a message's map."""
        rng = self._rng
        if not isinstance(vars, dict) and rng.random() < 0.2:
            name = f"v{len(vars)}"
            vars[name].CopyFrom(as_value(value))
            return f"${name}"
        match value:
            case bool():
                return "true" if value else "false"
            case int() | float():
                return repr(value).replace("e-0", "e-").replace("e+", "e")
            case Moment():
                at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=value.micros)
                if rng.random() < 0.4:
                    return rng.choice(("{}", '"{}"')).format(at.date().isoformat())
                if rng.random() < 0.3:
                    return quote(at.astimezone(_TOKYO).isoformat())
                return quote(at.isoformat().replace("+00:00", "Z"))
            case str():
                return value if _BARE.fullmatch(value) and value not in _TAKEN else quote(value)
            case Numbers():
                raise ValueError("no filter spells a vector")


_TOKYO = datetime.fromisoformat("2025-01-01T00:00:00+09:00").tzinfo


def spell_name(name: str) -> str:
    """A field's name as a filter takes it."""
    return name if _BARE.fullmatch(name) and name not in _TAKEN else quote(name)


def quote(text: str) -> str:
    """A text in double quotes."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def as_value(value: Scalar) -> types_pb2.Value:
    """One value as a message."""
    match value:
        case bool():
            return types_pb2.Value(bool_value=value)
        case int():
            return types_pb2.Value(int_value=value)
        case float():
            return types_pb2.Value(double_value=value)
        case str():
            return types_pb2.Value(string_value=value)
        case Moment():
            return types_pb2.Value(time_value=time_value(value.micros))
        case Numbers():
            return types_pb2.Value(vector=types_pb2.FloatList(values=value.numbers))


def as_list(values: Sequence[Scalar]) -> types_pb2.Value:
    """The values as one list message: those that are of the first one's type."""
    alike = [value for value in values if type(value) is type(values[0])]
    message = types_pb2.Value()
    match values[0]:
        case bool():
            message.bools.values.extend(bool(value) for value in alike)
        case int():
            message.ints.values.extend(value for value in alike if isinstance(value, int))
        case float():
            message.doubles.values.extend(value for value in alike if isinstance(value, float))
        case str():
            message.strings.values.extend(str(value) for value in alike)
        case Moment():
            message.times.values.extend(
                time_value(value.micros) for value in alike if isinstance(value, Moment)
            )
        case Numbers():
            raise ValueError("there are no lists of vectors")
    return message
