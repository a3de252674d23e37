"""What a filter means: a test over one row or edge, bound to what the caller knows.

A comparison with a field that the row does not have is false, whatever the sign; NOT turns any answer round.
"""

import operator
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from functools import cache
from typing import Any, NamedTuple

from passageway.v1 import types_pb2
from tests.oracle import filter_parser as syntax
from tests.oracle.fields import (
    BOOL,
    EDGE_BUILT_INS,
    FLOAT,
    INT,
    NODE_BUILT_INS,
    NUMBERS,
    STRINGS,
    TEXT,
    TIME,
    VECTOR,
    Known,
    edge_fields,
    is_nameable,
    node_fields,
    property_named,
)
from tests.oracle.graph import Arc, Graph, Held, Moment, Row, Scalar, values_of
from tests.oracle.refusals import Checks, Refused
from tests.oracle.texts import language_of, word_test

Vars = Mapping[str, types_pb2.Value]
Test = Callable[[Any], bool]
"""Whether a row (or, for edges, an arc) meets a filter."""

_ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_WORDS = ("name", "content")


class Day(NamedTuple):
    """A date: its whole day in UTC, the end left out."""

    start: Moment
    end: Moment


class Binding:
    """One side of the language: filters over rows, or over edges, of a graph that holds only visible ones."""

    def __init__(self, graph: Graph, vars: Vars) -> None:
        self._graph = graph
        self._vars = {name: values_of(value) for name, value in vars.items()}
        self._nodes = node_fields(graph)
        self._edges = edge_fields(graph)
        self._joined: list[Callable[[], set[Scalar]]] = []

    def also(self, vars: Vars) -> "Binding":
        """The binding of a part that brings *vars* of its own, which win; joins are worked out with these."""
        part = Binding(self._graph, vars)
        part._vars = self._vars | part._vars
        part._joined = self._joined
        return part

    def held(self, name: str) -> Held | None:
        """What the var *name* holds; None where it is none, or empty."""
        held = self._vars.get(name)
        return held if held is not None and held.values else None

    def over_nodes(self, text: str, path: str) -> Test:
        """The test that a filter over nodes is; empty is always true. Faults are at *path*."""
        return self._bound(text, path, on_edges=False)

    def over_edges(self, text: str, path: str) -> Test:
        """The test that a filter over edges is."""
        return self._bound(text, path, on_edges=True)

    def _bound(self, text: str, path: str, *, on_edges: bool) -> Test:
        if not text.strip():
            return lambda _: True
        return self._test(syntax.refuse_unreadable(text, path), path, on_edges)

    def known(self, name: str, path: str, on_edges: bool) -> Known:
        """What the caller knows of a field; a name that it does not know is a fault at *path*."""
        fields = self._edges if on_edges else self._nodes
        built_ins = EDGE_BUILT_INS if on_edges else NODE_BUILT_INS
        if not is_nameable(name, fields, built_ins):
            raise Refused("INVALID_ARGUMENT", [path])
        if name in built_ins:
            return Known(FLOAT if name == "weight" else types_pb2.FIELD_KIND_KEYWORD, False, True)
        return fields[property_named(name)]

    def _test(self, tree: syntax.Tree, path: str, on_edges: bool) -> Test:
        match tree:
            case syntax.Not(inner):
                inside = self._test(inner, path, on_edges)
                return lambda row: not inside(row)
            case syntax.Every(parts):
                tests = [self._test(part, path, on_edges) for part in parts]
                return lambda row: all(test(row) for test in tests)
            case syntax.Some(parts):
                tests = [self._test(part, path, on_edges) for part in parts]
                return lambda row: any(test(row) for test in tests)
            case syntax.Has(field):
                self.known(field, path, on_edges)
                return lambda row: bool(values_in(row, field))
            case syntax.Affix(function, field, operand):
                return self._affix(function, field, operand, path, on_edges)
            case syntax.Join(field, inner, from_field, most, from_edges):
                begun = self.joins
                kept = self._test(inner, path, from_edges)
                return self.join(
                    field,
                    kept,
                    from_field,
                    most,
                    path,
                    path,
                    begun=begun,
                    on_edges=on_edges,
                    from_edges=from_edges,
                )
            case syntax.Compare():
                return self._compare(tree, path, on_edges)

    def _compare(self, tree: syntax.Compare, path: str, on_edges: bool) -> Test:
        known = self.known(tree.field, path, on_edges)
        if known.kind == VECTOR:
            raise Refused("INVALID_ARGUMENT", [path])
        word = known.kind == TEXT or (not on_edges and tree.field in _WORDS)
        takes_lists = tree.listed or tree.sign == ":"
        operands = [
            _meeting(known.kind, value, path)
            for operand in tree.operands
            for value in self._values(operand, path, takes_lists)
        ]
        field, sign = tree.field, tree.sign
        if sign == ":" and word:
            built_in = not on_edges and field in _WORDS
            language = language_of(self._graph.settings, "" if built_in else property_named(field))
            has = word_test(map(str, operands), language, path)
            return lambda row: any(has(str(value)) for value in values_in(row, field))
        if sign == "!=":
            return lambda row: (
                bool(values_in(row, field))
                and not any(_equal(value, operands[0]) for value in values_in(row, field))
            )
        if sign in _ORDER:
            return lambda row: any(
                _ordered(sign, value, operands[0]) for value in values_in(row, field)
            )
        return lambda row: any(
            _equal(value, operand) for value in values_in(row, field) for operand in operands
        )

    def _affix(
        self, function: str, field: str, operand: syntax.Operand, path: str, on_edges: bool
    ) -> Test:
        known = self.known(field, path, on_edges)
        (text,) = self._values(operand, path, False)
        if known.kind not in STRINGS or not isinstance(text, str):
            raise Refused("INVALID_ARGUMENT", [path])
        tests: dict[str, Callable[[str], bool]] = {
            "starts_with": lambda value: value.startswith(text),
            "ends_with": lambda value: value.endswith(text),
            "contains": lambda value: text in value,
        }
        return lambda row: any(tests[function](str(value)) for value in values_in(row, field))

    def join(
        self,
        field: str,
        kept: Test,
        from_field: str,
        most: int,
        path: str,
        from_path: str,
        *,
        begun: int,
        on_edges: bool = False,
        from_edges: bool = False,
        most_path: str = "",
    ) -> Test:
        """Rows whose *field* holds a value that *from_field* holds over the rows that are *kept*.

        Where told so, rows are edges, on either side; inside those that are documents. *begun* is how many
        `joins` there were before those inside of *kept*. One around a join that has too many values is not
        worked out, and has no fault of its own.
        """
        outer = self.known(field, path, on_edges)
        inner = self.known(from_field, from_path, from_edges)
        if _join_kind(outer.kind) is None or _join_kind(outer.kind) != _join_kind(inner.kind):
            raise Refused("INVALID_ARGUMENT", [path])

        inside = self._joined[begun:]
        graph = self._graph
        among: Iterable[Row | Arc] = graph.documents if from_edges else graph.rows.values()

        @cache
        def values() -> set[Scalar]:
            for join in inside:
                join()
            found = {value for row in among if kept(row) for value in values_in(row, from_field)}
            if len(found) > most:
                raise Refused("INVALID_ARGUMENT", [most_path or path])
            return found

        self._joined.append(values)
        return lambda row: any(value in values() for value in values_in(row, field))

    @property
    def joins(self) -> int:
        """How many joins were bound so far."""
        return len(self._joined)

    def work_out(self, checks: Checks) -> None:
        """Look up what the joins ask for, last of all: each that gives too many values is a fault."""
        for values in self._joined:
            try:
                values()
            except Refused as refused:
                checks.absorb(refused)
        checks.done()

    def _values(self, operand: syntax.Operand, path: str, takes_lists: bool) -> tuple[Scalar, ...]:
        if not isinstance(operand, syntax.Var):
            if isinstance(operand, float) and abs(operand) == float("inf"):
                raise Refused("INVALID_ARGUMENT", [path])
            return (operand,)
        held = self._vars.get(operand.name)
        if held is None or (held.many and not takes_lists) or (not held.many and not held.values):
            raise Refused("INVALID_ARGUMENT", [path])
        return held.values


