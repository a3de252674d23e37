"""Times as whole microseconds since 1970, in UTC, and the text forms that name one.

A text is RFC 3339 with a zone, or a date. A date alone is not an instant: it is the day that begins
at midnight UTC.
"""

import re
from datetime import UTC, datetime, timedelta

DAY = 86_400_000_000
"""Microseconds of a day."""

LATEST = 253_402_300_799_999_999
"""The last microsecond of the year 9999, since 1970: no later time has a date."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_INSTANT = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt]([0-9]{2}:[0-9]{2}:[0-9]{2})"
    r"(?:\.([0-9]+))?(Z|z|[+-][0-9]{2}:[0-9]{2})?"
)


def to_micros(time: datetime) -> int:
    """Microseconds since 1970 of an aware *time*."""
    return (time - _EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime:
    """The aware time, in UTC, that is *micros* after 1970 began."""
    return _EPOCH + timedelta(microseconds=micros)


def is_date(text: str) -> bool:
    """Whether *text* has the form of a date without a time."""
    return _DATE.fullmatch(text) is not None


def parse_time(text: str) -> int:
    """Microseconds since 1970 of an RFC 3339 text, or of the midnight UTC that begins a date.

    Raises ValueError, with a reason for people, where the text is neither, has no zone, is finer
    than a microsecond, or is outside the years 1 to 9999 in UTC.
    """
    try:
        if is_date(text):
            return to_micros(datetime.fromisoformat(text).replace(tzinfo=UTC))
        parts = _INSTANT.fullmatch(text)
        if parts is None:
            raise ValueError("not an RFC 3339 time or a date")
        date, clock, fraction, zone = parts.groups()
        if zone is None:
            raise ValueError("a time needs a zone, such as Z or +02:00")
        fraction = (fraction or "").ljust(6, "0")
        if len(fraction) > 6:
            raise ValueError("finer than a microsecond")
        offset = "+00:00" if zone in "Zz" else zone
        whole = datetime.fromisoformat(f"{date}T{clock}.{fraction}{offset}").astimezone(UTC)
    except OverflowError:
        raise ValueError("outside the years 1 to 9999") from None
    return to_micros(whole)
