"""What a tokens file may hold, and who presents which token."""

import hashlib
import tomllib
from pathlib import Path

import pytest

from passageway_server.authz.identity import Bearers, check_listen, identity
from passageway_server.authz.tokens import Tokens, new_token
from passageway_server.errors import NotBuilt, SettingInvalid, Unauthenticated


def written(directory: Path, text: str) -> Path:
    file = directory / "tokens.toml"
    file.write_text(text, encoding="utf-8")
    return file


def entry(secret: str, rest: str) -> str:
    return f'[[token]]\nsha256 = "{hashlib.sha256(secret.encode()).hexdigest()}"\n{rest}\n'


def faults(file: Path) -> tuple[str, ...]:
    with pytest.raises(SettingInvalid) as refused:
        Tokens.read(file)
    return refused.value.faults


def test_a_token_brings_its_own_principals_and_those_listed(tmp_path: Path) -> None:
    text = entry("s3cret", 'sub = "ada"\nprincipals = ["group:eng"]\nroles = ["writer"]')

    caller = Tokens.read(written(tmp_path, text)).caller("s3cret")

    assert caller.principals == {"public", "user:ada", "group:eng"}
    assert caller.roles == {"reader", "writer"}
    assert (caller.writer, caller.admin) == (True, False)


def test_a_delegate_that_acts_for_nobody_is_itself(tmp_path: Path) -> None:
    text = entry("t", 'sub = "bridge"\nroles = ["delegate"]')

    caller = Tokens.read(written(tmp_path, text)).caller("t")

    assert (caller.sub, sorted(caller.roles)) == ("bridge", ["delegate", "reader"])
    assert (caller.writer, caller.admin) == (False, False)


def test_a_token_without_roles_is_a_reader(tmp_path: Path) -> None:
    caller = Tokens.read(written(tmp_path, entry("t", 'sub = "ada"'))).caller("t")

    assert caller.roles == {"reader"}


def test_a_new_token_is_taken_by_a_server_that_reads_its_entry(tmp_path: Path) -> None:
    sub = 'quo"te \\ back\x7f'
    made = new_token(sub, principals=["group:é", "team:😀"], roles=["admin"])

    caller = Tokens.read(written(tmp_path, made.entry)).caller(made.secret)

    assert (caller.sub, caller.admin) == (sub, True)
    assert {"group:é", "team:😀"} <= caller.principals
    assert made.secret not in made.entry
    assert list(tomllib.loads(made.entry)["token"][0]) == ["sha256", "sub", "principals", "roles"]


def test_an_entry_may_follow_a_last_line_that_does_not_end(tmp_path: Path) -> None:
    made = new_token("ada")
    file = written(tmp_path, entry("t", 'sub = "eve"').rstrip("\n"))
    with file.open("a", encoding="utf-8") as appended:
        appended.write(made.entry)

    tokens = Tokens.read(file)

    assert (tokens.caller("t").sub, tokens.caller(made.secret).sub) == ("eve", "ada")


@pytest.mark.parametrize("odd", ["a\udc80", "\ud800" + "x" * 100])
def test_a_lone_surrogate_is_refused_where_a_token_is_made(odd: str) -> None:
    with pytest.raises(SettingInvalid, match=r"sub .*lone surrogate"):
        new_token(odd)
    with pytest.raises(SettingInvalid, match=r"principals: .*lone surrogate"):
        new_token("ada", principals=[odd])


def test_two_new_tokens_differ() -> None:
    assert new_token("ada").secret != new_token("ada").secret


