"""Texts of rows made safe to print: a terminal obeys control characters, and a row may hold any.

What is not seen, or turns the order of what is, is written as its number. Joiners stay, for scripts and emoji need them.
"""

import re

_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
_UNSEEN_BUT_BREAKS = re.compile(f"(?!\n){_UNSEEN.pattern}")
_SPACE = re.compile(r"\s+")


def cell(text: str) -> str:
    """*text* on one line."""
    return _UNSEEN.sub(_escape, _SPACE.sub(" ", text))


def block(text: str) -> str:
    """*text* with its line breaks."""
    return _UNSEEN_BUT_BREAKS.sub(_escape, text.replace("\r\n", "\n").replace("\t", "    "))


def _escape(match: re.Match[str]) -> str:
    number = ord(match[0])
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
