"""Paths: how two sets of nodes are connected."""

from collections.abc import Iterator
from itertools import islice

import numpy as np

from passageway_server.authz.callers import Caller
from passageway_server.engine.paths import find_paths
from passageway_server.engine.rows import edge_rows, node_rows
from passageway_server.engine.sizes import Size
from passageway_server.planner.paths import plan_paths
from passageway_server.service.pin import own, pin
from passageway_server.values.answers import EdgeRow, PathRow, PathsAnswer
from passageway_server.values.halt import UNHALTED, Halt
from passageway_server.values.requests import PathsRequest
from passageway_server.version.catalog import Catalog


def paths(
    store: Catalog, caller: Caller, request: PathsRequest, halt: Halt = UNHALTED
) -> PathsAnswer:
    """The shortest or cheapest simple paths, or all of them, and every node on one, each once.

    Ends that are absent or hidden are skipped.
    """
    pinned = pin(store, caller, request.collection, request.read, own(halt))
    version, gates = pinned.version, pinned.gates
    plan = plan_paths(request, version, gates.read)
    ids = version.nodes.ids
    found = find_paths(
        version,
        plan.search,
        sources=ids.find_all(plan.sources),
        targets=ids.find_all(plan.targets),
        scope=gates.scope,
        read=gates.read,
    )
    size = Size()
    steps = np.array([row for path in found.paths for row in path.rows], dtype=np.int64)
    size.add_texts(ids.strings, steps)
    on_paths = list(dict.fromkeys(steps.tolist()))
    nodes = node_rows(
        version,
        gates.read,
        on_paths,
        selection=plan.fields,
        max_chars=plan.max_chars,
        admin=caller.admin,
        size=size,
    )
    id_of = {row: node.id for row, node in zip(on_paths, nodes, strict=True)}
    edges: Iterator[EdgeRow] = iter(
        edge_rows(
            version,
            gates.read,
            [edge for path in found.paths for edge in path.edges],
            selection=plan.edge_fields,
            admin=caller.admin,
            size=size,
        )
    )
    return PathsAnswer(
        version=version.token,
        paths=[
            PathRow(
                [id_of[row] for row in path.rows],
                list(islice(edges, len(path.edges))),
                len(path.edges),
                path.cost,
            )
            for path in found.paths
        ],
        nodes={node.id: node for node in nodes},
        truncated=found.truncated,
        timed_out=found.timed_out,
        explored=found.explored,
        applied=plan.applied,
    )
