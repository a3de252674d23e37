"""For whom a client asks, as its calls tell it."""

import base64
import json
from typing import Any

import pytest

import passageway
from passageway._delegation import told
from passageway._generated import methods
from passageway.v1 import read_pb2
from tests.client.fake import FakeServer


def listed(value: str | bytes) -> object:
    text = value if isinstance(value, str) else value.decode()
    return json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))


def test_each_call_tells_who_is_acted_for_and_who_reads_the_answer(server: FakeServer) -> None:
    server.answers(methods.DESCRIBE, read_pb2.DescribeResponse())
    people: dict[str, Any] = {"on_behalf_of": ["user:ada", "group:é"], "audience": [("user:bob",)]}

    with passageway.connect(server.target, token="t", **people) as client:
        client.describe()

    metadata = server.asked[0].metadata
    assert metadata["authorization"] == "Bearer t"
    assert listed(metadata["passageway-on-behalf-of"]) == ["user:ada", "group:é"]
    assert listed(metadata["passageway-audience"]) == ["user:bob"]


async def test_the_asynchronous_twin_tells_the_same(server: FakeServer) -> None:
    server.answers(methods.DESCRIBE, read_pb2.DescribeResponse())

    async with passageway.connect_async(server.target, on_behalf_of=[], audience=[[]]) as client:
        await client.describe()

    metadata = server.asked[0].metadata
    assert listed(metadata["passageway-on-behalf-of"]) == []
    assert listed(metadata["passageway-audience"]) == []


def test_without_them_a_call_tells_nothing(server: FakeServer) -> None:
    server.answers(methods.DESCRIBE, read_pb2.DescribeResponse())

    with passageway.connect(server.target) as client:
        client.describe()

    assert not [name for name in server.asked[0].metadata if name.startswith("passageway-")]


def test_each_who_reads_the_answer_is_told_apart() -> None:
    values = [listed(value) for _, value in told(None, [["user:ada"], ["user:bob", "group:x"]])]

    assert values == [["user:ada"], ["user:bob", "group:x"]]


@pytest.mark.parametrize(
    ("on_behalf_of", "audience", "named"),
    [
        ("user:ada", (), "on_behalf_of"),
        ([1], (), "on_behalf_of"),
        (None, "user:ada", "audience"),
        (None, ["user:ada"], r"audience\[0\]"),
        (None, [["user:ada"], [None]], r"audience\[1\]"),
    ],
)
def test_a_text_in_the_place_of_a_list_is_refused_before_the_call(
    on_behalf_of: Any, audience: Any, named: str
) -> None:
    with pytest.raises(TypeError, match=f"^{named}: expected a list"):
        passageway.connect("127.0.0.1:1", on_behalf_of=on_behalf_of, audience=audience)
