"""The script for the first run on a GPU, on a CPU with a small model."""

import json
from pathlib import Path

import pytest
import torch

from benchmarks.gpu import run
from puzzlemill.trainer.execution_plan import read_rates


def test_every_piece_is_measured_once_and_its_rates_make_a_plan(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    device = torch.device("cpu")
    for done in ("generate", "kernels"):
        (tmp_path / f"{done}.json").write_text('{"tokens_a_second": 1.0}\n')  # before
    run.measured(device, tiny=True, out=tmp_path)
    found = {file.stem: json.loads(file.read_text()) for file in tmp_path.glob("*.json")}
    assert found.keys() == {*run.NAMES, "rates"}
    assert found["generate"] == {"tokens_a_second": 1.0}, "not done again"
    assert "generate.json is there: --again measures it anew" in capsys.readouterr().out
    assert 0 < found["agreement"]["mean"] < found["agreement"]["largest"] < 0.1
    assert found["sharded"]["gradient_apart"] < 1e-5
    rates = read_rates(tmp_path / "rates.json")
    assert rates.sampled_tokens_a_second == found["sampling"]["tokens_a_second"]
    assert rates.learned_tokens_a_second == found["learning"]["tokens_a_second"]
