"""What was put into a collection, as one version holds it: all that is not worked out."""

from dataclasses import dataclass

from passageway_server.columns.edge_classes import EdgeClasses
from passageway_server.columns.links import Links
from passageway_server.columns.nodes import Docs, Nodes
from passageway_server.columns.readers import ReaderSets
from passageway_server.columns.strings import Strings
from passageway_server.columns.terms import Terms
from passageway_server.values.collections import CollectionSettings
from passageway_server.version.fieldset import FieldSet


@dataclass(frozen=True, slots=True)
class Contents:
    """What was put: the stored state of a version."""

    settings: CollectionSettings
    fields: FieldSet  # of nodes and spans
    edge_fields: FieldSet
    nodes: Nodes
    docs: Docs
    links: Links
    types: Terms
    statuses: Terms
    projects: Terms
    edge_types: Terms
    edge_classes: EdgeClasses  # of all edges that there are
    keywords: Terms
    texts: Strings
    readers: ReaderSets
    next_number: int  # of the next put

    @classmethod
    def empty(cls, settings: CollectionSettings) -> "Contents":
        """A collection without rows."""
        declared = {declaration.name: declaration for declaration in settings.fields}
        blank = Terms.of([""])
        return cls(
            settings=settings,
            fields=FieldSet(declared, {}),
            edge_fields=FieldSet(declared, {}),
            nodes=Nodes.none(),
            docs=Docs.none(),
            links=Links.none(),
            types=blank,
            statuses=blank,
            projects=blank,
            edge_types=blank,
            edge_classes=EdgeClasses.none(),
            keywords=Terms.of(),
            texts=Strings.of([""]),
            readers=ReaderSets(),
            next_number=0,
        )
