"""Vectors of texts, by a callable that somebody else wrote: it takes a list of texts, and gives a row of numbers for each."""

import importlib
import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

Function = Callable[[list[str]], Any]
"""What makes the vectors: an array of two dimensions, or anything else that has a row of numbers for each text."""


class EmbedderError(Exception):
    """The callable cannot be had, or what it gave are no vectors of the texts; the text says why."""


class Embedder:
    """A callable whose answers are looked at."""

    def __init__(self, function: Function, *, name: str = "the embedder") -> None:
        self._function, self.name = function, name

    @classmethod
    def named(cls, name: str) -> "Embedder":
        """The callable that *name* says, such as ``notes.vectors:embed``: of a module that is installed, or of the working folder.

        Raises EmbedderError.
        """
        module, colon, path = name.partition(":")
        if not colon or not module or not path:
            raise EmbedderError(f"{name!r}: expected MODULE:CALLABLE, such as notes.vectors:embed")
        here = str(Path.cwd())
        if here not in sys.path:
            sys.path.append(here)
        try:
            found = importlib.import_module(module)
            for part in path.split("."):
                found = getattr(found, part)
        except Exception as error:
            raise EmbedderError(f"{name}: {type(error).__name__}: {error}") from error
        if not callable(found):
            raise EmbedderError(f"{name}: it is no callable")
        return cls(found, name=name)

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """A vector for each of *texts*, of finite numbers, as many in each.

        Raises EmbedderError; what the callable raises is the cause.
        """
        try:
            found = [[float(number) for number in row] for row in self._function(list(texts))]
        except Exception as error:
            raise EmbedderError(f"{self.name}: {type(error).__name__}: {error}") from error
        if len(found) != len(texts):
            raise EmbedderError(f"{self.name}: {len(found)} vectors for {len(texts)} texts")
        if len({len(row) for row in found}) > 1 or not all(found):
            raise EmbedderError(f"{self.name}: vectors of several lengths, or of none")
        if not all(math.isfinite(number) for row in found for number in row):
            raise EmbedderError(f"{self.name}: a number that is not finite")
        return found
