"""What earlier releases wrote opens with all that is in it, has no damage, and is gone on with."""

import re
import shutil
from collections import Counter
from pathlib import Path

import pytest

from passageway_server.storage.disk import DiskDirectory
from passageway_server.storage.report import Kind
from passageway_server.storage.verification import verify_folder
from passageway_server.values.records import Batch, NodeRecord
from passageway_server.version.store import Store
from tests.golden import make
from tests.golden.graph import THIRD, listed

GOLDEN = Path(__file__).parents[2] / "snapshots/golden"
FOLDERS = sorted(each.name for each in GOLDEN.iterdir() if each.is_dir())
SHORT = re.compile('("version": "[0-9a-f]{12})([0-9a-f]{12}")')
"""A token of formats 1 and 2, of which nothing was drawn."""

MORE = Batch(put_nodes=(NodeRecord("more", content="x"),), delete_edges=("e2",))


@pytest.fixture(params=FOLDERS)
def golden(request: pytest.FixtureRequest) -> Path:
    return GOLDEN / str(request.param)


@pytest.fixture
def data(golden: Path, tmp_path: Path) -> Path:
    """A copy of a golden folder."""
    return Path(shutil.copytree(golden, tmp_path / "data"))


def contents(store: Store) -> list[str]:
    return [line for kept in store.collections() for line in listed(kept.current)]


def expected(golden: Path) -> list[str]:
    listing = golden.with_name(golden.name + ".jsonl").read_text(encoding="utf-8")
    return SHORT.sub(r"\g<1>00000000\2", listing).splitlines()


def test_there_is_a_folder_of_each_format() -> None:
    assert FOLDERS == ["v1", "v2", "v3"]


def test_it_holds_what_was_written_and_goes_on_from_there(golden: Path, data: Path) -> None:
    assert verify_folder(DiskDirectory(data)).findings == ()

    store = Store.open(data)
    assert (store.damaged, store.findings) == ({}, [])
    assert contents(store) == expected(golden)
    for kept in store.collections():
        kept.apply(MORE)
    after = contents(store)
    store.close()

    assert verify_folder(DiskDirectory(data)).findings == ()
    assert (data / "FORMAT").read_text() == "2\n"
    again = Store.open(data)
    assert contents(again) == after
    assert Counter(after) - Counter(expected(golden)) != Counter()
    again.close()


@pytest.mark.parametrize("name", ["v1", "v2"])
def test_no_snapshot_is_written_by_who_commits_nothing(name: str, tmp_path: Path) -> None:
    data = Path(shutil.copytree(GOLDEN / name, tmp_path / "data"))
    before = {each: each.stat().st_mtime_ns for each in data.rglob("c/snapshots/*/*")}

    store = Store.open(data)
    store.create_snapshot("c", "")
    store.close()

    assert {each: each.stat().st_mtime_ns for each in data.rglob("c/snapshots/*/*")} == before


def test_its_named_snapshots_can_be_restored(golden: Path, data: Path) -> None:
    store = Store.open(data)
    for name in store.names():
        assert [each.name for each in store.snapshots(name)] == ["kept"]
        made = store.restore(name, "kept", into=f"{name}-again")
        assert (made.state.nodes, made.state.edges) in ((4, 4), (3, 2))
        store.restore(name, "kept")
        assert list(listed(store.collection(name).current))[1:] == list(listed(made.current))[1:]
    store.close()

    assert not verify_folder(DiskDirectory(data)).damaged


def test_a_key_of_then_gives_the_answer_of_then(tmp_path: Path) -> None:
    data = Path(shutil.copytree(GOLDEN / "v3", tmp_path / "data"))
    store = Store.open(data)
    kept = store.collection("c")
    before = kept.current.token

    answer = kept.apply(THIRD, make.KEYED, sub="ada")

    assert kept.current.token == before != answer.version
    assert kept.loaded("ada", "golden") == (2, answer)
    store.close()


def test_the_log_of_then_has_every_kind_of_commit(tmp_path: Path) -> None:
    data = Path(shutil.copytree(GOLDEN / "v3", tmp_path / "data"))
    report = verify_folder(DiskDirectory(data))

    assert sum(one.commits for one in report.collections) >= 8
    assert len(list((data / "c/log").iterdir())) >= 3
    assert not [each for each in report.findings if each.kind == Kind.DAMAGE]


def test_a_folder_that_is_made_today_is_what_is_kept(tmp_path: Path) -> None:
    make.make(tmp_path / "made")

    of_today, kept = expected(tmp_path / "made"), expected(GOLDEN / "v3")
    assert [each for each in of_today if "collection" not in each] == [
        each for each in kept if "collection" not in each
    ]
