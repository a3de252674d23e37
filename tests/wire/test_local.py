"""The server without a network: the client's way in, and listings by pages."""

import shutil
from pathlib import Path
from threading import Event

import pytest

from passageway._errors import (
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    PermissionDenied,
    Unavailable,
)
from passageway._transport import Method, Transport
from passageway.v1 import read_pb2, store_pb2
from passageway_server.authz.callers import OPERATOR, Caller
from passageway_server.storage.disk import DiskDirectory
from passageway_server.storage.verification import verify_folder
from passageway_server.version.collection import Collection
from passageway_server.wire.local import LocalServer, open_local

CREATE = Method(
    "/passageway.v1.StoreService/CreateCollection",
    store_pb2.CreateCollectionRequest,
    store_pb2.Collection,
)
APPLY = Method("/passageway.v1.StoreService/Apply", store_pb2.ApplyRequest, store_pb2.ApplyResponse)
GET = Method("/passageway.v1.GraphService/Get", read_pb2.GetRequest, read_pb2.GetResponse)
LOAD = Method(
    "/passageway.v1.StoreService/Load",
    store_pb2.LoadRequest,
    store_pb2.LoadResponse,
    client_streams=True,
)


def fill(directory: Path) -> None:
    """A folder with a collection of one private row and one of everyone's."""
    transport = open_local(directory)
    settings = store_pb2.Collection(name="c", default_readers=["public"])
    request = store_pb2.CreateCollectionRequest(collection=settings)
    transport.unary(CREATE, request, timeout=60)
    load = store_pb2.LoadRequest(collection="c")
    load.batch.put_nodes.add(id="open")
    load.batch.put_nodes.add(id="eng", readers=["group:eng"])
    (answer,) = transport.stream(LOAD, [load], timeout=60)
    transport.close()
    assert answer.nodes == 2


def got(transport: Transport) -> list[str]:
    request = read_pb2.GetRequest(collection="c", ids=["open", "eng"])
    return [node.id for node in transport.unary(GET, request, timeout=60).nodes]


def test_a_folder_is_read_as_the_principals_say(tmp_path: Path) -> None:
    fill(tmp_path)
    seen: list[list[str]] = []
    for principals in (None, [], ["group:eng"]):
        transport = open_local(tmp_path, principals=principals)
        seen.append(got(transport))
        transport.close()

    assert seen == [["open", "eng"], ["open"], ["open", "eng"]]


def test_who_gives_principals_is_a_reader(tmp_path: Path) -> None:
    transport = open_local(tmp_path, principals=["group:eng"])

    with pytest.raises(PermissionDenied):
        transport.unary(CREATE, store_pb2.CreateCollectionRequest(), timeout=60)
    transport.close()


def test_a_folder_is_held_until_it_is_closed(tmp_path: Path) -> None:
    first = open_local(tmp_path)

    with pytest.raises(FailedPrecondition) as refused:
        open_local(tmp_path)
    first.close()
    first.close()
    open_local(tmp_path).close()

    assert refused.value.reason == "FOLDER_IN_USE"


def test_a_closed_folder_answers_nothing(tmp_path: Path) -> None:
    transport = open_local(tmp_path)
    transport.close()

    with pytest.raises(Unavailable):
        got(transport)


def test_errors_are_the_clients(tmp_path: Path) -> None:
    transport = open_local(tmp_path)
    with pytest.raises(NotFound):
        got(transport)
    transport.close()


def test_a_principal_is_looked_at(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument):
        open_local(tmp_path, principals=["a&b"])


def test_an_error_of_the_requests_themselves_comes_out_as_it_is(tmp_path: Path) -> None:
    transport = open_local(tmp_path)

    with pytest.raises(ZeroDivisionError):
        list(transport.stream(LOAD, (_broken() for _ in "x"), timeout=60))
    transport.close()


def _broken() -> store_pb2.LoadRequest:
    raise ZeroDivisionError


def test_a_server_of_a_given_clock_answers_byte_for_byte_alike() -> None:
    replies: list[bytes] = []
    server = LocalServer(clock=lambda: 1_700_000_000_000_000)
    create = store_pb2.CreateCollectionRequest(collection=store_pb2.Collection(name="c"))
    made = server.call("StoreService/CreateCollection", create.SerializeToString(), caller=OPERATOR)
    slice_ = read_pb2.SliceRequest(collection="c", id="a").SerializeToString()
    apply = store_pb2.ApplyRequest(collection="c")
    apply.batch.put_nodes.add(id="a")
    server.call("StoreService/Apply", apply.SerializeToString(), caller=OPERATOR)
    for _ in range(3):
        reply = server.call("GraphService/Slice", slice_, caller=OPERATOR)
        replies.append(reply.response)

    assert store_pb2.Collection.FromString(made.response).created_at.seconds == 1_700_000_000
    assert len(set(replies)) == 1
    assert read_pb2.SliceResponse.FromString(replies[0]).id == "a"


