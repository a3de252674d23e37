"""Which text a page is of."""

import pytest

from passageway_server.authz.callers import OPERATOR
from passageway_server.errors import InvalidRequest
from passageway_server.service.slice import slice_
from passageway_server.values.collections import CollectionSettings
from passageway_server.values.records import Batch, NodeRecord, Properties
from passageway_server.values.requests import SliceRequest, TextPageRequest
from passageway_server.version.store import Store


@pytest.fixture(scope="module")
def store() -> Store:
    store = Store.open()
    properties: Properties = {"content": "the property", "note": "a note", "size": 3}
    put = (NodeRecord("a", content="the content", properties=properties),)
    store.create(CollectionSettings("c")).apply(Batch(put_nodes=put))
    return store


def text_of(store: Store, name: str) -> str:
    answer = slice_(store, OPERATOR, SliceRequest("c", id="a", page=TextPageRequest(name)))
    assert answer.page is not None
    return answer.page.text


def test_a_property_that_a_built_in_hides_has_pages_of_its_own(store: Store) -> None:
    assert text_of(store, "content") == "the content"
    assert text_of(store, "properties.content") == "the property"
    assert text_of(store, "note") == text_of(store, "properties.note") == "a note"


@pytest.mark.parametrize("name", ["name", "size", "nothing", "properties.nothing"])
def test_what_is_no_text_has_no_pages(store: Store, name: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        text_of(store, name)

    assert [fault.field for fault in refused.value.faults] == ["page.property"]
