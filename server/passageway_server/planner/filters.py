"""Binds a filter to what its caller knows: names to fields, values to kinds.

A name that the caller does not know is a fault, whether or not the field exists. Faults of one text
are all found at once, but for those of its form, of which the first is shown. Its lookups are
noted, not worked out.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal as OneOf
from typing import cast

from passageway_server.columns.kinds import kind_name, said
from passageway_server.columns.words.analysis import Analysis
from passageway_server.engine.known import KnownFields
from passageway_server.engine.predicate import (
    Affix,
    All,
    Differs,
    Equals,
    Has,
    InnerQuery,
    Joined,
    KnownField,
    Not,
    Operand,
    Order,
    Ordered,
    Predicate,
    Some,
    Source,
    Worded,
)
from passageway_server.planner import syntax
from passageway_server.planner.faults import Faults
from passageway_server.planner.limits import MAX_VALUES
from passageway_server.planner.lookups import Lookups, join_fault, too_many_values
from passageway_server.planner.operands import STRINGS, Mismatch, operand
from passageway_server.planner.parse import parse
from passageway_server.planner.searched import Unsearchable, is_text, words_in
from passageway_server.values.collections import CollectionSettings, Kind
from passageway_server.values.halt import Halt
from passageway_server.values.queries import Vars
from passageway_server.values.records import Scalar
from passageway_server.version.wording import language_of


@dataclass(frozen=True, slots=True)
class Place:
    """Where a filter stands: what it may name, what its vars are, and where its faults go."""

    path: str
    vars: Vars
    known: KnownFields
    nodes: KnownFields  # what a filter inside a lookup may name: from
    edges: KnownFields  # and from_edges
    faults: Faults
    lookups: Lookups
    settings: CollectionSettings
    halt: Halt


def compile_filter(text: str, place: Place) -> Predicate | None:
    """The predicate that *text*, which is not blank, is; None where it is faulty.

    Lookups are added to those of *place*. Raises DeadlineExceeded, Cancelled.
    """
    try:
        tree = parse(text)
    except syntax.Unreadable as unreadable:
        place.faults.add(place.path, syntax.shown(text, unreadable.at, unreadable.message))
        return None
    return _Filter(text, place).bound(tree, place.known)


def unknown_field(name: str, known: KnownFields) -> str:
    """What is said of a *name* that the caller does not know, with near ones that it does."""
    near = known.near(name)
    listed = f"; near names: {', '.join(near)}" if near else ""
    return f"no field {name!r}{listed}"


class _Faulty(Exception):
    """A part cannot be bound; its fault was noted."""


class _Filter:
    """One text that is being bound."""

    def __init__(self, text: str, place: Place) -> None:
        self._text, self._place, self._path = text, place, place.path
        self._vars = cast(Mapping[str, Scalar | list[Scalar]], place.vars)

    def bound(self, tree: syntax.Tree, known: KnownFields) -> Predicate | None:
        """The predicate of *tree*, or None where there are faults."""
        try:
            return self._bind(tree, known)
        except _Faulty:
            return None

    def _fault(self, at: int, message: str) -> _Faulty:
        self._place.faults.add(self._path, self._shown(at, message))
        return _Faulty()

    def _shown(self, at: int, message: str) -> str:
        return syntax.shown(self._text, at, message)

    def _bind(self, tree: syntax.Tree, known: KnownFields) -> Predicate:
        match tree:
            case syntax.Chain(operator, parts):
                bound = [self.bound(part, known) for part in parts]
                fine = tuple(part for part in bound if part is not None)
                if len(fine) < len(bound):
                    raise _Faulty
                return All(fine) if operator == "AND" else Some(fine)
            case syntax.Negation(part):
                return Not(self._bind(part, known))
            case syntax.Presence(name):
                return Has(self._known(name, known))
            case syntax.Comparison(name, sign, value):
                return self._comparison(self._field(name, known), sign, value)
            case syntax.Choice(name, sign, values):
                field = self._field(name, known)
                if sign == ":" and is_text(field):
                    return self._worded(field, values)
                return Equals(field, self._operands(field, values))
            case syntax.AffixCall():
                return self._affix(tree, known)
            case syntax.LookupCall():
                return self._lookup(tree, known)

    def _known(self, name: syntax.Name, known: KnownFields) -> KnownField:
        field = known.get(name.text)
        if field is None:
            raise self._fault(name.at, unknown_field(name.text, known))
        return field

    def _field(self, name: syntax.Name, known: KnownFields) -> KnownField:
        """A field whose values are looked at."""
        field = self._known(name, known)
        if field.kind == Kind.VECTOR:
            message = f"{field.name} is a vector, which compares with nothing; ':*' asks whether there is one"
            raise self._fault(name.at, message)
        return field

    def _comparison(self, field: KnownField, sign: str, value: syntax.Value) -> Predicate:
        if sign == ":" and is_text(field):
            return self._worded(field, (value,))
        if sign == ":":
            return Equals(field, self._operands(field, (value,)))
        compared = self._operand(field, self._scalar(value), value.at)
        match sign:
            case "=":
                return Equals(field, (compared,))
            case "!=":
                return Differs(field, compared)
            case _:
                return Ordered(field, cast(Order, sign), compared)

    def _worded(self, field: KnownField, values: Iterable[syntax.Value]) -> Predicate:
        settings = self._place.settings
        declared = {one.name: one for one in settings.fields}
        own = None if field.source == Source.BUILT_IN else declared.get(field.name)
        analysis = Analysis(language_of(own, settings))
        choices: dict[tuple[str, ...], None] = {}
        for value in values:
            for text in self._operands(field, (value,)):
                self._place.halt.spent()
                try:
                    choices[words_in(str(text), analysis)] = None
                except Unsearchable as why:
                    raise self._fault(value.at, str(why)) from None
        return Worded(field, analysis.language, tuple(choices))

    def _affix(self, call: syntax.AffixCall, known: KnownFields) -> Predicate:
        field = self._field(call.field, known)
        text = self._scalar(call.value)
        if field.kind not in STRINGS or not isinstance(text, str):
            found = kind_name(field.kind) if field.kind not in STRINGS else said(text)
            raise self._fault(call.field.at, f"{call.function} tests strings, found {found}")
        return Affix(
            field, cast(OneOf["starts_with", "ends_with", "contains"], call.function), text
        )

    def _lookup(self, call: syntax.LookupCall, known: KnownFields) -> Predicate:
        most = MAX_VALUES.absent if call.max_values is None else call.max_values
        if not MAX_VALUES.low <= most <= MAX_VALUES.high:
            bounds = f"at least {MAX_VALUES.low} and at most {MAX_VALUES.high}"
            raise self._fault(call.at, f"max_values is {most}; {bounds}")
        within = self._place.nodes if call.over == "nodes" else self._place.edges
        inner = self.bound(call.inner, within)
        field = self._field(call.field, known)
        from_field = self._field(call.from_field, within)
        mismatch = join_fault(field, from_field)
        if mismatch is not None:
            raise self._fault(call.field.at, mismatch)
        if inner is None:
            raise _Faulty
        query = InnerQuery(inner, from_field, call.over)
        message = self._shown(call.at, too_many_values(most))
        self._place.lookups.add(query, most, path=self._path, message=message)
        return Joined(field, query)

    def _scalar(self, value: syntax.Value) -> Scalar:
        if isinstance(value, syntax.Literal):
            return value.value
        found = self._var(value)
        if isinstance(found, list):
            raise self._fault(value.at, f"${value.name} is a list; IN and ':' take lists")
        return found

    def _var(self, var: syntax.Var) -> Scalar | list[Scalar]:
        if var.name not in self._vars:
            raise self._fault(var.at, f"no ${var.name} in vars")
        return self._vars[var.name]

    def _operands(self, field: KnownField, values: Iterable[syntax.Value]) -> tuple[Operand, ...]:
        operands: list[Operand] = []
        for value in values:
            held = value.value if isinstance(value, syntax.Literal) else self._var(value)
            for one in held if isinstance(held, list) else [held]:
                operands.append(self._operand(field, one, value.at))
        return tuple(operands)

    def _operand(self, field: KnownField, value: Scalar, at: int) -> Operand:
        try:
            return operand(field, value)
        except Mismatch as mismatch:
            raise self._fault(at, mismatch.message) from None
