"""Writes the methods of the two clients: what each takes, how it makes its request, what it gives back."""

from collections.abc import Iterator
from dataclasses import dataclass

from generator import text
from generator.schema import Field, Message, Rpc, Schema
from generator.shapes import is_value, shape
from generator.table import INLINED, Call


@dataclass(frozen=True, slots=True)
class Twin:
    """The words in which the two clients differ."""

    prefix: str
    define: str
    wait: str
    session: str
    closing: str
    iterator: str
    batches: str
    about: str


SYNC = Twin("", "def", "", "Session", "Closing", "Iterator", "Iterable", "")
ASYNC = Twin(
    prefix="Async",
    define="async def",
    wait="await ",
    session="AsyncSession",
    closing="AsyncClosing",
    iterator="AsyncIterator",
    batches="AsyncIterable",
    about=", asynchronous",
)

_TIMEOUT = ("timeout", "float | None", "None", "seconds; None takes the default")


def lines(call: Call, schema: Schema, twin: Twin, owner: str) -> Iterator[str]:
    """The method, or methods, of *call*, which are of the class *owner*."""
    return _Method(call, schema, twin, owner).lines()


class _Method:
    """Writes one call of one twin."""

    def __init__(self, call: Call, schema: Schema, twin: Twin, owner: str) -> None:
        self._owner = owner
        self._call = call
        self._schema = schema
        self._twin = twin
        self._rpc: Rpc = schema.rpcs[call.rpc]
        self._request: Message = schema.messages[self._rpc.request]

    def lines(self) -> Iterator[str]:
        if self._rpc.client_streams:
            yield from self._load()
            return
        parameters = [*self._parameters(), _TIMEOUT]
        stream = self._rpc.server_streams
        answer = self._answer()
        returns = f"{self._twin.iterator}[{answer}]" if stream else answer
        yield from self._signature(self._call.name, parameters, returns)
        yield from text.docstring(
            self._rpc.comment,
            indent=8,
            parameters=[(name, comment) for name, _, _, comment in parameters],
        )
        yield from self._asked(named=len(parameters) > 1)
        method = f"methods.{text.constant(self._rpc.name)}"
        if stream:
            yield f"        answers = self._session.stream({method}, [request], timeout)"
            each = "async for" if self._twin.wait else "for"
            yield f"        {each} answer in answers:"
            yield f"            yield {answer}.from_message(answer)"
            return
        sent = f"{self._twin.wait}self._session.unary({method}, request, timeout)"
        if answer == "None":
            yield f"        {sent}"
            return
        yield f"        answer = {sent}"
        yield f"        return {answer}.from_message(answer)"
        if self._call.items:
            yield ""
            yield from self._all_pages()

    def _asked(self, *, named: bool) -> Iterator[str]:
        """The making of the request; one of parameters that are *named* tells which of them is wrong."""
        opening = f"request = {self._request.symbol}"
        if not named:
            yield from text.call(opening, self._arguments(), indent=8)
            return
        yield "        try:"
        yield from text.call(opening, self._arguments(), indent=12)
        yield "        except UNSENDABLE as fault:"
        method = f"{self._owner}.{self._call.name}"
        yield f"            raise wrong_argument({method}, locals(), fault) from None"

    def _signature(
        self, name: str, parameters: list[tuple[str, str, str, str]], returns: str
    ) -> Iterator[str]:
        yield f"    {self._twin.define} {name}("
        yield "        self,"
        first = self._call.positional
        by_keyword = False
        for parameter, annotation, default, _ in parameters:
            if parameter not in first and not by_keyword:
                by_keyword = True
                yield "        *,"
            given = f" = {default}" if default else ""
            yield f"        {parameter}: {annotation}{given},"
        yield f"    ) -> {returns}:"

    def _parameters(self) -> list[tuple[str, str, str, str]]:
        """Name, annotation, default ("" for none) and comment; those by position first."""
        found: list[tuple[str, str, str, str]] = []
        for name, field, _ in self._fields():
            held = shape(field, self._schema, "values.")
            accept = self._call.accepts.get(name)
            positional = name in self._call.positional
            required = positional and name not in self._call.optional
            annotation = accept.annotation if accept else held.annotation
            if required:
                annotation = annotation.removesuffix(" | None")
            elif accept and held.default == "None":
                annotation += " | None"
            default = "" if required else _immutable(held.default)
            comment = field.comment
            if accept:
                default = accept.default or default
                comment = f"{comment} {accept.said}".strip()
            if default == "None" and not annotation.endswith("None"):
                annotation += " | None"
            found.append((name, annotation, default, comment))
        order = self._call.positional
        return sorted(found, key=lambda p: order.index(p[0]) if p[0] in order else len(order))

    def _fields(self) -> list[tuple[str, Field, str]]:
        """The parameters' fields, with the inlined field that holds each ("" for none)."""
        found: list[tuple[str, Field, str]] = []
        for field in self._request.fields:
            held = self._schema.messages.get(field.type)
            if field.name in self._call.fixed:
                continue
            if held and held.name in INLINED:
                found += [(inner.name, inner, field.name) for inner in held.fields]
            else:
                found.append((field.name, field, ""))
        only = self._call.only
        return found if only is None else [entry for entry in found if entry[0] in only]

    def _arguments(self) -> list[str]:
        arguments = [f"{name}={value}" for name, value in self._call.fixed.items()]
        inlined: dict[str, list[str]] = {}
        for name, field, holder in self._fields():
            accept = self._call.accepts.get(name)
            held = shape(field, self._schema, "values.")
            write = accept.expression if accept else held.write
            if (_immutable(held.default) == "None" and held.default != "None") or (
                accept and name not in self._call.positional and held.default == "None"
            ):
                write = f"None if {{0}} is None else {write.replace('{}', '{0}')}"
            elif name in self._call.positional and held.default == "None" and not accept:
                write = write.removeprefix("None if {0} is None else ")
            value = write.format(name)
            if holder:
                inlined.setdefault(holder, []).append(f"{name}={value}")
            else:
                arguments.append(f"{name}={value}")
        for holder, inner in inlined.items():
            field = next(field for field in self._request.fields if field.name == holder)
            maker = INLINED[self._schema.messages[field.type].name]
            arguments.append(f"{holder}={maker}({', '.join(inner)})")
        return arguments

    def _answer(self) -> str:
        if not is_value(self._rpc.response, self._schema):
            return "None"
        return f"values.{self._schema.messages[self._rpc.response].name}"

    def _all_pages(self) -> Iterator[str]:
        """A method that gives the items of every page of a list."""
        pages = self._schema.messages[self._rpc.response]
        item = next(field for field in pages.fields if field.name == self._call.items)
        name = f"values.{self._schema.messages[item.type].name}"
        twin = self._twin
        yield f"    {twin.define} {self._call.items_name}("
        yield "        self,"
        yield "        *,"
        yield "        timeout: float | None = None,"
        yield f"    ) -> list[{name}]:"
        yield f'        """All {self._call.items_name}, page after page."""'
        yield f"        found: list[{name}] = []"
        yield '        token = ""'
        yield "        while True:"
        page = f"{twin.wait}self.{self._call.name}(page_token=token, timeout=timeout)"
        yield f"            page = {page}"
        yield f"            found += page.{self._call.items}"
        yield "            token = page.next_page_token"
        yield "            if not token:"
        yield "                return found"

    def _load(self) -> Iterator[str]:
        """The one call that streams in: it ends when the last batch is acknowledged. And how far a former one came."""
        twin = self._twin
        batch = "values.Batch | store_pb2.Batch"
        batches = f"Iterable[{batch}] | {batch}"
        if twin.wait:
            batches = f"Iterable[{batch}] | AsyncIterable[{batch}] | {batch}"
        each = "async for" if twin.wait else "for"
        answer = "values.LoadResponse"
        said = {
            "name": "of the load: `loaded` tells by it how far the load came",
            "after": "how many batches of the load of that name are in: *batches* are those after them",
            "progress": "called with each acknowledgement, which counts the stream so far",
            _TIMEOUT[0]: _TIMEOUT[3],
        }
        yield f"    {twin.define} {self._call.name}("
        yield "        self,"
        yield f"        batches: {batches},"
        yield "        *,"
        yield '        name: str = "",'
        yield "        after: int = 0,"
        yield f"        progress: Callable[[{answer}], object] | None = None,"
        yield "        timeout: float | None = None,"
        yield f"    ) -> {answer}:"
        yield from text.docstring(
            f"{self._rpc.comment} Returns the last acknowledgement.",
            indent=8,
            parameters=said.items(),
        )
        maker = "async_load_requests" if twin.wait else "load_requests"
        yield f"        requests = arguments.{maker}(self.name, batches, load=name, after=after)"
        yield f"        last = {answer}()"
        yield (f"        {each} answer in self._session.stream(methods.LOAD, requests, timeout):")
        yield f"            last = {answer}.from_message(answer)"
        yield "            if progress is not None:"
        yield "                progress(last)"
        yield "        return last"
        yield ""
        yield f"    {twin.define} loaded("
        yield "        self,"
        yield "        name: str,"
        yield "        *,"
        yield "        timeout: float | None = None,"
        yield f"    ) -> {answer}:"
        yield from text.docstring(
            "How far the latest load of that name came: `batch` is how many of its batches are in, 0"
            " where none is known. It counts no records.",
            indent=8,
            parameters=[(_TIMEOUT[0], _TIMEOUT[3])],
        )
        yield "        requests = arguments.resume_requests(self.name, name)"
        yield f"        last = {answer}()"
        yield (f"        {each} answer in self._session.stream(methods.LOAD, requests, timeout):")
        yield f"            last = {answer}.from_message(answer)"
        yield "        return last"


def _immutable(default: str) -> str:
    """The default of a parameter: a mapping that nobody gave is None."""
    return "None" if default.startswith("_field(") else default
