"""Values that a version works out when they are first asked for, and keeps."""

import threading
from collections.abc import Callable
from typing import Any, ClassVar, Generic, TypeVar, cast

_Owner = TypeVar("_Owner", bound="Deriving")
_Value = TypeVar("_Value")


class Deriving:
    """An object with derived values; each is worked out once, whichever threads ask.

    Those in ``of_readers`` are for readers alone, and as large as what they follow from.
    """

    of_readers: ClassVar[frozenset[str]] = frozenset()

    def __init__(self) -> None:
        self.known: dict[object, object] = {}  # what was worked out, by key
        self._locks: dict[object, threading.RLock] = {}

    def forget(self) -> None:
        """Let go what is remembered for readers; what was derived of the object itself, for what follows it, stays."""
        for key in self._for_readers():
            self.known.pop(key, None)

    @property
    def remembered_bytes(self) -> int:
        """Bytes of what `forget` lets go; what only names arrays of others has none."""
        return sum(getattr(self.known.get(key), "nbytes", 0) for key in self._for_readers())

    def _for_readers(self) -> list[object]:
        # Derived values go by their names.
        return [
            key for key in list(self.known) if not isinstance(key, str) or key in self.of_readers
        ]

    def remember(self, key: object, make: Callable[[], _Value]) -> _Value:
        """What *make* gives, made once for *key* and kept as long as this object.

        Who asks for another key does not wait.
        """
        found = self.known.get(key, _MISSING)
        if found is _MISSING:
            with self._locks.setdefault(key, threading.RLock()):
                found = self.known.get(key, _MISSING)
                if found is _MISSING:
                    found = self.known[key] = make()
        return cast(_Value, found)


class derived(Generic[_Owner, _Value]):  # noqa: N801  (it reads as a decorator)
    """A property of a `Deriving` that is worked out at first use."""

    def __init__(self, make: Callable[[_Owner], _Value]) -> None:
        self._make = make
        self._name = make.__name__
        self.__doc__ = make.__doc__

    def __get__(self, owner: _Owner, kind: type[Any]) -> _Value:
        found = owner.known.get(self._name, _MISSING)
        if found is not _MISSING:
            return cast(_Value, found)
        return owner.remember(self._name, lambda: self._make(owner))


_MISSING = object()