def test_a_caller_of_the_local_server_holds_public_and_itself() -> None:
    server = LocalServer()
    caller = Caller("ada", frozenset({"group:eng"}), frozenset())
    settings = store_pb2.Collection(name="c", users=["user:ada & public & group:eng"])
    create = store_pb2.CreateCollectionRequest(collection=settings)
    server.call("StoreService/CreateCollection", create.SerializeToString(), caller=OPERATOR)
    get = read_pb2.GetRequest(collection="c", ids=["x"]).SerializeToString()

    assert server.call("GraphService/Get", get, caller=caller).code == "OK"
    assert server.call("GraphService/Get", get, caller=Caller.holding(())).code == "NOT_FOUND"


@pytest.mark.parametrize("size", [0, 1, 2, 3, 7])
def test_a_listing_by_pages_gives_every_name_once(size: int) -> None:
    server = LocalServer()
    for name in ("b", "a", "c", "a1", "d"):
        create = store_pb2.CreateCollectionRequest(collection=store_pb2.Collection(name=name))
        server.call("StoreService/CreateCollection", create.SerializeToString(), caller=OPERATOR)
    names: list[str] = []
    token = ""
    while True:
        request = store_pb2.ListCollectionsRequest(page_size=size, page_token=token)
        reply = server.call(
            "StoreService/ListCollections", request.SerializeToString(), caller=OPERATOR
        )
        answer = store_pb2.ListCollectionsResponse.FromString(reply.response)
        names += [collection.name for collection in answer.collections]
        token = answer.next_page_token
        if not token:
            break

    assert names == ["a", "a1", "b", "c", "d"]


def test_an_export_gives_the_records_back_with_the_version_that_they_are_of() -> None:
    server = LocalServer()
    create = store_pb2.CreateCollectionRequest(collection=store_pb2.Collection(name="c"))
    server.call("StoreService/CreateCollection", create.SerializeToString(), caller=OPERATOR)
    apply = store_pb2.ApplyRequest(collection="c")
    apply.batch.put_nodes.add(id="a", readers=["public"]).links["to"].values.append("absent")
    apply.batch.put_edges.add(id="e", source="a", target="absent", weight=0.0)
    reply = server.call("StoreService/Apply", apply.SerializeToString(), caller=OPERATOR)
    request = store_pb2.ExportRequest(collection="c").SerializeToString()

    answers, ended = server.stream("StoreService/Export", [request], caller=OPERATOR)

    back = store_pb2.Batch()
    for answer in map(store_pb2.ExportResponse.FromString, answers):
        assert answer.version == store_pb2.ApplyResponse.FromString(reply.response).version
        back.MergeFrom(answer.batch)
    assert ended.code == "OK"
    assert back == apply.batch
    _, refused = server.stream("StoreService/Export", [request], caller=Caller.holding(()))
    assert refused.code == "PERMISSION_DENIED"


class Opened:
    """One collection of a folder, by whichever way a process opens it itself."""

    def __init__(self, how: str, folder: Path) -> None:
        settings = store_pb2.Collection(name="c", default_readers=["public"])
        create = store_pb2.CreateCollectionRequest(collection=settings)
        apply = store_pb2.ApplyRequest(collection="c")
        apply.batch.put_nodes.add(id="a")
        if how == "server":
            server = LocalServer(folder)
            self.close = server.close
            for request, name in ((create, "CreateCollection"), (apply, "Apply")):
                encoded = request.SerializeToString()
                reply = server.call(f"StoreService/{name}", encoded, caller=OPERATOR)
                assert reply.code == "OK"
        else:
            transport = open_local(folder)
            self.close = transport.close
            transport.unary(CREATE, create, timeout=60)
            transport.unary(APPLY, apply, timeout=60)


@pytest.mark.parametrize("how", ["server", "transport"])
def test_a_log_that_lost_its_end_is_told_from_one_that_a_crash_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    marked, mark = Event(), Collection.mark

    def noted(kept: Collection) -> bool:
        done = mark(kept)
        if kept.current.identity.number == 2 and done:
            marked.set()
        return done

    monkeypatch.setattr(Collection, "mark", noted)
    opened = Opened(how, tmp_path / "data")
    assert marked.wait(60)
    shutil.copytree(tmp_path / "data", tmp_path / "crashed")
    opened.close()

    (log,) = (tmp_path / "crashed/c/log").iterdir()
    log.write_bytes(log.read_bytes()[:64])

    assert verify_folder(DiskDirectory(tmp_path / "crashed")).damaged
    assert not verify_folder(DiskDirectory(tmp_path / "data")).damaged
