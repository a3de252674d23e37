"""For whom a client asks, as its calls tell it: who is acted for, and who will read the answers.

Each is a JSON array of principals in base64url, in metadata of a name of its own.
"""

import base64
import json
from collections.abc import Sequence
from typing import cast

_ON_BEHALF_OF = "passageway-on-behalf-of"
_AUDIENCE = "passageway-audience"


def told(
    on_behalf_of: Sequence[str] | None, audience: Sequence[Sequence[str]]
) -> tuple[tuple[str, str], ...]:
    """The metadata of these. TypeError for a text where a list of them is expected."""
    behalf = (
        () if on_behalf_of is None else ((_ON_BEHALF_OF, _value("on_behalf_of", on_behalf_of)),)
    )
    if isinstance(audience, str):
        raise TypeError("audience: expected a list of lists of principals, found a text")
    return (
        *behalf,
        *((_AUDIENCE, _value(f"audience[{i}]", each)) for i, each in enumerate(audience)),
    )


def _value(name: str, principals: Sequence[str]) -> str:
    listed = cast(Sequence[object], principals)
    if isinstance(principals, str) or not all(isinstance(each, str) for each in listed):
        raise TypeError(f"{name}: expected a list of principals, such as ['user:ada']")
    encoded = json.dumps(list(listed), separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(encoded).decode().rstrip("=")
