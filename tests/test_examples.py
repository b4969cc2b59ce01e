"""Examples run as they stand, from an empty folder. Those that take minutes: `make examples`."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
NOTEBOOKS = sorted(EXAMPLES.rglob("*.ipynb"))
QUICK = {  # and what each prints when all is well
    "generate_and_check": "gives the same problem: True",
    "evaluate_a_policy": "level 0.0: 12 of 12 solved",
    "own_family": "The audit finds no fault.",
    "serve_and_ask": "'score': 1.0",
}


@pytest.mark.parametrize("name", QUICK)
def test_an_example_does_what_it_says(name: str, tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, EXAMPLES / f"{name}.py"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"COLUMNS": "100"},
    )
    assert run.returncode == 0, run.stderr
    assert QUICK[name] in run.stdout


def test_every_example_is_run_somewhere() -> None:
    slow = (EXAMPLES.parent / "tests" / "real" / "examples.py").read_text()
    for path in EXAMPLES.glob("*.py"):
        assert path.stem in QUICK or f'run("{path.stem}"' in slow, path.name


def test_a_notebook_is_kept_without_what_it_printed() -> None:
    assert len(NOTEBOOKS) >= 3
    for path in NOTEBOOKS:
        for cell in json.loads(path.read_text())["cells"]:
            assert not cell.get("outputs"), f"{path.name} holds outputs: clear them"
            assert cell.get("execution_count") is None
