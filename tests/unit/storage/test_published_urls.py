"""What is told of an object store: where it stands and what it said, and nothing that opens it."""

import pytest

from passageway_server.errors import SettingInvalid
from passageway_server.storage.published.bucket import Bucket
from passageway_server.storage.published.urls import told, without_secrets

REFUSED = """Generic S3 error: Error performing GET http://store:9000/b?list-type=2&prefix=p - Server returned 403: <?xml?>
<Error><Code>AccessDenied</Code><AWSAccessKeyId>the-key</AWSAccessKeyId></Error>

Debug source: more"""


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("s3://bucket/some/prefix", "s3://bucket/some/prefix"),
        ("s3://key:secret@bucket/prefix", "s3://bucket/prefix"),
        ("s3://key:sec/ret@bucket/prefix", "s3://bucket/prefix"),
        ("https://store:9000/a@b?signature=secret#secret", "https://store:9000/a@b"),
        ("at az://a?sig=secret and gs://key@b/p", "at az://a and gs://b/p"),
        ("memory:///", "memory:///"),
        ("/a/folder?", "/a/folder?"),
    ],
)
def test_urls_are_told_without_what_opens_them(url: str, shown: str) -> None:
    assert without_secrets(url) == shown


def test_of_what_a_store_says_remain_its_sentence_and_its_code() -> None:
    said = told(OSError(REFUSED))

    assert said == (
        "Generic S3 error: Error performing GET http://store:9000/b - Server returned 403: AccessDenied"
    )
    assert told(OSError()) == "OSError"


def test_a_url_that_is_none_is_refused_without_its_secrets() -> None:
    with pytest.raises(SettingInvalid) as refused:
        Bucket("nope://key:secret@bucket/p?sig=secret", setting="publish")

    assert "nope://bucket/p" in str(refused.value)
    assert "secret" not in str(refused.value)
