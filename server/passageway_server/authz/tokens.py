"""The tokens that a server takes, from a TOML file that holds only their SHA-256.

    [[token]]
    sha256 = "9f86d081884c7d65…"
    sub = "ada"
    principals = ["group:eng"]
    roles = ["reader"]

Every token is a reader; its caller holds ``public``, ``user:<sub>`` and the principals listed.
"""

import hashlib
import hmac
import json
import re
import secrets
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from passageway_server.authz.callers import ROLES, Caller
from passageway_server.errors import SettingInvalid, Unauthenticated
from passageway_server.values.principals import principal_fault, user

_MOST_BYTES = 8192
_KEYS = ("sha256", "sub", "principals", "roles")
_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Token:
    """One entry of the file: the digest of a token, and who presents it."""

    digest: bytes
    caller: Caller


class Tokens:
    """The tokens of a server."""

    __slots__ = ("_tokens",)

    def __init__(self, tokens: Iterable[Token]) -> None:
        self._tokens = tuple(tokens)

    def __len__(self) -> int:
        return len(self._tokens)

    @classmethod
    def read(cls, file: Path) -> "Tokens":
        """The tokens in *file*; raises `SettingInvalid` with every fault and the entry that has it."""
        try:
            content = tomllib.loads(file.read_text(encoding="utf-8"))
        except OSError as cause:
            raise SettingInvalid(str(file), [f"cannot be read: {cause.strerror}"]) from cause
        except ValueError as cause:
            raise SettingInvalid(str(file), [f"not TOML: {cause}"]) from cause
        faults = [f"{key}: unknown, expected [[token]]" for key in content if key != "token"]
        entries = content.get("token", [])
        if not isinstance(entries, list) or not all(
            isinstance(one, dict) for one in cast(list[object], entries)
        ):
            raise SettingInvalid(str(file), [*faults, "token: expected entries [[token]]"])
        tokens: dict[bytes, Token] = {}
        for number, entry in enumerate(cast(list[dict[str, Any]], entries), start=1):
            place = f"token {number}"
            found = _entry_faults(entry)
            digest = b"" if found else bytes.fromhex(entry["sha256"])
            if digest in tokens:
                found = ["sha256: stands in an earlier entry too"]
            faults.extend(f"{place}: {fault}" for fault in found)
            if not found:
                tokens[digest] = Token(digest, _caller(entry))
        if not tokens and not faults:
            faults = ["no token in it, so nobody could call; `passageway token new` makes an entry"]
        if faults:
            raise SettingInvalid(str(file), faults)
        return cls(tokens.values())

    def caller(self, token: str) -> Caller:
        """Who presents *token*; raises `Unauthenticated`. All entries are compared, each in constant time."""
        if len(token) > _MOST_BYTES:
            raise Unauthenticated
        digest = hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
        presented: Caller | None = None
        for known in self._tokens:
            if hmac.compare_digest(known.digest, digest):
                presented = known.caller
        if presented is None:
            raise Unauthenticated
        return presented


@dataclass(frozen=True, slots=True)
class NewToken:
    """A fresh token: the secret that its caller keeps, and the entry for the server's file.

    The entry begins with a blank line, so that it may follow a last line that does not end.
    """

    secret: str
    entry: str


def new_token(sub: str, *, principals: Sequence[str] = (), roles: Sequence[str] = ()) -> NewToken:
    """A token of 256 random bits for *sub*; raises `SettingInvalid` where the entry would be refused."""
    secret = secrets.token_urlsafe(32)
    entry: dict[str, Any] = {
        "sha256": hashlib.sha256(secret.encode()).hexdigest(),
        "sub": sub,
        "principals": list(principals),
        "roles": list(roles) or ["reader"],
    }
    faults = _entry_faults(entry)
    if faults:
        raise SettingInvalid("token", faults)
    lines = [f"{key} = {_toml(value)}" for key, value in entry.items()]
    return NewToken(secret, "\n".join(["", "[[token]]", *lines, ""]))


def _toml(value: str | list[str]) -> str:
    """A string or a list of strings in TOML, whose escapes are those of JSON (and one for DEL)."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _caller(entry: dict[str, Any]) -> Caller:
    return Caller.known(
        entry["sub"], principals=entry.get("principals", ()), roles=entry.get("roles", ())
    )


def _entry_faults(entry: dict[str, Any]) -> list[str]:
    faults = [f"{key}: unknown, expected one of {', '.join(_KEYS)}" for key in entry.keys() - _KEYS]
    faults.sort()
    digest = entry.get("sha256")
    if not isinstance(digest, str) or _DIGEST.fullmatch(digest) is None:
        faults.append("sha256: expected 64 lower-case hex digits")
    sub = entry.get("sub")
    if not isinstance(sub, str) or not sub:
        faults.append("sub: expected a name")
    else:
        fault = "white space at its ends" if sub != sub.strip() else principal_fault(user(sub))
        if fault is not None:
            faults.append(f"sub {json.dumps(sub)}: {fault}")
    for principal in _strings(entry, "principals", faults):
        fault = principal_fault(principal)
        if fault is not None:
            faults.append(f"principals: {json.dumps(principal)}: {fault}")
    for role in _strings(entry, "roles", faults):
        if role not in ROLES:
            faults.append(f"roles: {json.dumps(role)}: expected reader, writer, admin or delegate")
    return faults


def _strings(entry: dict[str, Any], key: str, faults: list[str]) -> list[str]:
    found: object = entry.get(key, [])
    if isinstance(found, list):
        listed = cast(list[object], found)
        strings = [one for one in listed if isinstance(one, str)]
        if len(strings) == len(listed):
            return strings
    faults.append(f"{key}: expected a list of strings")
    return []
