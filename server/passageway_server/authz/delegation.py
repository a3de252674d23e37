"""Who asks for others: on behalf of somebody, and before an audience.

Both are told in metadata, each value a JSON array of principals in base64url: a bridge says for whom it calls, and whoever
writes an answer down for several people says who will read it.
"""

import base64
import json
import re
from collections.abc import Sequence
from typing import cast

from passageway_server.authz.callers import DELEGATE, Caller
from passageway_server.errors import InvalidRequest
from passageway_server.values.principals import principal_fault

ON_BEHALF_OF = "passageway-on-behalf-of"
AUDIENCE = "passageway-audience"
"""The names of the metadata."""

MOST_AUDIENCES = 16
MOST_PRINCIPALS = 1_000
MOST_BYTES = 64 * 1024
"""How many audiences a call may name, and how large one value may be: in principals, and as it is sent."""

_FORM = (
    f"expected is a JSON array of principals in base64url, with at most {MOST_PRINCIPALS} of them"
    f" and {MOST_BYTES} bytes"
)
_BASE64URL = re.compile(r"[A-Za-z0-9_-]*={0,2}")

Values = Sequence[str | bytes]


def acting(caller: Caller, *, on_behalf_of: Values, audiences: Values) -> Caller:
    """The caller of a call that *caller* makes with these values of metadata.

    Who is acted for holds ``public`` and what is listed, and is a reader: what the delegate may do itself does not count.
    Raises `Forbidden` without the role delegate, and `InvalidRequest`, with one text for each name whatever is wrong.
    """
    if on_behalf_of:
        caller.require(DELEGATE)
        if len(on_behalf_of) > 1:
            raise InvalidRequest.one(ON_BEHALF_OF, f"stands once; {_FORM}")
        caller = Caller.holding(_principals(on_behalf_of[0], ON_BEHALF_OF))
    if len(audiences) > MOST_AUDIENCES:
        raise InvalidRequest.one(AUDIENCE, f"stands at most {MOST_AUDIENCES} times; {_FORM}")
    return caller.before([_principals(value, AUDIENCE) for value in audiences])


def _principals(value: str | bytes, name: str) -> list[str]:
    """The principals that *value* lists; InvalidRequest where it is none of that form."""
    listed = _decoded(value)
    if listed is None:
        raise InvalidRequest.one(name, _FORM)
    return listed


def _decoded(value: str | bytes) -> list[str] | None:
    if isinstance(value, bytes) or len(value) > MOST_BYTES or not _BASE64URL.fullmatch(value):
        return None
    try:
        padded = value if value.endswith("=") else value + "=" * (-len(value) % 4)
        decoded = base64.b64decode(padded, altchars=b"-_", validate=True)
        listed: object = json.loads(decoded.decode())
    except (ValueError, RecursionError):
        return None
    if not isinstance(listed, list) or len(cast(list[object], listed)) > MOST_PRINCIPALS:
        return None
    principals = [one for one in cast(list[object], listed) if isinstance(one, str)]
    whole = len(principals) == len(cast(list[object], listed))
    return principals if whole and not any(map(principal_fault, principals)) else None
