"""Principals as words: what grants, and how it may be written, such as ``user:ada`` or ``public``."""

from collections.abc import Collection
from sys import getsizeof

PUBLIC = "public"
"""The principal that every caller holds."""

_MOST_BYTES = 256


def user(sub: str) -> str:
    """The principal of the one user *sub*."""
    return f"user:{sub}"


def bytes_of(principals: Collection[str]) -> int:
    """How many bytes *principals* take, and what holds them: what is kept by callers is bounded in them."""
    return getsizeof(principals) + sum(map(getsizeof, principals))


def principal_fault(principal: str) -> str | None:
    """Why *principal* is none, or None where it is one."""
    if not principal:
        return "a principal is not empty"
    if principal != principal.strip():
        return "a principal has no white space at its ends"
    if "&" in principal:
        return "a principal has no &"
    if not principal.isascii() and any("\ud800" <= each <= "\udfff" for each in principal):
        return "a principal has no lone surrogates"
    if len(principal) * 4 > _MOST_BYTES and len(principal.encode()) > _MOST_BYTES:
        return f"a principal has at most {_MOST_BYTES} bytes"
    return None
