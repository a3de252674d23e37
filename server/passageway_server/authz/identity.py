"""How a server learns who calls: mode none asks nobody, mode tokens looks at a bearer token.

Mode none makes every caller ``public`` and an admin, so it binds the loopback alone.
"""

import ipaddress
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from passageway_server.authz.callers import OPERATOR, Caller
from passageway_server.authz.tokens import Tokens
from passageway_server.errors import NotBuilt, SettingInvalid, Unauthenticated

MODES = ("none", "tokens", "jwt")


class Identity(Protocol):
    """A mode of authentication."""

    @property
    def mode(self) -> str:
        """Its name."""
        ...

    def caller(self, authorization: Sequence[str]) -> Caller:
        """Who sends these ``authorization`` values; raises `Unauthenticated`, one text for every cause."""
        ...


class Nobody:
    """Mode none: everyone is the operator."""

    mode = "none"

    def caller(self, authorization: Sequence[str]) -> Caller:  # noqa: ARG002  (nobody is asked)
        return OPERATOR


class Bearers:
    """Mode tokens: ``Bearer <token>``, once."""

    mode = "tokens"

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens

    def caller(self, authorization: Sequence[str]) -> Caller:
        if len(authorization) != 1:
            raise Unauthenticated
        scheme, _, token = authorization[0].partition(" ")
        if scheme.lower() != "bearer":
            raise Unauthenticated
        return self._tokens.caller(token.strip())


def identity(mode: str | None = None, *, tokens: Path | None = None) -> Identity:
    """The identity of *mode*; without one, tokens where there is a file of them, else none."""
    mode = mode or ("none" if tokens is None else "tokens")
    match mode:
        case "none" if tokens is None:
            return Nobody()
        case "none":
            raise SettingInvalid(
                "auth", ["mode none takes no tokens file; leave one of the two out"]
            )
        case "tokens" if tokens is not None:
            return Bearers(Tokens.read(tokens))
        case "tokens":
            raise SettingInvalid("auth", ["mode tokens needs a tokens file"])
        case "jwt":
            raise NotBuilt(["auth mode jwt"])
        case _:
            raise SettingInvalid("auth", [f"{mode!r}: expected one of {', '.join(MODES)}"])


def check_listen(listen: str, *, mode: str) -> None:
    """Raise `SettingInvalid` where a server of *mode* must not bind *listen*, a ``host:port``."""
    host, colon, port = listen.rpartition(":")
    if not colon or not port.isdecimal() or int(port) > 65535:
        raise SettingInvalid("listen", [f"{listen!r}: expected HOST:PORT, such as 127.0.0.1:50051"])
    if mode == "none" and not _is_loopback(host):
        raise SettingInvalid(
            "listen",
            [
                f"{listen}: without tokens only the loopback can be served; give a tokens file, or listen on 127.0.0.1"
            ],
        )


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.removeprefix("[").removesuffix("]")).is_loopback
    except ValueError:
        return False
