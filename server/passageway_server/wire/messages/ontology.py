"""The declared map of a collection, both ways."""

from passageway.v1 import types_pb2
from passageway_server.values.collections import Direction, EdgeType, NodeType, Ontology, Route
from passageway_server.wire.findings import Findings
from passageway_server.wire.messages.options import optional


def ontology_from_message(
    message: types_pb2.Ontology, *, path: str, findings: Findings
) -> Ontology:
    return Ontology(
        node_types=tuple(
            NodeType(
                name=declared.name,
                prefix=declared.prefix,
                description=declared.description,
                indexed=optional(declared, "indexed"),
            )
            for declared in message.node_types
        ),
        edge_types=tuple(
            EdgeType(
                name=declared.name,
                description=declared.description,
                default_weight=optional(declared, "default_weight"),
                agents_walk=findings.enum(
                    Direction,
                    declared.agents_walk,
                    path=f"{path}.edge_types[{i}].agents_walk",
                    unset=Direction.UNSPECIFIED,
                ),
            )
            for i, declared in enumerate(message.edge_types)
        ),
        routes=tuple(
            Route(
                source_type=route.source_type,
                target_types=tuple(route.target_types),
                edge_types=tuple(route.edge_types),
            )
            for route in message.routes
        ),
    )


def ontology_to_message(ontology: Ontology) -> types_pb2.Ontology:
    message = types_pb2.Ontology()
    for node_type in ontology.node_types:
        message.node_types.add(
            name=node_type.name,
            prefix=node_type.prefix,
            description=node_type.description,
            indexed=node_type.indexed,
        )
    for edge_type in ontology.edge_types:
        message.edge_types.add(
            name=edge_type.name,
            description=edge_type.description,
            default_weight=edge_type.default_weight,
            agents_walk=edge_type.agents_walk.value,
        )
    for route in ontology.routes:
        message.routes.add(
            source_type=route.source_type,
            target_types=route.target_types,
            edge_types=route.edge_types,
        )
    return message
