"""Batches at random, of few ids: so they meet each other again and again."""

from random import Random

from passageway_server.values.records import (
    Batch,
    EdgeRecord,
    NodeRecord,
    PassageRecord,
    Properties,
)

IDS = [f"n{i}" for i in range(12)]


def random_batch(rng: Random) -> Batch:
    """Some of everything that a batch may do."""

    def some(most: int) -> list[str]:
        return rng.sample(IDS, rng.randint(0, most))

    return Batch(
        delete_nodes=tuple(some(1)),
        delete_edges=tuple(f"e{i}" for i in rng.sample(range(9), rng.randint(0, 2))),
        recut_parents=tuple(some(1)),
        put_nodes=tuple(_node(rng, one, some(3)) for one in some(3)),
        put_edges=tuple(_edge(rng) for _ in range(rng.randint(0, 3))),
        put_passages=tuple(
            PassageRecord(
                one,
                rng.choice(IDS),
                rng.randint(0, 3),
                content="span",
                mentions=tuple(some(2)),
                readers=rng.choice(((), ("group:s",))),
            )
            for one in some(2)
        ),
    )


def _node(rng: Random, identifier: str, links: list[str]) -> NodeRecord:
    properties: Properties = {"n": rng.randint(0, 3), "k": rng.choice("abc")}
    if rng.random() < 0.2:
        properties["lifecycle"] = rng.choice(("current", "superseded"))
    if rng.random() < 0.2:
        properties["expires_at"] = f"20{rng.randint(20, 40)}-01-01"
    return NodeRecord(
        identifier,
        name=f"name {rng.random()}",
        content=" ".join(
            rng.choices(("ant", "bee", "Bees", "cow_bell", "日本"), k=rng.randint(0, 5))
        ),
        readers=rng.choice(((), ("public",), ("group:a & group:b",))),
        status=rng.choice(("", "open", "retracted")),
        project=rng.choice(("", "p", "q")),
        properties=properties,
        links={"rel": tuple(links)},
    )


def _edge(rng: Random) -> EdgeRecord:
    return EdgeRecord(
        f"e{rng.randint(0, 8)}",
        rng.choice(IDS),
        rng.choice(IDS),
        type=rng.choice(("", "T")),
        weight=rng.choice((None, 2.0)),
        readers=rng.choice(((), ("group:e",))),
        properties={"since": rng.randint(0, 3)} if rng.random() < 0.5 else {},
    )
