"""A gateway that acts for others, and answers that several people will read, over gRPC."""

import base64
import json
from collections.abc import Generator

import pytest
from google.protobuf.message import Message
from grpc_health.v1 import health_pb2

from passageway.v1 import graph_pb2, read_pb2, store_pb2, types_pb2
from passageway_server.wire import store_servicer
from tests.wire.serving import Failed, Keys, Metadata, Wire, guarded, served

BEHALF, AUDIENCE = "passageway-on-behalf-of", "passageway-audience"


def told(name: str, *principals: str) -> Metadata:
    value = base64.urlsafe_b64encode(json.dumps(principals).encode()).decode()
    return ((name, value.rstrip("=")),)


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Keys:
    made = Keys(tmp_path_factory.mktemp("keys"))
    made.add("root", roles=["admin"])
    made.add("bridge", principals=["group:secret"], roles=["delegate"])
    made.add("loader", principals=["group:secret"], roles=["writer", "delegate"])
    made.add("ada", principals=["group:eng"])
    made.add("bob")
    return made


@pytest.fixture(scope="module")
def wire(keys: Keys) -> Generator[Wire]:
    with served(guarded(keys)) as made:
        _fill(made, keys)
        yield made


def _fill(wire: Wire, keys: Keys) -> None:
    settings = store_pb2.Collection(name="c", default_readers=["public"])
    settings.fields.add(name="salary", kind=types_pb2.FIELD_KIND_INT, readers=["group:hr"])
    settings.membership.node_id_template = "user:{sub}"
    settings.membership.edge_types.append("MEMBER_OF")
    closed = store_pb2.Collection(name="closed", users=["team:red"])
    closed.membership.CopyFrom(settings.membership)
    batch = store_pb2.Batch(
        put_nodes=[
            types_pb2.Node(id="open"),
            types_pb2.Node(id="eng", readers=["group:eng"]),
            types_pb2.Node(id="red", readers=["team:red"]),
            types_pb2.Node(id="adas", readers=["user:ada"]),
            types_pb2.Node(id="both", readers=["user:ada & group:eng"]),
            types_pb2.Node(id="secret", readers=["group:secret"]),
            types_pb2.Node(id="nobodys", readers=["user:nobody"]),
            types_pb2.Node(id="user:ada", readers=["user:nobody"]),
            types_pb2.Node(id="team:red", readers=["user:nobody"]),
        ],
        put_edges=[
            types_pb2.Edge(id="m", source="user:ada", target="team:red", type="MEMBER_OF"),
            types_pb2.Edge(
                id="e", source="open", target="eng", type="R", readers=["user:ada", "user:bob"]
            ),
        ],
    )
    batch.put_nodes[0].properties["salary"].int_value = 7
    root = keys.of("root")
    for collection in (settings, closed):
        made = store_pb2.CreateCollectionRequest(collection=collection)
        wire.unary("StoreService/CreateCollection", made, store_pb2.Collection, root)
        put = store_pb2.ApplyRequest(collection=collection.name, batch=batch)
        wire.unary("StoreService/Apply", put, store_pb2.ApplyResponse, root)


ALL = ["open", "eng", "red", "adas", "both", "secret", "nobodys", "user:ada", "team:red"]
GET = read_pb2.GetRequest(collection="c", ids=ALL)


def expand() -> graph_pb2.ExpandRequest:
    request = graph_pb2.ExpandRequest(collection="c", with_edges=True, limit=-1)
    request.seeds.add(ids=["open"])
    request.hops.add()
    return request


