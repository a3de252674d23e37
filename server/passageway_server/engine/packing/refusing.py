"""What a budget is refused for: it is too small for the least that an answer holds."""

from passageway_server.errors import InvalidRequest
from passageway_server.values.context import MOST_TOKENS


def check_budget(needed: int, tokens: int, *, path: str, needs: str) -> None:
    """Raise InvalidRequest at *path* where *needed* tokens, which *needs* takes, are more than *tokens*."""
    if needed <= tokens:
        return
    advice = f"{needed} would do"
    if needed > MOST_TOKENS:
        advice = f"it takes {needed}, and a budget has at most {MOST_TOKENS}"
    raise InvalidRequest.one(path, f"is {tokens}, too small for {needs}; {advice}")
