"""Graph-wide measures: what is measured, and that the order of puts does not count."""

import hashlib
import json
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from passageway_server.values.queries import EdgeSpec
from passageway_server.values.records import Batch, EdgeRecord, NodeRecord, PassageRecord
from passageway_server.values.requests import Measure
from tests.unit.engine.measured_graphs import BOTH, IN, of_edges, random_batch, store_of, whole
from tests.unit.engine.measuring import PUBLIC, in_this_process, members, run, seen, values

pytestmark = pytest.mark.usefixtures("in_this_process")
__all__ = ["in_this_process"]


@pytest.mark.parametrize("specs", [(), IN, BOTH], ids=["out", "in", "both"])
@pytest.mark.parametrize("seed", range(4))
def test_pagerank_is_that_of_igraph(seed: int, specs: tuple[EdgeSpec, ...]) -> None:
    store = store_of(random_batch(Random(seed)))
    graph = whole(store).graph
    if specs == IN:
        graph.reverse_edges()

    run(store, Measure.PAGERANK, edges=specs, alpha=0.7)

    scores = graph.pagerank(directed=specs != BOTH, damping=0.7, weights="weight")
    expected = dict(zip(graph.vs["name"], scores, strict=True))
    assert values(store, "pagerank") == pytest.approx(expected, rel=1e-9)
    assert sum(values(store, "pagerank").values()) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize(("specs", "mode"), [((), "out"), (IN, "in"), (BOTH, "all")])
def test_degrees_are_those_of_igraph(specs: tuple[EdgeSpec, ...], mode: str) -> None:
    store = store_of(random_batch(Random(5)))
    graph = whole(store).graph

    run(store, Measure.DEGREE, edges=specs)

    degrees = dict(zip(graph.vs["name"], graph.degree(mode=mode), strict=True))
    assert values(store, "degree") == degrees


def test_communities_are_as_good_as_those_of_igraph() -> None:
    store = store_of(random_batch(Random(1)))
    graph = whole(store).graph
    graph.to_undirected(mode="each")

    run(store, Measure.COMMUNITIES)

    community = values(store, "community")
    number = {id: i for i, id in enumerate(dict.fromkeys(community.values()))}
    ours = [number[community[name]] for name in graph.vs["name"]]
    theirs = graph.community_leiden("modularity", weights="weight", n_iterations=-1).membership
    found, best = (graph.modularity(one, weights="weight") for one in (ours, theirs))
    assert found >= best - 0.02


def test_two_triangles_are_two_communities_with_nodes_and_edges() -> None:
    store = of_edges(*("ab", "bc", "ca", "de", "ef", "fd", "cd"))  # type: ignore[arg-type]

    last = run(store, Measure.COMMUNITIES)

    ids = {
        "community:"
        + hashlib.sha256(json.dumps(several, separators=(",", ":")).encode()).hexdigest()[
            :16
        ]: several
        for several in (["a", "b", "c"], ["d", "e", "f"])
    }
    assert members(store) == ids
    assert values(store, "community") == {
        member: community for community, several in ids.items() for member in several
    }
    assert (last.done, last.nodes, last.communities) == (1.0, 6, 2)
    assert last.version == store.collection("c").current.token


def test_a_higher_resolution_makes_more_communities() -> None:
    store = store_of(random_batch(Random(3)))

    few, many = (run(store, Measure.COMMUNITIES, resolution=r).communities for r in (0.3, 4.0))

    assert few < many


def test_communities_do_not_depend_on_which_way_edges_point() -> None:
    batch = random_batch(Random(8))
    stores = [store_of(batch) for _ in range(3)]

    for store, specs in zip(stores, ((), IN, BOTH), strict=True):
        run(store, Measure.COMMUNITIES, edges=specs, seed=5)

    assert members(stores[0]) == members(stores[1]) == members(stores[2])


def test_self_loops_count_nowhere() -> None:
    plain, looped = of_edges(("a", "b"), ("b", "c")), of_edges(("a", "b"), ("b", "c"), ("b", "b"))

    for store in (plain, looped):
        for measure in (Measure.DEGREE, Measure.PAGERANK, Measure.COMMUNITIES):
            run(store, measure)

    for name in ("degree", "pagerank", "community"):
        assert values(plain, name) == values(looped, name)


def test_communities_and_what_belongs_to_them_are_not_measured() -> None:
    store = of_edges(("a", "b"), ("b", "c"))
    run(store, Measure.COMMUNITIES)
    before = values(store, "community")

    run(store, Measure.COMMUNITIES)
    run(store, Measure.DEGREE)

    assert values(store, "community") == before
    assert values(store, "degree") == {"a": 1, "b": 1, "c": 0}