CALLS: list[tuple[str, Message, type[Message]]] = [
    ("Get", GET, read_pb2.GetResponse),
    ("Lookup", read_pb2.LookupRequest(collection="c", filter="id:*"), read_pb2.LookupResponse),
    ("Lookup", read_pb2.LookupRequest(collection="c", filter="salary:*"), read_pb2.LookupResponse),
    ("Expand", expand(), graph_pb2.ExpandResponse),
    ("Describe", read_pb2.DescribeRequest(collection="c"), read_pb2.DescribeResponse),
    ("Describe", read_pb2.DescribeRequest(), read_pb2.DescribeResponse),
    ("Get", read_pb2.GetRequest(collection="closed", ids=["red"]), read_pb2.GetResponse),
]


def told_to(
    wire: Wire, call: str, request: Message, answer: type[Message], metadata: Metadata
) -> str:
    """All that the caller learns, but for the time it took."""
    try:
        told = wire.unary(f"GraphService/{call}", request, answer, metadata)
    except Failed as failed:
        return f"{failed}\n{failed.status}"
    if "took_us" in told.DESCRIPTOR.fields_by_name:
        told.ClearField("took_us")
    return str(told)


def seen(wire: Wire, metadata: Metadata) -> set[str]:
    found = wire.unary("GraphService/Get", GET, read_pb2.GetResponse, metadata)
    return {node.id for node in found.nodes}


def refused(wire: Wire, metadata: Metadata) -> tuple[str, list[str], str]:
    with pytest.raises(Failed) as failed:
        seen(wire, metadata)
    return failed.value.code, failed.value.fields, failed.value.text


@pytest.mark.parametrize(("call", "request_", "answer"), CALLS)
@pytest.mark.parametrize("delegate", ["bridge", "loader", "root"])
def test_a_delegate_sees_what_the_listed_see_and_nothing_of_its_own(
    wire: Wire, keys: Keys, delegate: str, call: str, request_: Message, answer: type[Message]
) -> None:
    ada = told_to(wire, call, request_, answer, keys.of("ada"))

    acting = (*keys.of(delegate), *told(BEHALF, "user:ada", "group:eng"))

    assert told_to(wire, call, request_, answer, acting) == ada
    everybody = (*keys.of(delegate), *told(BEHALF))
    as_bob_alone = (*keys.of(delegate), *told(BEHALF, "user:bob"))
    bob = told_to(wire, call, request_, answer, keys.of("bob"))
    assert told_to(wire, call, request_, answer, as_bob_alone) == bob
    assert told_to(wire, call, request_, answer, everybody) == bob  # nothing here is bob's


def test_membership_is_of_who_is_acted_for(wire: Wire, keys: Keys) -> None:
    assert seen(wire, keys.of("ada")) == {"open", "eng", "red", "adas", "both"}
    listed = (*keys.of("bridge"), *told(BEHALF, "user:ada"))
    assert seen(wire, listed) == {"open", "red", "adas"}
    assert seen(wire, (*keys.of("bridge"), *told(BEHALF, "team:red"))) == {"open", "red"}


def test_an_answer_before_an_audience_holds_what_each_may_read(wire: Wire, keys: Keys) -> None:
    def shared(sub: str, *audiences: tuple[str, ...]) -> set[str]:
        return seen(
            wire, (*keys.of(sub), *(one for each in audiences for one in told(AUDIENCE, *each)))
        )

    assert shared("ada", ("user:ada", "group:eng")) == seen(wire, keys.of("ada"))
    assert shared("ada", ("user:ada",)) == {"open", "red", "adas"}
    assert shared("ada", ("user:ada",), ("team:red",)) == {"open", "red"}
    assert shared("ada", ("user:ada",), ()) == {"open"}
    assert shared("root", ("group:eng", "user:ada")) == seen(wire, keys.of("ada"))
    assert shared("bob", ("group:eng", "user:ada")) == {"open"}
    both = (
        *keys.of("bridge"),
        *told(BEHALF, "user:ada", "group:eng"),
        *told(AUDIENCE, "group:eng"),
    )
    assert seen(wire, both) == {"open", "eng"}


