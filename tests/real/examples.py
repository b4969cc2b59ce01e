"""The examples that build and train, and the notebooks. `make examples`, a minute."""

import json
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(name: str, folder: Path) -> str:
    command = [sys.executable, str(EXAMPLES / f"{name}.py")]
    return subprocess.run(command, check=True, cwd=folder, stdout=subprocess.PIPE, text=True).stdout


def test_a_build_is_made_exported_and_trained_on(tmp_path: Path) -> None:
    assert "solved" in run("build_and_export", tmp_path)
    exported = tmp_path / "builds" / "example" / "exports" / "trl" / "train.parquet"
    assert pq.read_table(exported).num_rows > 20
    assert "held-out maxima" in run("train_the_bundled_policy", tmp_path)
    assert list(tmp_path.glob("builds/example/training/checkpoint-*"))


@pytest.mark.parametrize("path", sorted(EXAMPLES.rglob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_runs_from_its_first_cell_to_its_last(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    for cell in json.loads(path.read_text())["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), path.name, "exec"), names)
