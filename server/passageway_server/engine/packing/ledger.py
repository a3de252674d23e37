"""How large an answer is so far, to the byte, and whether something more fits.

Sizes are sums of those of the pieces, so that a trial costs the same however much is packed: nothing is written to be measured.
"""

from dataclasses import dataclass
from typing import Final, NamedTuple

from passageway_server.engine.packing.written import TEN_DIGITS, Size, in_json
from passageway_server.values.context import BYTES_OF_A_TOKEN, Measured, Omitted, Told

_LISTS = ("seeds", "nodes", "edges", "excerpts", "type_hits", "unknown_types")
_AROUND: Final = {name: len(f'"{name}":[],') - 1 for name in _LISTS}  # and a comma for each item
_CONTEXT: Final = len('"context":"",')
_MOST_DIGITS: Final = 20  # of an estimate
_TRUNCATED: Final = len('"truncated":true,')


@dataclass(frozen=True, slots=True)
class Budget:
    """So many *tokens*, of which *reserve* bytes stay free."""

    tokens: int
    measure: Measured = Measured.ANSWER
    reserve: int = 0

    @property
    def bytes(self) -> int:
        """What the measured may take."""
        return BYTES_OF_A_TOKEN * self.tokens - self.reserve


class Change(NamedTuple):
    """What something adds: bytes of JSON beside the text and beside what lists take, bytes of the text, and what is counted."""

    json: int = 0
    text: Size = Size()
    seeds: int = 0
    nodes: int = 0
    edges: int = 0
    properties: int = 0
    excerpts: int = 0
    type_hits: int = 0
    unknown_types: int = 0

    def and_(self, other: "Change") -> "Change":
        """Both together."""
        json, text, seeds, nodes, edges, properties, excerpts, type_hits, unknown_types = other
        return Change(
            self.json + json,
            self.text.and_(text),
            self.seeds + seeds,
            self.nodes + nodes,
            self.edges + edges,
            self.properties + properties,
            self.excerpts + excerpts,
            self.type_hits + type_hits,
            self.unknown_types + unknown_types,
        )


class Ledger:
    """An answer that tells *told*, and in which *whole* is what may be packed."""

    __slots__ = ("_around", "_budget", "_fixed", "_told", "_whole", "kept", "packed")

    def __init__(self, told: Told, whole: Omitted, budget: Budget) -> None:
        self._told, self._whole, self._budget = told, whole, budget
        self._fixed = _fixed(told)
        self.packed = Change()
        self.kept = 0  # bytes that nothing may take for the time being
        # More than all that stands around what is packed, but for a comma for each item of a list.
        digits = sum(len(str(count)) for count in (whole.nodes, whole.edges, whole.properties))
        types = len(
            str(
                told.type_hits_omitted
                + told.unknown_types.omitted
                + len(told.type_hits)
                + len(told.unknown_types.told)
            )
        )
        self._around = self._fixed + sum(_AROUND.values()) + _TRUNCATED + _CONTEXT
        self._around += digits + 2 * types + 2 * _MOST_DIGITS

    def take(self, change: Change) -> bool:
        """Whether *change* fits; then it is part of the answer."""
        packed = self.packed.and_(change)
        if not self._fits(packed):
            return False
        self.packed = packed
        return True

    def _fits(self, packed: Change) -> bool:
        most = self._budget.bytes - self.kept
        if self._budget.measure == Measured.TEXT:
            return packed.text.text <= most
        items = (
            packed.seeds + packed.nodes + packed.edges
            + packed.excerpts + packed.type_hits + packed.unknown_types
        )  # fmt: skip
        if self._around + packed.json + packed.text.json + items <= most:
            return True
        return self._answer(packed) <= most

    def tokens_with(self, change: Change) -> int:
        """The budget with which *change* would fit."""
        return tokens_of(self._taken(self.packed.and_(change)) + self._budget.reserve)

    def bound(self, budget: Budget) -> bool:
        """Whether all that is packed fits into *budget*, which is that of the answer from then on."""
        self._budget = budget
        return self.room >= 0

    @property
    def least(self) -> int:
        """Bytes of it that what is packed takes by itself, quickly told."""
        text = self._budget.measure == Measured.TEXT
        return self.packed.text.text if text else self.packed.json + self.packed.text.json

    @property
    def room(self) -> int:
        """Bytes that are left."""
        return self._budget.bytes - self.kept - self._taken(self.packed)

    def cost(self, change: Change) -> int:
        """The bytes that *change* takes of what is measured."""
        return self._taken(self.packed.and_(change)) - self._taken(self.packed)

    @property
    def omitted(self) -> Omitted:
        """What is not packed."""
        return self._omitted(self.packed)

    @property
    def token_estimate(self) -> int:
        """That of the text."""
        return tokens_of(self.packed.text.text)

    @property
    def response_token_estimate(self) -> int:
        """That of the answer as JSON, this number included."""
        return tokens_of(self._answer(self.packed))

    def _taken(self, packed: Change) -> int:
        text = self._budget.measure == Measured.TEXT
        return packed.text.text if text else self._answer(packed)

    def _omitted(self, packed: Change) -> Omitted:
        whole = self._whole
        return Omitted(
            whole.nodes - packed.nodes,
            whole.edges - packed.edges,
            whole.properties - packed.properties,
        )

    def _answer(self, packed: Change) -> int:
        """The bytes of the answer as compact JSON."""
        told, omitted = self._told, self._omitted(packed)
        hits = len(told.type_hits) + told.type_hits_omitted - packed.type_hits
        unknown = len(told.unknown_types.told) + told.unknown_types.omitted - packed.unknown_types
        counts = (
            omitted.nodes, omitted.edges, omitted.properties, hits, unknown,
            tokens_of(packed.text.text),
        )  # fmt: skip
        total = self._fixed + packed.json + packed.text.json + _lists(packed)
        total += sum(len(str(count)) for count in counts)
        total += _TRUNCATED if omitted else 0
        total += _CONTEXT if packed.text.text else 0
        estimate, digits = 0, 1
        while tokens_of(total + digits) != estimate:
            estimate = tokens_of(total + digits)
            digits = len(str(estimate))
        return total + digits


def tokens_of(size: int) -> int:
    """The tokens that *size* bytes are taken to be."""
    return -(-size // BYTES_OF_A_TOKEN)


def _lists(packed: Change) -> int:
    """What the lists of an answer take beside their items."""
    total = 0
    for name in _LISTS:
        count: int = getattr(packed, name)
        if count:
            total += _AROUND[name] + count
    return total


def _fixed(told: Told) -> int:
    """The bytes of an answer with nothing packed, without the digits of what is counted."""
    counts = dict.fromkeys(
        (
            "omitted_nodes", "omitted_edges", "omitted_properties", "token_estimate",
            "response_token_estimate", "type_hits_omitted", "unknown_types_omitted",
        ),
        0,
    )  # fmt: skip
    answer: dict[str, object] = {
        "version": told.version,
        **counts,
        "evidence": "current" if told.current else "all",
        "excluded_evidence": told.excluded_evidence,
        "took_us": TEN_DIGITS,
    }
    if told.unresolved:
        answer["unresolved"] = told.unresolved
    if told.expansion_limited:
        answer["expansion_limited"] = True
    if told.timed_out:
        answer["timed_out"] = True
    if told.applied:
        answer["applied"] = told.applied
    return in_json(answer) - len(counts)