def test_an_admin_is_not_shown_readers_nor_fields_before_an_audience(
    wire: Wire, keys: Keys
) -> None:
    def shown(*metadata: tuple[str, str]) -> tuple[list[str], list[str]]:
        """The readers of one node, and the properties of another."""
        request = read_pb2.GetRequest(collection="c", ids=["eng", "open"])
        found = wire.unary("GraphService/Get", request, read_pb2.GetResponse, metadata)
        eng, open_ = found.nodes
        return list(eng.readers), list(open_.properties)

    root = keys.of("root")

    assert shown(*root) == (["group:eng"], ["salary"])
    assert shown(*root, *told(AUDIENCE, "group:eng")) == ([], [])
    assert shown(*root, *told(AUDIENCE, "group:eng", "group:hr")) == ([], ["salary"])


def test_a_collection_that_is_closed_to_an_audience_is_unknown(wire: Wire, keys: Keys) -> None:
    def answer(*metadata: tuple[str, str]) -> str:
        request = read_pb2.GetRequest(collection="closed", ids=["red"])
        return told_to(wire, "Get", request, read_pb2.GetResponse, metadata)

    absent = told_to(
        wire,
        "Get",
        read_pb2.GetRequest(collection="absent", ids=["red"]),
        read_pb2.GetResponse,
        keys.of("root"),
    )
    assert 'id: "red"' in answer(*keys.of("root"))
    assert 'id: "red"' in answer(*keys.of("root"), *told(AUDIENCE, "user:ada"))
    for sub in ("root", "ada"):
        hidden = answer(*keys.of(sub), *told(AUDIENCE, "user:bob"))
        assert hidden == absent.replace("absent", "closed")


NEW = store_pb2.Collection(name="new")
SETTINGS = store_pb2.Collection(name="c", description="other")
OF_ADMINS: list[tuple[str, Message]] = [
    ("CreateCollection", store_pb2.CreateCollectionRequest(collection=NEW)),
    ("UpdateCollection", store_pb2.UpdateCollectionRequest(collection=SETTINGS)),
    ("GetCollection", store_pb2.GetCollectionRequest(name="c")),
    ("GetCollection", store_pb2.GetCollectionRequest(name="absent")),
    ("ListCollections", store_pb2.ListCollectionsRequest()),
    ("DeleteCollection", store_pb2.DeleteCollectionRequest(name="c")),
    ("CreateSnapshot", store_pb2.CreateSnapshotRequest(collection="c", name="s")),
    ("ListSnapshots", store_pb2.ListSnapshotsRequest(collection="c")),
    ("DeleteSnapshot", store_pb2.DeleteSnapshotRequest(collection="c", name="s")),
    ("RestoreSnapshot", store_pb2.RestoreSnapshotRequest(collection="c", name="s", into="d")),
    ("Export", store_pb2.ExportRequest(collection="c")),
]


def test_every_call_of_admins_is_among_those_that_are_asked_before_an_audience() -> None:
    of_writers = {"Load", "Apply", "Analyze"}

    asked = {f"StoreService/{call}" for call, _ in OF_ADMINS} | {
        f"StoreService/{call}" for call in of_writers
    }

    assert asked == set(store_servicer.CALLS)


@pytest.mark.parametrize(("call", "request_"), OF_ADMINS)
def test_what_an_admin_alone_may_ask_is_refused_before_an_audience(
    wire: Wire, keys: Keys, call: str, request_: Message
) -> None:
    for audience in ((), ("user:root",), ("group:hr", "team:red")):
        with pytest.raises(Failed) as failed:
            wire.unary(
                f"StoreService/{call}",
                request_,
                store_pb2.Collection,
                (*keys.of("root"), *told(AUDIENCE, *audience)),
            )
        assert (failed.value.code, failed.value.info.reason) == (
            "PERMISSION_DENIED",
            "BEFORE_AUDIENCE",
        )
        assert "without passageway-audience" in failed.value.text
    with pytest.raises(Failed) as lacking:
        wire.unary(
            f"StoreService/{call}",
            request_,
            store_pb2.Collection,
            (*keys.of("ada"), *told(AUDIENCE)),
        )
    assert lacking.value.info.reason == "ROLE_MISSING"
    listed = wire.unary(
        "StoreService/ListCollections",
        store_pb2.ListCollectionsRequest(),
        store_pb2.ListCollectionsResponse,
        keys.of("root"),
    )
    assert [(each.name, each.description) for each in listed.collections] == [
        ("c", ""),
        ("closed", ""),
    ]


