"""A server on a port: credentials, and what a second one meets."""

from pathlib import Path

import grpc
import pytest

from passageway.v1 import read_pb2, store_pb2
from passageway_server.errors import FolderInUse, SettingInvalid
from passageway_server.wire.server import Server, Settings
from tests.wire.serving import Failed, Keys, guarded, served


@pytest.mark.parametrize(
    "metadata",
    [
        (),
        (("authorization", "Bearer nonsense"),),
        (("authorization", "Basic nonsense"),),
        (("authorization", "Bearer " + "x" * 8200),),
    ],
)
def test_missing_and_bad_credentials_have_one_text(
    keys: Keys, metadata: tuple[tuple[str, str], ...]
) -> None:
    with served(guarded(keys)) as wire, pytest.raises(Failed) as refused:
        wire.unary(
            "GraphService/Describe", read_pb2.DescribeRequest(), read_pb2.DescribeResponse, metadata
        )

    assert refused.value.code == "UNAUTHENTICATED"
    assert refused.value.text == "missing or bad credentials; send `authorization: Bearer <token>`"


@pytest.mark.parametrize(("mode", "warned"), [(0o600, 0), (0o644, 0), (0o620, 1), (0o602, 1)])
def test_a_tokens_file_that_others_may_write_is_a_line_of_the_log(
    keys: Keys, caplog: pytest.LogCaptureFixture, mode: int, warned: int
) -> None:
    keys.file.chmod(mode)
    with served(guarded(keys)):
        pass

    warnings = [record for record in caplog.records if record.levelname == "WARNING"]
    assert len(warnings) == warned


def test_roles_decide_which_calls_may_be_made(keys: Keys) -> None:
    apply = store_pb2.ApplyRequest(collection="c", batch=store_pb2.Batch(delete_nodes=["a"]))
    with served(guarded(keys)) as wire:
        wire.create("c", keys.of("root"))
        wire.unary("StoreService/Apply", apply, store_pb2.ApplyResponse, keys.of("wim"))

        with pytest.raises(Failed, match="PERMISSION_DENIED") as refused:
            wire.unary("StoreService/Apply", apply, store_pb2.ApplyResponse, keys.of("ada"))
        assert refused.value.info.reason == "ROLE_MISSING"
        with pytest.raises(Failed, match="PERMISSION_DENIED"):
            list(wire.load([store_pb2.LoadRequest(collection="c")], keys.of("ada")))
        with pytest.raises(Failed, match="PERMISSION_DENIED"):
            wire.create("d", keys.of("wim"))


def test_two_callers_get_different_rows(keys: Keys) -> None:
    batch = store_pb2.Batch()
    batch.put_nodes.add(id="plans", readers=["group:eng"])
    get = read_pb2.GetRequest(collection="c", ids=["plans"])
    with served(guarded(keys)) as wire:
        wire.create("c", keys.of("root"))
        apply = store_pb2.ApplyRequest(collection="c", batch=batch)
        wire.unary("StoreService/Apply", apply, store_pb2.ApplyResponse, keys.of("wim"))

        ada = wire.unary("GraphService/Get", get, read_pb2.GetResponse, keys.of("ada"))
        wim = wire.unary("GraphService/Get", get, read_pb2.GetResponse, keys.of("wim"))

    assert [node.id for node in ada.nodes] == ["plans"]
    assert list(wim.unresolved) == ["plans"]


def test_a_collection_that_leaves_a_caller_out_is_as_an_unknown_one(keys: Keys) -> None:
    hidden = store_pb2.Collection(name="c", users=["user:wim"])
    with served(guarded(keys)) as wire:
        create = store_pb2.CreateCollectionRequest(collection=hidden)
        wire.unary("StoreService/CreateCollection", create, store_pb2.Collection, keys.of("root"))
        texts: list[str] = []
        for name in ("c", "d"):
            get = read_pb2.GetRequest(collection=name, ids=["a"])
            with pytest.raises(Failed, match="NOT_FOUND") as refused:
                wire.unary("GraphService/Get", get, read_pb2.GetResponse, keys.of("ada"))
            texts.append(refused.value.text)

    assert texts == ["no collection 'c'", "no collection 'd'"]


def test_a_second_server_on_a_port_is_refused_with_the_reason() -> None:
    with served() as wire, pytest.raises(SettingInvalid, match="another server may listen there"):
        Server(Settings(listen=wire.server.address))


def test_a_second_server_on_a_folder_is_refused(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path / "data", listen="127.0.0.1:0")
    with served(settings), pytest.raises(FolderInUse):
        Server(settings)


def test_without_tokens_only_the_loopback_is_bound() -> None:
    with pytest.raises(SettingInvalid, match="loopback"):
        Server(Settings(listen="0.0.0.0:0"))


def test_a_folder_outlives_its_server(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path / "data", listen="127.0.0.1:0")
    with served(settings) as wire:
        wire.create("c")
        apply = store_pb2.ApplyRequest(collection="c")
        apply.batch.put_nodes.add(id="a")
        wire.unary("StoreService/Apply", apply, store_pb2.ApplyResponse)
    with served(settings) as wire:
        get = read_pb2.GetRequest(collection="c", ids=["a"])
        answer = wire.unary("GraphService/Get", get, read_pb2.GetResponse)

    assert [node.id for node in answer.nodes] == ["a"]


def test_an_unknown_method_is_unimplemented() -> None:
    with served() as wire, pytest.raises(Failed, match="UNIMPLEMENTED"):
        wire.unary("GraphService/Fly", b"", read_pb2.GetResponse)


def test_an_answer_past_four_mebibytes_arrives_where_the_client_allows_it() -> None:
    with served() as wire:
        wire.create("c")
        apply = store_pb2.ApplyRequest(collection="c")
        apply.batch.put_nodes.add(id="a", content="x" * (5 << 20))
        with grpc.insecure_channel(
            wire.server.address, options=[("grpc.max_receive_message_length", 64 << 20)]
        ) as channel:
            wire.channel = channel
            wire.unary("StoreService/Apply", apply, store_pb2.ApplyResponse)
            get = read_pb2.GetRequest(collection="c", ids=["a"])
            answer = wire.unary("GraphService/Get", get, read_pb2.GetResponse)

    assert len(answer.nodes[0].content) == 5 << 20