def test_spans_take_part() -> None:
    store = store_of(
        Batch(
            put_nodes=(NodeRecord("m"), NodeRecord("x")),
            put_passages=(PassageRecord("m#0", "m", 0, mentions=("x",)),),
        )
    )

    run(store, Measure.DEGREE)

    assert values(store, "degree") == {"m": 0, "x": 0, "m#0": 2}


def test_an_edge_goes_by_the_first_spec_that_takes_it() -> None:
    store = of_edges(
        EdgeRecord("1", "a", "b", "x", properties={"w": 1}),
        EdgeRecord("2", "a", "c", "x", properties={"w": 3}),
        EdgeRecord("3", "a", "d", "y", weight=4.0),
    )
    specs = (EdgeSpec(("x",), weight_property="w"), EdgeSpec())

    run(store, Measure.PAGERANK, edges=specs)
    run(store, Measure.DEGREE, edges=specs)

    ranks = values(store, "pagerank")
    given = {end: ranks[end] - ranks["a"] for end in "bcd"}
    assert given["c"] / given["b"] == pytest.approx(3.0)
    assert given["d"] / given["b"] == pytest.approx(4.0)
    assert values(store, "degree")["a"] == 3


def test_a_filter_and_types_choose_edges() -> None:
    store = of_edges(
        EdgeRecord("1", "a", "b", "x", weight=0.2),
        EdgeRecord("2", "a", "c", "x", weight=0.9),
        EdgeRecord("3", "a", "d", "y", weight=0.9),
    )

    run(store, Measure.DEGREE, edges=(EdgeSpec(("x",), filter="weight > 0.5"),))

    assert values(store, "degree")["a"] == 1


def test_edges_without_the_weight_property_take_no_part() -> None:
    store = store_of(random_batch(Random(4)))
    version = store.collection("c").current
    held = version.docs.properties["strength"].at.whole >= 0
    ends = version.docs.source.whole != version.docs.target.whole

    run(store, Measure.DEGREE, edges=(EdgeSpec(weight_property="strength"),))

    assert sum(values(store, "degree").values()) == int((held & ends).sum())


@pytest.mark.parametrize("weights", [(0.0, 0.0), (5e-324, 1.7e308), (1.7e308, 1.7e308)])
def test_weights_as_small_and_as_large_as_there_are_give_numbers(
    weights: tuple[float, float],
) -> None:
    one, other = weights
    store = of_edges(
        EdgeRecord("1", "a", "b", weight=one),
        EdgeRecord("2", "a", "b", weight=other),
        EdgeRecord("3", "b", "c", weight=other),
        EdgeRecord("4", "c", "a", weight=one),
        EdgeRecord("5", "d", "e", weight=one),
    )

    run(store, Measure.PAGERANK)
    run(store, Measure.COMMUNITIES)

    assert sum(values(store, "pagerank").values()) == pytest.approx(1.0)
    assert len(values(store, "community")) == 5


def test_the_scale_of_the_weights_of_a_node_does_not_count() -> None:
    small, large = (
        of_edges(
            EdgeRecord("1", "a", "b", weight=scale),
            EdgeRecord("2", "a", "c", weight=3 * scale),
            EdgeRecord("3", "b", "c", weight=1e300),
        )
        for scale in (1e-300, 1.0)
    )

    run(small, Measure.PAGERANK)
    run(large, Measure.PAGERANK)

    assert values(small, "pagerank") == pytest.approx(values(large, "pagerank"))


def test_nothing_to_measure_is_fine() -> None:
    store = store_of(Batch())

    for measure in (Measure.DEGREE, Measure.PAGERANK, Measure.COMMUNITIES):
        assert run(store, measure)[2:] == (0, 0)


def test_rows_without_edges_are_communities_of_one_and_equal_in_rank() -> None:
    store = of_edges(alone="xyz")

    last = run(store, Measure.COMMUNITIES)
    run(store, Measure.PAGERANK)

    assert last.communities == 3
    assert list(members(store).values()) == [["x"], ["y"], ["z"]]
    assert values(store, "pagerank") == pytest.approx(dict.fromkeys("xyz", 1 / 3))


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=25)
def test_a_seed_gives_the_same_whatever_the_order_of_puts(seed: int) -> None:
    rng = Random(seed)
    batch = random_batch(rng)
    nodes, edges = list(batch.put_nodes), list(batch.put_edges)
    rng.shuffle(nodes)
    rng.shuffle(edges)
    shuffled = store_of(Batch(put_nodes=tuple(nodes[:9]), put_edges=tuple(edges)))
    shuffled.collection("c").apply(
        Batch(put_nodes=tuple(nodes[9:]), put_passages=batch.put_passages)
    )
    stores = [store_of(batch), shuffled]

    for store in stores:
        for measure in (Measure.PAGERANK, Measure.COMMUNITIES, Measure.DEGREE):
            run(store, measure, seed=seed)

    one, other = (seen(store.collection("c").current, PUBLIC) for store in stores)
    assert one == other
