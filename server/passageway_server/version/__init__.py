"""One immutable state of a collection; the current one; and its only writer."""