def values_in(row: Row | Arc, name: str) -> tuple[Scalar, ...]:
    """The values that a row holds in a field; a built-in that is empty is missing."""
    built_ins = NODE_BUILT_INS if isinstance(row, Row) else EDGE_BUILT_INS
    if name in built_ins:
        value: Scalar = getattr(row, name)
        return () if value == "" else (value,)
    if isinstance(row, Row) and name in row.links:
        return tuple(row.links[name])
    return row.properties.get(property_named(name), Held((), False)).values


def _meeting(kind: int, operand: Scalar, path: str) -> Scalar | Day:
    """The operand as the field's kind reads it; a fault where the two do not meet."""
    if kind == TIME:
        if isinstance(operand, Moment):
            return operand
        if isinstance(operand, str):
            return _time(operand, path)
    elif isinstance(operand, Moment):
        pass
    elif isinstance(operand, bool):
        if kind == BOOL:
            return operand
    elif isinstance(operand, str):
        if kind in STRINGS:
            return operand
    elif kind in NUMBERS:
        return operand
    raise Refused("INVALID_ARGUMENT", [path])


def _time(text: str, path: str) -> Moment | Day:
    try:
        if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
            start = datetime.combine(date.fromisoformat(text), datetime.min.time(), UTC)
            return Day(_moment(start), Moment(_moment(start).micros + 86_400_000_000))
        if re.search(r"\.\d{7}", text) or "T" not in text.upper():
            raise ValueError(text)
        read = datetime.fromisoformat(text)
        if read.tzinfo is None:
            raise ValueError(text)
    except ValueError as why:
        raise Refused("INVALID_ARGUMENT", [path]) from why
    return _moment(read)


def _moment(at: datetime) -> Moment:
    return Moment((at - _EPOCH) // timedelta(microseconds=1))


def _equal(value: Scalar, operand: Scalar | Day) -> bool:
    if isinstance(operand, Day):
        return isinstance(value, Moment) and operand.start <= value < operand.end
    return value == operand


def _ordered(sign: str, value: Scalar, operand: Scalar | Day) -> bool:
    if isinstance(operand, Day):
        if not isinstance(value, Moment):
            return False
        edge = operand.start if sign in ("<", ">=") else operand.end
        return value < edge if sign in ("<", "<=") else value >= edge
    return _ORDER[sign](value, operand)


def _join_kind(kind: int) -> str | None:
    """The kinds that join, by name: strings with strings, ints with ints, times with times."""
    if kind in STRINGS:
        return "string"
    return {int(INT): "int", int(TIME): "time"}.get(kind)
