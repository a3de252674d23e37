"""What the package shows: its names, its twins, its conversions, and what it does not need."""

import inspect
import subprocess
import sys
import typing
from collections.abc import Iterator
from pathlib import Path

import igraph
import networkx
import pytest

import passageway
from passageway import (
    AsyncClient,
    AsyncCollectionClient,
    Client,
    CollectionClient,
    Edge,
    ExpandResponse,
    Hit,
    MissingExtra,
    Node,
    SubgraphEdge,
)
from passageway._generated import values

PROTO = Path(__file__).parents[2] / "proto"
sys.path.insert(0, str(PROTO))
try:
    from generator import protoc, schema, table
finally:
    sys.path.pop(0)

ANSWER = ExpandResponse(
    hits=[
        Hit(node=Node("a", type="package", name="A"), score=1.0),
        Hit(node=Node("b"), score=0.5, hop=1),
    ],
    subgraph=[
        SubgraphEdge(edge=Edge("a", "b", id="e1", type="Depends", weight=0.5), hop=1),
        SubgraphEdge(edge=Edge("a", "b", id="e2", type="Suggests", weight=0.25), hop=1),
        SubgraphEdge(edge=Edge("b", "hidden-hit", type="near", weight=1.0), hop=2),
    ],
)


def test_every_public_name_is_there_and_every_value_is_public() -> None:
    made = {name for name, value in vars(values).items() if isinstance(value, type)}
    own = {name for name in made if vars(values)[name].__module__ == values.__name__}

    assert sorted(passageway.__all__) == list(passageway.__all__)
    assert own <= set(passageway.__all__)
    assert all(hasattr(passageway, name) for name in passageway.__all__)


@pytest.mark.parametrize(
    ("one", "twin"), [(Client, AsyncClient), (CollectionClient, AsyncCollectionClient)]
)
def test_the_twins_have_the_same_methods_with_the_same_parameters(one: type, twin: type) -> None:
    names = {name for name in vars(one) if not name.startswith("_")}

    assert names == {name for name in vars(twin) if not name.startswith("_")}
    for name in names - {"load"}:
        assert _parameters(getattr(one, name)) == _parameters(getattr(twin, name))


def _parameters(method: typing.Any) -> list[str]:
    return [str(parameter) for parameter in inspect.signature(method).parameters.values()]


@pytest.mark.parametrize("kind", [CollectionClient, AsyncCollectionClient, Client, AsyncClient])
def test_every_call_and_parameter_bears_the_comment_of_the_contract(kind: type) -> None:
    contract = _contract()
    calls = table.ON_COLLECTION if "Collection" in kind.__name__ else table.ON_CLIENT
    silent: list[str] = []
    for call in calls:
        rpc = contract.rpcs[call.rpc]
        said = " ".join((inspect.getdoc(getattr(kind, call.name)) or "").split())
        if not rpc.comment or not said.startswith(rpc.comment):
            silent.append(call.name)
        silent += [
            f"{call.name}.{field.name}"
            for field in _parameters_of(call, contract)
            if field.comment and f"{field.name}: {field.comment}" not in said
        ]

    assert silent == []


def _contract() -> schema.Schema:
    return schema.read(protoc.descriptors(PROTO))


def _parameters_of(call: table.Call, contract: schema.Schema) -> Iterator[schema.Field]:
    """Fields that are parameters: those of a message that is spread stand for it."""
    rpc = contract.rpcs[call.rpc]
    if rpc.client_streams:
        return
    for field in contract.messages[rpc.request].fields:
        held = contract.messages.get(field.type)
        for one in held.fields if held and held.name in table.INLINED else [field]:
            if one.name not in call.fixed and (call.only is None or one.name in call.only):
                yield one


def test_importing_the_client_imports_neither_the_server_nor_graph_libraries() -> None:
    program = (
        "import sys, passageway; "
        "print(sorted(sys.modules.keys() & "
        "{'passageway_server', 'numpy', 'numba', 'networkx', 'igraph', 'typer', 'rich'}))"
    )

    said = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert said.stdout.strip() == "[]"


def test_an_answer_becomes_a_networkx_graph() -> None:
    graph = ANSWER.to_networkx()

    assert isinstance(graph, networkx.MultiDiGraph)
    assert sorted(graph.nodes) == ["a", "b", "hidden-hit"]
    assert graph.nodes["a"]["name"] == "A"
    assert sorted(data["id"] for *_, data in graph.edges(data=True)) == ["", "e1", "e2"]


def test_an_answer_becomes_an_igraph_graph() -> None:
    graph = ANSWER.to_igraph()

    assert isinstance(graph, igraph.Graph)
    assert graph.vs["name"] == ["a", "b", "hidden-hit"]
    assert graph.vs["title"] == ["A", "", None]
    assert graph.get_edgelist() == [(0, 1), (0, 1), (1, 2)]
    assert graph.es["weight"] == [0.5, 0.25, 1.0]


def test_an_answer_without_its_edges_is_no_graph() -> None:
    walked = ExpandResponse(hits=ANSWER.hits)

    for conversion in (walked.to_networkx, walked.to_igraph):
        with pytest.raises(ValueError, match="with_subgraph=True"):
            conversion()
    assert list(ExpandResponse(hits=ANSWER.hits[:1]).to_networkx().nodes) == ["a"]


def test_a_missing_library_is_told_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "networkx", None)

    with pytest.raises(MissingExtra, match=r"passageway\[networkx\]"):
        ANSWER.to_networkx()


@pytest.mark.parametrize("absent", ["numba", "lark", "passageway_server"])
def test_opening_a_folder_without_the_server_is_told_with_what_to_install(
    absent: str, tmp_path: Path
) -> None:
    finder = (
        "class Absent:\n"
        "  def find_spec(self, name, path=None, target=None):\n"
        f"    if name == {absent!r}: raise ModuleNotFoundError(name, name=name)\n"
        "sys.meta_path.insert(0, Absent())"
    )

    said = _opening(tmp_path, finder)

    assert (
        said
        == "MissingExtra: passageway.open() needs more packages: pip install 'passageway[server]'"
    )


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        ("sys.modules['passageway_server.wire.dispatch'] = None", "ModuleNotFoundError"),
        ("import passageway_server.errors as e; del e.NotBuilt", "ImportError: cannot import name"),
    ],
)
def test_a_fault_of_the_server_itself_is_not_taken_for_a_missing_package(
    broken: str, told: str, tmp_path: Path
) -> None:
    assert _opening(tmp_path, broken).startswith(told)


def _opening(folder: Path, before: str) -> str:
    """What opening a folder raises in another process, where *before* was run."""
    program = (
        f"import sys, passageway\n{before}\n"
        "try: passageway.open(sys.argv[1])\n"
        "except Exception as error: print(f'{type(error).__name__}: {error}')"
    )
    said = subprocess.run(
        [sys.executable, "-c", program, folder], capture_output=True, text=True, check=True
    )
    return said.stdout.strip()
