"""Verifying a build: sound ones pass, and whatever is changed in one is found."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from puzzlemill import pipelines
from puzzlemill.__main__ import app, main
from puzzlemill.core.rows import table_of
from puzzlemill.core.storage.files import checksum
from puzzlemill.core.storage.parquet import read_table, write_table
from puzzlemill.pipelines.integrity import file_faults, row_faults, sample_rows

FILE = "data/train-00000-of-00001.parquet"
RECIPE = """name = "sound"
seed = 7
[[make]]
families = ["sums", "gcd+claim", "jigsaw_pair"]
count = 6
levels = [0.0, 0.3]
[[make]]
families = ["sums"]
count = 300
levels = [0.0]
knobs = { most = 9 }  # as at level 0: the same addresses, unless other indices are taken
[[make]]
families = ["gcd"]
count = 9
split = "test"
phrasings = [2]
[policy]
kind = "none"
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("verified")
    (folder / "sound.toml").write_text(RECIPE)
    return pipelines.build(folder / "sound.toml", folder)


@pytest.fixture
def build(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "sound"))


def faults_of(build: Path, count: int | None = None) -> list[str]:
    return file_faults(build) or row_faults(sample_rows(build, count)[0], lambda done: None)


def test_a_sound_build_passes(build: Path) -> None:
    told = CliRunner().invoke(app, ["verify-build", str(build), "--all"])
    assert told.exit_code == 0, told.output
    assert "327 rows as their addresses" in told.output
    assert faults_of(build, 10) == []
    assert len({str(sample_rows(build, 10)[0]) for _ in range(3)}) == 3  # nobody knows which
    rows, seed = sample_rows(build, 10)
    assert sample_rows(build, 10, seed) == (rows, seed)
    told = CliRunner().invoke(app, ["verify-build", str(build), "-n", "3"])
    assert re.search(r"3 rows as their addresses \(--seed \d+\)", told.output)


def change(build: Path, alter: Callable[[dict[str, Any]], None]) -> None:
    """Alter the first row, and have the manifest say that the file is so."""
    path = build / "dataset" / FILE
    rows = read_table(path).to_pylist()
    alter(rows[0])
    write_table(path, table_of(rows))
    manifest = json.loads((build / "manifest.json").read_text())
    manifest["files"][FILE]["sha256"] = checksum(path)
    (build / "manifest.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize(
    ("column", "value", "told"),
    [
        ("prompt", [{"role": "user", "content": "Say 1."}], "its prompt does not follow"),
        ("puzzle", '{"numbers":[1,2]}', "its puzzle does not follow"),
        ("canon", "0" * 16, "its canon does not follow"),
        ("index", 1_000_000, "its uid does not follow"),
        ("answer", "1000001", "its gold is '1000001'"),
        ("certificate", "constructed", "its gold is"),
        ("version", 99, "made by version 99"),
        ("split", "test", "is not of train"),
        ("dropped", "too easy: always solved", "is kept, but has a dropped"),
    ],
)
def test_a_row_that_was_changed_is_found(build: Path, column: str, value: Any, told: str) -> None:
    change(build, lambda row: row.update({column: value}))
    faults = faults_of(build)
    assert len(faults) == 1, faults
    assert told in faults[0]


def test_files_that_are_changed_gone_or_too_many_are_found(
    build: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = build / "dataset" / FILE
    shutil.copy(path, path.with_name("validation-00000-of-00001.parquet"))
    assert [each.partition(": ")[2] for each in file_faults(build)] == ["not in the manifest"]
    path.write_bytes(path.read_bytes() + b"x")
    assert any("not the bytes" in each for each in file_faults(build))
    path.unlink()
    assert any("missing" in each for each in file_faults(build))
    monkeypatch.setattr("sys.argv", ["puzzlemill", "verify-build", str(build)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    assert f"{FILE}: missing" in capsys.readouterr().err


def test_the_manifest_names_what_made_it(build: Path) -> None:
    manifest = json.loads((build / "manifest.json").read_text())
    assert set(manifest["versions"]) == {"sums", "gcd", "gcd+claim", "jigsaw_pair"}
    assert {"pyarrow", "sympy"} <= set(manifest["libraries"])
    assert manifest["recipe"]["seed"] == 7
    manifest["counts"]["made"] += 1
    (build / "manifest.json").write_text(json.dumps(manifest))
    (fault,) = file_faults(build)
    assert "'made': 328" in fault
    assert "but the files hold {'made': 327" in fault
