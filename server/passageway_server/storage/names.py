"""What may become part of a path: names of collections and snapshots, and of arrays.

Every name passes one of these checks before a path is made of it, whether it came from a caller,
from a listing or from a manifest. No name that passes holds a slash, two dots or an upper-case
letter, so none climbs out of its folder, and none is ``CURRENT``, ``FORMAT``, ``LOCK`` or the name
of a leftover.
"""

import re
from typing import Final

from passageway_server.errors import InvalidRequest

NAME_RULE: Final = "1 to 63 of a-z, 0-9, '_' and '-', the first a letter or a digit"
NAME: Final = r"[a-z0-9][a-z0-9_-]{0,62}"
"""The pattern of the names of collections and snapshots."""

_NAME: Final = re.compile(NAME)
_ARRAY_NAME: Final = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)*")
_LONGEST_ARRAY_NAME: Final = 120


def is_name(text: str) -> bool:
    """Whether *text* can name a collection or a snapshot."""
    return _NAME.fullmatch(text) is not None


def checked_name(text: str, *, field: str) -> str:
    """*text* if it can name a collection or a snapshot, else InvalidRequest about *field*."""
    if not is_name(text):
        raise InvalidRequest.one(field, f"{text!r:.80} is not a name: {NAME_RULE}")
    return text


def is_array_name(text: str) -> bool:
    """Whether *text* can name an array: words of a-z, 0-9, '_' and '-' between single dots."""
    return len(text) <= _LONGEST_ARRAY_NAME and _ARRAY_NAME.fullmatch(text) is not None