def test_the_names_of_collections_are_told_before_an_audience_by_describe(
    wire: Wire, keys: Keys
) -> None:
    def names(*audience: str) -> list[str]:
        metadata = (*keys.of("root"), *told(AUDIENCE, *audience))
        request, answer = read_pb2.DescribeRequest(), read_pb2.DescribeResponse
        return list(wire.unary("GraphService/Describe", request, answer, metadata).collections)

    assert names() == ["c"]
    assert names("team:red") == ["c", "closed"]


def test_writers_load_and_analyze_before_an_audience_as_without(wire: Wire, keys: Keys) -> None:
    before_bob = (*keys.of("root"), *told(AUDIENCE, "user:bob"))

    loaded = list(wire.load([store_pb2.LoadRequest(collection="closed")], before_bob))
    call = wire.channel.unary_stream(
        "/passageway.v1.StoreService/Analyze",
        request_serializer=store_pb2.AnalyzeRequest.SerializeToString,
        response_deserializer=store_pb2.AnalyzeResponse.FromString,
    )
    request = store_pb2.AnalyzeRequest(collection="closed", as_principals=["public"])
    request.measure = store_pb2.AnalyzeRequest.MEASURE_DEGREE
    *_, last = call(request, metadata=before_bob, timeout=60)

    assert len(loaded) == 1
    assert last.done == 1.0


def test_a_writer_does_not_write_for_others_but_before_them(wire: Wire, keys: Keys) -> None:
    put = store_pb2.ApplyRequest(collection="closed")
    loader = keys.of("loader")

    for metadata in (told(BEHALF, "user:ada"), told(BEHALF, "user:loader", "group:secret")):
        with pytest.raises(Failed) as failed:
            wire.unary("StoreService/Apply", put, store_pb2.ApplyResponse, (*loader, *metadata))
        assert (failed.value.code, failed.value.info.reason) == (
            "PERMISSION_DENIED",
            "ROLE_MISSING",
        )
        with pytest.raises(Failed, match="PERMISSION_DENIED"):
            list(wire.load([store_pb2.LoadRequest(collection="c")], (*loader, *metadata)))
    put.collection = "c"
    wire.unary(
        "StoreService/Apply", put, store_pb2.ApplyResponse, (*loader, *told(AUDIENCE, "user:bob"))
    )


def test_an_admin_does_not_care_for_collections_on_behalf_of_others(wire: Wire, keys: Keys) -> None:
    with pytest.raises(Failed, match="PERMISSION_DENIED"):
        wire.unary(
            "StoreService/DeleteCollection",
            store_pb2.DeleteCollectionRequest(name="c"),
            store_pb2.DeleteCollectionResponse,
            (*keys.of("root"), *told(BEHALF, "user:root")),
        )


def test_nothing_is_exported_before_an_audience(wire: Wire, keys: Keys) -> None:
    def export(*metadata: tuple[str, str]) -> int:
        call = wire.channel.unary_stream(
            "/passageway.v1.StoreService/Export",
            request_serializer=store_pb2.ExportRequest.SerializeToString,
            response_deserializer=store_pb2.ExportResponse.FromString,
        )
        try:
            return len(list(call(store_pb2.ExportRequest(collection="c"), metadata=metadata)))
        except Exception as error:
            raise Failed(error) from None  # type: ignore[arg-type]

    assert export(*keys.of("root"))
    for more in (told(AUDIENCE, "group:eng"), told(BEHALF, "user:root")):
        with pytest.raises(Failed, match="PERMISSION_DENIED"):
            export(*keys.of("root"), *more)


