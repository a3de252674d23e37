"""The lists of a query that are ranked: its text, its vector, and those of the queries beside it."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from passageway_server.engine.predicate import Source
from passageway_server.engine.query import WordPlan
from passageway_server.engine.vectors import VectorPlan
from passageway_server.planner import limits
from passageway_server.planner.binding import Binding
from passageway_server.planner.words import plan_words
from passageway_server.values.collections import FieldDeclaration, Kind, Similarity
from passageway_server.values.queries import Query

_OF_ALL: Final = ("filter", "vars", "types", "limit", "sort", "rescore", "also")
"""What the main query alone may set, for it holds for all lists."""


def plan_lists(query: Query, binding: Binding, *, path: str) -> tuple[WordPlan | VectorPlan, ...]:
    """The lists of *query*, in the order of fusion: its text, its vector, then those of each of ``also``."""
    faults, lists = binding.faults, list(_lists(query, binding, path))
    if len(query.also) > limits.LISTS_BESIDE:
        faults.add(f"{path}.also", f"has {len(query.also)} lists; at most {limits.LISTS_BESIDE}")
        return tuple(lists)
    for i, one in enumerate(query.also):
        place = f"{path}.also[{i}]"
        if not one.text and one.vector is None:
            faults.add(place, "asks for nothing: give a text, a vector, or both")
        for name in _OF_ALL:
            if getattr(one, name) != getattr(_NOTHING, name):
                faults.add(
                    f"{place}.{name}", f"set it on the query itself: {name} holds for all lists"
                )
        lists.extend(_lists(one, binding, place))
    return tuple(lists)


_NOTHING: Final = Query()


def _lists(query: Query, binding: Binding, path: str) -> Iterator[WordPlan | VectorPlan]:
    words = plan_words(query, binding, path=path)
    if words is not None:
        yield words
    vector = _vector(query, binding, path)
    if vector is not None:
        yield vector


def _vector(query: Query, binding: Binding, path: str) -> VectorPlan | None:
    """What is compared with the vector of *query*; None where there is none, or it has a fault."""
    vector, faults = query.vector, binding.faults
    if vector is None:
        if query.vector_field:
            faults.add(
                f"{path}.vector_field",
                "goes with vector, which is empty; a server makes one of the text that was started with --embedder",
            )
        return None
    finite = bool(np.isfinite(vector.numbers).all())
    if not finite:
        faults.add(f"{path}.vector", "a number is finite: NaN and infinities are refused")
    field = _field(query.vector_field, binding, f"{path}.vector_field")
    if field is None or not finite:
        return None
    plan = VectorPlan(field.name, vector, field.similarity or Similarity.COSINE)
    if len(vector) != field.dimensions:
        message = f"has {len(vector)} numbers; {field.name} holds vectors of {field.dimensions}"
        faults.add(f"{path}.vector", message)
    elif plan.by_angle and not vector.numbers.any():
        faults.add(f"{path}.vector", "is all zeros, which has no angle to any other")
    return plan


def _field(name: str, binding: Binding, path: str) -> FieldDeclaration | None:
    """The vector field *name*, the only one where it is empty; None, and a fault at *path*, where there is none such."""
    declared = {
        field.name: field
        for field in binding.version.settings.fields
        if field.kind == Kind.VECTOR and field.name not in binding.hidden
    }
    if not name:
        if len(declared) == 1:
            return next(iter(declared.values()))
        told = ", ".join(sorted(declared)[: limits.NAMES_TOLD])
        message = (
            f"name one of the vector fields: {told}" if told else "no vector field is declared"
        )
        binding.faults.add(path, message)
        return None
    known = binding.field(name, path=path, over="nodes")
    if known is None:
        return None
    if known.source != Source.PROPERTY or known.kind != Kind.VECTOR:
        binding.faults.add(path, f"{name} is no vector")
        return None
    return declared[known.name]
