"""What the contract does not say about the client library: one table for both twins.

A call becomes a method of the client or of one of its collections; its request's fields become parameters.
"""

from dataclasses import dataclass, field

POSITIONAL = {
    "EdgeSpec": ("types",),
    "Facet": ("field",),
    "Field": ("name", "kind"),
    "Hop": ("types",),
    "Metric": ("field", "op"),
    "Query": ("text",),
    "Route": ("source_type", "target_types"),
    "NodeType": ("name",),
    "EdgeType": ("name",),
    "SeedGroup": ("ids",),
    "TextPageRequest": ("property",),
}
"""Fields of a value that may be given by position, besides those that the contract requires."""

WRAPPERS = {"Value", "StringList", "FloatList", "IntList", "DoubleList", "BoolList", "TimeList"}
"""Messages that stand for plain Python values."""

INLINED = {"ReadOptions": "arguments.read_options"}
"""Messages whose fields stand among those of the request that holds them, and what makes them."""

MERGED = {("Hop", "edges"): {"filter": "edge_filter", "max_frontier": "edge_max_frontier"}}
"""Fields of messages that merge into the value that holds them, with the names that would clash."""

MIXINS = {"ExpandResponse": ("SubgraphConversions", "passageway.convert")}
"""Bases that give a value more methods."""


@dataclass(frozen=True, slots=True)
class Accept:
    """A parameter that takes more than its message: its annotation, and what makes the message.

    ``default`` stands for that of the field where it is given, ``said`` follows the comment of the field.
    """

    annotation: str
    expression: str
    default: str = ""
    said: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """An rpc as a method. ``fixed`` fields of the request are not parameters: text of their values.

    ``only``: the parameters, where not all are taken; ``items``: the field of the pages of a list.
    """

    rpc: str
    name: str
    positional: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    accepts: dict[str, Accept] = field(default_factory=dict[str, Accept])
    fixed: dict[str, str] = field(default_factory=dict[str, str])
    only: tuple[str, ...] | None = None
    items: str = ""
    items_name: str = ""


_BATCH = Accept("values.Batch | store_pb2.Batch", "arguments.batch({})")
_COLLECTION = Accept("values.Collection | str", "arguments.collection({})")
_QUERY = Accept("values.Query | str", "arguments.query({})")
_KEY = Accept(
    "str | None",
    "self._session.key({})",
    default="None",
    said='None draws one where calls are sent again by themselves, as over a server; "" is none.',
)
_SEEDS = Accept("Sequence[values.SeedGroup | str]", "arguments.seeds({})")
_HERE = {"collection": "self.name"}

ON_CLIENT = (
    Call(
        "CreateCollection",
        "create_collection",
        ("collection",),
        accepts={"collection": _COLLECTION},
    ),
    Call(
        "UpdateCollection",
        "update_collection",
        ("collection",),
        accepts={"collection": _COLLECTION},
    ),
    Call("GetCollection", "get_collection", ("name",)),
    Call("ListCollections", "list_collections", items="collections", items_name="collections"),
    Call("DeleteCollection", "delete_collection", ("name",)),
    Call("Describe", "describe", only=()),
)

ON_COLLECTION = (
    Call("Expand", "expand", ("seeds",), accepts={"seeds": _SEEDS}, fixed=_HERE),
    Call("Paths", "paths", ("sources", "targets"), fixed=_HERE),
    Call("Slice", "slice", ("id",), fixed=_HERE),
    Call("Lookup", "lookup", ("filter",), optional=("filter",), fixed=_HERE),
    Call("Search", "search", ("query",), accepts={"query": _QUERY}, fixed=_HERE),
    Call("Context", "context", ("ids",), optional=("ids",), accepts={"query": _QUERY}, fixed=_HERE),
    Call("Get", "get", ("ids",), fixed=_HERE),
    Call("Describe", "describe", fixed=_HERE),
    Call(
        "Apply",
        "apply",
        ("batch",),
        accepts={"batch": _BATCH, "idempotency_key": _KEY},
        fixed=_HERE,
    ),
    Call("Load", "load", fixed=_HERE),
    Call("Export", "export", fixed=_HERE),
    Call("Analyze", "analyze", ("measure", "property"), fixed=_HERE),
    Call("CreateSnapshot", "create_snapshot", ("name",), optional=("name",), fixed=_HERE),
    Call("ListSnapshots", "list_snapshots", items="snapshots", items_name="snapshots", fixed=_HERE),
    Call("DeleteSnapshot", "delete_snapshot", ("name",), fixed=_HERE),
    Call("RestoreSnapshot", "restore_snapshot", ("name",), fixed=_HERE),
)
