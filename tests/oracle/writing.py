"""The answer of a Context, written for what is chosen of it, and how many bytes it takes."""

import json
from collections.abc import Iterable

from passageway import ContextResponse
from passageway.v1 import search_pb2
from tests.oracle.choice import Choice
from tests.oracle.context_text import text_of_answer
from tests.oracle.graph import Row
from tests.oracle.revisions import revision
from tests.oracle.surroundings import Surroundings
from tests.oracle.values_of_rows import RowValues, Value, plain_properties

MOST_BUDGET = 32_768
TEN_DIGITS = 4_000_000_000
TOKEN = "0" * 32
"""As wide as the token of any version."""


class Writing:
    """Answers that differ in what was chosen, of all that there is."""

    def __init__(
        self,
        rows: dict[str, Row],
        near: Surroundings,
        values: RowValues,
        told: search_pb2.SearchResponse,
        blank: search_pb2.ContextResponse,
    ) -> None:
        self._rows, self._near, self._of_rows, self._told = rows, near, values, told
        self._blank = blank

    def written(self, choice: Choice) -> search_pb2.ContextResponse:
        """The answer with what is chosen, all of its counts and estimates right."""
        answer = search_pb2.ContextResponse()
        answer.CopyFrom(self._blank)
        answer.version, answer.took_us = TOKEN, TEN_DIGITS
        for seed in choice.seeds:
            hit = answer.seeds.add(score=seed.score, matched=seed.matched)
            hit.node.id = seed.id
        for row_id, values in choice.values.items():
            self._write_node(answer, self._rows[row_id], values)
        for arc in self._near.arcs:
            if arc in choice.arcs:
                edge = answer.edges.add(
                    id=arc.id,
                    source=arc.source,
                    target=arc.target,
                    type=arc.type,
                    weight=arc.weight,
                )
                for name in choice.arcs[arc]:
                    edge.properties[name].CopyFrom(arc.stored_properties[name])
        answer.excerpts.extend(
            choice.excerpts[row_id] for row_id in choice.values if row_id in choice.excerpts
        )
        answer.omitted_nodes = len(self._rows) - len(choice.values)
        answer.omitted_edges = len(self._near.arcs) - len(choice.arcs)
        every = sum(
            len(self._of_rows.identity(row) + self._of_rows.values(row)) for row in self._rows
        )
        every += sum(len(plain_properties(arc)) for arc in self._near.arcs)
        taken = sum(map(len, choice.values.values())) + sum(map(len, choice.arcs.values()))
        answer.omitted_properties = every - taken
        omitted = answer.omitted_nodes, answer.omitted_edges, answer.omitted_properties
        answer.truncated = any(omitted)
        told = self._told
        answer.type_hits.extend(told.type_hits[: choice.hits])
        answer.type_hits_omitted = told.type_hits_omitted + len(told.type_hits) - choice.hits
        answer.unknown_types.extend(told.unknown_types[: choice.unknown])
        answer.unknown_types_omitted = (
            told.unknown_types_omitted + len(told.unknown_types) - choice.unknown
        )
        answer.context = text_of_answer(ContextResponse.from_message(answer))
        answer.token_estimate = tokens(len(answer.context.encode()))
        while answer.response_token_estimate != tokens(size_of(answer)):
            answer.response_token_estimate = tokens(size_of(answer))
        return answer

    def _write_node(
        self, answer: search_pb2.ContextResponse, row: Row, values: Iterable[Value]
    ) -> None:
        node = answer.nodes.add(id=row.id, type=row.type)
        for name, is_property in values:
            if is_property:
                node.properties[name].CopyFrom(row.stored_properties[name])
            elif name == "revision":
                node.revision = revision(row)
            elif name == "span" and row.span is not None:
                node.span.CopyFrom(row.span)
            else:
                setattr(node, name, getattr(row, name))


def size_of(answer: search_pb2.ContextResponse) -> int:
    """The bytes of an answer as compact JSON."""
    plain = ContextResponse.from_message(answer).to_dict()
    return len(json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode())


def tokens(size: int) -> int:
    """What so many bytes are estimated at."""
    return -(-size // 4)