def test_acting_for_others_takes_the_role(wire: Wire, keys: Keys) -> None:
    code, _, text = refused(wire, (*keys.of("ada"), *told(BEHALF, "user:bob")))

    assert code == "PERMISSION_DENIED"
    assert "delegate" in text
    assert refused(wire, told(BEHALF, "user:bob"))[0] == "UNAUTHENTICATED"


@pytest.mark.parametrize("name", [BEHALF, AUDIENCE])
def test_every_bad_value_is_refused_with_one_text(wire: Wire, keys: Keys, name: str) -> None:
    long = base64.urlsafe_b64encode(b"[]" + b" " * (49152 - 1)).decode()
    bad = [(name, value) for value in ("", "?", "W10==", "W10,W10", "bnVsbA", long)]
    bad += [*told(name, "a&b"), *told(name, *["a"] * 1001)]

    answers = [refused(wire, (*keys.of("bridge"), each)) for each in bad]

    code, fields, text = answers[0]
    assert (code, fields) == ("INVALID_ARGUMENT", [name])
    assert answers == [(code, fields, text)] * len(bad)


def test_each_limit_is_allowed_at_its_value_and_not_past_it(wire: Wire, keys: Keys) -> None:
    bridge = keys.of("bridge")
    longest = base64.urlsafe_b64encode(b'["user:ada"]' + b" " * (49152 - 12)).decode()
    assert len(longest) == 64 * 1024

    assert seen(wire, (*bridge, (BEHALF, longest))) == {"open", "red", "adas"}
    most = ["user:ada", *(f"g{number}" for number in range(999))]
    assert seen(wire, (*bridge, *told(BEHALF, *most))) == {"open", "red", "adas"}
    sixteen = told(AUDIENCE, "user:ada") * 16
    assert seen(wire, (*keys.of("ada"), *sixteen)) == {"open", "red", "adas"}
    seventeen = (*keys.of("ada"), *sixteen, *told(AUDIENCE, "user:ada"))
    assert refused(wire, seventeen)[:2] == ("INVALID_ARGUMENT", [AUDIENCE])
    twice = told(BEHALF, "user:ada") * 2
    assert refused(wire, (*bridge, *twice))[:2] == ("INVALID_ARGUMENT", [BEHALF])


def test_health_of_a_collection_is_not_for_those_an_admin_acts_for(wire: Wire, keys: Keys) -> None:
    def status(*metadata: tuple[str, str]) -> str:
        call = wire.channel.unary_unary(
            "/grpc.health.v1.Health/Check",
            request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
            response_deserializer=health_pb2.HealthCheckResponse.FromString,
        )
        try:
            call(health_pb2.HealthCheckRequest(service="c"), metadata=metadata)
        except Exception as error:
            return Failed(error).code  # type: ignore[arg-type]
        return "OK"

    assert status(*keys.of("root")) == "OK"
    for more in (told(BEHALF), told(AUDIENCE), ((BEHALF, "?"),)):
        assert status(*keys.of("root"), *more) == "NOT_FOUND"


def test_in_mode_none_everybody_may_act_for_others() -> None:
    with served() as wire:
        wire.create("c")
        put = store_pb2.ApplyRequest(collection="c")
        put.batch.put_nodes.add(id="adas", readers=["user:ada"])
        put.batch.put_nodes.add(id="open")
        wire.unary("StoreService/Apply", put, store_pb2.ApplyResponse)

        assert seen(wire, ()) == {"adas", "open"}
        assert seen(wire, told(BEHALF)) == {"open"}
        assert seen(wire, told(AUDIENCE, "user:ada")) == {"adas", "open"}
