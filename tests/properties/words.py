"""What random collections are made of: few words, so that rows meet, and the odd ones that break programs.

A field has one kind in each set of fields, so that every random batch is valid.
"""

from random import Random

from google.protobuf.timestamp_pb2 import Timestamp

from passageway.v1 import types_pb2

NAME = "c"
"""The name of every random collection."""

NOW_US = 1_750_000_000_000_000
"""The clock of every call: 2025-06-15T15:06:40Z."""

ODD_IDS = (
    'quo"te',
    "back\\slash",
    "new\nline",
    "emoji-😀",
    "שלום",
    "caf\u00e9",
    "cafe\u0301",
    "a b",
    "50%",
    "path/to/x",
    "-dash",
    "AND",
    "user:ada",
    "'single'",
    "\uffff\U00010000",
    "x" * 300,
)
NODE_TYPES = ("service", "team", "doc", "doc", "")
EDGE_TYPES = ("CALLS", "OWNS", "related", "PART_OF", "see also", "")
LINK_FIELDS = ("related", "OWNS", "see also", "depends-on")
MEMBER_OF, GROUPS_LINK = "MEMBER_OF", "groups"
"""What leads to the groups of a user: edge documents, and an adjacency field."""

BELONGS_TO, COMMUNITY = "BELONGS_TO", "community"
"""What leads to the community of a row, and the type of that."""

TEMPLATES = ("user:{sub}", "user:{sub}", "{sub}", "person/{sub}", "{sub} (staff)")
"""Which node is the caller's own."""
PROJECTS = ("", "p1", "p1", "p2")
STATUSES = ("", "", "", "open", "done", "superseded", " Retracted ", "EXPIRED", "disputed")
PRINCIPALS = ("user:ada", "user:bob", "group:eng", "group:ops", "team:graph", "level:senior")
GROUPS = PRINCIPALS[2:]
"""Those that may come from membership too."""

HIDDEN = "user:nobody"
"""A principal that no caller of a test holds."""

TEXTS = (
    "",
    "",
    "one two three four five six seven eight nine ten",
    "unbroken" * 12,
    "emoji 😀😀 and שלום and more words to cut somewhere near here",
    "tab\tand\nnewline and  double  spaces",
    "é" * 40 + " " + "e\u0301" * 40,
    "one red HashMap, two green ones and max_nodes of them",
    "日本語の文 and blue 日本 words, one, two",
)
WORDS = (
    "red", "green", "blue", "Red", "grün", "z", "", "a b", "42", "true", "2025-06-15", "HashMap", "max_nodes",
)  # fmt: skip
NUMBERS: tuple[int | float, ...] = (
    -3, 0, 1, 1, 2, 7, 0.5, 0.5, 1.0, 2.5, 1e-9, 2**53 + 1, 2**62, float(2**53), -0.25,
)  # fmt: skip
DOUBLES = (0.0, -0.0, 0.5, 1.0, -2.5, 2.0**53, 2.0**63, -(2.0**63), 1e300, 1.7e308, -1.7e308)
NUMBERS_OF_VECTORS = (0.0, -0.0, 0.1, 1.0, -2.5, 3.4e38, 1e-45, 1e-300)
WEIGHTS = (None, None, 0.0, 0.1, 0.25, 0.5, 0.5, 0.9, 1.0, 1.0, 1.5, 3.0)

DECLARED = {
    "summary": (types_pb2.FIELD_KIND_TEXT, False),
    "created": (types_pb2.FIELD_KIND_TIME, False),
    "seen": (types_pb2.FIELD_KIND_TIME, True),
    "price": (types_pb2.FIELD_KIND_FLOAT, False),
    "stock": (types_pb2.FIELD_KIND_INT, True),
    "tags": (types_pb2.FIELD_KIND_KEYWORD, True),
    "unused": (types_pb2.FIELD_KIND_BOOL, False),
    "gain": (types_pb2.FIELD_KIND_FLOAT, False),
    "embedding": (types_pb2.FIELD_KIND_VECTOR, False),
    "picture": (types_pb2.FIELD_KIND_VECTOR, False),
}
"""Fields that every random collection declares: kind, and whether it repeats. Some name readers."""

DIMENSIONS = 3
"""How many numbers a declared vector has."""

GUARDABLE = {
    "lifecycle": (types_pb2.FIELD_KIND_KEYWORD, False),
    "review": (types_pb2.FIELD_KIND_KEYWORD, False),
    "expires_at": (types_pb2.FIELD_KIND_TIME, False),
    "description": (types_pb2.FIELD_KIND_TEXT, False),
    "source": (types_pb2.FIELD_KIND_KEYWORD, False),
    "line_start": (types_pb2.FIELD_KIND_INT, False),
}
"""Fields that some collections declare, often with readers: each has a part in what is told of a row."""

