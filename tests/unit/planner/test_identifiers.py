"""Words of a query that are names out of code."""

from time import process_time

import pytest

from passageway_server.planner.search import is_identifier


@pytest.mark.parametrize("word", ["HashMap", "HTTPServerError", "get_user", "aBigOne", "XyZ2Ab"])
def test_humps_and_underscores_make_a_name(word: str) -> None:
    assert is_identifier(word)


@pytest.mark.parametrize("word", ["Hash", "HTTP", "_", "__init", "hash", "hASH"])
def test_a_plain_word_is_none(word: str) -> None:
    assert not is_identifier(word)


def test_capitals_without_end_are_read_at_once() -> None:
    began = process_time()

    assert not is_identifier("A" * 65_536)

    assert process_time() - began < 5
