"""URLs of object stores, and texts that hold some, as they may be told: a log or an answer holds no credentials."""

import re
from typing import Final

_URL: Final = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*://)"
    r"(?:[^\s/?#@]*:(?!\d+/)[^\s?#]*@|[^\s/?#]*@)?"  # a password may hold slashes; a port is none
    r"(?P<place>[^\s?#]*)"
    r"(?:[?#]\S*)?"
)
_CODE: Final = re.compile(r"<Code>(\w{1,64})</Code>")
_MOST: Final = 400  # characters


def without_secrets(text: str) -> str:
    """*text* with all URLs in it short of user, password, query string and fragment."""
    return _URL.sub(r"\g<scheme>\g<place>", text)


def told(error: Exception) -> str:
    """What a store said, on one line: of the document that came with it the code alone, for the rest may hold a key's name."""
    text = str(error)
    line = without_secrets((text.splitlines() or [""])[0].split("<", 1)[0]).rstrip(" :")
    code = _CODE.search(text)
    if code and code[1] not in line:
        line += f": {code[1]}"
    return line[:_MOST] or type(error).__name__
