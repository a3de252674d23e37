"""Lines of Python: docstrings from comments, calls, names of constants."""

import re
import textwrap
from collections.abc import Iterable

WIDTH = 100
_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def docstring(
    comment: str, *, indent: int, parameters: Iterable[tuple[str, str]] = ()
) -> list[str]:
    """The lines of a docstring: *comment*, then a line or more for each parameter that has one."""
    pad = " " * indent
    opening = f'{pad}"""{_sentence(comment)}'
    body = [
        line
        for name, said in parameters
        if said
        for line in textwrap.wrap(
            f"{name}: {said}", WIDTH, initial_indent=pad, subsequent_indent=pad + "    "
        )
    ]
    head = textwrap.wrap(opening, WIDTH - 3, subsequent_indent=pad, drop_whitespace=True)
    head[0] = pad + head[0].lstrip()
    if not body and len(head) == 1:
        return [head[0] + '"""']
    return [*head, *([""] if body else []), *body, pad + '"""']


def constant(name: str) -> str:
    """The constant of a CamelCase name: CREATE_COLLECTION of CreateCollection."""
    return _WORD.sub("_", name).upper()


def call(opening: str, arguments: Iterable[str], *, indent: int, end: str = ")") -> list[str]:
    """``opening(arguments)``, on one line where it fits, else an argument a line."""
    pad = " " * indent
    listed = list(arguments)
    line = f"{pad}{opening}({', '.join(listed)}{end}"
    if len(line) <= WIDTH:
        return [line]
    return [f"{pad}{opening}(", *(f"{pad}    {argument}," for argument in listed), pad + end]


def _sentence(comment: str) -> str:
    escaped = comment.replace("\\", "\\\\").replace('"""', "'''")
    text = escaped[:1].upper() + escaped[1:]
    if text.endswith('"'):
        return text + "."
    return text if text.endswith((".", "?", "!", ":")) else text + "."
