"""Settings and records, as a scenario tells them."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, cast

from passageway.v1 import store_pb2, types_pb2

Part = Mapping[str, Any]

BATCH_PARTS = ("nodes", "edges", "spans", "delete_nodes", "delete_edges", "recut")


def settings_of(name: str, told: Part) -> store_pb2.Collection:
    """The settings of a collection; what is not told is as it is for a new one."""
    settings = store_pb2.Collection(
        name=name,
        default_readers=told.get("default_readers", []),
        users=told.get("users", []),
        retain_versions=told.get("retain_versions"),
    )
    for field in told.get("fields", []):
        settings.fields.add(
            name=field["name"],
            kind=types_pb2.FieldKind.Value(f"FIELD_KIND_{field['kind'].upper()}"),
            readers=field.get("readers", []),
        )
    if "membership" in told:
        membership: Part = told["membership"]
        settings.membership.node_id_template = membership["node"]
        settings.membership.edge_types.extend(membership["edges"])
    return settings


def batch_of(told: Part) -> store_pb2.Batch:
    """The batch of one commit."""
    batch = store_pb2.Batch(
        delete_nodes=told.get("delete_nodes", []),
        delete_edges=told.get("delete_edges", []),
        recut_parents=told.get("recut", []),
    )
    for row_id, row in told.get("nodes", {}).items():
        links = {
            name: types_pb2.StringList(values=ids) for name, ids in row.get("links", {}).items()
        }
        batch.put_nodes.append(types_pb2.Node(id=row_id, **_record(row), links=links))
    for place, (source, edge_type, target, *rest) in enumerate(told.get("edges", [])):
        edge: dict[str, Any] = {"id": f"edge-{place}"} | _record(rest[0] if rest else {})
        batch.put_edges.append(types_pb2.Edge(source=source, type=edge_type, target=target, **edge))
    for row_id, row in told.get("spans", {}).items():
        batch.put_passages.append(types_pb2.Passage(id=row_id, parent_id=row["of"], **_record(row)))
    return batch


def _record(told: Part) -> dict[str, Any]:
    record = {name: part for name, part in told.items() if name not in ("of", "links")}
    if "properties" in record:
        record["properties"] = {name: _value(value) for name, value in record["properties"].items()}
    return record


def _value(told: object) -> types_pb2.Value:
    value = types_pb2.Value()
    match told:
        case bool():
            value.bool_value = told
        case int():
            value.int_value = told
        case float():
            value.double_value = told
        case str():
            value.string_value = told
        case datetime():
            value.time_value.FromDatetime(told)
        case date():
            value.time_value.FromDatetime(datetime(told.year, told.month, told.day))
        case list():
            value.strings.values.extend(cast(list[str], told))
        case _:
            raise ValueError(f"{told!r} is no value of a property")
    return value
