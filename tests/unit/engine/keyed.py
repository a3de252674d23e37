"""Keys for the edges of a small graph: of every kind, in the order of the edges."""

_PLACE = (1 << 29) - 1


def key_of(place: int, count: int) -> int:
    """The key of edge *place* of *count*: of a link of a node, a document, or a link of a span."""
    return place + (-(1 << 31), 0, 1 << 29)[3 * place // count]


def place_of(key: int) -> int:
    """The inverse of `key_of`."""
    return key & _PLACE
