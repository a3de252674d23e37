"""The care of collections: settings, states, and listings of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from passageway.v1 import store_pb2
from passageway_server.values.collections import (
    CollectionSettings,
    CollectionState,
    FieldDeclaration,
    Kind,
    Membership,
    Similarity,
)
from passageway_server.wire.findings import Findings
from passageway_server.wire.messages.ontology import ontology_from_message, ontology_to_message
from passageway_server.wire.messages.options import optional
from passageway_server.wire.messages.pages import page
from passageway_server.wire.values import set_time


@dataclass(frozen=True, slots=True)
class Update:
    """New settings, and which of them count."""

    settings: CollectionSettings
    mask: tuple[str, ...]


def from_create(
    message: store_pb2.CreateCollectionRequest, findings: Findings
) -> CollectionSettings:
    return _settings(message.collection, findings)


def from_update(message: store_pb2.UpdateCollectionRequest, findings: Findings) -> Update:
    return Update(_settings(message.collection, findings), tuple(message.update_mask.paths))


def to_message(state: CollectionState) -> store_pb2.Collection:
    settings = state.settings
    message = store_pb2.Collection(
        name=settings.name,
        description=settings.description,
        default_readers=settings.default_readers,
        users=settings.users,
        version=state.version,
        nodes=state.nodes,
        edges=state.edges,
        passages=state.passages,
        memory_bytes=state.memory_bytes,
        damage=state.damage,
        retain_versions=settings.retain_versions,
        language=settings.language,
        citation_fields=settings.citation_fields,
    )
    for field in settings.fields:
        message.fields.add(
            name=field.name,
            kind=field.kind.value,
            repeated=field.repeated,
            readers=field.readers,
            weight=field.weight,
            language=field.language,
            dimensions=field.dimensions,
            similarity=field.similarity.value,
        )
    membership = settings.membership
    if membership is not None:
        message.membership.node_id_template = membership.node_id_template
        message.membership.edge_types.extend(membership.edge_types)
        if membership.max_depth is not None:
            message.membership.max_depth = membership.max_depth
    ontology = ontology_to_message(settings.ontology)
    if ontology.ByteSize():
        message.ontology.CopyFrom(ontology)
    if state.created_at is not None:
        set_time(message.created_at, state.created_at)
    return message


def to_listing(
    states: Sequence[CollectionState], message: store_pb2.ListCollectionsRequest
) -> store_pb2.ListCollectionsResponse:
    """The page of *states* that *message* asks for."""
    shown, token = page(
        states,
        name=lambda state: state.settings.name,
        size=message.page_size,
        token=message.page_token,
    )
    return store_pb2.ListCollectionsResponse(
        collections=[to_message(state) for state in shown], next_page_token=token
    )


def _settings(message: store_pb2.Collection, findings: Findings) -> CollectionSettings:
    return CollectionSettings(
        name=message.name,
        description=message.description,
        fields=tuple(
            FieldDeclaration(
                name=field.name,
                kind=findings.enum(
                    Kind,
                    field.kind,
                    path=f"collection.fields[{i}].kind",
                    unset=Kind.UNSPECIFIED,
                ),
                repeated=field.repeated,
                readers=tuple(field.readers),
                weight=optional(field, "weight"),
                language=field.language,
                dimensions=field.dimensions,
                similarity=findings.enum(
                    Similarity,
                    field.similarity,
                    path=f"collection.fields[{i}].similarity",
                    unset=Similarity.UNSPECIFIED,
                ),
            )
            for i, field in enumerate(message.fields)
        ),
        ontology=ontology_from_message(
            message.ontology, path="collection.ontology", findings=findings
        ),
        default_readers=tuple(message.default_readers),
        users=tuple(message.users),
        membership=_membership(message.membership) if message.HasField("membership") else None,
        retain_versions=optional(message, "retain_versions"),
        language=message.language,
        citation_fields=tuple(message.citation_fields),
    )


def _membership(message: store_pb2.Collection.Membership) -> Membership:
    return Membership(
        message.node_id_template,
        tuple(message.edge_types),
        message.max_depth if message.HasField("max_depth") else None,
    )