@pytest.mark.parametrize(
    ("rest", "named"),
    [
        ('sub = "ada"\nprincipals = ["a&b"]', "principals"),
        ('sub = "ada"\nprincipals = [" a"]', "principals"),
        ('sub = "ada"\nprincipals = [""]', "principals"),
        (f'sub = "ada"\nprincipals = ["{"x" * 257}"]', "principals"),
        ('sub = "ada"\nprincipals = "public"', "principals"),
        ('sub = "ada"\nprincipals = [1]', "principals"),
        ('sub = "ada"\nroles = ["owner"]', "roles"),
        ('sub = "ada"\nexpires = 3', "expires"),
        ('sub = " ada"', "sub"),
        ('sub = "a&b"', "sub"),
        ('sub = ""', "sub"),
        ("sub = 3", "sub"),
    ],
)
def test_a_fault_names_its_entry(tmp_path: Path, rest: str, named: str) -> None:
    text = entry("fine", 'sub = "eve"') + entry("t", rest)

    (fault,) = faults(written(tmp_path, text))

    assert fault.startswith("token 2: ")
    assert named in fault


def test_all_faults_of_a_file_come_at_once(tmp_path: Path) -> None:
    text = '[[token]]\nsha256 = "ABC"\nroles = ["x"]\n' + entry("t", 'sub = "a"') * 2

    found = faults(written(tmp_path, text))

    assert [fault.partition(":")[0] for fault in found] == ["token 1"] * 3 + ["token 3"]


@pytest.mark.parametrize("text", ["[[token]", "token = 3", "[token]\nsub = 'a'", "[[tokens]]"])
def test_a_file_of_another_form_is_refused(tmp_path: Path, text: str) -> None:
    assert faults(written(tmp_path, text))


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    assert faults(tmp_path / "absent.toml")


def bearers(directory: Path) -> Bearers:
    return Bearers(Tokens.read(written(directory, entry("s3cret", 'sub = "ada"'))))


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_the_scheme_is_told_in_any_case(tmp_path: Path, scheme: str) -> None:
    assert bearers(tmp_path).caller([f"{scheme} s3cret"]).sub == "ada"


@pytest.mark.parametrize(
    "authorization",
    [
        [],
        [""],
        ["Bearer"],
        ["Bearer "],
        ["Bearer S3cret"],
        ["Basic s3cret"],
        ["s3cret"],
        ["Bearer s3cret", "Bearer s3cret"],
        ["Bearer " + "x" * 8193],
        ["Bearer \ud800"],
    ],
)
def test_every_bad_credential_has_the_same_text(tmp_path: Path, authorization: list[str]) -> None:
    with pytest.raises(Unauthenticated) as refused:
        bearers(tmp_path).caller(authorization)

    assert str(refused.value) == str(Unauthenticated())


def test_mode_none_makes_every_caller_an_admin() -> None:
    caller = identity().caller([])

    assert caller.admin
    assert caller.principals == {"public"}


@pytest.mark.parametrize("listen", ["127.0.0.1:0", "localhost:50051", "[::1]:1", "127.8.0.1:9"])
def test_mode_none_binds_the_loopback(listen: str) -> None:
    check_listen(listen, mode="none")


@pytest.mark.parametrize(
    "listen", ["0.0.0.0:50051", "[::]:50051", "10.0.0.1:1", "example.org:1", "*:1"]
)
def test_mode_none_binds_nothing_else(listen: str) -> None:
    check_listen(listen, mode="tokens")
    with pytest.raises(SettingInvalid, match="loopback"):
        check_listen(listen, mode="none")


@pytest.mark.parametrize("listen", ["", "50051", "127.0.0.1", "127.0.0.1:x", "127.0.0.1:65536"])
def test_an_address_has_a_host_and_a_port(listen: str) -> None:
    with pytest.raises(SettingInvalid, match="HOST:PORT"):
        check_listen(listen, mode="tokens")


def test_jwt_is_refused_by_name() -> None:
    with pytest.raises(NotBuilt, match="jwt"):
        identity("jwt")


@pytest.mark.parametrize("mode", ["tokens", "oauth"])
def test_a_mode_that_cannot_start_is_refused(mode: str) -> None:
    with pytest.raises(SettingInvalid, match="auth"):
        identity(mode)


def test_mode_none_with_a_tokens_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingInvalid, match="auth"):
        identity("none", tokens=tmp_path / "tokens.toml")
