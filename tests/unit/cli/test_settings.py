"""Settings come from flags and a file; what was given is named as the contract names it."""

import json
from pathlib import Path

import pytest

from passageway.cli import settings
from passageway.cli.failures import Usage


def test_a_file_in_the_contracts_other_spelling_gives_the_contracts_names(tmp_path: Path) -> None:
    file = tmp_path / "c.json"
    file.write_text(json.dumps({"defaultReaders": ["public"], "citationFields": ["url"]}))

    made, given = settings.read("c", str(file), description="Ours")

    assert given == ["citation_fields", "default_readers", "description"]
    assert (made.name, made.default_readers, made.description) == ("c", ("public",), "Ours")


@pytest.mark.parametrize(
    "document", ["{", "[]", '{"nam": 1}', '{"fields": [{"name": "v", "dimensions": -1}]}']
)
def test_a_wrong_file_is_told_with_its_option(tmp_path: Path, document: str) -> None:
    file = tmp_path / "c.json"
    file.write_text(document)

    with pytest.raises(Usage, match=f"--collection-file {file}: "):
        settings.read("c", str(file), option="--collection-file")


def test_a_file_that_is_not_there_is_told_with_its_option() -> None:
    with pytest.raises(Usage, match=r"--collection-file missing\.json: No such file"):
        settings.read("c", "missing.json", option="--collection-file")
