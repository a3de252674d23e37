"""Page tokens of Lookup: where the next page begins, sealed for one caller and one request.

    token = base64url(HMAC-SHA256(key, bound + position) + position)
    position = [clock, id, [sort values]] as JSON

``bound`` is a digest of the collection, the caller and the request, without what may differ from page
to page. Values stand in it whole, since the next page needs them where the row is gone: a longer one is
refused. A token that is none of this key, or that came with another request, opens nothing, and is
answered with one text whatever is wrong with it. What a token holds is no secret: its caller was shown
the row.
"""

import base64
import hmac
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import cast

from passageway_server.authz.callers import Caller
from passageway_server.engine.sorting import SortKey, SortValue
from passageway_server.errors import Fault, LimitExceeded
from passageway_server.values.collections import Kind
from passageway_server.values.requests import LookupRequest
from passageway_server.version.version import Version

FOREIGN = Fault(
    "page_token",
    "it does not go on with this request: send the token of the page before, with what that page was "
    "asked for",
)
"""What is said of every token that opens nothing."""

_TYPES: dict[Kind, tuple[type, ...]] = {
    Kind.KEYWORD: (str,),
    Kind.TEXT: (str,),
    Kind.LINK: (str,),
    Kind.INT: (int, float),
    Kind.FLOAT: (int, float),
    Kind.BOOL: (bool,),
    Kind.TIME: (int,),
}


MOST_BYTES = 4096
"""Of one sort value in a token."""


def check_length(values: Sequence[SortValue], keys: Sequence[SortKey]) -> None:
    """Raise LimitExceeded where one of *values*, those of *keys*, is too long for a token."""
    for value, key in zip(values, keys, strict=True):
        if isinstance(value, str) and len(value.encode()) > MOST_BYTES:
            raise LimitExceeded(
                "SORT_VALUE_BYTES",
                limit=MOST_BYTES,
                parameter="sort",
                advice=f"so many bytes has {key.field.name} in the last row of the page, and no page goes on"
                " after so long a text: sort by another field, narrow the filter, or raise page_size",
            )


@dataclass(frozen=True, slots=True)
class Position:
    """A place in an order: that of a row of these sort values and this id, whether or not it is there.

    ``now`` is the clock of the first page, in microseconds since 1970.
    """

    now: int
    id: str
    values: tuple[SortValue, ...]

    def fits(self, keys: tuple[SortKey, ...]) -> bool:
        """Whether the values are of the kinds of *keys*: a field may have been dropped and come again."""
        return len(self.values) == len(keys) and all(
            value is None or type(value) in _TYPES.get(key.field.kind, ())
            for value, key in zip(self.values, keys, strict=True)
        )


class Seal:
    """Makes and opens the tokens of one request of one caller to the collection of *version*."""

    def __init__(
        self, key: bytes, *, version: Version, caller: Caller, request: LookupRequest
    ) -> None:
        created_at = version.identity.created_at.isoformat()  # deleted and made anew: another one
        parts = ("lookup", version.settings.name, created_at, caller.identity, _lasting(request))
        bound = sha256(repr(parts).encode("utf-8", "surrogatepass")).digest()
        self._mac = hmac.new(key, bound, sha256)

    def token(self, position: Position) -> str:
        """The token of the page after *position*."""
        content = json.dumps(
            [position.now, position.id, position.values], ensure_ascii=False, separators=(",", ":")
        ).encode("utf-8", "surrogatepass")
        return _encoded(self._tag(content) + content)

    def opened(self, token: str) -> Position | None:
        """The position that *token* holds; None where it is none of this request and caller."""
        try:
            sealed = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
        except ValueError:
            return None
        if _encoded(sealed) != token:  # decoding lets much through
            return None
        length = sha256().digest_size
        tag, content = sealed[:length], sealed[length:]
        if not hmac.compare_digest(tag, self._tag(content)):
            return None
        now, id, values = cast(
            tuple[int, str, list[SortValue]], json.loads(content.decode("utf-8", "surrogatepass"))
        )
        return Position(now, id, tuple(values))

    def _tag(self, content: bytes) -> bytes:
        mac = self._mac.copy()
        mac.update(content)
        return mac.digest()


def _encoded(sealed: bytes) -> str:
    return base64.urlsafe_b64encode(sealed).decode("ascii").rstrip("=")


def _lasting(request: LookupRequest) -> str:
    """What has to be the same on each page, whatever the order of its maps."""
    return repr(
        replace(
            request,
            page_token="",
            page_size=None,
            timeout_ms=0,
            vars=dict(sorted(request.vars.items())),
            facets=dict(sorted(request.facets.items())),
            metrics=dict(sorted(request.metrics.items())),
        )
    )
