"""Embedders for tests: the same text gives the same vector, whenever and wherever it is asked for."""

import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

DIMENSIONS = 4


def by_words(texts: list[str]) -> NDArray[np.float32]:
    """The sum of a vector for each word: texts with words in common are near each other."""
    sums = [sum(map(_of_word, text.lower().split()), np.zeros(DIMENSIONS)) for text in texts]
    return np.array(sums, dtype=np.float32)


def _of_word(word: str) -> NDArray[np.float64]:
    digest = hashlib.sha256(word.encode()).digest()
    return np.frombuffer(digest[: 4 * DIMENSIONS], "<i4") / 2**31


def broken(texts: list[str]) -> Any:
    """It cannot."""
    raise RuntimeError(f"no model for {len(texts)} texts")


def one_short(texts: list[str]) -> list[list[float]]:
    """A vector less than there are texts."""
    return [[1.0]] * (len(texts) - 1)


def uneven(texts: list[str]) -> list[list[float]]:
    """Vectors of several lengths."""
    return [[1.0] * (place + 1) for place in range(len(texts))]


def infinite(texts: list[str]) -> list[list[float]]:
    """Numbers that are none."""
    return [[float("nan")] for _ in texts]


no_callable = 3


class Model:
    """One that breaks once it is told to."""

    fails = False

    def embed(self, texts: list[str]) -> NDArray[np.float32]:
        if self.fails:
            raise RuntimeError("the model went away")
        return by_words(texts)


model = Model()
of_model: Callable[[list[str]], NDArray[np.float32]] = model.embed
