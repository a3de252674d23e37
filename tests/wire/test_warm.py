"""What a server does before its first caller: each call of the read side once, so that no caller waits for it."""

import sys

import pytest

from passageway_server.planner import parse
from passageway_server.wire import warm as warming
from passageway_server.wire.dispatch import Reading
from passageway_server.wire.graph_servicer import CALLS
from tests.wire.serving import served


def test_a_server_has_the_grammar_of_filters_before_anybody_calls() -> None:
    parse._lark.cache_clear()
    parse._parse_kept.cache_clear()
    warming.warm.cache_clear()

    with served():
        assert parse._lark.cache_info().currsize == 1


def test_a_second_server_of_a_process_is_warm_already() -> None:
    with served():
        begun = warming.warm.cache_info().misses
        with served():
            assert warming.warm.cache_info().misses == begun


def test_every_call_of_the_read_side_is_made_once() -> None:
    made = {method for method, _ in warming._requests()}

    assert {method for method, call in CALLS.items() if isinstance(call, Reading)} <= made


def test_a_server_lets_a_walk_go_on_long_before_a_commit_is_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[float] = []
    monkeypatch.setattr(sys, "setswitchinterval", told.append)
    warming.warm.cache_clear()

    with served():
        assert len(told) == 1
        assert told[0] < 0.001
