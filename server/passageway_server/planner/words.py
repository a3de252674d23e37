"""The words of a query: which are looked for, in which fields, and how much does each field count?"""

from passageway_server.columns.kinds import kind_name
from passageway_server.columns.words.analysis import Analysis, folded
from passageway_server.engine.near import Met
from passageway_server.engine.predicate import KnownField, Source
from passageway_server.engine.searched import FieldPlan
from passageway_server.planner import limits
from passageway_server.planner.binding import Binding
from passageway_server.planner.searched import Unsearchable, check_size, is_text, words_in
from passageway_server.values.collections import Kind
from passageway_server.values.queries import Query
from passageway_server.version.wording import BUILT_IN, language_of

_WEIGHT_OF_NAME = 2.0


def plan_words(query: Query, binding: Binding, *, path: str) -> tuple[FieldPlan, ...] | None:
    """What is looked for in each field; None where *query* has no text.

    Faults are added at ``.text``, ``.text_fields[i]`` and ``.max_edits`` behind *path*.
    """
    chosen = _chosen(query, binding, path=f"{path}.text_fields")
    edits = binding.number(f"{path}.max_edits", query.max_edits, limits.MAX_EDITS)
    if not query.text:
        for name in ("text_fields", "max_edits"):
            if getattr(query, name):
                binding.faults.add(f"{path}.{name}", "goes with text, which is empty")
        return None
    try:
        return _plans(query.text, chosen, edits, binding)
    except Unsearchable as why:
        binding.faults.add(f"{path}.text", str(why))
        return ()


def _plans(
    text: str, fields: list[KnownField], edits: int, binding: Binding
) -> tuple[FieldPlan, ...]:
    check_size(text)
    settings = binding.version.settings
    declared = {field.name: field for field in settings.fields}
    words: dict[str, tuple[str, ...]] = {}
    plans: list[FieldPlan] = []
    of_texts, of_keywords = Met(), Met()
    for field in fields:
        built_in = field.source == Source.BUILT_IN
        own = None if built_in else declared.get(field.name)
        usual = _WEIGHT_OF_NAME if built_in and field.name == BUILT_IN[0] else 1.0
        weight = usual if own is None or own.weight is None else own.weight
        if not is_text(field):
            plans.append(FieldPlan(field.name, weight, "", (folded(text),), edits, of_keywords))
            continue
        language = language_of(own, settings)
        if language not in words:
            words[language] = words_in(text, Analysis(language))
        plans.append(FieldPlan(field.name, weight, language, words[language], edits, of_texts))
    return tuple(plans)


def _chosen(query: Query, binding: Binding, *, path: str) -> list[KnownField]:
    """The fields to search: the built-in ones, then the others by name."""
    if not query.text_fields:
        declared = binding.version.settings.fields
        texts = {field.name for field in declared if field.kind == Kind.TEXT}
        names = [*BUILT_IN, *sorted(texts - binding.hidden - {*BUILT_IN})]
        return [binding.nodes[name] for name in names]
    chosen: set[KnownField] = set()
    for i, name in enumerate(query.text_fields):
        field = binding.field(name, path=f"{path}[{i}]", over="nodes")
        if field is None:
            continue
        fault = _fault(field)
        if fault is None:
            chosen.add(field)
        else:
            binding.faults.add(f"{path}[{i}]", f"{name} {fault}")
    return sorted(chosen, key=lambda field: (field.source, _place(field), field.name))


def _place(field: KnownField) -> int:
    return BUILT_IN.index(field.name) if field.source == Source.BUILT_IN else 0


def _fault(field: KnownField) -> str | None:
    """Why words are not looked for in *field*."""
    taken = "name, content, text and keyword fields are searched"
    if field.source == Source.BUILT_IN:
        return None if is_text(field) else f"is built in, and compared by filters alone; {taken}"
    if field.kind not in (Kind.TEXT, Kind.KEYWORD):
        return f"is of kind {kind_name(field.kind)}; {taken}"
    if field.kind == Kind.TEXT and field.name in BUILT_IN:
        return f"is hidden behind the built-in {field.name}, and not searched"
    return None
