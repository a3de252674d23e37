"""Graphs of other libraries from an answer with a subgraph; the libraries are imported when called.

An answer has its edges only where the call asked ``with_subgraph=True``: one that reached nodes without it is refused.
Nodes bear what the hits say; a node that an edge names without being a hit bears its id alone.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Protocol

from passageway._errors import MissingExtra

__all__ = ["Subgraph", "SubgraphConversions"]

if TYPE_CHECKING:
    from collections.abc import Sequence

    import igraph
    import networkx

    from passageway._generated.values import Edge, Hit, SubgraphEdge


class Subgraph(Protocol):
    """What a conversion reads: hits, and the traversed edges in their stored direction."""

    @property
    def hits(self) -> Sequence[Hit]:
        """The reached nodes that the answer shows."""
        ...

    @property
    def subgraph(self) -> Sequence[SubgraphEdge]:
        """Every traversed edge, where the call asked for them with ``with_subgraph``."""
        ...


class SubgraphConversions:
    """Gives an answer its conversions."""

    __slots__ = ()

    def to_networkx(self: Subgraph) -> networkx.MultiDiGraph:
        """A networkx.MultiDiGraph: nodes by id; edges with ``id``, ``type``, ``weight``, ``hop``.

        ValueError where the call that reached its nodes did not ask ``with_subgraph=True``.
        """
        _check_edges(self, "to_networkx")
        graph: networkx.MultiDiGraph = _module("networkx").MultiDiGraph()
        for name, attributes in _nodes(self).items():
            graph.add_node(name, **attributes)
        for followed in self.subgraph:
            edge = followed.edge
            if edge is not None:
                graph.add_edge(edge.source, edge.target, **_edge(edge, followed.hop))
        return graph

    def to_igraph(self: Subgraph) -> igraph.Graph:
        """A directed igraph.Graph: the ids are the vertices' ``name``; other attributes as above.

        A hit's own name is the vertex attribute ``title``, for igraph finds vertices by ``name``.
        ValueError where the call that reached its nodes did not ask ``with_subgraph=True``.
        """
        _check_edges(self, "to_igraph")
        nodes = _nodes(self)
        places = {name: place for place, name in enumerate(nodes)}
        followed = [(step.edge, step.hop) for step in self.subgraph if step.edge is not None]
        edges = [_edge(edge, hop) for edge, hop in followed]
        graph: igraph.Graph = _module("igraph").Graph(
            n=len(nodes),
            edges=[(places[edge.source], places[edge.target]) for edge, _ in followed],
            directed=True,
            vertex_attrs={
                "name": list(nodes),
                "title": [attributes.get("name") for attributes in nodes.values()],
                **_columns(list(nodes.values()), ("type", "score", "hop", "properties")),
            },
            edge_attrs=_columns(edges, ("id", "type", "weight", "hop", "properties")),
        )
        return graph


def _check_edges(answer: Subgraph, conversion: str) -> None:
    """Raise ValueError for nodes that edges led to when the answer has none: a graph without edges is never meant."""
    if not answer.subgraph and any(hit.hop for hit in answer.hits):
        raise ValueError(
            f"{conversion}(): the answer has no edges; ask with with_subgraph=True, as in"
            " expand(…, with_subgraph=True)"
        )


def _nodes(answer: Subgraph) -> dict[str, dict[str, Any]]:
    """Attributes of every node, hits first, by id."""
    nodes: dict[str, dict[str, Any]] = {}
    for hit in answer.hits:
        if hit.node is not None:
            nodes[hit.node.id] = {
                "type": hit.node.type,
                "name": hit.node.name,
                "score": hit.score,
                "hop": hit.hop,
                "properties": dict(hit.node.properties),
            }
    for followed in answer.subgraph:
        if followed.edge is not None:
            nodes.setdefault(followed.edge.source, {})
            nodes.setdefault(followed.edge.target, {})
    return nodes


def _edge(edge: Edge, hop: int) -> dict[str, Any]:
    return {
        "id": edge.id,
        "type": edge.type,
        "weight": edge.weight,
        "hop": hop,
        "properties": dict(edge.properties),
    }


def _columns(rows: Sequence[dict[str, Any]], names: Sequence[str]) -> dict[str, list[Any]]:
    """Lists of values by name, as igraph takes attributes; an absent one is None."""
    return {name: [row.get(name) for row in rows] for name in names}


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        raise MissingExtra(f"to_{name}()", extra=name) from None
