"""The server's log: one line of JSON for each event, on stderr.

It holds methods, statuses, times and places in the code. No content, no ids of rows, no tokens: what a caller sent or would
have been sent never gets here.
"""

import json
import logging
import sys
from collections.abc import Mapping
from datetime import UTC, datetime

_LOG = logging.getLogger("passageway.server")
_FIELDS = "passageway_fields"
_TO_JSON = json.JSONEncoder(ensure_ascii=False).encode


def write(event: str, *, level: int = logging.INFO, **fields: object) -> None:
    """Log *event* with *fields*; where nobody listens it costs next to nothing."""
    if _LOG.isEnabledFor(level):
        # Made here, for `log` would look for the line of code that called it, which no line shows.
        record = logging.LogRecord(_LOG.name, level, "", 0, event, None, None)
        setattr(record, _FIELDS, fields)
        _LOG.handle(record)


def to_stderr(**fields: object) -> None:
    """Send the log to stderr, as `serve` does; each line holds *fields* too."""
    lines = logging.StreamHandler(sys.stderr)
    lines.setFormatter(_Lines(fields))
    _LOG.handlers[:] = [lines]
    _LOG.setLevel(logging.INFO)
    _LOG.propagate = False


class _Lines(logging.Formatter):
    def __init__(self, fields: Mapping[str, object]) -> None:
        super().__init__()
        self._fields = fields

    def format(self, record: logging.LogRecord) -> str:
        """One object on one line."""
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **self._fields,
            **getattr(record, _FIELDS, {}),
        }
        return _TO_JSON(line)