CITABLE = ("url", "labels", "description", "embedding", "secret", "created", "rank", "status")
"""Some of what a collection may name as the fields to cite."""

DROPPABLE = ("lifecycle", "review", "source", "tags", "expires_at")
"""Those that may also be held where they are not declared."""

NODE_KINDS = {
    "color": "word",
    "labels": "words",
    "rank": "number",
    "rank2": "number or numbers",
    "open": "bool",
    "opens": "bools",
    "expires_at": "expiry",
    "lifecycle": "status",
    "review": "status",
    "description": "text",
    "source": "word",
    "url": "word",
    "line_start": "int",
    "heading_path": "words",
    "name": "word",
    "revision": "word",
    "odd field": "word",
    "summary": "text",
    "created": "time",
    "seen": "times",
    "price": "float",
    "stock": "int or ints",
    "tags": "word or words",
    "gain": "share",
    "embedding": "vector or listed vector",
    "picture": "near vector",
}
"""Properties of nodes and spans, by what they hold."""

EDGE_KINDS = {
    "strength": "number or numbers",
    "note": "word",
    "summary": "text",
    "color": "number",
    "weight": "word",
    "created": "time",
    "tags": "word or words",
    "certain": "bool",
    "gain": "share",
    "embedding": "vector or listed vector",
}
ONLY_HIDDEN = {"clearance": "word", "salary": "number"}
"""Properties that only rows hidden from the main caller hold: to it they do not exist."""

UNKNOWN = ("no_such_field", "properties.none", "reviews", "expires_on", "secrets", "clearances")
"""Names of no field; some are near to those of fields that may be hidden."""


def time_value(micros: int) -> Timestamp:
    """A time, from microseconds since 1970."""
    return Timestamp(seconds=micros // 1_000_000, nanos=micros % 1_000_000 * 1_000)


def random_micros(rng: Random) -> int:
    """A time near the clock: often the very clock, a day's first or last microsecond."""
    midnight = 1_749_945_600_000_000  # 2025-06-15
    return rng.choice(
        (NOW_US, NOW_US + 1, NOW_US - 1, midnight, midnight - 1, midnight + 86_400_000_000, 0, -1)
    )


def random_value(rng: Random, holds: str) -> types_pb2.Value:
    """A value of what a property *holds*; of "x or y" either."""
    holds = rng.choice(holds.split(" or "))
    value = types_pb2.Value()
    some = range(rng.randint(0, 3))
    match holds:
        case "word":
            value.string_value = rng.choice(WORDS)
        case "text":
            value.string_value = rng.choice(TEXTS)
        case "status":
            value.string_value = rng.choice(STATUSES)
        case "words":
            value.strings.SetInParent()
            value.strings.values.extend(rng.choice(WORDS) for _ in some)
        case "int":
            value.int_value = rng.choice((-1, 0, 1, 2**53 + 1, 2**63 - 1, -(2**63)))
        case "ints":
            value.ints.SetInParent()
            value.ints.values.extend(rng.choice((-1, 0, 1, 2, 2**63 - 1)) for _ in some)
        case "float":
            value.double_value = rng.choice(DOUBLES)
        case "share":
            value.double_value = rng.choice((0.0, 0.25, 0.5, 0.5, 1.0, 2.0, -1.0))
        case "number":
            number = rng.choice(NUMBERS)
            if isinstance(number, int):
                value.int_value = number
            else:
                value.double_value = number
        case "numbers":
            if rng.random() < 0.5:
                value.ints.values.extend(rng.randint(0, 3) for _ in some)
            else:
                value.doubles.values.extend(rng.randint(0, 6) / 2 for _ in some)
        case "bool":
            value.bool_value = rng.random() < 0.5
        case "bools":
            value.bools.SetInParent()
            value.bools.values.extend(rng.random() < 0.5 for _ in some)
        case "vector":
            value.vector.values.extend(rng.choice(NUMBERS_OF_VECTORS) for _ in range(DIMENSIONS))
        case "near vector":
            value.vector.values.extend(
                rng.choice((0.0, 1.0, 1.0, 1.0000001)) for _ in range(DIMENSIONS)
            )
        case "listed vector" if rng.random() < 0.5:
            value.ints.values.extend(rng.randint(-2, 2) for _ in range(DIMENSIONS))
        case "listed vector":
            value.doubles.values.extend(rng.choice(NUMBERS_OF_VECTORS) for _ in range(DIMENSIONS))
        case "time" | "expiry":
            value.time_value.CopyFrom(time_value(random_micros(rng)))
        case "times":
            value.times.values.extend(time_value(random_micros(rng)) for _ in some)
        case _:
            raise ValueError(holds)
    return value
