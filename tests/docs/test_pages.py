"""What a page shows is what one gets: its examples are run, in order, over a copy of the demo's folder."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from passageway_server.authz.tokens import new_token
from passageway_server.wire.server import Server, Settings
from tests.docs.pages import PAGES, REPOSITORY, Workplace, examples, name_of

DEMO = Path("snapshots") / "demo"
GROUPS = [f"group:g{number:02}" for number in range(20)]


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workplace]:
    """A folder with a copy of the demo, and a server of another copy.

    The server knows a reader, who may act for others, and an admin.
    """
    shutil.copytree(REPOSITORY / DEMO, tmp_path / "page" / DEMO)
    shutil.copytree(REPOSITORY / DEMO, tmp_path / "served")
    made = new_token("ada", principals=GROUPS, roles=["reader", "delegate"])
    admin = new_token("root", roles=["admin"])
    (tmp_path / "tokens.toml").write_text(f"{made.entry}\n{admin.entry}", encoding="utf-8")
    server = Server(
        Settings(tmp_path / "served", listen="127.0.0.1:0", tokens=tmp_path / "tokens.toml")
    )
    environment = {
        "PASSAGEWAY_SERVER": server.address,
        "PASSAGEWAY_TOKEN": made.secret,
        "PASSAGEWAY_ADMIN_TOKEN": admin.secret,
    }
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path / "page")
    yield Workplace(tmp_path / "page", environment)
    server.stop()


@pytest.mark.parametrize("page", [page for page in PAGES if examples(page)], ids=name_of)
def test_the_examples_of_a_page_run_print_what_it_shows_and_leave_a_clone_clean(
    page: Path, workplace: Workplace
) -> None:
    for example in examples(page):
        printed = workplace.run(example)

        if example.shown is not None:
            assert printed.rstrip("\n") == example.shown, example.place
    left = {f"/{entry.name}{'/' * entry.is_dir()}" for entry in workplace.folder.iterdir()}
    ignored = (REPOSITORY / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert left - {"/snapshots/"} <= set(ignored)
