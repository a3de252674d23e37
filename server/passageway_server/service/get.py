"""Get: whole rows by id."""

import numpy as np

from passageway_server.authz.callers import Caller
from passageway_server.engine.rows import node_rows
from passageway_server.engine.sizes import Size
from passageway_server.planner.get import plan_get
from passageway_server.service.pin import pin
from passageway_server.values.answers import GetAnswer
from passageway_server.values.halt import UNHALTED, Halt
from passageway_server.values.requests import GetRequest
from passageway_server.version.catalog import Catalog


def get(store: Catalog, caller: Caller, request: GetRequest, halt: Halt = UNHALTED) -> GetAnswer:
    """The rows of the ids asked for, each once; absent and hidden ones are unresolved alike."""
    pinned = pin(store, caller, request.collection, request.read, halt)
    version, gates = pinned.version, pinned.gates
    plan = plan_get(request, version=version, gate=gates.read)
    rows = version.nodes.ids.find_all(plan.ids)
    found = rows >= 0
    found[found] = version.gates.open(gates.scope, rows[found])
    unresolved = [plan.ids[place] for place in np.flatnonzero(~found).tolist()]
    size = Size()
    size.add_ids(unresolved)
    return GetAnswer(
        version.token,
        nodes=node_rows(
            version,
            gates.read,
            rows[found],
            selection=plan.selection,
            max_chars=plan.max_chars,
            admin=caller.admin,
            size=size,
        ),
        unresolved=unresolved,
    )
