"""The words of a query: which are looked for, in which fields, and how much does each field count?"""

from passageway_server.columns.words.analysis import Analysis
from passageway_server.engine.lexical import FieldPlan
from passageway_server.engine.predicate import Source
from passageway_server.errors import NotBuilt
from passageway_server.planner import limits
from passageway_server.planner.binding import Binding
from passageway_server.values.collections import Kind
from passageway_server.values.queries import Query
from passageway_server.version.wording import BUILT_IN, language_of

_WEIGHT_OF_NAME = 2.0


def plan_words(query: Query, binding: Binding, *, path: str) -> tuple[FieldPlan, ...] | None:
    """What is looked for in each field; None where *query* has no text.

    Faults are added at ``.text`` and ``.text_fields[i]`` behind *path*. Raises NotBuilt for keyword fields.
    """
    chosen = _chosen(query, binding, path=f"{path}.text_fields")
    if not query.text:
        if query.text_fields:
            binding.faults.add(f"{path}.text_fields", "goes with text, which is empty")
        return None
    if len(query.text.encode("utf-8", "surrogatepass")) > limits.TEXT_BYTES:
        binding.faults.add(f"{path}.text", f"has more than {limits.TEXT_BYTES} bytes")
        return ()
    settings = binding.version.settings
    declared = {field.name: field for field in settings.fields}
    words: dict[str, tuple[str, ...]] = {}
    plans: list[FieldPlan] = []
    for name in chosen:
        field = declared.get(name) if name not in BUILT_IN else None
        language = language_of(field, settings)
        if language not in words:
            words[language] = tuple(dict.fromkeys(Analysis(language).words(query.text)))
        usual = _WEIGHT_OF_NAME if name == BUILT_IN[0] else 1.0
        weight = None if field is None else field.weight
        weight = usual if weight is None else weight
        plans.append(FieldPlan(name, weight, language, words[language]))
    if plans and not any(words.values()):
        binding.faults.add(f"{path}.text", "has no word to look for: no letter and no digit")
    return tuple(plans)


def _chosen(query: Query, binding: Binding, *, path: str) -> list[str]:
    """The names of the fields to search, as they are indexed: the built-in ones, then the others by name."""
    if not query.text_fields:
        declared = binding.version.settings.fields
        texts = {field.name for field in declared if field.kind == Kind.TEXT}
        return [*BUILT_IN, *sorted(texts - binding.hidden - {*BUILT_IN})]
    chosen: set[str] = set()
    for i, name in enumerate(query.text_fields):
        field = binding.field(name, path=f"{path}[{i}]", over="nodes")
        if field is None:
            continue
        if (field.source == Source.BUILT_IN and field.name in BUILT_IN) or (
            field.source == Source.PROPERTY and field.kind == Kind.TEXT
        ):
            chosen.add(field.name)
        elif field.source == Source.PROPERTY and field.kind == Kind.KEYWORD:
            raise NotBuilt([f"{path}[{i}]"])
        else:
            binding.faults.add(
                f"{path}[{i}]", f"{name} is no text; name, content and text fields have words"
            )
    return [*(name for name in BUILT_IN if name in chosen), *sorted(chosen - {*BUILT_IN})]
